"""Horizontal bars, labelled at their ends."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from jinja2 import pass_context

WIDTH, LABEL_WIDTH, END_WIDTH = 360, 86, 48
BAR, GAP, GROUP_GAP, TOP = 12, 2, 10, 6


@pass_context
def paired_bars(context, labels: Sequence, series: Sequence, title: str, description: str) -> str:
    """Groups of bars: for each label one bar a series, as an SVG.

    `series` holds (CSS class, values by label) pairs; `title` and `description` are what a screen
    reader says.
    """
    emit = context["progress"].emit
    longest = max(number.value for _, numbers in series for number in numbers)
    scale = (WIDTH - LABEL_WIDTH - END_WIDTH) / longest
    group = len(series) * (BAR + GAP) + GROUP_GAP
    height = TOP + group * len(labels)
    shapes = []
    for row, label in enumerate(labels):
        top = TOP + row * group
        middle = top + (len(series) * (BAR + GAP) - GAP) / 2
        note = getattr(label, "note", "")
        shapes.append(
            f'<text class="bar-label" x="{LABEL_WIDTH - 8}" y="{middle - 6 * bool(note):.1f}">{emit(label)}</text>'
        )
        if note:
            shapes.append(f'<text class="bar-note" x="{LABEL_WIDTH - 8}" y="{middle + 7:.1f}">{escape(note)}</text>')
        for place, (style, numbers) in enumerate(series):
            y = top + place * (BAR + GAP)
            length = numbers[row].value * scale
            shapes.append(
                f'<rect class="bar {style}" x="{LABEL_WIDTH}" y="{y}" width="{length:.2f}" height="{BAR}"/>'
                f'<text class="bar-end" x="{LABEL_WIDTH + length + 6:.2f}" y="{y + BAR / 2:.1f}">'
                f"{emit(numbers[row])}</text>"
            )
    shapes.append(
        f'<line class="axis" x1="{LABEL_WIDTH}" x2="{LABEL_WIDTH}" y1="{TOP - 4}" y2="{height - GROUP_GAP + 4}"/>'
    )
    return (
        f'<svg class="bars" role="img" viewBox="0 0 {WIDTH} {height}" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{''.join(shapes)}</svg>"
    )
