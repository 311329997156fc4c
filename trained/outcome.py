"""One run, from the draw of its parameters to its figures, in a folder of its own.

The folder holds the state of the training, then the weights as they are stored (float16) and
`outcome.json`. Figures are computed from the stored weights, so that they can be again.
"""

import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from filelock import FileLock

from trained.data import Data
from trained.errors import TrainedError
from trained.experiment import Findings, Training
from trained.files import read_json, read_tensors, write_json, write_tensors
from trained.training import Row, fit
from trained.weights import Tensors, assembled, count

Report = Callable[[int, float], None]


@dataclass(frozen=True)
class Job:
    """Which run: plain values, so that any process on any machine can be told."""

    experiment: str
    row: str
    seed: int
    steps: int | None = None  # fewer than the experiment's own, for a rehearsal
    device: str = "cpu"

    @property
    def name(self) -> str:
        return f"{self.experiment}-{self.row}-seed{self.seed}"


def carried_out(job: Job, training: Training, data: Data, work: Path, report: Report = lambda step, loss: None) -> Path:
    """Train, store the weights and judge them, unless that was done; the folder with the outcome.

    Raises TrainedError for what it finds damaged or begun with other settings.
    """
    row = row_of(job, training)
    folder = work / job.name
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / "lock"):
        if (folder / "outcome.json").exists():
            check_same(folder / "outcome.json", row, data)
            return folder
        run = fit(row, data, job.seed, folder / "state.safetensors", job.device, report)
        began = time.monotonic()
        stored = {name: tensor.half() for name, tensor in run.tensors.items()}
        write_tensors(folder / "weights.safetensors", stored, {"run": job.name})
        found = judged(training, row, stored, data, job.seed)
        curve = {name: getattr(run, name) for name in ("steps", "train_loss", "held_out_perplexity")}
        write_json(
            folder / "outcome.json",
            {
                "settings": asdict(row.settings),
                "data": data.about,
                "made_with": surroundings(job.device),
                "parameters": count(row.shapes),
                "seconds": round(run.seconds + time.monotonic() - began, 1),
                "curve": curve,
                "labels": found.labels,
                "figures": found.written(),
            },
        )
        (folder / "state.safetensors").unlink()
    return folder


def row_of(job: Job, training: Training) -> Row:
    """The row that a job trains, with the job's steps."""
    if job.row not in training.rows:
        raise TrainedError(f"{training.name} has no row {job.row!r}; it has {', '.join(training.rows)}")
    row = training.rows[job.row]
    return row if job.steps is None else replace(row, settings=replace(row.settings, steps=job.steps))


def judged(training: Training, row: Row, stored: Tensors, data: Data, seed: int) -> Findings:
    """The figures of stored weights. TrainedError if they are not the row's parameters."""
    got = {name: tuple(tensor.shape) for name, tensor in stored.items()}
    if got != row.shapes:
        wrong = sorted(name for name in got.keys() | row.shapes.keys() if got.get(name) != row.shapes.get(name))
        raise TrainedError(
            f"{training.name}: not this row's weights: {wrong[0]}: "
            f"expected {row.shapes.get(wrong[0])}, got {got.get(wrong[0])}"
        )
    return training.judge(row, assembled({name: tensor.float() for name, tensor in stored.items()}), data, seed)


def check_same(path: Path, row: Row, data: Data) -> None:
    outcome = read_json(path)
    for what, expected in (("settings", asdict(row.settings)), ("data", data.about)):
        if outcome.get(what) != expected:
            raise TrainedError(
                f"{path}: from other {what}: expected {expected}, got {outcome.get(what)}; move the folder away"
            )


def weights_of(path: Path) -> Tensors:
    """Stored weights. TrainedError for a damaged file."""
    return read_tensors(path)[0]


def surroundings(device: str) -> dict:
    """Versions and hardware, in general words."""
    return {
        "python": platform.python_version(),
        "torch": torch.__version__,
        "device": torch.cuda.get_device_name() if device == "cuda" else f"{platform.machine()} CPU",
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "dtype": "float32",
    }
