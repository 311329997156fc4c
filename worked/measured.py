"""Measured results: one JSON file an experiment, its figures as tensors with addresses of their own.

`measured/ladder.held_out_perplexity[row=token_only,seed=0]` is one figure of `ladder.json`;
`measured/ladder/settings/token_only/width` is something else that the file says. The schema is
described in trained/README.md; nothing here knows how the figures came about.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from pathlib import Path

from worked.address import Run, Tensor
from worked.errors import AuthorError, Place
from worked.numbers import Label, Number
from worked.records import Record

KEYS = {"experiment": str, "about": str, "command": str, "made_with": dict, "labels": dict, "figures": dict}


class Result(Run):
    """One experiment: `ladder.held_out_perplexity(row=…, seed=…)`, `ladder.file.command`."""

    def __init__(self, name: str, figures: Mapping[str, Tensor], file: Record):
        super().__init__(name, figures)
        self.file = file

    def __getattr__(self, name: str) -> Tensor | Number | Label:
        """A figure; one without axes is its one number or word."""
        figure = super().__getattr__(name)
        return figure if figure.axes else figure()

    __getitem__ = __getattr__

    def along(self, axis: str) -> list[str] | list[Number]:
        """The labels of an axis: names as they are, whole numbers with addresses; none if no figure has it."""
        for figure in self.tensors.values():
            for one in figure.axes:
                if one.name == axis:
                    whole = all(isinstance(label, int) for label in one.labels)
                    return figure.positions(axis) if whole else list(one.labels)
        return []


def load_results(folder: Path) -> dict[str, Result]:
    """Every result of a folder, by experiment.

    Raises AuthorError, with the file, for one that is damaged, incomplete or does not fit its own labels.
    """
    return {file.stem: _load(file) for file in sorted(folder.glob("*.json"))}


def check_weights(results: Mapping[str, Result], root: Path) -> None:
    """A result that names the weights it was computed from (`weights`: `file`, `sha256`) has these very ones.

    Raises AuthorError, with the command to run, for weights under `root` that are others by now.
    """
    for name, result in results.items():
        if "weights" not in result.file:
            continue
        weights = result.file.weights
        file = root / weights.file.name
        if not file.is_file():
            continue
        with file.open("rb") as content:
            got = hashlib.file_digest(content, "sha256").hexdigest()
        if got != weights.sha256.name:
            raise AuthorError(
                f"computed from other weights: {weights.file.name} has the SHA-256 {got:.12}…, the result's have "
                f"{weights.sha256.name:.12}…; `{result.file.command.name}` computes it again",
                Place(f"trained/results/{name}.json", 1),
            )


def _load(file: Path) -> Result:
    origin = "/".join(file.parts[-3:])
    try:
        content = json.loads(file.read_text(encoding="utf-8"), parse_constant=_refused)
    except json.JSONDecodeError as error:
        raise AuthorError(f"the result is damaged: {error.msg}", Place(origin, error.lineno)) from error
    except (OSError, ValueError) as error:
        raise AuthorError(f"the result cannot be read: {error}", Place(origin, 1)) from error
    try:
        return _checked(file.stem, content)
    except AuthorError as error:
        raise error.at(Place(origin, 1)) from error


def _refused(constant: str) -> None:
    raise ValueError(f"{constant} is no number that could be shown")


def _checked(name: str, content: object) -> Result:
    if not isinstance(content, dict):
        raise AuthorError(f"the result is no object, but {type(content).__name__}")
    for key, kind in KEYS.items():
        if not isinstance(content.get(key), kind):
            raise AuthorError(f"no `{key}` ({kind.__name__}): the file is not a result, or not all of one")
    if content["experiment"] != name:
        raise AuthorError(f"the file is named `{name}`, the experiment in it `{content['experiment']}`")
    labels, figures = content["labels"], content["figures"]
    for axis, along in labels.items():
        plain = isinstance(along, list) and all(isinstance(label, (str, int)) for label in along)
        if not plain or not along or len(set(along)) != len(along):
            raise AuthorError(f"labels of `{axis}`: expected names or whole numbers, none twice, got {along!r:.60}")
    for figure, entry in figures.items():
        if not isinstance(entry, dict) or not {"axes", "values"} <= set(entry):
            raise AuthorError(f"`{figure}`: expected axes and values, got {entry!r:.60}")
        for axis in entry["axes"]:
            if axis not in labels:
                raise AuthorError(f"`{figure}` has the axis `{axis}`, for which there are no labels")
        _check_shape(figure, entry["values"], entry["axes"], labels)
    rest = {key: value for key, value in content.items() if key not in ("labels", "figures")}
    named = {f"{name}.{figure}": {"axes": entry["axes"], "data": entry["values"]} for figure, entry in figures.items()}
    tensors = Run.from_export("measured", labels, named, set()).tensors
    return Result(name, {figure: tensors[f"{name}.{figure}"] for figure in figures}, Record(rest, f"measured/{name}"))


def _check_shape(figure: str, values: object, axes: list[str], labels: Mapping[str, list]) -> None:
    if axes:
        count = len(labels[axes[0]])
        if not isinstance(values, list) or len(values) != count:
            raise AuthorError(f"`{figure}`: expected {count} values along `{axes[0]}`, got {values!r:.60}")
        for one in values:
            _check_shape(figure, one, axes[1:], labels)
    elif isinstance(values, bool) or not isinstance(values, (int, float, str, type(None))):
        raise AuthorError(f"`{figure}`: expected a number or a word, got {values!r:.60}")
    elif isinstance(values, float) and not math.isfinite(values):
        raise AuthorError(f"`{figure}`: {values} is no number that could be shown")
