"""Checks of what authors type: no digit stands on a page that nobody computed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import yaml

DIGITS = re.compile(r"\S*\d\S*")


@dataclass(frozen=True)
class AllowList:
    """Patterns that may contain typed digits, each with its reason, for prose and for formulas."""

    prose: tuple[re.Pattern, ...]
    formula: tuple[re.Pattern, ...]

    @classmethod
    def load(cls, path: Path) -> AllowList:
        """From YAML: two lists, `prose` and `formula`, of {pattern, reason}."""
        entries = yaml.safe_load(path.read_text(encoding="utf-8"))
        for entry in entries["prose"] + entries["formula"]:
            if not entry.get("reason"):
                raise ValueError(f"{path}: the pattern {entry.get('pattern')!r} has no reason")
        return cls(*(
            tuple(re.compile(entry["pattern"], re.MULTILINE) for entry in entries[where])
            for where in ("prose", "formula")
        ))


def typed_digits(text: str, where: str, allowed: AllowList) -> str | None:
    """The first digits in `text` that no pattern of the list allows, with what they touch."""
    for pattern in getattr(allowed, where):
        text = pattern.sub("", text)
    found = DIGITS.search(text)
    return found[0] if found else None
