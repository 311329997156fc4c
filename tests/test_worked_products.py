"""Worked lines of products and weighted averages, and the line cut into intervals."""

import math
import re
from fractions import Fraction
from types import SimpleNamespace

from evaluate import rounded
from hypothesis import assume, given
from hypothesis import strategies as st

from worked.figures.intervals import MARGIN, WIDTH, intervals
from worked.numbers import Digits, Label, Number
from worked.products import product_line, weighted_line


def digits(value, places=3):
    return rounded(Fraction(value), places)


def printable(*numbers):
    for number in numbers:
        half = abs(Fraction(number)) * 1000 % 1 - Fraction(1, 2)
        assume(abs(half) > Fraction(1, 10**5))


def numbers(step):
    return [part for part in step.parts if isinstance(part, Digits)]


values = st.floats(-9, 9).filter(lambda value: abs(value) > 1e-3)


@given(st.lists(values, min_size=1, max_size=5))
def test_product(data):
    result = math.prod(data)
    printable(*data, result)
    factors, end = product_line([], [Number(value, "p") for value in data], Number(result, "q")).steps
    assert [Fraction(n.digits) for n in numbers(factors)] == [digits(value) for value in data]
    reached = math.prod(map(digits, data))
    assert end.relation == ("=" if digits(reached) == digits(result) else r"\approx")


def test_a_product_of_one_negative_number_stands_in_parentheses():
    factors, _ = product_line([], [Number(2.0, "a"), Number(-0.5, "b")], Number(-1.0, "c")).steps
    assert "".join(part for part in factors.parts if isinstance(part, str)) == r" \cdot ()"


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(1, 20), values), min_size=1, max_size=4))
def test_weighted(parts):
    result = math.fsum(above / below * value for above, below, value in parts)
    printable(result, *(value for _, _, value in parts))
    shares = [(Number(above, f"a{i}"), Number(below, f"b{i}")) for i, (above, below, _) in enumerate(parts)]
    numbers_ = [Number(value, f"z{i}") for i, (_, _, value) in enumerate(parts)]
    _, terms, end = weighted_line([], shares, numbers_, Number(result, "z")).steps
    expected = [digits(Fraction(above, below) * digits(value)) for above, below, value in parts]
    assert [Fraction(n.digits) for n in numbers(terms)] == expected
    assert end.relation == ("=" if sum(expected) == digits(result) else r"\approx")
    assert numbers(terms)[0].number.address == "mul(div(a0,b0),shown(z0,3))"


def test_a_tie_of_a_fraction_goes_away_from_zero():
    """1/6 of 0.003 is 0.0005 exactly, and shows as 0.001."""
    sixth = [(Number(1, "a"), Number(6, "b"))]
    _, terms, _ = weighted_line([], sixth, [Number(0.003, "z")], Number(0.0005, "r").shown(4)).steps
    assert str(terms.parts[0].digits) == "0.001"


def test_intervals_are_as_wide_as_their_shares_and_needles_stand_at_their_numbers():
    context = {"progress": SimpleNamespace(emit=lambda value: getattr(value, "name", getattr(value, "value", None)))}
    shares = [Number(0.5, "a"), Number(0.45, "b"), Number(0.05, "c")]
    labels = [Label("one"), Label("two"), Label("three")]
    svg = intervals(context, labels, shares, [Number(0.25, "r")], "title", "description")
    scale = WIDTH - 2 * MARGIN
    boxes = re.findall(r'<rect class="interval \w+" x="([\d.]+)" y="\d+" width="([\d.]+)"', svg)
    assert [float(width) for _, width in boxes] == [round(share.value * scale, 2) for share in shares]
    assert [float(x) for x, _ in boxes] == [MARGIN, MARGIN + scale / 2, round(MARGIN + 0.95 * scale, 2)]
    assert f'd="M{MARGIN + scale / 4:.2f} ' in svg
    heights = [float(y) for y in re.findall(r'interval-label" x="[\d.]+" y="([\d.]+)"', svg)]
    assert heights[0] == heights[1] < heights[2], "a label too wide for its box stands below"
