"""Values with addresses: "toy/z[t=5,v=␣telhado]" names one element of one tensor of one run.

A run holds tensors, a tensor has named axes, and calling a tensor with coordinates narrows it:
`z(t=5)` is a vector, `z(t=5, v="␣telhado")` a number. Positions count from 1, as on the page.
An address can be a computation as well: "sum(toy/exp_z[t=5])", "ln(counted/toy.vocabulary)".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote

from worked.errors import AuthorError, found, near_miss
from worked.numbers import Label, Number, as_number, computed

RESERVED = ",[]+=%()\"'&"  # characters that mean something in an address are percent-encoded in labels


def encoded(label: object) -> str:
    """A coordinate as it stands in an address; several labels are joined by +."""
    if isinstance(label, tuple):
        return "+".join(encoded(one) for one in label)
    return "".join(quote(char) if char in RESERVED else char for char in str(label))


def plain(label: object) -> object:
    """A coordinate as the axis knows it, whether given plainly, as a label or as a number."""
    if isinstance(label, Label):
        return label.name
    return label.value if isinstance(label, Number) else label


@dataclass(frozen=True)
class Axis:
    """A named axis and the labels along it: positions 1, 2, …, or tokens."""

    name: str
    labels: tuple

    def index(self, label: object, owner: str) -> int:
        """Where `label` stands; AuthorError, with the near one, if it does not."""
        if label not in self.labels or type(label) is not type(self.labels[0]):
            raise AuthorError(
                f"`{owner}` has no {self.name}={label!r}: {self.name} runs from "
                f"{self.labels[0]} to {self.labels[-1]}{near_miss(label, self.labels)}"
            )
        return self.labels.index(label)


@dataclass(frozen=True)
class Tensor:
    """A named value of a run, or a part of it.

    `axes` are the axes still free, `data` nested lists in their order, `fixed` the coordinates
    given so far (in the order of `order`, the tensor's own axes).
    """

    run: str
    name: str
    axes: tuple[Axis, ...]
    data: Sequence
    exact: bool = False  # entries are written as they are (weights), not rounded
    order: tuple[str, ...] = ()
    fixed: Mapping[str, object] = field(default_factory=dict)
    computation: str = ""  # the address, when the elements were computed

    @property
    def address(self) -> str:
        if self.computation:
            return self.computation
        coordinates = ",".join(
            f"{axis}={encoded(self.fixed[axis])}" for axis in self.order if axis in self.fixed
        )
        return f"{self.run}/{self.name}" + (f"[{coordinates}]" if coordinates else "")

    def axis(self, name: str) -> Axis:
        """The free axis of that name; AuthorError if there is none."""
        for axis in self.axes:
            if axis.name == name:
                return axis
        free = ", ".join(axis.name for axis in self.axes) or "none left"
        miss = near_miss(name, self.order) if name not in self.order else ""
        raise AuthorError(f"`{self.address}` has no axis `{name}` to choose on; its axes: {free}{miss}")

    def __call__(self, **coordinates: object) -> Tensor | Number | Label:
        """Narrow the tensor: a label fixes an axis, a list of labels keeps only those.

        What is left when no axis is free is a number, or a label where the tensor holds words.
        """
        part = self
        for name, label in coordinates.items():
            part = part._narrowed(name, label)
        if part.axes:
            return part
        if isinstance(part.data, str):
            return Label(part.data, part.address)
        return Number(part.data, part.address, exact=self.exact)

    def _narrowed(self, name: str, label: object) -> Tensor:
        if self.computation:
            raise AuthorError(f"`{self.address}` was computed: narrow it before, not after")
        axis = self.axis(name)
        depth = self.axes.index(axis)
        if isinstance(label, (list, tuple)):
            chosen = tuple(plain(one) for one in label)
            indices = [axis.index(one, self.address) for one in chosen]
            axes = (*self.axes[:depth], Axis(name, chosen), *self.axes[depth + 1 :])
            take, label = (lambda level: [level[i] for i in indices]), chosen
        else:
            label = plain(label)
            index = axis.index(label, self.address)
            axes = (*self.axes[:depth], *self.axes[depth + 1 :])
            take = lambda level: level[index]
        data = _at_depth(self.data, depth, take)
        fixed = {**self.fixed, name: label}
        return Tensor(self.run, self.name, axes, data, self.exact, self.order, fixed)

    def __iter__(self) -> Iterator[Tensor | Number]:
        """Along the first free axis."""
        axis = self.axes[0]
        return (self(**{axis.name: label}) for label in axis.labels)

    def numbers(self) -> list[Number]:
        """Every element, in order."""
        return [
            number
            for part in self
            for number in (part.numbers() if isinstance(part, Tensor) else [part])
        ]

    def values(self) -> list[float]:
        """Every element's value, in order, without addresses."""
        flat = list(self.data)
        for _ in self.axes[1:]:
            flat = [value for level in flat for value in level]
        return flat

    def positions(self, axis: str) -> list[Number]:
        """The whole-number labels along a free axis, as numbers: `label(toy/p,t,5)` is 5."""
        return [
            Number(label, f"label({self.address},{axis},{place})")
            for place, label in enumerate(self.axis(axis).labels, start=1)
        ]

    def size(self, axis: str) -> Number:
        """How many labels an axis has, as a number with an address: `count(toy/y,t)`."""
        return Number(len(self.axis(axis).labels), f"count({self.address},{axis})")

    @property
    def shape(self) -> list[Number]:
        return [self.size(axis.name) for axis in self.axes]

    @property
    def largest_magnitude(self) -> float:
        """For tints only, never shown: the largest finite absolute value."""
        return max(abs(value) for value in self.values() if math.isfinite(value))

    def apply(self, operation: str, *others: object) -> Tensor:
        """The operation on every element, with the same numbers beside each: `exp(add(toy/z[t=5],10))`.

        Only whole vectors are worth it; the result can be reduced, not narrowed.
        """
        if len(self.axes) != 1:
            raise AuthorError(f"`{self.address}` is no vector: fix all axes but one")
        data = [computed(operation, Number(value, self.address), *others).value for value in self.data]
        names = [self.address, *(as_number(other).address for other in others)]
        return replace(self, data=data, exact=False, computation=f"{operation}({','.join(names)})")

    def __add__(self, other: object) -> Tensor:
        return self.apply("add", other)

    def __truediv__(self, other: object) -> Tensor:
        return self.apply("div", other)

    def __str__(self) -> str:
        raise AuthorError(
            f"`{self.address}` is not one number: it still has the axes "
            + ", ".join(f"{axis.name} ({axis.labels[0]} to {axis.labels[-1]})" for axis in self.axes)
        )


def _at_depth(data: Sequence, depth: int, take) -> Sequence:
    return take(data) if depth == 0 else [_at_depth(level, depth - 1, take) for level in data]


class Run:
    """The tensors of one run, by name: `tied.p`, `tied["p"]`."""

    def __init__(self, name: str, tensors: Mapping[str, Tensor]):
        self.name = name
        self.tensors = tensors

    def __getattr__(self, name: str) -> Tensor:
        if name.startswith("__"):
            raise AttributeError(name)
        return found(self.tensors, name, f"run `{self.name}` has no value `{name}`")

    __getitem__ = __getattr__

    @classmethod
    def from_export(cls, name: str, labels: Mapping, values: Mapping, exact: set[str]) -> Run:
        """From plain data: labels by axis, and for each value its axes and nested lists.

        An axis of a tensor takes its labels from `labels`; shapes that disagree raise ValueError.
        """
        tensors = {}
        for value, entry in values.items():
            axes = tuple(Axis(axis, tuple(labels[axis])) for axis in entry["axes"])
            levels = [entry["data"]]
            for axis in axes:
                for level in levels:
                    if len(level) != len(axis.labels):
                        raise ValueError(f"{name}/{value}: {len(level)} along {axis.name}, {len(axis.labels)} labels")
                levels = [part for level in levels for part in level]
            order = tuple(axis.name for axis in axes)
            tensors[value] = Tensor(name, value, axes, entry["data"], value in exact, order)
        return cls(name, tensors)
