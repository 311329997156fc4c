"""The ledger: one row for every number that a page shows."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Row:
    """Where a number stands, what it is, and how it is shown."""

    page: str
    id: int  # order on the page, from 1
    source: str  # file:line of the template
    address: str
    value: float
    places: int | None
    style: str
    mode: str  # text, tex, code or attribute
    text: str


def to_json(rows: list[Row]) -> str:
    """Deterministic JSON, one row a line."""
    lines = ",\n".join(json.dumps(asdict(row), ensure_ascii=False) for row in rows)
    return f"[\n{lines}\n]\n"
