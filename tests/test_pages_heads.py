"""What the page "Mask and heads" must show, in every language: the triangle, the weights, the variants."""

import json
import math
from fractions import Fraction

import pytest
from built_page import Element, Page, decimal, has_class, read, text_of
from conftest import LANGUAGES
from evaluate import evaluate

POSITIONS, HEADS = range(1, 6), (1, 2)
LATER = [(t, s) for t in POSITIONS for s in POSITIONS if s > t]
PLACES_AND_ANIMALS = ["␣telhado", "␣muro", "␣sofá", "␣chão", "␣gato", "␣cão"]
HALF = 0.0005  # what rounding to three decimals can hide


@pytest.fixture(scope="module", params=LANGUAGES)
def heads_page(request, site) -> Page:
    return Page(site, request.param, "heads.md")


def table(page, name, head):
    """The cells of a head's matrix over t and s, by position: node and text."""
    [figure] = [node for node in page.figures("matrix") if page.texts(f"toy/{name}[head={head},t=1,s=1]", node)]
    cells = {}
    for row, line in enumerate(figure.iterfind(".//tbody/tr"), start=1):
        for column, cell in enumerate(line.iterfind("td"), start=1):
            [value] = cell.iter("data")
            assert value.get("data-ref") == f"toy/{name}[head={head},t={row},s={column}]"
            cells[row, column] = cell
    assert len(cells) == 25
    return cells


def printed(page, cell):
    return float(read(text_of(cell).strip(), page.language))


@pytest.mark.parametrize("head", HEADS)
def test_the_mask_is_minus_infinity_and_nothing_else_changes(heads_page, head):
    before, after = (table(heads_page, name, head) for name in ("scaled_scores", "masked_scores"))
    for place, cell in after.items():
        if place in LATER:
            assert text_of(cell).strip() == "−∞"
        else:
            assert text_of(cell) == text_of(before[place])
        assert has_class(cell, "masked") == (place in LATER)


@pytest.mark.parametrize("head", HEADS)
def test_masked_weights_are_exact_zeros_and_look_different(heads_page, head):
    for place, cell in table(heads_page, "weights", head).items():
        assert has_class(cell, "masked") == (place in LATER)
        assert (text_of(cell).strip() == "0") == (place in LATER)
        assert ("--tint" in cell.get("style", "")) == (place not in LATER)


@pytest.mark.parametrize("head", HEADS)
def test_each_printed_row_adds_up_to_one_within_rounding(heads_page, head):
    weights = table(heads_page, "weights", head)
    for t in POSITIONS:
        shares = [printed(heads_page, weights[t, s]) for s in POSITIONS if s <= t]
        assert abs(sum(shares) - 1) <= len(shares) * HALF + 1e-9


@pytest.mark.parametrize("head", HEADS)
def test_softmax_of_the_printed_scores_gives_the_printed_weights_within_rounding(heads_page, head):
    scores, weights = (table(heads_page, name, head) for name in ("masked_scores", "weights"))
    for t in POSITIONS:
        powers = {s: math.exp(printed(heads_page, scores[t, s])) for s in POSITIONS if s <= t}
        for s, power in powers.items():
            share = power / sum(powers.values())
            # Every power may be off by e to the half of a thousandth, above and below.
            slack = share * (math.exp(2 * HALF) - 1) + HALF
            assert abs(share - printed(heads_page, weights[t, s])) <= slack, (t, s)


def test_the_ledger_is_json_that_a_browser_reads_too(heads_page):
    """JSON has no infinity: a masked score's value is text."""
    text = (heads_page.site / heads_page.language / "numbers.json").read_text("utf-8")
    json.loads(text, parse_constant=pytest.fail)
    masked = [row["value"] for row in heads_page.rows if row["text"] == "−∞"]
    assert masked == ["-Infinity"] * len(HEADS) * len(LATER)


def test_what_comes_in_and_goes_out(heads_page):
    opening = heads_page.article.find_class("in-out")[0]
    wanted = [f"count(toy/{name},{axis})" for name, axes in
              (("scaled_scores", ("head", "t", "s")), ("v", ("head", "s", "c")), ("att", ("t", "d"))) for axis in axes]
    assert [node.get("data-ref") for node in opening.iter("data")] == wanted


