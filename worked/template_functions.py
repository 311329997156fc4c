"""What templates may call: filters, tests and functions for values, worked lines and pictures."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from jinja2 import pass_context

from worked import arithmetic, claims, geometry, glossary, neuron, numbers, products, reductions
from worked.address import Tensor
from worked.errors import AuthorError
from worked.figures import arrows, bars, curves, heat, intervals, lines, maps, plane
from worked.numbers import Label, Shown
from worked.placement import PLACE_MARK

LINE_BREAK = re.compile(rf"(?:\s|{PLACE_MARK.pattern})*\n(?:\s|{PLACE_MARK.pattern})*")


def shown(value: object, places: int | None, style: str = "decimal") -> Shown:
    if isinstance(value, Tensor):
        str(value)  # raises: not one number
    if not (places is None or isinstance(places, int)):
        raise AuthorError(f"expected a number of decimals, got {places!r}")
    return Shown(numbers.as_number(value), places, style)


@pass_context
def joined(context, parts: Iterable) -> str:
    """TeX and values in a row, as worked lines take them."""
    return "".join(part if isinstance(part, str) else context["progress"].emit(part) for part in parts)


def one_line(text: str) -> str:
    """HTML on one line, as Markdown wants it inside indented boxes; the marks of its lines stay."""

    def joint(match: re.Match) -> str:
        marks = "".join(mark[0] for mark in PLACE_MARK.finditer(match[0]))
        before, after = text[: match.start()][-1:], text[match.end() :][:1]
        return marks if before in (">", "") or after in ("<", "") else f"{marks} "

    return LINE_BREAK.sub(joint, text)


def beginning(label: Label, count: int) -> Label:
    """The first characters of a long name, a hash."""
    return Label(label.name[:count], f"beginning({label.address},{count})")


@pass_context
def rounding_note(context) -> str:
    """The sentence that says why some lines print ≈, once on each page that has one."""
    context["progress"].explained = True
    return context["words"].rounding_note


FILTERS = {
    "places": lambda value, places: shown(value, places),
    "exactly": lambda value: shown(value, None),
    "percent": lambda value, places=0: shown(value, places, "percent"),
    "compact": lambda value, places=1: shown(value, places, "compact"),
    "scientific": lambda value, places=2: shown(value, places, "scientific"),
    "joined": joined,
    "one_line": one_line,
    "beginning": beginning,
    "like": lambda number, tensor: Shown(number, None if tensor.exact else numbers.PLACES),
    "tint": lambda number, tensor: f"{number.value / tensor.largest_magnitude:.3f}",
    "own_tint": lambda number: f"{number.value:.3f}",  # of a value that runs from -1 to 1 by nature
}
TESTS = {
    "label": lambda value: isinstance(value, Label),
    "finite": lambda number: math.isfinite(number.value),
    "infinite": lambda number: math.isinf(number.value),
}
FUNCTIONS = {
    "total": lambda tensor: reductions.reduced("sum", tensor),
    "mean": lambda tensor: reductions.reduced("mean", tensor),
    "largest": lambda tensor: reductions.reduced("max", tensor),
    "smallest": lambda tensor: reductions.reduced("min", tensor),
    "argmax": reductions.argmax,
    "ranked": reductions.ranked,
    "exp": lambda value: value.apply("exp") if isinstance(value, Tensor) else numbers.computed("exp", value),
    "ln": lambda value: numbers.computed("ln", value),
    "sqrt": lambda value: numbers.computed("sqrt", value),
    "number": numbers.as_number,
    "rounding_note": rounding_note,
    "term": glossary.term,
    "paired_bars": bars.paired_bars,
    "plane": plane.plane,
    "equal": claims.equal,
    "verdict": claims.verdict,
    "lines": lines.lines,
    "heat_map": heat.heat_map,
    "attention_map": maps.attention_map,
    "sum_line": arithmetic.sum_line,
    "quotient_line": arithmetic.quotient_line,
    "over_root_line": arithmetic.over_root_line,
    "dot_line": arithmetic.dot_line,
    "squares_line": arithmetic.squares_line,
    "deviation_line": arithmetic.deviation_line,
    "standard_line": arithmetic.standard_line,
    "logarithm_line": arithmetic.logarithm_line,
    "share_line": arithmetic.share_line,
    "shift_line": arithmetic.shift_line,
    "softmax_line": arithmetic.softmax_line,
    "affine_line": neuron.affine_line,
    "gelu": neuron.gelu,
    "gelu_lines": neuron.gelu_lines,
    "gelu_constants": neuron.CONSTANTS,
    "curve": curves.curve,
    "product_line": products.product_line,
    "weighted_line": products.weighted_line,
    "intervals": intervals.intervals,
    "dot": geometry.dot,
    "length": geometry.length,
    "cosine": geometry.cosine,
    "length_line": geometry.length_line,
    "cosine_line": geometry.cosine_line,
    "arrow_plane": arrows.arrow_plane,
}
