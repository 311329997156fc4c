"""Worked lines of one neuron, and the curve of its activation: computed again with exact fractions."""

import itertools
import math
import re
from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from test_worked_arithmetic import digits, numbers, printable, sign, tensor, values

from worked import arithmetic, neuron
from worked.figures import curves
from worked.numbers import Number, as_number


@given(
    st.lists(st.tuples(values, st.sampled_from([-3.0, 0.0, 0.5, 3.0])), min_size=1, max_size=5),
    st.sampled_from([-11.15, -2.0, 0.0, 0.5]),
)
def test_weighted_sum_with_a_bias(pairs, bias):
    vector, column = zip(*pairs)
    result = math.fsum(a * b for a, b in pairs) + bias
    printable(*vector, result)
    factors, terms, end = neuron.affine_line(
        [], tensor(vector), tensor(column, "W", exact=True), Number(bias, "b", exact=True), Number(result, "u")
    ).steps
    flat = [number for a, b in pairs for number in (digits(a), Fraction(b))] + [Fraction(str(bias))]
    assert [Fraction(n.digits) for n in numbers(factors)] == flat
    products = [digits(digits(a) * Fraction(b)) for a, b in pairs] + [Fraction(str(bias))]
    assert [Fraction(n.digits) for n in numbers(terms)] == products
    assert end.relation == sign(sum(products), result)


@given(st.lists(values, min_size=2, max_size=4))
def test_addition_of_a_few_numbers(data):
    total = math.fsum(data)
    printable(*data, total)
    addends = [Number(value, f"n{place}") for place, value in enumerate(data)]
    terms, end = arithmetic.sum_line([], addends, Number(total, "s")).steps
    assert [Fraction(n.digits) for n in numbers(terms)] == [digits(value) for value in data]
    assert end.relation == sign(sum(map(digits, data)), total)


@given(st.lists(values, min_size=3, max_size=5))
def test_a_deviation_with_a_divisor_of_its_own(data):
    mean = math.fsum(data) / len(data)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in data) / (len(data) - 1) + 1e-5)
    printable(*data, mean, deviation)
    fewer = Number(len(data) - 1, "sub(count,1)")
    root, _ = arithmetic.deviation_line(
        [], tensor(data), Number(mean, "m"), Number(deviation, "s"), Number(1e-5, "epsilon", exact=True), fewer
    ).steps
    assert numbers(root)[1].digits == len(data) - 1


@given(st.floats(-4, 4))
def test_gelu_in_four_lines(u):
    printable(u, neuron.gelu(u))
    assume(digits(u) != 0)
    cube, inner, bent, end = neuron.gelu_lines(["u"], ["_{5}"], Number(u, "u"), Number(neuron.gelu(u), "v"))
    shown = digits(u)
    cubed = digits(shown**3)
    assert [Fraction(n.digits) for n in numbers(cube.steps[-1])] == [cubed]
    bracket = shown + digits(Fraction("0.044715") * cubed)
    assert Fraction(numbers(inner.steps[-2])[-1].digits) == bracket
    s = digits(Fraction("0.798") * bracket)
    assert [Fraction(n.digits) for n in numbers(inner.steps[-1])] == [s]
    tanh = Fraction(math.tanh(s))
    assume(abs(abs(tanh) * 1000 % 1 - Fraction(1, 2)) > Fraction(1, 10**6))
    assert [Fraction(n.digits) for n in numbers(bent.steps[-1])] == [digits(tanh)]
    assert end.steps[-1].relation == sign(shown / 2 * (1 + digits(tanh)), neuron.gelu(u))


@given(st.floats(-8, 8))
def test_the_curve_is_close_to_the_exact_gelu(u):
    """u times the share of a normal distribution below u; the tanh form stays within 0.001 of it."""
    assert abs(neuron.gelu(u) - u * (1 + math.erf(u / math.sqrt(2))) / 2) < 0.001


# --- the picture ---------------------------------------------------------------------------


def drawn(function, marks, low=-6.5, high=2):
    context = {"progress": SimpleNamespace(emit=lambda value: f"<tspan>{value.value}</tspan>")}
    return curves.curve(context, function, low, high, 2, marks, ("u", "f(u)"), "A <title>", "A description")


def test_a_curve_marks_its_points_where_the_curve_is():
    xs = [-5.9, -1.86, 0.35, 0.4, 0.55]
    marks = [(as_number(place), Number(x, "x"), Number(neuron.gelu(x), "y"), "mark") for place, x in enumerate(xs, 1)]
    picture = drawn(neuron.gelu, marks)
    [line] = re.findall(r'<polyline class="curve" points="([^"]*)"', picture)
    points = [tuple(map(float, point.split(","))) for point in line.split()]
    dots = [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', picture)]
    assert len(dots) == len(xs)
    for x, y in dots:
        left = max(point for point in points if point[0] <= x)
        right = min(point for point in points if point[0] >= x)
        assert min(left[1], right[1]) - 1 <= y <= max(left[1], right[1]) + 1
    assert "<title>A &lt;title&gt;</title><desc>A description</desc>" in picture
    assert re.findall(r'class="tick"[^>]*><tspan>(-?\d+)', picture) == ["-6", "-4", "-2", "0", "2"]


@given(st.lists(st.floats(0, 400), min_size=1, max_size=8))
def test_names_of_marks_keep_their_distance_and_order(places):
    places = sorted(places)
    moved = curves.spread(places)
    assert len(moved) == len(places)
    for left, right in itertools.pairwise(moved):
        assert right - left >= curves.NAME_GAP - 1e-6
    assert sum(moved) == pytest.approx(sum(places))


def test_names_with_room_stay_above_their_dots():
    assert curves.spread([10.0, 100.0, 200.0]) == [10.0, 100.0, 200.0]
