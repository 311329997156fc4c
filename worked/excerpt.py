"""Source code for pages: the very lines that ran."""

from __future__ import annotations

import ast
from pathlib import Path

from worked.errors import AuthorError, near_miss


def excerpt(root: Path, path: str, names: list[str]) -> str:
    """The source of top-level functions and classes of a file, in the order asked for.

    Raises AuthorError for a file or a name that is not there.
    """
    file = root / path
    if not file.is_file():
        there = [source.relative_to(root) for source in file.parent.glob("*.py")]
        raise AuthorError(f"no source file `{path}`{near_miss(path, there)}")
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines()
    found = {node.name: node for node in ast.parse(text).body if hasattr(node, "name")}
    parts = []
    for name in names:
        if name not in found:
            raise AuthorError(f"`{path}` defines no `{name}`{near_miss(name, found)}")
        node = found[name]
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        parts.append("\n".join(lines[first - 1 : node.end_lineno]))
    return "\n\n\n".join(parts)
