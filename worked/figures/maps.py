"""The attention of one head as a small picture: rows look, columns are looked at, darker is more."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from jinja2 import pass_context

from worked.address import Tensor

CELL, GAP, END = 13, 6, 2  # a cell; between a name and its row; at the far sides
CHARACTER = 6.1  # the width of one, in a name
VISIBLE = 0.0005  # the least share that leaves a shade


@pass_context
def attention_map(context, names: Sequence, weights: Tensor, title: str, description: str) -> str:
    """An SVG of attention weights over two axes: a square of shares between 0 and 1, zero beyond the diagonal.

    `names` are the tokens, rows and columns alike; they stand beside the rows. `title` and
    `description` are what a screen reader says.
    """
    emit = context["progress"].emit
    left = GAP + CHARACTER * max(len(str(name.name)) for name in names)
    shapes = []
    for t, (name, row) in enumerate(zip(names, weights.data, strict=True)):
        shapes.append(f'<text x="{left - GAP:.1f}" y="{CELL * (t + 0.5) + 1:.1f}">{emit(name)}</text>')
        for s, share in enumerate(row[: t + 1]):
            shade = f' style="--share:{share:.3f}"' if share >= VISIBLE else ""
            shapes.append(f'<rect x="{left + CELL * s:.1f}" y="{CELL * t}"{shade}/>')
    side = CELL * len(names) + END
    return (
        f'<svg class="head-map" role="img" width="{left + side:.0f}" height="{side}" '
        f'viewBox="0 0 {left + side:.1f} {side}" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title><desc>{escape(description)}</desc>{''.join(shapes)}</svg>"
    )
