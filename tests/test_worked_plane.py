"""The picture of vectors in the plane: where its parts stand."""

import math
import re

import pytest
from lxml import etree

from worked.address import Axis, Tensor
from worked.figures.plane import CENTRE, HEIGHT, WIDTH, plane
from worked.numbers import Number
from worked.render import Progress


def vector(name, across, up):
    return Tensor("toy", name, (Axis("c", (1, 2)),), [across, up], order=("c",))


def drawn(arrow, *points):
    progress = Progress()
    shapes = [("key", [Number(n, f"toy/s{n}")], point, "left" if n else "right") for n, point in enumerate(points)]
    context = {"progress": progress}
    svg = plane(context, ("query", ["q"], arrow), shapes, ["across", "up"], "a <title>", "a description")
    return etree.fromstring(svg), progress


def ends(line):
    return [tuple(float(line.get(f"{axis}{end}")) for axis in "xy") for end in "12"]


def test_directions_and_scale():
    svg, progress = drawn(vector("q", 2.0, -2.0), vector("k", 1.0, 0.5), vector("k", -0.5, 1.0))
    [shaft] = [line for line in svg.iter("line") if "shaft" in line.get("class")]
    start, tip = ends(shaft)
    assert start == CENTRE
    unit = (tip[0] - start[0]) / 2
    assert unit > 0
    assert tip[1] - start[1] == pytest.approx(2 * unit, abs=0.1)  # down the screen is below zero
    places = [(float(c.get("cx")) - CENTRE[0], CENTRE[1] - float(c.get("cy"))) for c in svg.iter("circle")]
    assert places == [pytest.approx((unit, unit / 2), abs=0.1), pytest.approx((-unit / 2, unit), abs=0.1)]
    assert len(progress.values) == 2  # each number leaves its mark


@pytest.mark.parametrize("arrow", [(1.0, 1.0), (2.0, -0.5), (-1.0, 3.0), (0.0, 1.0)])
def test_the_zero_line_is_at_a_right_angle_and_inside(arrow):
    svg, _ = drawn(vector("q", *arrow), vector("k", 0.1, 0.1))
    [zero] = [line for line in svg.iter("line") if line.get("class") == "zero"]
    (x1, y1), (x2, y2) = ends(zero)
    along, down = x2 - x1, y2 - y1
    assert (along * arrow[0] - down * arrow[1]) / math.hypot(along, down) == pytest.approx(0, abs=0.01)
    assert (x1 + x2) / 2 == pytest.approx(CENTRE[0], abs=0.1)
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in ((x1, y1), (x2, y2)))


def test_what_a_screen_reader_says():
    svg, _ = drawn(vector("q", 1.0, 1.0), vector("k", 0.1, 0.1))
    assert svg.get("aria-label") == svg.find("title").text == "a <title>"
    assert svg.find("desc").text == "a description"
    assert re.search("to-right", svg.findall("text")[-1].get("class"))
