"""Worked lines of products and of weighted averages; see `worked.arithmetic`."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

from worked.arithmetic import Printed, Step, WorkedLine, factor, leads, relation, shown, signed_sum, written
from worked.numbers import PLACES, Number, Shown, quantized


def product_line(left: list, factors: list, result: Number) -> WorkedLine:
    """A product of numbers: the factors, then the result."""
    factors = [shown(one) for one in factors]
    end = leads(math.prod(one.number.value for one in factors), shown(result))
    written_out: tuple = ()
    reached = Decimal(1)
    for one in factors:
        written_out += ((r" \cdot ",) if written_out else ()) + factor(one)
        with localcontext(prec=60):
            reached *= one.digits
    return WorkedLine(tuple(left), (Step("=", written_out), Step(relation(reached, end), (end,))))


def weighted_line(left: list, shares: list, values: list, result: Number) -> WorkedLine:
    """A weighted sum: the weights as fractions, each a pair of whole numbers, and the values."""
    values = [shown(value) for value in values]
    exact = math.fsum(
        above.value / below.value * value.number.value for (above, below), value in zip(shares, values, strict=True)
    )
    end = leads(exact, shown(result))
    products: tuple = ()
    terms = []
    for (above, below), value in zip(shares, values, strict=True):
        fraction = (r"\tfrac{", shown(above), "}{", shown(below), "}")
        products += ((" + ",) if products else ()) + (*fraction, r" \cdot ", *factor(value))
        terms.append(part_of(above, below, value))
    reached = sum(term.digits for term in terms)
    return WorkedLine(tuple(left), (
        Step("=", products), Step("=", signed_sum(terms)), Step(relation(reached, end), (end,)),
    ))


def part_of(above: Number, below: Number, value: Shown) -> Printed:
    """A fraction of a printed number; multiplied first, so that no tie is lost in the division."""
    with localcontext(prec=60):
        result = Decimal(above.value) * value.digits / Decimal(below.value)
    address = f"mul(div({above.address},{below.address}),{written(value)})"
    places = 0 if result == 0 else PLACES
    return Printed(quantized(result, places), Number(float(result), address), places)
