"""Vectors as arrows in a plane, each named at its tip; those that coincide share an arrow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from jinja2 import pass_context

from worked.numbers import as_number

UNIT, LINE = 76, 15  # pixels for 1, and between the names at one tip
LEFT, RIGHT, TOP, BOTTOM = 70, 92, 40, 34


@pass_context
def arrow_plane(context, points: Sequence, across: str, up: str, title: str, description: str) -> str:
    """An SVG of arrows from the origin; `points` holds (label, x, y), numbers with addresses.

    `across` and `up` name the axes, `title` and `description` are what a screen reader says.
    """
    emit = context["progress"].emit
    tips: dict[tuple[float, float], list] = {}
    for label, x, y in points:
        tips.setdefault((x.value, y.value), []).append(label)
    columns = range(min(0, *(math.floor(x) for x, _ in tips)), max(math.ceil(x) for x, _ in tips) + 1)
    rows = range(min(0, *(math.floor(y) for _, y in tips)), max(math.ceil(y) for _, y in tips) + 1)
    width = LEFT + RIGHT + UNIT * (len(columns) - 1)
    height = TOP + BOTTOM + UNIT * (len(rows) - 1)
    right = lambda x: LEFT + UNIT * (x - columns[0])
    down = lambda y: TOP + UNIT * (rows[-1] - y)
    low, high = down(rows[0]), down(rows[-1])

    shapes = [
        f'<line class="{"axis" if x == 0 else "grid"}" x1="{right(x)}" x2="{right(x)}" y1="{high - 12}" y2="{low}"/>'
        f'<text class="tick middle" x="{right(x)}" y="{low + 14}">{emit(as_number(x))}</text>'
        for x in columns
    ] + [
        f'<line class="{"axis" if y == 0 else "grid"}" x1="{LEFT}" x2="{width - RIGHT}" y1="{down(y)}" y2="{down(y)}"/>'
        f'<text class="tick end" x="{LEFT - 10}" y="{down(y)}">{emit(as_number(y))}</text>'
        for y in rows
    ]
    shapes.append(f'<text class="name middle" x="{(LEFT + width - RIGHT) / 2}" y="{low + 28}">{escape(across)}</text>')
    shapes.append(f'<text class="name" x="{right(0) - 4}" y="{high - 24}">{escape(up)}</text>')
    for (x, y), labels in tips.items():
        tip = (right(x), down(y))
        if x or y:
            size = math.hypot(x, y)
            back = (tip[0] - 9 * x / size, tip[1] + 9 * y / size)
            side = (4 * y / size, 4 * x / size)
            head = [tip, (back[0] + side[0], back[1] + side[1]), (back[0] - side[0], back[1] - side[1])]
            shapes.append(
                f'<line class="arrow" x1="{right(0)}" y1="{down(0)}" x2="{back[0]:.1f}" y2="{back[1]:.1f}"/>'
                f'<polygon class="head" points="{" ".join(f"{a:.1f},{b:.1f}" for a, b in head)}"/>'
            )
        else:
            shapes.append(f'<circle class="head" cx="{tip[0]}" cy="{tip[1]}" r="4"/>')
        crowded = any(other > x and level == y for other, level in tips)
        if not x and not y:  # below, on the left
            style, across_at, top = "end", tip[0] - 9, tip[1] + 15
        elif x < 0:  # above, up to the axis
            style, across_at, top = "end", right(0) - 6, tip[1] - 13 - LINE * (len(labels) - 1)
        elif crowded:  # above
            style, across_at, top = "middle", tip[0], tip[1] - 13 - LINE * (len(labels) - 1)
        else:  # on the right
            style, across_at, top = "start", tip[0] + 8, tip[1] - LINE * (len(labels) - 1) / 2
        shapes += [
            f'<text class="{style}" x="{across_at}" y="{top + LINE * place:.1f}">{emit(label)}</text>'
            for place, label in enumerate(labels)
        ]
    return (
        f'<svg class="arrows" role="img" viewBox="0 0 {width} {height}" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{''.join(shapes)}</svg>"
    )
