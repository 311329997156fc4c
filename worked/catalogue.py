"""The words of one language: labels, separators and glosses, from `_lang/<code>.yml`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import yaml

from worked.errors import AuthorError, Place, near_miss


class _UniqueKeys(yaml.SafeLoader):
    """YAML keeps the last of two equal keys without a word; a catalogue refuses them."""

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key, _ in node.value:
            if str(key.value) in seen:
                raise yaml.MarkedYAMLError(problem=f"`{key.value}` is defined twice", problem_mark=key.start_mark)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


class Catalogue:
    """Nested words by attribute or key: `words.position`, `words.gloss["␣telhado"]`."""

    def __init__(self, entries: Mapping, origin: str):
        self._entries, self.origin = entries, origin

    @classmethod
    def load(cls, path: Path) -> Catalogue:
        """Raises AuthorError with the line of a word that is defined twice, or of broken YAML."""
        origin = "/".join(path.parts[-3:])
        try:
            entries = yaml.load(path.read_text(encoding="utf-8-sig"), _UniqueKeys)
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1 if error.problem_mark else 1
            raise AuthorError(str(error.problem), Place(origin, line)) from error
        except (OSError, ValueError, yaml.YAMLError) as error:
            raise AuthorError(f"no words can be read: {error}", Place(origin, 1)) from error
        if not isinstance(entries, dict):
            raise AuthorError(f"expected names and words, got {type(entries).__name__}", Place(origin, 1))
        return cls(entries, origin)

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._entries:
            raise AuthorError(f"{self.origin} has no `{name}`{near_miss(name, self._entries)}")
        entry = self._entries[name]
        if entry is None:
            raise AuthorError(f"{self.origin}: `{name}` is empty")
        return Catalogue(entry, f"{self.origin}: {name}") if isinstance(entry, dict) else entry

    __getitem__ = __getattr__

    def exactly(self, names: Iterable[str], who: str) -> None:
        """Raises AuthorError unless these are the names here; `who` says whose they are: "the registry has"."""
        names = list(names)
        for name in names:
            if name not in self:
                raise AuthorError(f"{self.origin} has no `{name}`, which {who}{near_miss(name, self)}")
        for name in self:
            if name not in names:
                raise AuthorError(f"{self.origin} has `{name}`, which is not among what {who}{near_miss(name, names)}")

    def get(self, name: str, default: str) -> str:
        return self._entries.get(name, default)

    def plain(self) -> dict:
        """The entries as they were read."""
        return dict(self._entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def paths(self, prefix: str = "") -> list[str]:
        """Every dotted name, in order: what two languages must have in common."""
        return [
            path
            for name, entry in self._entries.items()
            for path in (
                Catalogue(entry, "").paths(f"{prefix}{name}.") if isinstance(entry, dict) else [prefix + str(name)]
            )
        ]
