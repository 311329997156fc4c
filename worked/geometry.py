"""Vectors as arrows: dot products, lengths and cosines, as values and as worked lines."""

from __future__ import annotations

import math

from worked.arithmetic import Step, WorkedLine, decimals, leads, printed, relation, shown, signed_sum, terms
from worked.errors import AuthorError
from worked.numbers import PLACES, Number, computed


def dot(one, other) -> Number:
    """The dot product of two vectors: `dot(toy/E[v=␣gato],toy/E[v=␣cão])`."""
    values, others = one.values(), other.values()
    if len(values) != len(others):
        raise AuthorError(
            f"`{one.address}` has {len(values)} numbers, `{other.address}` {len(others)}: a dot product needs as many"
        )
    return Number(math.fsum(a * b for a, b in zip(values, others)), f"dot({one.address},{other.address})")


def length(vector) -> Number:
    """The Euclidean norm: the root of the vector's dot product with itself."""
    return computed("sqrt", dot(vector, vector))


def cosine(one, other) -> Number:
    """The dot product over both lengths, from -1 to 1; AuthorError for a vector of zeros."""
    return dot(one, other) / (length(one) * length(other))


def length_line(left: list, vector, result: Number) -> WorkedLine:
    """The root of the sum of squares: the squares written out, their terms, their sum, the result."""
    numbers = terms(vector)
    end = leads(math.hypot(*(number.number.value for number in numbers)), shown(result))
    powers: tuple = ()
    for number in numbers:
        powers += (" + " if powers else "", "(", number, ")^{2}")
    squares = [printed("mul", [number, number]) for number in numbers]
    exact = all(number.places is None for number in numbers)
    total = printed("add", squares, decimals(sum(square.digits for square in squares)) if exact else PLACES)
    reached = printed("sqrt", [total], places=40).digits
    root = lambda inside: (r"\sqrt{", *inside, "}")
    return WorkedLine(tuple(left), (
        Step("=", root(powers)), Step("=", root(signed_sum(squares))), Step("=", root((total,))),
        Step(relation(reached, end), (end,)),
    ))


def cosine_line(left: list, product: Number, one: Number, other: Number, result: Number) -> WorkedLine:
    """A dot product over the product of two lengths, each computed before."""
    product, one, other = shown(product), shown(one), shown(other)
    end = leads(product.number.value / (one.number.value * other.number.value), shown(result))
    lengths = printed("mul", [one, other])
    reached = printed("div", [product, lengths], places=40).digits
    fraction = lambda below: (r"\dfrac{", product, "}{", *below, "}")
    return WorkedLine(tuple(left), (
        Step("=", fraction((one, r" \cdot ", other))), Step("=", fraction((lengths,))),
        Step(relation(reached, end), (end,)),
    ))
