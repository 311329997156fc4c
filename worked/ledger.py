"""The ledger: one row for every number that a page shows."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Row:
    """Where a number stands, what it is, and how it is shown."""

    page: str
    id: int  # order on the page, from 1
    source: str  # file:line of the template
    address: str
    value: float  # in JSON, which knows no infinity, "-Infinity" is a string
    places: int | None
    style: str
    mode: str  # text, tex, code or attribute
    text: str


def to_json(rows: list[Row]) -> str:
    """Deterministic JSON, one row a line."""
    def plain(row: Row) -> dict:
        return asdict(row) | ({} if math.isfinite(row.value) else {"value": json.dumps(row.value)})

    lines = ",\n".join(json.dumps(plain(row), ensure_ascii=False, allow_nan=False) for row in rows)
    return f"[\n{lines}\n]\n"
