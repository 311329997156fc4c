"""What an experiment is: rows to train and judge, or a computation; and what either finds.

A figure is a number or nested lists with named axes; an axis means the same in a whole result
file, which lists its labels once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from toymodel.parameters import Parameters
from trained.corpus import corpus
from trained.data import Data
from trained.files import read_tensors, write_tensors
from trained.training import Row, perplexity
from trained.weights import Tensors


@dataclass
class Findings:
    """Figures by name, each (axes, values), and the labels of every axis they use."""

    labels: dict[str, list] = field(default_factory=dict)
    figures: dict[str, tuple[tuple[str, ...], object]] = field(default_factory=dict)

    def add(self, name: str, values: object, *axes: str) -> None:
        self.figures[name] = (axes, values)

    def written(self) -> dict:
        """As a result file has it."""
        return {name: {"axes": list(axes), "values": values} for name, (axes, values) in self.figures.items()}


def perplexities(row: Row, parameters: Parameters, data: Data, seed: int) -> Findings:
    """Perplexity on the whole held-out part and on the whole training part."""
    found = Findings()
    for part in ("held_out", "train"):
        found.add(f"{part}_perplexity", perplexity(row, parameters, data.part(part, row.settings.context)))
    return found


class Storage(Protocol):
    """How a training's checkpoints lie on disk."""

    def write(self, tensors: Tensors, checkpoints: Path, name: str, corpus: Path | None) -> Path:
        """Store weights by name, for a run of that name; the file that holds them."""

    def read(self, file: Path) -> Tensors:
        """The weights by name. Raises TrainedError for a damaged file."""

    def describe(self, content: dict, checkpoints: Path) -> None:
        """Say beside the checkpoints what a result file says of them, if that is the way."""


class OneFile:
    """A safetensors file for each run, with our names."""

    def write(self, tensors: Tensors, checkpoints: Path, name: str, corpus: Path | None) -> Path:
        file = checkpoints / f"{name}.safetensors"
        write_tensors(file, tensors, {"run": name})
        return file

    def read(self, file: Path) -> Tensors:
        return read_tensors(file)[0]

    def describe(self, content: dict, checkpoints: Path) -> None:
        """The result file says it all."""


@dataclass(frozen=True)
class Training:
    """Rows that differ in one thing, each trained from every seed and then judged.

    `judge(row, parameters, data, seed)` finds the final figures.
    """

    name: str
    about: str
    rows: Mapping[str, Row]
    data: Callable[[Path | None], Data] = corpus
    judge: Callable[[Row, Parameters, Data, int], Findings] = perplexities
    storage: Storage = field(default_factory=OneFile)


@dataclass(frozen=True)
class Computation:
    """Figures that need no training: exact ones, random draws from a stated seed, timings.

    What is not `timed` comes out the same every time.
    """

    name: str
    about: str
    compute: Callable[[Path | None], Findings]
    timed: bool = False


Experiment = Training | Computation
