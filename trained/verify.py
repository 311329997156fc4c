"""Committed checkpoints and exact figures, computed again and compared with their result files."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from trained.data import Data
from trained.errors import TrainedError
from trained.experiment import Computation, Experiment, Findings, Training
from trained.files import digest
from trained.outcome import judged
from trained.results import CHECKPOINTS, RESULTS, read_result

RELATIVE = 1e-3  # between machines; on the one that wrote a result nothing differs
ABSOLUTE = 1e-6  # figures that are rounding noise


def verified(
    experiment: Experiment, corpus: Path | None = None, results: Path = RESULTS, checkpoints: Path = CHECKPOINTS
) -> Iterator[tuple[str, float]]:
    """Yield what was compared and the largest relative difference found in it.

    Raises TrainedError at the first file that is damaged and the first figure that is another.
    """
    content = read_result(experiment.name, results)
    if isinstance(experiment, Computation):
        if not experiment.timed:
            yield experiment.name, compared(experiment.name, experiment.compute(corpus), content)
        return
    data = experiment.data(corpus)
    if data.about != content["data"]:
        raise TrainedError(f"{experiment.name}: the result is of other data: {content['data']}, not {data.about}")
    for name, kept in content["checkpoints"].items():
        yield f"{experiment.name}/{name}", checkpoint_verified(experiment, name, kept, content, data, checkpoints)


def checkpoint_verified(
    training: Training, name: str, kept: dict, content: dict, data: Data, checkpoints: Path
) -> float:
    """The largest relative difference between a checkpoint's figures and the result file's."""
    path = checkpoints / kept["file"]
    stored = training.storage.read(path)
    if digest(path) != kept["sha256"]:
        raise TrainedError(f"{path}: not the checkpoint of the result: its SHA-256 is not {kept['sha256']}")
    row = training.rows[name]
    row = replace(row, settings=type(row.settings)(**content["settings"][name]))
    found = judged(training, row, stored, data, kept["seed"])
    return compared(f"{training.name}/{name}", found, content, (name, kept["seed"]))


def compared(what: str, found: Findings, content: dict, where: tuple = ()) -> float:
    """Figure by figure; `where` are the labels of the file's first axes that the findings belong to."""
    largest = 0.0
    for name, (_, values) in found.figures.items():
        if name not in content["figures"]:
            raise TrainedError(f"{what}: the result has no figure {name!r}")
        written = content["figures"][name]
        part = written["values"]
        for axis, label in zip(written["axes"], where, strict=False):
            part = part[content["labels"][axis].index(label)]
        for one, other in zip(leaves(values), leaves(part), strict=True):
            difference = apart(one, other)
            if difference > RELATIVE:
                raise TrainedError(f"{what}: {name}: the result says {other}, computed again it is {one}")
            largest = max(largest, difference)
    return largest


def leaves(values: object) -> Iterator:
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from leaves(value)
    else:
        yield values


def apart(one: object, other: object) -> float:
    """The relative difference of two numbers, 0 for rounding noise; anything else is equal or not."""
    if not isinstance(one, float) or not isinstance(other, (int, float)):
        return 0.0 if one == other else math.inf
    return 0.0 if abs(one - other) <= ABSOLUTE else abs(one - other) / max(abs(one), abs(other))
