"""Vectors of two numbers in the plane: one arrow, and points compared with it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from jinja2 import pass_context

WIDTH, HEIGHT, MARGIN, LABEL_GAP = 360, 240, 8, 8
CENTRE = (0.45 * WIDTH, HEIGHT / 2)  # labels of points on the right need the room


@pass_context
def plane(context, arrow: Sequence, points: Sequence, axes: Sequence[str], title: str, description: str) -> str:
    """An arrow, points with a number beside each, and the line on which a dot product with the arrow is zero.

    `arrow` is (CSS class, label parts, vector); each of `points` is (CSS class, label parts, vector,
    side of the label: "left" or "right"); `axes` names the two coordinates; `title` and
    `description` are what a screen reader says.
    """
    emit = context["progress"].emit
    vectors = [arrow[2], *(point[2] for point in points)]
    reach = max(abs(number.value) for vector in vectors for number in vector.numbers())
    scale = (HEIGHT / 2 - 2 * MARGIN) / reach

    def place(vector) -> tuple[float, float]:
        across, up = (number.value for number in vector.numbers())
        return CENTRE[0] + across * scale, CENTRE[1] - up * scale

    def label(parts: Sequence, x: float, y: float, side: str, style: str) -> str:
        gap = -LABEL_GAP if side == "left" else LABEL_GAP
        text = "".join(part if isinstance(part, str) else emit(part) for part in parts)
        return f'<text class="plane-label {style} to-{side}" x="{x + gap:.1f}" y="{y:.1f}">{text}</text>'

    style, parts, vector = arrow
    (x0, y0), (x, y) = CENTRE, place(vector)
    shapes = [
        f'<line class="axis" x1="{MARGIN}" x2="{WIDTH - MARGIN}" y1="{y0}" y2="{y0}"/>',
        f'<line class="axis" x1="{x0}" x2="{x0}" y1="{MARGIN}" y2="{HEIGHT - MARGIN}"/>',
        f'<text class="axis-name to-left" x="{WIDTH - MARGIN}" y="{y0 - 8}">{escape(axes[0])} →</text>',
        f'<text class="axis-name" x="{x0 + 8}" y="{MARGIN + 6}">↑ {escape(axes[1])}</text>',
        _zero_line(x - x0, y - y0),
    ]
    shapes += [_arrow(style, x, y), label(parts, x, y, "right", style)]
    for style, parts, vector, side in points:
        x, y = place(vector)
        shapes += [f'<circle class="point {style}" cx="{x:.1f}" cy="{y:.1f}" r="4"/>', label(parts, x, y, side, style)]
    return (
        f'<svg class="plane" role="img" viewBox="0 0 {WIDTH} {HEIGHT}" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{''.join(shapes)}</svg>"
    )


def _zero_line(across: float, down: float) -> str:
    """Through the centre, at a right angle to the arrow, as far as the picture goes."""
    length = math.hypot(across, down)
    x, y = -down / length, across / length
    reach = (HEIGHT / 2 - MARGIN) / max(abs(x), abs(y))
    return (
        f'<line class="zero" x1="{CENTRE[0] - x * reach:.1f}" y1="{CENTRE[1] - y * reach:.1f}" '
        f'x2="{CENTRE[0] + x * reach:.1f}" y2="{CENTRE[1] + y * reach:.1f}"/>'
    )


def _arrow(style: str, x: float, y: float) -> str:
    """From the centre to a point, with a head."""
    angle = math.degrees(math.atan2(y - CENTRE[1], x - CENTRE[0]))
    return (
        f'<line class="shaft {style}" x1="{CENTRE[0]}" y1="{CENTRE[1]}" x2="{x:.1f}" y2="{y:.1f}"/>'
        f'<path class="head {style}" d="M0 0 L-10 -4.5 L-10 4.5 Z" '
        f'transform="translate({x:.1f} {y:.1f}) rotate({angle:.1f})"/>'
    )
