"""Products of sign vectors: counted by enumeration, against what probability theory says."""

from fractions import Fraction

import pytest

from toymodel.facts import counted
from toymodel.signs import WIDTHS, dot_products


def test_width_two_by_hand():
    """++ with ++, +-, -+, -- gives 2, 0, 0, -2; so for each of the four."""
    assert dot_products(2) == {"width": 2, "pairs": 16, "sum": 0, "squares": 4 * (4 + 0 + 0 + 4)}


@pytest.mark.parametrize("width", [*WIDTHS, 3, 5])
def test_the_variance_is_the_width(width):
    counts = dot_products(width)
    assert counts["pairs"] == 4**width
    assert counts["sum"] == 0
    assert Fraction(counts["squares"], counts["pairs"]) == width


def test_the_counts_are_among_the_facts():
    counts = counted()
    for width in WIDTHS:
        assert {name: counts[f"signs_{width}.{name}"] for name in dot_products(width)} == dot_products(width)
