"""Errors that speak to the author of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches


@dataclass(frozen=True)
class Place:
    """A line of a source file, as an author would look it up."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


class AuthorError(Exception):
    """Something on a page cannot be right: says where, what was expected and what came.

    Raised without a place where the value is computed; whoever knows the place adds it with `at`.
    """

    def __init__(self, message: str, place: Place | None = None):
        super().__init__(message)
        self.message = message
        self.place = place

    def at(self, place: Place | None) -> AuthorError:
        """The same error with its place; a place already known (the innermost) is kept."""
        return self if self.place or not place else AuthorError(self.message, place)

    def called_from(self, place: Place | None) -> AuthorError:
        """The same error, saying also which line of the page led there."""
        if not place or not self.place or place.file == self.place.file:
            return self
        return AuthorError(f"{self.message} (called from {place})", self.place)

    def __str__(self) -> str:
        return f"{self.place}: {self.message}" if self.place else self.message


def found(entries: Mapping, name: str, missing: str):
    """The entry of that name; AuthorError with what is `missing` and the near miss, if there is none."""
    if name not in entries:
        raise AuthorError(f"{missing}{near_miss(name, entries)}")
    return entries[name]


def near_miss(given: object, candidates: Iterable[object]) -> str:
    """A clause that names the closest candidate, or lists the candidates when they are few."""
    names = [str(candidate) for candidate in candidates]
    close = get_close_matches(str(given), names, n=1, cutoff=0.5)
    if close:
        return f"; did you mean `{close[0]}`?"
    if names and len(names) <= 12:
        return "; there is " + ", ".join(f"`{name}`" for name in names)
    return ""
