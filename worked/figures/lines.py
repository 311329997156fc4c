"""Series of points joined by lines, each named where it ends; either axis linear or logarithmic."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from jinja2 import pass_context

from worked.address import Tensor
from worked.errors import AuthorError
from worked.figures.curves import spread
from worked.numbers import Label, as_number

WIDTH, HEIGHT = 350, 240
LEFT, TOP, BOTTOM = 40, 24, 34  # margins; the right one holds the names
CHARACTER, NAME_GAP = 6.0, 12.5  # of a name: the width of a character, the least distance from the next
TICKS, TICK_GAP = 5, 30  # about so many on an axis, so many pixels apart at least
FEW = 12  # points that are ticks themselves, and have dots


@pass_context
def lines(
    context, series: Sequence, across: tuple[str, str], up: tuple[str, str], title: str, description: str,
) -> str:
    """An SVG of several series.

    Each of `series` is (name, CSS class, lines): a name of words and numbers, and for each line its
    points' x and y, as vectors or lists of numbers; a series has a line for each seed. `across` and
    `up` are an axis's name and its scale, "linear" or "log". `title` and `description` are what a
    screen reader says.
    """
    emit = context["progress"].emit
    drawn = [(name, style, [(plain(xs), plain(ys)) for xs, ys in each]) for name, style, each in series]
    every_x = sorted({x for _, _, each in drawn for xs, _ in each for x in xs})
    every_y = sorted({y for _, _, each in drawn for _, ys in each for y in ys})
    names = ["".join(part if isinstance(part, str) else emit(part) for part in name) for name, _, _ in drawn]
    longest = max(sum(map(characters, name)) for name, _, _ in drawn)
    right = WIDTH - 14 - CHARACTER * longest
    place_x = scale(across[1], every_x, LEFT, right)
    place_y = scale(up[1], every_y, HEIGHT - BOTTOM, TOP)

    floor = HEIGHT - BOTTOM
    shapes = [f'<line class="axis" x1="{LEFT}" x2="{right:.1f}" y1="{floor}" y2="{floor}"/>']
    for tick in apart(every_x if len(every_x) <= FEW else ticks(across[1], every_x), place_x):
        x = place_x(tick)
        shapes.append(
            f'<line class="axis" x1="{x:.1f}" x2="{x:.1f}" y1="{floor}" y2="{floor + 4}"/>'
            f'<text class="tick middle" x="{x:.1f}" y="{floor + 12}">{emit(as_number(tick))}</text>'
        )
    for tick in ticks(up[1], every_y):
        y = place_y(tick)
        shapes.append(
            f'<line class="grid" x1="{LEFT}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
            f'<text class="tick end" x="{LEFT - 6}" y="{y:.1f}">{emit(as_number(tick))}</text>'
        )
    shapes.append(f'<text class="axis-name end" x="{right:.1f}" y="{HEIGHT - 7}">{escape(across[0])}</text>')
    shapes.append(f'<text class="axis-name" x="4" y="10">{escape(up[0])}</text>')

    ends = [(place_y(each[0][1][-1]), place_x(each[0][0][-1]), at) for at, (_, _, each) in enumerate(drawn)]
    heights = within(spread([y for y, _, _ in sorted(ends)], NAME_GAP), TOP, floor - NAME_GAP / 2)
    label_heights = dict(zip([at for _, _, at in sorted(ends)], heights, strict=True))
    for (y, x, at), (_, style, each), name in zip(ends, drawn, names, strict=True):
        paths = "".join(
            '<polyline points="' + " ".join(f"{place_x(a):.1f},{place_y(b):.1f}" for a, b in zip(xs, ys, strict=True))
            + '"/>'
            for xs, ys in each
        )
        dots = "".join(
            f'<circle cx="{place_x(a):.1f}" cy="{place_y(b):.1f}" r="2.6"/>'
            for xs, ys in each if len(xs) <= FEW for a, b in zip(xs, ys, strict=True)
        )
        height = label_heights[at]
        shapes.append(
            f'<g class="series {style}">{paths}{dots}'
            f'<line class="leader" x1="{x + 4:.1f}" x2="{right + 8:.1f}" y1="{y:.1f}" y2="{height:.1f}"/>'
            f'<text x="{right + 11:.1f}" y="{height:.1f}">{name}</text></g>'
        )
    return (
        f'<svg class="lines" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{''.join(shapes)}</svg>"
    )


def characters(part: object) -> int:
    """How long a part of a name will be, about: a number has three."""
    return len(str(part.name)) if isinstance(part, Label) else len(part) if isinstance(part, str) else 3


def plain(values: object) -> list[float]:
    """What a vector, or a list of numbers, holds."""
    return values.values() if isinstance(values, Tensor) else [as_number(value).value for value in values]


def scale(kind: str, values: list[float], start: float, end: float) -> Callable[[float], float]:
    """From values to pixels: the least at `start`, the largest at `end`; a linear scale begins at 0 or below."""
    if kind not in ("linear", "log"):
        raise AuthorError(f"a scale is `linear` or `log`, got `{kind}`")
    bend = math.log if kind == "log" else float
    if kind == "log" and values[0] <= 0:
        raise AuthorError(f"a logarithmic scale begins above 0, got {values[0]}")
    low = bend(values[0]) if kind == "log" else min(0.0, values[0])
    high = bend(values[-1])
    if kind == "log" and start > end:  # upwards: a line along the floor would be lost
        low -= (high - low) / 20
    return lambda value: start + (end - start) * (bend(value) - low) / (high - low or 1)


def within(heights: list[float], top: float, bottom: float) -> list[float]:
    """Heights in order, NAME_GAP apart at least, moved between `top` and `bottom` where they overstep."""
    for place in reversed(range(len(heights))):
        heights[place] = min(heights[place], bottom - NAME_GAP * (len(heights) - 1 - place))
    return [max(height, top + NAME_GAP * place) for place, height in enumerate(heights)]


def ticks(kind: str, values: list[float]) -> list[float]:
    """Round numbers within the values: multiples of 1, 2 or 5 times a power of ten; on a logarithmic
    scale these very numbers, or the powers alone where they are many."""
    low, high = (values[0] if kind == "log" else min(0.0, values[0])), values[-1]
    if kind == "log":
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        round_ones = [float(f"{digit}e{power}") for power in powers for digit in (1, 2, 5)]
        within = [one for one in round_ones if low <= one <= high]
        chosen = within if len(within) <= TICKS + 2 else [one for one in within if f"{one:e}"[0] == "1"]
    else:
        power = math.floor(math.log10((high - low) / TICKS))
        step = next(
            step for step in (float(f"{digit}e{power}") for digit in (1, 2, 5, 10))
            if (high - low) / step <= TICKS
        )
        chosen = [round(place * step, 12) for place in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return [int(one) if one == int(one) else one for one in chosen]


def apart(values: list[float], place: Callable[[float], float]) -> list[float]:
    """Those that leave each other room to be read, from the last one back."""
    kept: list[float] = []
    for value in reversed(values):
        if not kept or place(kept[-1]) - place(value) >= TICK_GAP:
            kept.append(value)
    return kept[::-1]
