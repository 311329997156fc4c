"""Named runs of the toy, and their export for the pages.

`python -m toymodel.runs [--out FILE]` writes every name, axis, run, count and token as JSON.
Masked scores are written -Infinity, as Python's json reads and writes it.
"""

import argparse
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache, partial
from pathlib import Path

import torch

from toymodel import tokenization
from toymodel.averages import averages
from toymodel.cache import Cache
from toymodel.facts import counted, holders
from toymodel.model import Model, forward
from toymodel.names import AXES, NAMES, find, near
from toymodel.parameters import named
from toymodel.tokens import END, PromptError, Vocabulary
from toymodel.trace import Edit, Trace
from toymodel.weights import load_toy

PROMPT = "o gato subiu no"
CONTINUATION = "␣telhado"
BEGINNING, BEGINNING_CONTINUATION = "o gato", "␣sub"
ATTENTION_OFF = {"att": lambda att, trace: torch.zeros_like(att)}
ONE_ROLE = {"scores": lambda scores, trace: (trace["a"] @ trace["a"].mT).expand_as(scores)}
NO_MASK = {"masked_scores": lambda masked, trace: trace["scaled_scores"]}
NO_SCALING = {"scaled_scores": lambda scaled, trace: trace["scores"]}
SWAPPED_PROMPT = "o subiu gato no"
POSITIONS_OFF = {"position_embedding": lambda rows, trace: torch.zeros_like(rows)}


@dataclass(frozen=True)
class Run:
    """One forward pass with all it recorded. `targets` is empty when no continuation is given.

    `first` is the position of the first row: above 1 when those before came from a cache.
    """

    name: str
    model: Model
    vocabulary: Vocabulary
    prompt: str
    tokens: tuple[int, ...]
    targets: tuple[int, ...]
    trace: Trace
    first: int = 1


def perform(
    name: str,
    model: Model,
    vocabulary: Vocabulary,
    prompt: str,
    continuation: str | None = None,
    edits: Mapping[str, Edit] | None = None,
) -> Run:
    """Run the model on a prompt. With the token that continues it, the loss is recorded too.

    Raises PromptError for a prompt that the vocabulary or the context cannot hold, and for a
    continuation that is no token.
    """
    tokens = vocabulary.encode(prompt)
    if continuation and continuation not in vocabulary.tokens:
        raise PromptError(f"the continuation {continuation!r} is no token{near(continuation, vocabulary.tokens)}")
    targets = [*tokens[1:], vocabulary.tokens.index(continuation)] if continuation else []
    trace = Trace(edits)
    forward(torch.tensor(tokens), model, trace, torch.tensor(targets) if targets else None)
    return Run(name, model, vocabulary, prompt, tuple(tokens), tuple(targets), trace)


def toy() -> Run:
    return perform("toy", *load_toy(), PROMPT, CONTINUATION)


def head_only(head: int) -> dict[str, Edit]:
    """The edit that leaves one head, counted from 1, and puts zeros in place of the others' outputs."""

    def silence(outputs: torch.Tensor, trace: Trace) -> torch.Tensor:
        kept = torch.zeros_like(outputs)  # head, t, c
        kept[head - 1] = outputs[head - 1]
        return kept

    return {"head_outputs": silence}


def edited(name: str, edits: Mapping[str, Edit]) -> Run:
    """The running prompt, with an intervention in the computation."""
    return perform(name, *load_toy(), PROMPT, CONTINUATION, edits)


def beginning(name: str, edits: Mapping[str, Edit] | None = None) -> Run:
    """The first words of the running prompt alone: what stood before the other tokens came."""
    return perform(name, *load_toy(), BEGINNING, BEGINNING_CONTINUATION, edits)


def tied() -> Run:
    model, vocabulary = load_toy()
    sharing = Model(replace(model.config, tied_output=True), replace(model.parameters, W_U=None))
    return perform("toy.tied", sharing, vocabulary, PROMPT, CONTINUATION)


def whole() -> Run:
    """The sentence that the toy writes when it always takes the likeliest token."""
    return perform("toy.whole", *load_toy(), f"{PROMPT} telhado.", END)


def dog() -> Run:
    return perform("toy.dog", *load_toy(), "o cão subiu no", CONTINUATION)


def cached() -> Run:
    """The step after the prompt: one new row, the keys and values before it from a cache."""
    model, vocabulary = load_toy()
    tokens = vocabulary.encode(f"{PROMPT} telhado")
    kept = Cache(model)
    forward(torch.tensor(tokens[:-1]), model, kept)
    kept.record = trace = Trace()
    forward(torch.tensor(tokens[-1:]), model, kept)
    prompt = vocabulary.decode(tokens)
    return Run("toy.cached", model, vocabulary, prompt, tuple(tokens), (), trace, first=len(tokens))


def swapped(name: str, edits: Mapping[str, Edit] | None = None) -> Run:
    """The same tokens in another order, the last one in its place."""
    return perform(name, *load_toy(), SWAPPED_PROMPT, None, edits)


RUNS = {
    "toy": toy,
    "toy.attention_off": partial(edited, "toy.attention_off", ATTENTION_OFF),
    "toy.tied": tied,
    "toy.one_role": partial(edited, "toy.one_role", ONE_ROLE),
    "toy.no_mask": partial(edited, "toy.no_mask", NO_MASK),
    "toy.no_scaling": partial(edited, "toy.no_scaling", NO_SCALING),
    "toy.head_1_only": partial(edited, "toy.head_1_only", head_only(1)),
    "toy.head_2_only": partial(edited, "toy.head_2_only", head_only(2)),
    "toy.beginning": partial(beginning, "toy.beginning"),
    "toy.beginning_no_mask": partial(beginning, "toy.beginning_no_mask", NO_MASK),
    "toy.whole": whole,
    "toy.dog": dog,
    "toy.cached": cached,
    "toy.positions_off": partial(edited, "toy.positions_off", POSITIONS_OFF),
    "toy.swapped": partial(swapped, "toy.swapped"),
    "toy.swapped_positions_off": partial(swapped, "toy.swapped_positions_off", POSITIONS_OFF),
}


@cache
def run(name: str) -> Run:
    """A run by name, performed once. Raises KeyError with the near misses."""
    if name not in RUNS:
        raise KeyError(f"no run is called {name!r}{near(name, RUNS)}; there are {', '.join(RUNS)}")
    return RUNS[name]()


def export() -> dict:
    """Names, axes, every run with its values, counts, and tokens: JSON-able, the same every time."""
    return {
        "names": {entry.name: describe(entry) for entry in NAMES},
        "axes": AXES,
        "runs": {name: export_run(run(name)) for name in RUNS},
        "counted": counted(),
        "tokens": tokenization.export(run("toy").vocabulary, PROMPT),
        "averages": averages(),
    }


def describe(entry) -> dict:
    return {key: value for key, value in asdict(entry).items() if key != "name"} | {"models": holders(entry)}


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
            "t": positions[one.first - 1 :],
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
