"""Named runs of the toy, and their export for the pages.

`python -m toymodel.runs [--out FILE]` writes every name, axis, run and count as JSON.
Masked scores are written -Infinity, as Python's json reads and writes it.
"""

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path

import torch

from toymodel.facts import counted
from toymodel.model import Model, forward
from toymodel.names import AXES, NAMES, find, near
from toymodel.parameters import named
from toymodel.tokens import Vocabulary
from toymodel.trace import Edit, Trace
from toymodel.weights import load_toy

PROMPT = "o gato subiu no"
CONTINUATION = "␣telhado"
SWAPPED_PROMPT = "o subiu gato no"
ATTENTION_OFF = {"att": lambda att, trace: torch.zeros_like(att)}
POSITIONS_OFF = {"position_embedding": lambda rows, trace: torch.zeros_like(rows)}


@dataclass(frozen=True)
class Run:
    """One forward pass with all it recorded. `targets` is empty when no continuation is given."""

    name: str
    model: Model
    vocabulary: Vocabulary
    prompt: str
    tokens: tuple[int, ...]
    targets: tuple[int, ...]
    trace: Trace


def perform(
    name: str,
    model: Model,
    vocabulary: Vocabulary,
    prompt: str,
    continuation: str | None = None,
    edits: Mapping[str, Edit] | None = None,
) -> Run:
    """Run the model on a prompt. With the token that continues it, the loss is recorded too.

    Raises PromptError for a prompt that the vocabulary or the context cannot hold.
    """
    tokens = vocabulary.encode(prompt)
    targets = [*tokens[1:], vocabulary.tokens.index(continuation)] if continuation else []
    trace = Trace(edits)
    forward(torch.tensor(tokens), model, trace, torch.tensor(targets) if targets else None)
    return Run(name, model, vocabulary, prompt, tuple(tokens), tuple(targets), trace)


def toy() -> Run:
    return perform("toy", *load_toy(), PROMPT, CONTINUATION)


def attention_off() -> Run:
    return perform("toy.attention_off", *load_toy(), PROMPT, CONTINUATION, ATTENTION_OFF)


def tied() -> Run:
    model, vocabulary = load_toy()
    sharing = Model(replace(model.config, tied_output=True), replace(model.parameters, W_U=None))
    return perform("toy.tied", sharing, vocabulary, PROMPT, CONTINUATION)


def positions_off() -> Run:
    return perform("toy.positions_off", *load_toy(), PROMPT, CONTINUATION, POSITIONS_OFF)


def swapped() -> Run:
    """The same tokens in another order, the last one in its place."""
    return perform("toy.swapped", *load_toy(), SWAPPED_PROMPT)


def swapped_positions_off() -> Run:
    return perform("toy.swapped_positions_off", *load_toy(), SWAPPED_PROMPT, None, POSITIONS_OFF)


RUNS = {
    "toy": toy,
    "toy.attention_off": attention_off,
    "toy.tied": tied,
    "toy.positions_off": positions_off,
    "toy.swapped": swapped,
    "toy.swapped_positions_off": swapped_positions_off,
}


@cache
def run(name: str) -> Run:
    """A run by name, performed once. Raises KeyError with the near misses."""
    if name not in RUNS:
        raise KeyError(f"no run is called {name!r}{near(name, RUNS)}; there are {', '.join(RUNS)}")
    return RUNS[name]()


def export() -> dict:
    """Names, axes, every run with its values, and counts: JSON-able, the same every time."""
    return {
        "names": {entry.name: describe(entry) for entry in NAMES},
        "axes": AXES,
        "runs": {name: export_run(run(name)) for name in RUNS},
        "counted": counted(),
    }


def describe(entry) -> dict:
    return {key: value for key, value in asdict(entry).items() if key != "name"}


def export_run(one: Run) -> dict:
    """One run: its tokens, the labels of every axis, and all values, parameters first."""
    config, words = one.model.config, one.vocabulary.strings
    positions = count(len(one.tokens))
    several = config.blocks > 1
    values = {}
    for name, tensor in named(one.model.parameters).items():
        entry = find(name)
        axes = ("block",) * (several and entry.per_block) + entry.axes
        values[name] = {"axes": list(axes), "data": tensor.tolist()}
    for name in one.trace.names():
        axes, tensor = one.trace.axes(name), one.trace.whole(name)
        values[name] = {"axes": list(axes), "data": tensor.tolist()}
    return {
        "prompt": one.prompt,
        "tokens": words(one.tokens),
        "ids": list(one.tokens),
        "targets": words(one.targets),
        "labels": {
            "t": positions,
            "s": positions,
            "v": list(one.vocabulary.tokens),
            "d": count(config.width),
            "head": count(config.heads),
            "c": count(config.head_width),
            "j": count(config.heads * config.head_width),
            "u": count(config.mlp_width),
            "slot": count(config.context_length),
            "block": count(config.blocks),
        },
        "values": values,
    }


def count(length: int) -> list[int]:
    return list(range(1, length + 1))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m toymodel.runs", description=__doc__)
    parser.add_argument("--out", type=Path, help="the file to write; standard output without it")
    out = parser.parse_args(arguments).out
    torch.set_num_threads(1)
    text = json.dumps(export(), ensure_ascii=False) + "\n"
    if out is None:
        print(text, end="")
    else:
        out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
