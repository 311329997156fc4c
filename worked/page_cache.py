"""Finished pages, kept by a digest of everything they were made from: a changed input is another key."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from worked.ledger import Row
from worked.render import Rendered
from worked.swap import write_whole


def digest(*parts: bytes | str | Path) -> str:
    """Of bytes, of text, of files' contents and names."""
    total = hashlib.sha256()
    for part in parts:
        content = part.name.encode() + part.read_bytes() if isinstance(part, Path) else part
        content = content.encode() if isinstance(content, str) else content
        total.update(len(content).to_bytes(8, "big") + content)
    return total.hexdigest()


class PageCache:
    """A folder with one JSON file a page; damaged ones count as missing, unused ones are removed."""

    def __init__(self, folder: Path):
        self.folder, self.used = folder, set()
        self.fresh = 0  # pages that had to be rendered

    def get(self, key: str, render: Callable[[], Rendered]) -> Rendered:
        """The page of that key, rendered if it is not kept."""
        file = self.folder / f"{key}.json"
        self.used.add(file.name)
        try:
            entry = json.loads(file.read_text(encoding="utf-8"))
            return Rendered(**{**entry, "rows": tuple(Row(*row) for row in entry["rows"]),
                               "claims": tuple(entry["claims"]), "terms": tuple(entry["terms"])})
        except (OSError, ValueError, TypeError, KeyError):
            page = render()
        self.fresh += 1
        entry = {**vars(page), "rows": [list(asdict(row).values()) for row in page.rows]}
        write_whole(file, json.dumps(entry, ensure_ascii=False))
        return page

    def close(self) -> None:
        """Remove what this build did not use."""
        for file in self.folder.glob("*.json"):
            if file.name not in self.used:
                file.unlink(missing_ok=True)
