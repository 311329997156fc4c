"""The figures that the page "Q · K · V" must show, in every language, as the toy was designed."""

from fractions import Fraction

import pytest
from built_page import Page, decimal
from conftest import LANGUAGES
from evaluate import evaluate
from reference import TOKENS

POSITIONS = range(1, len(TOKENS) + 1)


@pytest.fixture(scope="module", params=LANGUAGES)
def attention_page(request, site) -> Page:
    return Page(site, request.param, "attention.md")


def shows(page, address, text, within=None):
    assert decimal(Fraction(text), len(text.partition(".")[2]), page.language) in page.texts(address, within), address


def test_the_way_from_the_question_to_the_score(attention_page):
    """q of the last position, k and v of the noun, their score, and the score divided."""
    for address, text in {
        "toy/a[t=5,d=4]": "1.732", "toy/x_mean[t=5]": "0.2375", "toy/x_deviation[t=5]": "0.585",
        "toy/q[head=1,t=5,c=1]": "1.732", "toy/q[head=1,t=5,c=2]": "-1.732",
        "toy/k[head=1,s=2,c=1]": "1.618", "toy/k[head=1,s=2,c=2]": "-0.871",
        "toy/v[head=1,s=2,c=1]": "0.871", "toy/v[head=1,s=2,c=2]": "-1.618",
        "toy/scores[head=1,t=5,s=2]": "4.311", "toy/scaled_scores[head=1,t=5,s=2]": "3.049",
    }.items():  # fmt: skip
        shows(attention_page, address, text)


def test_the_head_is_the_one_that_was_designed():
    """q = (a4, -a4), k = (a1, a2), v = (-a2, -a1)."""
    for t in POSITIONS:
        a1, a2, _, a4 = (evaluate(f"toy/a[t={t},d={d}]") for d in (1, 2, 3, 4))
        for name, axis, expected in (("q", "t", (a4, -a4)), ("k", "s", (a1, a2)), ("v", "s", (-a2, -a1))):
            assert tuple(evaluate(f"toy/{name}[head=1,{axis}={t},c={c}]") for c in (1, 2)) == expected


@pytest.mark.parametrize("address", ["toy/scores", "toy/scaled_scores", "toy.one_role/scores"])
def test_every_score_stands_in_one_table(attention_page, address):
    cells = [
        figure for figure in attention_page.figures("matrix")
        if all(attention_page.texts(f"{address}[head=1,t={t},s={s}]", figure) for t in POSITIONS for s in POSITIONS)
    ]  # fmt: skip
    assert len(cells) == 1


def test_the_picture_shows_the_last_rows_scores(attention_page):
    [picture] = attention_page.figures("plane")
    for s, text in zip(POSITIONS, ("-0.504", "4.311", "-3.608", "-3.743", "0.000")):
        shows(attention_page, f"toy/scores[head=1,t=5,s={s}]", text, picture)


def test_one_width_a_row(attention_page):
    [table] = attention_page.figures("widths")
    for width, pairs, deviation, share in ((1, 4, "1.000", "0.881"), (8, 65536, "2.828", "0.997")):
        shows(attention_page, f"counted/signs_{width}.pairs", str(pairs), table)
        variance = f"div(counted/signs_{width}.squares,counted/signs_{width}.pairs)"
        shows(attention_page, variance, str(width), table)
        shows(attention_page, f"sqrt({variance})", deviation, table)
        high, low = f"exp(sqrt({variance}))", f"exp(neg(sqrt({variance})))"
        shows(attention_page, f"div({high},add({high},{low}))", share, table)


def test_the_roles_are_claimed_to_matter(attention_page):
    """The roles differ: one direction scores, the other does not; and alone, each finds itself."""
    for t in POSITIONS:
        assert f"argmax(toy.one_role/scores[head=1,t={t}]) = {t}" in attention_page.claims
    assert "toy/scores[head=1,t=2,s=5] ~ 0" in " ".join(attention_page.claims)
