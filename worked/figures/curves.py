"""The curve of a function, with some of its points marked and named."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from jinja2 import pass_context

from worked.numbers import Number, as_number

WIDTH, HEIGHT = 370, 210
LEFT, RIGHT, TOP, BOTTOM = 16, 16, 40, 22  # margins; the marks' names stand in the upper one
SAMPLES = 160
NAME_GAP = 17  # the least distance between two names


@pass_context
def curve(
    context, function: Callable[[float], float], low: float, high: float, step: int,
    marks: Sequence[tuple[Number, Number, Number, str]], axes: tuple[str, str], title: str, description: str,
) -> str:
    """A function from `low` to `high` as an SVG, with a tick every `step` across and every 1 upwards.

    `marks` are (name, x, y, CSS class): a dot at x, y and, on a line above the picture, its name,
    joined to it by a leader. `axes` name the horizontal axis and the curve; `title` and `description`
    are what a screen reader says.
    """
    emit = context["progress"].emit
    xs = [low + (high - low) * place / SAMPLES for place in range(SAMPLES + 1)]
    ys = [function(x) for x in xs]
    floor, ceiling = min(0, *ys), max(ys)

    def across(x: float) -> float:
        return LEFT + (WIDTH - LEFT - RIGHT) * (x - low) / (high - low)

    def up(y: float) -> float:
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (y - floor) / (ceiling - floor)

    points = " ".join(f"{across(x):.2f},{up(y):.2f}" for x, y in zip(xs, ys))
    shapes = [
        f'<line class="axis" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{up(0):.2f}" y2="{up(0):.2f}"/>',
        f'<line class="axis" x1="{across(0):.2f}" x2="{across(0):.2f}" y1="{TOP}" y2="{up(floor):.2f}"/>',
        f'<text class="axis-name" x="{WIDTH - RIGHT}" y="{up(0) - 9:.2f}">{escape(axes[0])}</text>',
        f'<text class="axis-name" x="{WIDTH - RIGHT}" y="{TOP - 12}">{escape(axes[1])}</text>',
    ]
    for tick in range(-(int(-low) // step) * step, int(high) + 1, step):
        x, y = across(tick), up(0)
        shapes.append(
            f'<line class="axis" x1="{x:.2f}" x2="{x:.2f}" y1="{y:.2f}" y2="{y + 4:.2f}"/>'
            f'<text class="tick" x="{x:.2f}" y="{HEIGHT - 9}">{emit(as_number(tick))}</text>'
        )
    for tick in range(1, int(ceiling) + 1):
        x, y = across(0), up(tick)
        shapes.append(
            f'<line class="axis" x1="{x - 4:.2f}" x2="{x:.2f}" y1="{y:.2f}" y2="{y:.2f}"/>'
            f'<text class="axis-tick" x="{x - 7:.2f}" y="{y:.2f}">{emit(as_number(tick))}</text>'
        )
    shapes.append(f'<polyline class="curve" points="{points}"/>')
    marks = sorted(marks, key=lambda mark: mark[1].value)
    for (name, x, y, style), place in zip(marks, spread([across(mark[1].value) for mark in marks])):
        shapes.append(
            f'<polyline class="leader" points="{place:.2f},{TOP - 18} {across(x.value):.2f},{TOP + 4} '
            f'{across(x.value):.2f},{up(y.value):.2f}"/>'
            f'<circle class="{style}" cx="{across(x.value):.2f}" cy="{up(y.value):.2f}" r="4"/>'
            f'<text class="mark-name" x="{place:.2f}" y="{TOP - 27}">{emit(name)}</text>'
        )
    return (
        f'<svg class="curve-picture" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{''.join(shapes)}</svg>"
    )


def spread(places: list[float], gap: float = NAME_GAP) -> list[float]:
    """Sorted places moved apart to `gap` at least: those too close share their middle."""
    groups: list[list[float]] = []  # each: the middle, how many
    for place in places:
        groups.append([place, 1])
        while len(groups) > 1 and groups[-1][0] - groups[-2][0] < gap * (groups[-1][1] + groups[-2][1]) / 2:
            middle, count = groups.pop()
            before, many = groups[-1]
            groups[-1] = [(middle * count + before * many) / (count + many), count + many]
    return [
        middle + gap * (place - (count - 1) / 2)
        for middle, count in groups
        for place in range(int(count))
    ]
