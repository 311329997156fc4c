"""Worked lines: what they print, computed again from printed digits with exact fractions."""

import math
from fractions import Fraction

import pytest
from evaluate import rounded
from hypothesis import assume, given
from hypothesis import strategies as st

from worked import arithmetic
from worked.address import Axis, Tensor
from worked.errors import AuthorError
from worked.numbers import Digits, Number, Shown

values = st.floats(-9, 9).filter(lambda value: abs(value) > 1e-6)


def tensor(data, name="f", exact=False):
    labels = tuple(range(1, len(data) + 1))
    return Tensor("toy", name, (Axis("d", labels),), list(data), exact, ("d",))


def printable(*numbers, places=3):
    """Not near a tie, where the build would stop."""
    for number in numbers:
        half = abs(Fraction(number)) * 10**places % 1 - Fraction(1, 2)
        assume(abs(half) > Fraction(1, 10**5))


def digits(value, places=3):
    return rounded(Fraction(value), places)


def numbers(step):
    return [part for part in step.parts if isinstance(part, Digits)]


def sign(reached, result, places=3):
    return "=" if rounded(reached, places) == digits(result, places) else r"\approx"


def signs_of(step):
    """The signs and parentheses between the numbers of a sum."""
    return "".join(part for part in step.parts if isinstance(part, str)).replace(" ", "")


vectors = st.lists(values, min_size=1, max_size=5)


@given(values, st.integers(1, 100))
def test_over_a_root(above, width):
    result = above / math.sqrt(width)
    printable(above, result, math.sqrt(width))
    steps = arithmetic.over_root_line([], Number(above, "toy/s"), Number(width, "counted/n"), Number(result, "r")).steps
    assert [step.relation for step in steps[:2]] == ["=", "="]
    root = numbers(steps[1])[1]
    assert Fraction(root.digits) == digits(math.sqrt(width))
    assert root.number.address == "sqrt(counted/n)"
    assert steps[2].relation == sign(digits(above) / digits(math.sqrt(width)), result)


@given(vectors)
def test_sum(data):
    total = math.fsum(data)
    printable(*data, total)
    terms, end = arithmetic.sum_line([], tensor(data), Number(total, "sum(toy/f)")).steps
    assert [Fraction(n.digits) for n in numbers(terms)] == [digits(value) for value in data]
    assert terms.relation == "="
    assert end.relation == sign(sum(map(digits, data)), total)
    expected = "".join("+" if value > 0 or digits(value) == 0 else "+()" for value in data[1:])
    assert signs_of(terms) == expected


@given(st.lists(st.tuples(values, st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0, 1.5])), min_size=1, max_size=5))
def test_dot_product(pairs):
    vector, column = zip(*pairs)
    result = math.fsum(a * b for a, b in pairs)
    printable(*vector, result)
    line = arithmetic.dot_line([], tensor(vector), tensor(column, "W", exact=True), Number(result, "toy/z"))
    factors, terms, end = line.steps
    flat = [number for a, b in pairs for number in (digits(a), Fraction(b))]
    assert [Fraction(n.digits) for n in numbers(factors)] == flat
    products = [rounded(digits(a) * Fraction(b), 3) for a, b in pairs]
    assert [Fraction(n.digits) for n in numbers(terms)] == products
    assert end.relation == sign(sum(products), result)
    assert line.approximate == (end.relation != "=")
    for place, term in enumerate(numbers(terms), start=1):
        assert term.number.address == f"mul(shown(toy/f[d={place}],3),toy/W[d={place}])"


@given(values, values)
def test_quotient(above, below):
    result = above / below
    printable(above, below, result)
    assume(digits(below) != 0)
    fraction, end = arithmetic.quotient_line([], Number(above, "a"), Number(below, "b"), Number(result, "c")).steps
    assert [Fraction(n.digits) for n in numbers(fraction)] == [digits(above), digits(below)]
    assert end.relation == sign(digits(above) / digits(below), result)


@given(st.floats(0.001, 0.999))
def test_logarithm(probability):
    printable(probability, -math.log(probability))
    assume(digits(probability) > 0)
    loss = -math.log(probability)
    _, end = arithmetic.logarithm_line([], Number(probability, "p"), Number(loss, "l")).steps
    reached = Fraction(-math.log(digits(probability)))
    assume(abs(reached * 1000 % 1 - Fraction(1, 2)) > Fraction(1, 10**6))
    assert end.relation == sign(reached, loss)


@given(st.floats(-4, 4), st.floats(1, 40))
def test_softmax(logit, rest):
    power = math.exp(logit)
    total = power + rest
    printable(logit, power, total, power / total)
    assume(digits(power) > 0)
    line = arithmetic.softmax_line(
        [], Number(logit, "z"), Number(power, "e"), Number(total, "s"), Number(power / total, "p")
    )
    _, middle, end = line.steps
    reached = Fraction(math.exp(digits(logit)))
    assume(abs(reached * 1000 % 1 - Fraction(1, 2)) > Fraction(1, 10**6))
    assert middle.relation == sign(reached, power)
    assert end.relation == sign(digits(power) / digits(total), power / total)


