"""Dot products, lengths and cosines, as values and as lines, and arrows in a plane."""

import math
from fractions import Fraction

import pytest
from evaluate import FUNCTIONS, rounded
from hypothesis import assume, given
from hypothesis import strategies as st
from test_worked_arithmetic import digits, numbers, printable, sign, tensor, values

from worked import arithmetic, geometry
from worked.errors import AuthorError
from worked.figures.arrows import arrow_plane
from worked.numbers import Label, Number

pairs = st.lists(st.tuples(values, values), min_size=1, max_size=5)


@given(pairs)
def test_values_and_their_addresses(data):
    one, other = (tensor(side, name) for side, name in zip(zip(*data), "fg"))
    product = geometry.dot(one, other)
    assert product.value == pytest.approx(sum(a * b for a, b in data))
    assert product.address == "dot(toy/f,toy/g)"
    assert geometry.length(one).value == pytest.approx(math.hypot(*(a for a, _ in data)))
    assert geometry.length(one).address == "sqrt(dot(toy/f,toy/f))"
    cosine = geometry.cosine(one, other)
    assert -1 - 1e-12 <= cosine.value <= 1 + 1e-12
    assert cosine.address == "div(dot(toy/f,toy/g),mul(sqrt(dot(toy/f,toy/f)),sqrt(dot(toy/g,toy/g))))"


def test_the_evaluators_dot_product():
    assert FUNCTIONS["dot"]("toy/E[v=␣gato]", "toy/E[v=␣cão]") == Fraction("3.25")
    assert FUNCTIONS["dot"]("toy/one_hot[t=2]", "toy/E[d=1]") == 2


@given(st.lists(values, min_size=1, max_size=5))
def test_length(data):
    result = math.hypot(*data)
    printable(*data, result)
    powers, squares, total, end = geometry.length_line([], tensor(data), Number(result, "n")).steps
    assert [Fraction(n.digits) for n in numbers(powers)] == [digits(value) for value in data]
    squared = [rounded(digits(value) ** 2, 3) for value in data]
    assert [Fraction(n.digits) for n in numbers(squares)] == squared
    assert [Fraction(n.digits) for n in numbers(total)] == [sum(squared)]
    reached = Fraction(math.sqrt(sum(squared)))
    assume(abs(reached * 1000 % 1 - Fraction(1, 2)) > Fraction(1, 10**6))
    assert end.relation == sign(reached, result)


@given(st.floats(-9, 9), st.floats(0.5, 4), st.floats(0.5, 4))
def test_cosine(product, one, other):
    result = product / (one * other)
    printable(product, one, other, result)
    first, second, end = geometry.cosine_line(
        [], Number(product, "d"), Number(one, "a"), Number(other, "b"), Number(result, "c")
    ).steps
    lengths = rounded(digits(one) * digits(other), 3)
    assert [Fraction(n.digits) for n in numbers(first)] == [digits(product), digits(one), digits(other)]
    assert [Fraction(n.digits) for n in numbers(second)] == [digits(product), lengths]
    assert end.relation == sign(digits(product) / lengths, result)


def test_exact_numbers_have_exact_products_and_sums():
    """Weights are printed as they are, and so is what they give: 3, 0.25, not 3.000."""
    cat, dog = tensor([2.0, -1.0, -0.5, 0.0], exact=True), tensor([1.5, 0.0, -0.5, 0.0], "g", exact=True)
    _, products, end = arithmetic.dot_line([], cat, dog, geometry.dot(cat, dog)).steps
    assert [str(n.digits) for n in numbers(products)] == ["3", "0", "0.25", "0"]
    assert end.relation == "="
    total = geometry.length_line([], cat, geometry.length(cat)).steps[2]
    assert [str(n.digits) for n in numbers(total)] == ["5.25"]


def test_a_line_takes_a_list_of_numbers_as_well():
    two = [Number(1.5, "a", exact=True), Number(-0.25, "b", exact=True)]
    terms, end = arithmetic.sum_line([], two, Number(1.25, "c")).steps
    assert [str(n.digits) for n in numbers(terms)] == ["1.5", "-0.25"]
    assert (end.relation, str(numbers(end)[0].digits)) == ("=", "1.250")


def test_vectors_of_different_lengths_have_no_dot_product():
    with pytest.raises(AuthorError, match="`toy/f` has 2 numbers, `toy/g` 3"):
        geometry.dot(tensor([1.0, 2.0]), tensor([1.0, 2.0, 3.0], "g"))


def test_a_vector_of_zeros_has_no_direction():
    with pytest.raises(AuthorError, match="cannot be computed"):
        geometry.cosine(tensor([0.0, 0.0]), tensor([1.0, 2.0], "g"))


class Silent:
    """Prints what it is given, as a template's progress would mark it."""

    @staticmethod
    def emit(value):
        return f"[{value.name if isinstance(value, Label) else value.address}]"


def test_arrows_that_coincide_share_one_and_every_name_is_there():
    at = lambda label, x, y: (Label(label), Number(x, "x"), Number(y, "y"))
    points = [at("a", 2.0, -1.0), at("b", 0.0, 1.0), at("c", 0.0, 1.0), at("d", 0.0, 0.0), at("e", -0.5, 0.0)]
    svg = arrow_plane({"progress": Silent}, points, "<across>", "up", "title", "description")
    assert svg.count('class="arrow"') == 3
    assert svg.count("<circle") == 1
    for label in "abcde":
        assert svg.count(f"[{label}]") == 1
    assert "&lt;across&gt;" in svg
    assert [f"[{tick}]" in svg for tick in (-2, -1, 0, 1, 2, 3)] == [False, True, True, True, True, False]
