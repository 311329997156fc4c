"""A line from 0 to 1, cut into intervals, with a needle where each given number falls."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from jinja2 import pass_context

WIDTH, MARGIN, TOP, BAND = 360, 8, 24, 26


@pass_context
def intervals(context, labels: Sequence, shares: Sequence, needles: Sequence, title: str, description: str) -> str:
    """One box a share, as wide as the share, in order; shares that sum to 1. An SVG.

    A box too narrow for its label has the label below it, a little lower than its neighbour's.
    """
    emit = context["progress"].emit
    scale = WIDTH - 2 * MARGIN
    shapes, start, below = [], 0.0, 0
    for place, (label, share) in enumerate(zip(labels, shares, strict=True)):
        x, width = MARGIN + start * scale, share.value * scale
        parity = "even" if place % 2 else "odd"
        shapes.append(
            f'<rect class="interval {parity}" x="{x:.2f}" y="{TOP}" width="{width:.2f}" height="{BAND}"/>'
        )
        narrow = width < 7 * len(str(label.name)) + 4
        y = TOP + BAND + 13 + 14 * (below % 2) if narrow else TOP + BAND / 2
        below += narrow
        shapes.append(f'<text class="interval-label" x="{x + width / 2:.2f}" y="{y:.1f}">{emit(label)}</text>')
        start += share.value
    for needle in needles:
        x = MARGIN + needle.value * scale
        shapes.append(
            f'<path class="needle" d="M{x:.2f} {TOP + 5}l-4 -10h8z"/>'
            f'<text class="needle-label" x="{x:.2f}" y="{TOP - 15}">{emit(needle)}</text>'
        )
    height = TOP + BAND + (36 if below else 6)
    return (
        f'<svg class="intervals" role="img" viewBox="0 0 {WIDTH} {height}" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{''.join(shapes)}</svg>"
    )
