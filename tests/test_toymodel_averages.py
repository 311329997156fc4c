"""Columns that are averages of others, exactly; and what follows for their logits."""

from fractions import Fraction

import pytest
from column_averages import AVERAGED, shares_of
from hypothesis import given
from hypothesis import strategies as st

from toymodel.averages import AVERAGES, average, averages, solve
from toymodel.weights import load_toy

MODEL, VOCABULARY = load_toy()
W_U = [[Fraction(entry) for entry in row] for row in MODEL.parameters.W_U.tolist()]
COLUMNS = dict(zip(VOCABULARY.tokens, zip(*W_U)))
THIRD = Fraction(1, 3)


def test_the_shares_of_the_wall():
    wall = averages()["␣muro"]
    assert wall == {"␣no": [4, 15], "␣cão": [1, 15], "iu": [1, 6], "␣telhado": [1, 2]}


def test_another_road_finds_the_same_shares():
    assert {token: list(others) for token, others in AVERAGES.items()} == AVERAGED
    for token, shares in averages().items():
        assert {other: Fraction(*share) for other, share in shares.items()} == shares_of(token)
        assert sum(Fraction(*share) for share in shares.values()) == 1
        assert token not in shares


@given(st.lists(st.fractions(-3, 3), min_size=3, max_size=3))
def test_an_averaged_token_is_never_strictly_first(three):
    """Whatever f is, as long as it sums to 0."""
    f = [*three, -sum(three)]
    z = {token: sum(a * b for a, b in zip(f, column)) for token, column in COLUMNS.items()}
    for token, shares in averages().items():
        assert z[token] == sum(Fraction(*share) * z[other] for other, share in shares.items())
        assert z[token] <= max(z[other] for other in shares)


def test_every_other_token_can_be_first():
    """So the list is complete: for each other token there is an f that puts it first."""
    firsts = set()
    steps = [Fraction(n, 2) for n in range(-4, 5)]
    for a in steps:
        for b in steps:
            for c in steps:
                f = [a, b, c, -a - b - c]
                z = [sum(x * y for x, y in zip(f, column)) for column in COLUMNS.values()]
                best = max(z)
                if z.count(best) == 1:
                    firsts.add(VOCABULARY.tokens[z.index(best)])
    assert firsts == set(VOCABULARY.tokens) - set(AVERAGES)


def test_what_is_no_average_any_more_is_left_out(monkeypatch):
    monkeypatch.setitem(AVERAGES, "␣muro", ("␣no", "␣cão", "iu"))
    assert list(averages()) == [token for token in AVERAGES if token != "␣muro"]


def test_an_average_up_to_a_constant():
    # (5, 6, 6) = 1/3 (3, 0, 6) + 2/3 (0, 3, 0) + 4
    column = [Fraction(n) for n in (5, 6, 6)]
    others = [[Fraction(n) for n in (3, 0, 6)], [Fraction(n) for n in (0, 3, 0)]]
    assert average(column, others) == [THIRD, 2 * THIRD]


@pytest.mark.parametrize(
    ("column", "others", "message"),
    [
        ([9, 0, 0], [[3, 0, 0], [0, 0, 0]], "no average: the shares are 3, -2"),
        ([1, 2, 4], [[3, 0, 0], [0, 0, 0]], "the equations contradict each other"),
        ([1, 0, 0], [[1, 0, 0], [1, 0, 0]], "the equations have no single solution"),
    ],
)
def test_what_is_no_average(column, others, message):
    fractions = [list(map(Fraction, one)) for one in (column, *others)]
    with pytest.raises(ValueError, match=message):
        average(fractions[0], fractions[1:])


@given(
    st.lists(st.lists(st.fractions(-5, 5, max_denominator=6), min_size=3, max_size=3), min_size=3, max_size=3),
    st.lists(st.fractions(-5, 5, max_denominator=6), min_size=3, max_size=3),
)
def test_solving(matrix, wanted):
    rows = [[*row, sum(a * b for a, b in zip(row, wanted))] for row in matrix]
    try:
        found = solve(rows)
    except ValueError:
        (a, b, c), (d, e, f), (g, h, i) = matrix
        assert a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) == 0
    else:
        assert found == wanted