@pytest.mark.parametrize("address, number", [
    ("toy/weights[head=1,t=5,s=2]", "0.919"),
    ("toy/weights[head=2,t=5,s=3]", "0.741"),
    ("toy/weights[head=2,t=5,s=4]", "0.210"),
    ("toy/att[t=5,d=1]", "-0.722"),
    ("toy/att[t=5,d=2]", "1.392"),
    ("toy/att[t=5,d=3]", "-0.032"),
    ("toy/att[t=5,d=4]", "0.411"),
])
def test_the_toys_story(heads_page, address, number):
    assert heads_page.texts(address) == {decimal(Fraction(number), 3, heads_page.language)}


def test_the_sums_that_are_worked(heads_page):
    """The second head's score; a share of a masked row, of the last one, two channels, att, a false zero."""
    lines = [line for line in heads_page.article.iter("span") if has_class(line, "worked")]
    ends = [[node.get("data-ref") for node in line.iterfind(".//*[@data-ref]")][-1] for line in lines]
    assert ends[:6] == [
        "toy/q[head=2,t=5,c=1]", "toy/q[head=2,t=5,c=2]", "toy/k[head=2,s=3,c=1]", "toy/k[head=2,s=3,c=2]",
        "toy/scores[head=2,t=5,s=3]", "toy/scaled_scores[head=2,t=5,s=3]",
    ]
    assert ends[6:11] == [
        "toy/weights[head=1,t=2,s=2]", "toy/weights[head=1,t=5,s=2]",
        "toy/head_outputs[head=1,t=5,c=1]", "toy/head_outputs[head=1,t=5,c=2]", "toy/att[t=5,d=1]",
    ]
    assert len(ends) == 12


@pytest.mark.parametrize("name, axes", [
    ("W_q", ("d", 4)), ("W_k", ("d", 4)), ("W_v", ("d", 4)), ("q", ("t", 5)), ("k", ("s", 5)), ("v", ("s", 5)),
])
def test_the_second_head_can_be_recomputed(heads_page, name, axes):
    """Its matrices, and what they make of each position, stand whole on this page."""
    axis, length = axes
    expected = [[f"toy/{name}[head=2,{axis}={i},c={c}]" for c in (1, 2)] for i in range(1, length + 1)]
    assert expected in [numbers_by_row(figure) for figure in heads_page.figures("matrix")]


def test_the_second_head_is_the_one_that_was_designed():
    """q = (a4, a4), k = (a2, a3), v = (a2, -a3)."""
    for t in POSITIONS:
        _, a2, a3, a4 = (evaluate(f"toy/a[t={t},d={d}]") for d in (1, 2, 3, 4))
        for name, axis, expected in (("q", "t", (a4, a4)), ("k", "s", (a2, a3)), ("v", "s", (a2, -a3))):
            assert tuple(evaluate(f"toy/{name}[head=2,{axis}={t},c={c}]") for c in (1, 2)) == expected


def numbers_by_row(figure):
    return [[Element(node).address for node in row.iterfind("td//data")] for row in figure.iterfind(".//tbody/tr")]


def test_one_thing_changed_at_a_time(heads_page):
    [figure] = heads_page.figures("variants")
    names = ["toy", "toy.no_mask", "toy.no_scaling", "toy.head_1_only", "toy.head_2_only", "toy.attention_off"]
    assert numbers_by_row(figure) == [
        [f"{name}/p[t=5,v={token}]" for token in PLACES_AND_ANIMALS] + [f"mean({name}/loss)"] for name in names
    ]


def test_old_rows_change_without_the_mask_only(heads_page):
    [figure] = heads_page.figures("growth")
    rows = numbers_by_row(figure)
    for t, (token, addresses) in enumerate(zip(["␣gato", "␣sub"], rows, strict=True), start=1):
        names = ["toy.beginning", "toy", "toy.beginning_no_mask", "toy.no_mask"]
        assert addresses == [f"{name}/p[t={t},v={token}]" for name in names]
        with_mask, still_with, without, no_longer = map(evaluate, addresses)
        assert abs(with_mask - still_with) < Fraction(1, 10**30)
        assert abs(without - no_longer) > Fraction(1, 20)


def test_gpt2_small_is_counted(heads_page):
    for address, count in [("mul(counted/gpt2_small.heads,counted/gpt2_small.blocks)", 12 * 12),
                           ("counted/gpt2_small.head_width", 64)]:
        assert heads_page.texts(address) == {decimal(Fraction(count), 0, heads_page.language)}
    everything = " ".join(text_of(node) for node in heads_page.article.iter("data"))
    for count in (144 * 1024**2, 144 * 1024 * 1025 // 2):
        assert decimal(Fraction(count), 0, heads_page.language) in everything
