"""The laboratory's result file: what stands in it beside the figures, and how it is written."""

import hashlib
import json
import platform
from collections.abc import Callable
from pathlib import Path

import torch

from toymodel.byte_level import ByteLevel
from toymodel.checkpoint import FILE
from toymodel.facts import parameter_counts
from toymodel.files import replacing
from toymodel.lab import figures
from toymodel.model import Model

RESULTS = Path("trained/results")  # of the folder where the command runs
PUBLISHED, OWN = RESULTS / "gpt2-small.json", RESULTS / "laboratory.json"
COMMAND = "python -m toymodel.gpt2 lab"


def place(weights: Path | None, out: Path | None) -> Path:
    """Where a checkpoint's result goes: the published weights and any others have each their own file."""
    return out or (PUBLISHED if weights is None else OWN)


def command(weights: Path | None, out: Path | None) -> str:
    """What makes the same result again, without the paths of one machine."""
    parts = [COMMAND]
    if weights is not None:
        parts.append(f"--weights {shown(weights)}")
    if out is not None and shown(out) != str(place(weights, None)):
        parts.append(f"--out {shown(out)}")
    return " ".join(parts)


def result(
    name: str, command: str, model: Model, vocabulary: ByteLevel, weights: Path,
    done: Callable[[], None] = lambda: None,
) -> dict:
    """The whole content of a result file; `weights` is where the model came from. Raises as `figures` does."""
    file = weights / FILE if weights.is_dir() else weights
    config, found = model.config, figures(model, vocabulary, done)
    return {
        "experiment": name,
        "about": "A model of GPT-2's layout, looked into: three prompts, and a text with attention and without.",
        "command": command,
        "made_with": {
            "python": platform.python_version(), "torch": torch.__version__, "device": f"{platform.machine()} CPU",
            "threads": torch.get_num_threads(), "dtype": "float64",
        },
        "weights": {
            "file": shown(file), "sha256": sha256(file), "parameters": sum(parameter_counts(config).values()),
            "sizes": {
                "blocks": config.blocks, "heads": config.heads, "width": config.width, "mlp_width": config.mlp_width,
                "vocabulary": config.vocabulary_size, "context": config.context_length,
            },
        },
        "labels": found.labels,
        "figures": found.figures,
    }  # fmt: skip


def shown(path: Path) -> str:
    """A path as others can use it: from the working folder where it lies inside, else its name alone."""
    here, there = Path.cwd().resolve(), path.resolve()
    return there.relative_to(here).as_posix() if there.is_relative_to(here) else path.name


def sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def write(content: dict, file: Path) -> None:
    """The file is whole or as it was before. A line for every figure."""
    parts = {key: json.dumps(value, ensure_ascii=False, allow_nan=False) for key, value in content.items()}
    lines = [
        f"  {json.dumps(name)}: {json.dumps(figure, ensure_ascii=False, allow_nan=False)}"
        for name, figure in content["figures"].items()
    ]
    parts["figures"] = "{\n" + ",\n".join(lines) + "\n }"
    with replacing(file) as aside:
        text = ",\n".join(f" {json.dumps(key)}: {part}" for key, part in parts.items())
        aside.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
