"""Horizontal bars, labelled at their ends."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from jinja2 import pass_context

WIDTH, LABEL_WIDTH, END_WIDTH = 360, 86, 48
BAR, GAP, GROUP_GAP, TOP = 12, 2, 10, 6
REFERENCE_HEAD = 16  # room above the bars for the number of a reference


@pass_context
def paired_bars(
    context, labels: Sequence, series: Sequence, title: str, description: str, reference: object = None,
    label_width: int = LABEL_WIDTH,
) -> str:
    """Groups of bars: for each label one bar a series, as an SVG.

    `series` holds (CSS class, values by label) pairs; `title` and `description` are what a screen
    reader says. `reference`, a number, is a dashed line across all bars, with the number at its head.
    """
    emit = context["progress"].emit
    valued = [getattr(number, "number", number) for _, numbers in series for number in numbers]
    scale = (WIDTH - label_width - END_WIDTH) / max(number.value for number in valued)
    group = len(series) * (BAR + GAP) + GROUP_GAP
    head = TOP + (REFERENCE_HEAD if reference is not None else 0)
    height = head + group * len(labels)
    shapes = []
    if reference is not None:
        x = label_width + getattr(reference, "number", reference).value * scale
        shapes.append(
            f'<line class="reference" x1="{x:.2f}" x2="{x:.2f}" y1="{head - 6}" y2="{height - GROUP_GAP + 4}"/>'
            f'<text class="reference-name" x="{x:.2f}" y="{head - 13}">{emit(reference)}</text>'
        )
    for row, label in enumerate(labels):
        top = head + row * group
        middle = top + (len(series) * (BAR + GAP) - GAP) / 2
        note = getattr(label, "note", "")
        shapes.append(
            f'<text class="bar-label" x="{label_width - 8}" y="{middle - 6 * bool(note):.1f}">{emit(label)}</text>'
        )
        if note:
            shapes.append(f'<text class="bar-note" x="{label_width - 8}" y="{middle + 7:.1f}">{escape(note)}</text>')
        for place, (style, numbers) in enumerate(series):
            y = top + place * (BAR + GAP)
            length = getattr(numbers[row], "number", numbers[row]).value * scale
            shapes.append(
                f'<rect class="bar {style}" x="{label_width}" y="{y}" width="{length:.2f}" height="{BAR}"/>'
                f'<text class="bar-end" x="{label_width + length + 6:.2f}" y="{y + BAR / 2:.1f}">'
                f"{emit(numbers[row])}</text>"
            )
    shapes.append(
        f'<line class="axis" x1="{label_width}" x2="{label_width}" y1="{head - 4}" y2="{height - GROUP_GAP + 4}"/>'
    )
    return (
        f'<svg class="bars" role="img" viewBox="0 0 {WIDTH} {height}" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{''.join(shapes)}</svg>"
    )
