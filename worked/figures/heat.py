"""A heat map: rows of named places, columns of what looks at them, each cell with its number."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from jinja2 import pass_context

from worked.numbers import Shown

LEFT, TOP, CELL, ROW = 78, 24, 36, 20
GROUP_HEAD, GROUP_GAP = 18, 8  # room above for a group's name, and between groups


@pass_context
def heat_map(
    context, rows: Sequence, groups: Sequence, title: str, description: str, reference: float, wide: int = CELL,
) -> str:
    """An SVG of shares between 0 and 1.

    `rows` are the names of the rows; each of `groups` is (name, columns), a column a name and its
    values, one a row. A number above `reference` is set in heavier type. `title` and `description`
    are what a screen reader says.
    """
    emit = context["progress"].emit
    top = TOP + GROUP_HEAD
    shapes, x = [], LEFT
    for place, row in enumerate(rows):
        shapes.append(f'<text class="row" x="{LEFT - 7}" y="{top + ROW * (place + 0.5):.1f}">{emit(row)}</text>')
    for name, columns in groups:
        middle = x + wide * len(columns) / 2
        shapes.append(f'<text class="group" x="{middle:.1f}" y="10">{escape(name)}</text>')
        for heading, numbers in columns:
            shapes.append(f'<text class="column" x="{x + wide / 2:.1f}" y="{top - 9}">{emit(heading)}</text>')
            for place, number in enumerate(numbers):
                y = top + ROW * place
                above = " above" if number.value > reference else ""
                shapes.append(
                    f'<rect x="{x}" y="{y}" width="{wide}" height="{ROW}" style="--share:{number.value:.3f}"/>'
                    f'<text class="cell{above}" x="{x + wide / 2:.1f}" y="{y + ROW / 2:.1f}">'
                    f"{emit(Shown(number, 2))}</text>"
                )
            x += wide
        x += GROUP_GAP
    width, height = x - GROUP_GAP + 2, top + ROW * len(rows) + 2
    return (
        f'<svg class="heat" role="img" viewBox="0 0 {width} {height}" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{''.join(shapes)}</svg>"
    )
