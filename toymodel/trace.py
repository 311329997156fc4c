"""Recorders: what the forward pass tells its intermediate values to.

A recorder is called as `record(name, value, block=None)` and returns the value that the
computation goes on with, so that what is recorded is what is computed.
"""

from collections.abc import Callable, Mapping
from functools import partial

import torch
from torch import Tensor

from toymodel.names import Kind, Name, find

Edit = Callable[[Tensor, "Trace"], Tensor]


def silent(name: str, value: Tensor, block: int | None = None) -> Tensor:
    """The recorder that records nothing."""
    return value


silent.wants = lambda name, block: False


def wants(record, *names: str) -> bool:
    """Whether a recorder needs any of these values to be made.

    A recorder says so by a method `wants(name, block)`; one that has none needs them all.
    """
    block = None
    if isinstance(record, partial):  # the recorder of one block
        record, block = record.func, record.keywords.get("block")
    says = getattr(record, "wants", None)
    return says is None or any(says(name, block) for name in names)


class Trace:
    """The recorder that keeps every value, by name and block, with its axes.

    `trace["z"]`, `trace["q", 2]`: a copy of the recorded value. The block, counted from 1,
    may be left out when only one was recorded. Copies go in and copies come out: nothing
    done to them reaches the trace.

    `edits` maps a name to `function(value, trace) -> value` and intervenes in the
    computation, in every block: the edited value is recorded and used further on. Attention
    is switched off by `{"att": lambda att, trace: torch.zeros_like(att)}`.

    A trace holds one sequence, without batch dimensions, and one forward pass.
    """

    def __init__(self, edits: Mapping[str, Edit] | None = None):
        self._edits = dict(edits or {})
        self._values: dict[str, dict[int | None, Tensor]] = {}
        for name in self._edits:
            find_recorded(name)

    def __call__(self, name: str, value: Tensor, block: int | None = None) -> Tensor:
        """Record a value, after its edit if it has one.

        Raises KeyError for a name that the registry does not record, ValueError for a value
        recorded twice, a block missing or out of place, a wrong rank, or an edit that
        changes the shape.
        """
        check_recorded(name, value, block)
        if block in self._values.get(name, {}):
            raise ValueError(f"{describe(name, block)}: already recorded")
        edited = self._edits[name](value, self) if name in self._edits else value
        if edited.shape != value.shape:
            raise ValueError(
                f"{describe(name, block)}: the edit must keep the shape {tuple(value.shape)}, "
                f"it returned {tuple(edited.shape)}"
            )
        self._values.setdefault(name, {})[block] = self._keep(edited)
        return edited

    def __getitem__(self, key: str | tuple[str, int]) -> Tensor:
        """The value of a name, or of a name in a block; its axes are `trace.axes(name)`.

        Raises KeyError when it was not recorded, or when the block is needed to tell.
        """
        name, block = key if isinstance(key, tuple) else (key, None)
        blocks = self._blocks(name)
        if block is None and len(blocks) > 1:
            raise KeyError(f"{name}: recorded in {len(blocks)} blocks; say which, from 1")
        found = next(iter(blocks)) if block is None else block
        if found not in blocks:
            raise KeyError(f"{describe(name, block)}: recorded only in {list(blocks)}")
        return self._read(name, found)

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def names(self) -> list[str]:
        """The recorded names, in the order of the computation."""
        return list(self._values)

    def blocks(self, name: str) -> list[int | None]:
        """The blocks that recorded a name, from 1; None for what no block records."""
        return list(self._blocks(name))

    def axes(self, name: str) -> tuple[str, ...]:
        """The axes of `whole(name)`: "block" comes first when several blocks recorded it."""
        several = len(self._blocks(name)) > 1
        return ("block",) * several + find(name).axes

    def whole(self, name: str) -> Tensor:
        """The value with every block in it: stacked along a first axis if there are several."""
        values = [self._read(name, block) for block in self._blocks(name)]
        return torch.stack(values) if len(values) > 1 else values[0]

    def _keep(self, value: Tensor) -> Tensor:
        return value.detach().clone()

    def _read(self, name: str, block: int | None) -> Tensor:
        return self._values[name][block].clone()

    def _blocks(self, name: str) -> dict[int | None, Tensor]:
        find_recorded(name)
        if name not in self._values:
            raise KeyError(f"{name}: not recorded in this run")
        return self._values[name]


def find_recorded(name: str) -> Name:
    """The registry's entry of a value that the forward pass computes.

    Raises KeyError for an unknown name, with the near misses, and for a parameter.
    """
    entry = find(name)
    if entry.kind != Kind.RECORDED:
        raise KeyError(f"{name}: a parameter, which is given and not recorded")
    return entry


def check_recorded(name: str, value: Tensor, block: int | None) -> Name:
    """The registry's entry of a value to be recorded.

    Raises KeyError for a name that the registry does not record, ValueError for a block missing
    or out of place, or a wrong rank.
    """
    entry = find_recorded(name)
    if entry.per_block and block is None:
        raise ValueError(f"{name}: recorded per block, but no block was given")
    if block is not None and not entry.per_block:
        raise ValueError(f"{name}: not recorded per block, but block {block} was given")
    if value.dim() != len(entry.axes):
        raise ValueError(
            f"{describe(name, block)}: expected the axes ({', '.join(entry.axes)}), "
            f"got the shape {tuple(value.shape)}"
        )
    return entry


def describe(name: str, block: int | None) -> str:
    return name if block is None else f"{name} of block {block}"