@given(st.lists(st.floats(-4, 4) | st.just(-math.inf), min_size=1, max_size=5), st.floats(-4, 4))
def test_share_of_a_row(others, score):
    """One score's share: exponentials of printed scores; a score of minus infinity is a plain 0."""
    row = [score, *others]
    share = math.exp(score) / math.fsum(map(math.exp, row))
    printable(*(value for value in row if value > -math.inf), share)
    line = arithmetic.share_line([], tensor(row), Number(1, "label"), Number(share, "A"))
    powers, terms, quotient, _ = line.steps
    assert len(numbers(powers)) == len(numbers(terms)) == 1 + len(row)
    exponentials = [number.digits for number in numbers(terms)][1:]
    for value, exponential in zip(row, exponentials):
        reached = 0 if value == -math.inf else Fraction(math.exp(digits(value)))
        assume(abs(reached * 1000 % 1 - Fraction(1, 2)) > Fraction(1, 10**6))
        assert Fraction(exponential) == rounded(reached, 3)
        assert value > -math.inf or str(exponential) == "0"
    above, below = [Fraction(number.digits) for number in numbers(quotient)]
    assert (above, below) == (Fraction(exponentials[0]), sum(map(Fraction, exponentials)))
    assert [step.relation for step in line.steps] == ["=", "=", "=", sign(above / below, share)]


def test_a_share_needs_a_label_of_the_row():
    with pytest.raises(AuthorError, match="has no d=7"):
        arithmetic.share_line([], tensor([1.0, 2.0]), 7, Number(0.5, "A"))


@given(st.lists(values, min_size=2, max_size=5))
def test_norm(data):
    """The distances and squares are of printed digits; each step leads to the next."""
    mean = math.fsum(data) / len(data)
    deviation = math.sqrt(math.fsum((value - mean) ** 2 for value in data) / len(data) + 1e-5)
    own = math.fsum((value - mean) ** 2 for value in data)
    printable(*data, mean, deviation, own)
    powers, squares, total = arithmetic.squares_line([], tensor(data), Number(mean, "m")).steps
    distances = [digits(value) - digits(mean) for value in data]
    assert [Fraction(n.digits) for n in numbers(powers)] == distances
    squared = [rounded(distance**2, 3) for distance in distances]
    assert [Fraction(n.digits) for n in numbers(squares)] == squared
    assert [Fraction(n.digits) for n in numbers(total)] == [digits(own)]
    assert total.relation == sign(sum(squared), own)
    root, end = arithmetic.deviation_line(
        [], tensor(data), Number(mean, "m"), Number(deviation, "s"), Number(1e-5, "epsilon", exact=True)
    ).steps
    assert [Fraction(n.digits) for n in numbers(root)] == [digits(own), len(data)]
    reached = Fraction(math.sqrt(digits(own) / len(data) + Fraction("0.00001")))
    assume(abs(reached * 1000 % 1 - Fraction(1, 2)) > Fraction(1, 10**6))
    assert end.relation == sign(reached, deviation)


def test_squared_distances_are_from_the_mean():
    with pytest.raises(AuthorError, match="does not lead"):
        arithmetic.squares_line([], tensor([1.0, 2.0]), Number(1.0, "m"))


@given(values, values, st.floats(0.1, 4))
def test_standardised(value, mean, deviation):
    result = (value - mean) / deviation
    printable(value, mean, deviation, result)
    long, short, end = arithmetic.standard_line(
        [], Number(value, "y"), Number(mean, "m"), Number(deviation, "s"), Number(result, "f")
    ).steps
    distance = digits(value) - digits(mean)
    assert [Fraction(n.digits) for n in numbers(short)] == [distance, digits(deviation)]
    assert end.relation == sign(distance / digits(deviation), result)
    assert ("(" in signs_of(long)) == (digits(mean) < 0)


def test_a_tie_of_printed_digits_goes_away_from_zero():
    """(−0.987)(−0.5) = 0.4935 is 0.494 on the page, as at school."""
    product = arithmetic.printed("mul", [Shown(Number(-0.9871, "a"), 3), Shown(Number(-0.5, "b", exact=True))])
    assert str(product.digits) == "0.494"
    assert product.number.value == 0.4935
    assert product.number.address == "mul(shown(a,3),b)"


def test_a_product_with_zero_is_a_plain_zero():
    product = arithmetic.printed("mul", [Shown(Number(-0.9871, "a"), 3), Shown(Number(0.0, "b", exact=True))])
    assert str(product.digits) == "0"


def test_vectors_of_different_lengths_are_refused():
    with pytest.raises(AuthorError, match=r"`toy/f` has 2 numbers, `toy/g` 3: a dot product needs as many"):
        arithmetic.dot_line([], tensor([1.0, 2.0]), tensor([1.0, 2.0, 3.0], "g"), Number(1.0, "z"))


def test_a_line_takes_numbers_only():
    with pytest.raises(AuthorError, match="a worked line takes numbers; got `toy/f`"):
        arithmetic.quotient_line([], tensor([1.0, 2.0]), Number(1.0, "z"), Number(1.0, "z"))
