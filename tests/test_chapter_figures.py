"""The chapter's pictures: lines and heat maps, their scales, ticks and names."""

import re
from itertools import pairwise

import pytest
from lxml import etree

from worked.errors import AuthorError
from worked.figures.bars import paired_bars
from worked.figures.curves import spread
from worked.figures.heat import heat_map
from worked.figures.lines import NAME_GAP, apart, lines, scale, ticks, within
from worked.numbers import Number


class Silent:
    """Prints a number as it is, and remembers what was printed."""

    def __init__(self):
        self.printed = []

    def emit(self, value):
        self.printed.append(getattr(value, "number", value))
        return str(getattr(getattr(value, "number", value), "value", value))


@pytest.fixture
def context():
    return {"progress": Silent()}


def numbers(*values):
    return [Number(value, f"n{place}") for place, value in enumerate(values)]


def drawn(svg):
    return etree.fromstring(svg)


def test_series_are_drawn_and_named_where_they_end(context):
    xs = numbers(0, 50, 100)
    svg = drawn(lines(context, [
        (["fast"], "one", [(xs, numbers(100, 20, 10)), (xs, numbers(90, 22, 12))]),
        (["slow ", Number(2, "n")], "two", [(xs, numbers(100, 60, 50))]),
    ], ("steps", "linear"), ("loss", "log"), "A <title>", "A description."))  # fmt: skip
    assert svg.get("aria-label") == svg.find("title").text == "A <title>"
    assert svg.find("desc").text == "A description."
    groups = svg.findall("g")
    assert [len(group.findall("polyline")) for group in groups] == [2, 1]  # a line for each seed
    assert [group.find("text").text for group in groups] == ["fast", "slow 2"]
    for group in groups:
        *_, end = group.find("polyline").get("points").split()
        assert float(group.find("text").get("x")) > float(end.split(",")[0])
    heights = [float(group.find("text").get("y")) for group in groups]
    assert heights[0] > heights[1]  # the lower loss ends lower


def test_what_the_axes_print_has_addresses(context):
    lines(context, [(["a"], "one", [(numbers(64, 128, 256), numbers(40, 45, 90))])],
          ("window", "log"), ("perplexity", "linear"), "t", "d")
    assert [number.value for number in context["progress"].printed] == [64, 128, 256, 0, 20, 40, 60, 80]
    assert all(number.address == repr(number.value) for number in context["progress"].printed)


@pytest.mark.parametrize("kind, values, expected", [
    ("linear", [3.0, 97.0], [0, 20, 40, 60, 80]), ("linear", [0.01, 0.16], [0, 0.05, 0.1, 0.15]),
    ("log", [38.0, 520.0], [50, 100, 200, 500]), ("log", [0.0004, 3.0], [0.001, 0.01, 0.1, 1]),
])
def test_ticks_are_round(kind, values, expected):
    assert ticks(kind, values) == expected


def test_scales():
    linear, log = scale("linear", [5.0, 10.0], 100, 0), scale("log", [1.0, 10.0, 100.0], 0, 100)
    assert (linear(0), linear(10), linear(5)) == (100, 0, 50)  # a linear scale begins at 0
    assert (log(1), log(10), log(100)) == pytest.approx((0, 50, 100))
    upwards = scale("log", [1.0, 100.0], 100, 0)
    assert upwards(100) == pytest.approx(0) and 90 < upwards(1) < 100  # the lowest line is not the floor


@pytest.mark.parametrize("kind, values, message", [
    ("log", [0.0, 1.0], "begins above 0"), ("cubic", [1.0, 2.0], "`linear` or `log`, got `cubic`"),
])
def test_scales_that_cannot_be(kind, values, message):
    with pytest.raises(AuthorError, match=message):
        scale(kind, values, 0, 1)


def test_names_keep_apart_and_inside():
    heights = within(spread([95.0, 96.0, 97.0, 98.0], NAME_GAP), 10, 100)
    assert heights[-1] == 100
    assert all(later - earlier >= NAME_GAP for earlier, later in pairwise(heights))
    assert within(spread([0.0, 1.0], NAME_GAP), 10, 100) == [10, 10 + NAME_GAP]


def test_ticks_too_close_give_way():
    assert apart([1, 2, 3, 4], lambda value: 20 * value) == [2, 4]


def test_a_heat_map_prints_every_number_and_marks_those_above_the_even_share(context):
    svg = drawn(heat_map(
        context, ["the", "fox"], [("one", [("tired", numbers(0.04, 0.96))]), ("two", [("wet", numbers(0.5, 0.5))])],
        "A title", "A description.", 0.5,
    ))  # fmt: skip
    cells = svg.xpath("//text[contains(@class, 'cell')]")
    assert [cell.text for cell in cells] == ["0.04", "0.96", "0.5", "0.5"]
    assert ["above" in cell.get("class") for cell in cells] == [False, True, False, False]
    shares = [re.search(r"--share:([\d.]+)", rect.get("style"))[1] for rect in svg.findall("rect")]
    assert shares == ["0.040", "0.960", "0.500", "0.500"]
    assert [text.text for text in svg.xpath("//text[@class='row']")] == ["the", "fox"]
    width = float(svg.get("viewBox").split()[2])
    assert all(float(rect.get("x")) + float(rect.get("width")) <= width for rect in svg.findall("rect"))


def test_bars_with_a_reference(context):
    even = Number(0.25, "even")
    svg = drawn(paired_bars(context, ["a", "b"], [("with", numbers(0.5, 0.25))], "t", "d", reference=even))
    [line] = svg.xpath("//line[@class='reference']")
    short = svg.findall("rect")[1]
    assert float(line.get("x1")) == pytest.approx(float(short.get("x")) + float(short.get("width")))
    assert svg.xpath("//text[@class='reference-name']")[0].text == "0.25"
