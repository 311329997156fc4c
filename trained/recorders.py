"""Recorders for batches: one that intervenes, one that looks. `toymodel.trace.Trace` holds one sequence."""

from collections.abc import Callable, Collection, Mapping

from torch import Tensor

from toymodel.trace import find_recorded, silent


def editing(edits: Mapping[str, Callable[[Tensor], Tensor]]):
    """A recorder that keeps nothing: the computation goes on with the edited values.

    Raises KeyError for a name that the forward pass does not record.
    """
    for name in edits:
        find_recorded(name)

    def record(name: str, value: Tensor, block: int | None = None) -> Tensor:
        return edits[name](value) if name in edits else value

    record.wants = lambda name, block: name in edits
    return record


def keeping(names: Collection[str]):
    """A recorder and the dict that it fills: {(name, block): value}.

    Raises KeyError for a name that the forward pass does not record.
    """
    for name in names:
        find_recorded(name)
    kept: dict[tuple[str, int | None], Tensor] = {}

    def record(name: str, value: Tensor, block: int | None = None) -> Tensor:
        if name in names:
            kept[name, block] = value
        return value

    return record, kept


def chained(first, then):
    """A recorder that hands to `then` what `first` makes of a value; silent where both are."""
    if then is silent:
        return first

    def record(name: str, value: Tensor, block: int | None = None) -> Tensor:
        return then(name, first(name, value, block), block)

    return record
