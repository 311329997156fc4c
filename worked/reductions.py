"""One number, or one label, out of a whole tensor: sums, means, extremes, the order of its elements."""

from __future__ import annotations

import math

from worked.errors import AuthorError
from worked.numbers import Label, Number


def reduced(operation: str, tensor) -> Number:
    """One number from all elements of a tensor: sum, mean, max, min."""
    values = tensor.values()
    result = {"sum": math.fsum, "max": max, "min": min, "mean": lambda v: math.fsum(v) / len(v)}[operation](values)
    return Number(result, f"{operation}({tensor.address})")


def argmax(tensor) -> Label:
    """The label of the largest element of a vector; AuthorError if two share the first place."""
    return ranked(tensor)[0]


def ranked(tensor) -> list[Label]:
    """The labels of a vector, largest element first; the first one has an address.

    Equal values keep the axis's order, except for the first place, which must be one element's.
    """
    if len(tensor.axes) != 1:
        raise AuthorError(f"`{tensor.address}` is no vector: fix all axes but one")
    pairs = sorted(zip(tensor.numbers(), tensor.axes[0].labels), key=lambda pair: -pair[0].value)
    if len(pairs) > 1 and pairs[0][0].value == pairs[1][0].value:
        raise AuthorError(f"`{tensor.address}` has two largest elements: {pairs[0][1]} and {pairs[1][1]}")
    return [
        Label(label, None if place else f"argmax({tensor.address})")
        for place, (_, label) in enumerate(pairs)
    ]
