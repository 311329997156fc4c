"""What the page "The block" must show, in every language."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from built_page import Page, decimal, text_of
from conftest import LANGUAGES
from evaluate import COUNTED, evaluate
from test_pages_output import rows_of

OUTPUT = json.loads(Path(__file__).with_name("output-page.json").read_text(encoding="utf-8"))
UNITS = range(1, 9)


@pytest.fixture(scope="module", params=LANGUAGES)
def block_page(request, site):
    return Page(site, request.param, "block.md")


@pytest.fixture
def prints(block_page):
    def check(address, number, places=3):
        expected = decimal(Fraction(str(number)), places, block_page.language)
        assert expected in block_page.texts(address), (address, block_page.texts(address))

    return check


@pytest.mark.parametrize("name, columns", [
    ("x", 4), ("att", 4), ("h", 4), ("g", 4), ("pre_activation", 8), ("activation", 8), ("m", 4), ("y", 4),
])
def test_every_stage_is_shown_whole(block_page, name, columns):
    axis = "u" if columns == 8 else "d"
    expected = [[f"toy/{name}[t={t},{axis}={i}]" for i in range(1, columns + 1)] for t in range(1, 6)]
    shown = [[[n.address for n in numbers] for _, numbers in rows_of(f)] for f in block_page.figures("matrix")]
    assert expected in shown


def test_what_leaves_is_what_the_output_page_starts_from(prints):
    for d, y in enumerate(OUTPUT["final_norm"]["y_5"], start=1):
        prints(f"toy/y[t=5,d={d}]", y)


def test_what_fires(prints):
    for t, u, value in [(2, 1, 2.229), (4, 2, 0.680), (3, 3, 0.256), (1, 4, 0.879)]:
        prints(f"toy/activation[t={t},u={u}]", value)
    for u, value in zip((5, 6, 7, 8), (0.386, 0.259, 0.220, 0.300)):
        prints(f"toy/activation[t=5,u={u}]", value)
    prints("toy/pre_activation[t=5,u=5]", 0.546)
    prints("toy.attention_off/pre_activation[t=5,u=5]", -4.072)


def test_the_two_strips_add_up_as_the_model_adds(block_page):
    first, second = block_page.figures("addition")
    for figure, names in ((first, ("x", "att", "h")), (second, ("h", "m", "y"))):
        rows = [[n.address for n in numbers] for _, numbers in rows_of(figure)]
        assert rows == [[f"toy/{name}[t=5,d={d}]" for d in (1, 2, 3, 4)] for name in names]
        for left, right, total in zip(*rows):
            assert abs(evaluate(left) + evaluate(right) - evaluate(total)) < Fraction(1, 10**30)


def test_the_units_table_holds_both_matrices_and_the_bias(block_page):
    [figure] = block_page.figures("units")
    rows = [[n.address for n in numbers] for _, numbers in rows_of(figure)]
    assert rows == [
        [f"toy/W_1[d={d},u={u}]" for d in (1, 2, 3, 4)] + [f"toy/b_1[u={u}]"]
        + [f"toy/W_2[u={u},d={d}]" for d in (1, 2, 3, 4)]
        for u in UNITS
    ]


def test_the_curve_has_a_mark_for_each_unit(block_page):
    [figure] = block_page.figures("curve")
    assert len(list(figure.iter("circle"))) == len(UNITS)
    [picture] = figure.iter("svg")
    assert picture.get("role") == "img" and picture.get("aria-label")
    assert all(text_of(next(picture.iter(tag))) for tag in ("title", "desc"))


@pytest.mark.parametrize("model", ["toy", "gpt2_small"])
def test_the_parameter_table_adds_up_as_printed(block_page, model):
    """Counts to the whole, and shares, with the decimals printed, to a hundred per cent."""
    whole = {part: COUNTED[model][f"{part}_parameters"] for part in ("embedding", "attention", "mlp", "norm", "output")}
    inside = [COUNTED[model][f"{part}_parameters_per_block"] for part in ("attention", "mlp", "norm")]
    assert sum(whole.values()) == COUNTED[model]["parameters"]
    assert sum(inside) == COUNTED[model]["block_parameters"]
    [figure] = block_page.figures("parameters")
    for part, count in whole.items():
        assert decimal(Fraction(count), 0, block_page.language) in block_page.texts(
            f"counted/{model}.{part}_parameters", figure)
    shares = [
        row for row in block_page.rows
        if row["style"] == "percent" and row["places"] == 2 and row["address"].startswith(f"div(counted/{model}.")
    ]
    assert len(shares) == len(whole)
    assert sum(round(Fraction(str(row["value"])) * 10_000) for row in shares) == 10_000


def test_gpt2_small_has_its_published_counts(prints):
    """12 layers of 7,087,872; 124,439,808 in all."""
    prints("counted/gpt2_small.block_parameters", 7_087_872, places=0)
    prints("counted/gpt2_small.parameters", 124_439_808, places=0)


def test_the_sample_deviation_would_shut_the_gate(block_page):
    """By another road: the textbook formula, from h itself."""
    row = evaluate("toy/h[t=5]").values()
    mean = sum(row) / 4
    squares = sum((value - mean) ** 2 for value in row)
    epsilon = Fraction(1, 100_000)
    weighed = evaluate("toy/pre_activation[t=5,u=5]") - evaluate("toy/b_1[u=5]")
    shrink = ((squares / 4 + epsilon) / (squares / 3 + epsilon)) ** Fraction(1, 2)
    expected = weighed * Fraction(shrink) + evaluate("toy/b_1[u=5]")
    assert expected < 0
    [address] = [
        row["address"] for row in block_page.rows
        if row["address"].startswith("add(div(mul(sub(toy/pre_activation") and row["mode"] == "text"
    ]
    assert abs(evaluate(address) - expected) < Fraction(1, 10**9)
