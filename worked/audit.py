"""Checks of what authors type: no digit stands on a page that nobody computed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import yaml

from worked.catalogue import Catalogue
from worked.errors import AuthorError, Place, near_miss

DIGITS = re.compile(r"\S*\d\S*")
MISPLACED = re.compile(r'<(h[1-6]|a|th|summary|figcaption)\b[^>]*>(?:(?!</\1>).)*?<span class="term">', re.DOTALL)
LEAKED = re.compile("&lt;data |&amp;lt;data |[\ue000-\ue006]")


@dataclass(frozen=True)
class AllowList:
    """Patterns that may contain typed digits, each with its reason, for prose and for formulas."""

    prose: tuple[re.Pattern, ...]
    formula: tuple[re.Pattern, ...]

    @classmethod
    def load(cls, path: Path) -> AllowList:
        """From YAML: two lists, `prose` and `formula`, of {pattern, reason}.

        Raises AuthorError for anything else, a pattern that does not compile, or one without a reason.
        """
        try:
            entries = yaml.safe_load(path.read_text(encoding="utf-8"))
            for entry in entries["prose"] + entries["formula"]:
                if not entry.get("reason"):
                    raise AuthorError(f"the pattern {entry.get('pattern')!r} has no reason", Place(str(path), 1))
            return cls(*(
                tuple(re.compile(entry["pattern"], re.MULTILINE) for entry in entries[where])
                for where in ("prose", "formula")
            ))
        except (yaml.YAMLError, re.error, TypeError, KeyError, AttributeError) as error:
            raise AuthorError(
                f"expected two lists, `prose` and `formula`, of pattern and reason: {error}", Place(str(path), 1)
            ) from error


def typed_digits(text: str, where: str, allowed: AllowList) -> str | None:
    """The first digits in `text` that no pattern of the list allows, with what they touch."""
    for pattern in getattr(allowed, where):
        text = pattern.sub("", text)
    found = DIGITS.search(text)
    return found[0] if found else None


def check_html(html: str, place: Place) -> None:
    """No value or term ended up where its element cannot stand: in an indented block, a link, a heading."""
    leak = LEAKED.search(html)
    if leak:
        around = html[max(0, leak.start() - 60) : leak.end() + 60]
        raise AuthorError(
            f"a value stands where Markdown takes it for text (an indented block, a link): …{around}…", place
        )
    misplaced = MISPLACED.search(html)
    if misplaced:
        raise AuthorError(
            f"a term stands in a heading, a link or a caption: …{misplaced[0][-60:]}…; mark it in running text", place
        )


def check_languages(docs: Path, pages: list[str], catalogues: Mapping[str, Catalogue]) -> None:
    """The same pages and the same words in every language, glosses apart."""
    if not catalogues:
        raise AuthorError("no language: `extra.languages` is empty", Place("mkdocs.yml", 1))
    first = next(iter(catalogues))
    expected = [path for path in catalogues[first].paths() if not path.startswith("gloss.")]
    for code, words in catalogues.items():
        missing = [page for page in pages if not (docs / code / page).is_file()]
        if missing:
            raise AuthorError(f"the page is missing in `{code}`; it exists in the navigation (mkdocs.yml)",
                              Place(f"docs/{code}/{missing[0]}", 1))
        for file in sorted((docs / code).glob("**/*.md")):
            page = file.relative_to(docs / code).as_posix()
            if page not in pages:
                raise AuthorError("the page is not in the navigation (mkdocs.yml)"
                                  + near_miss(page, pages), Place(f"docs/{code}/{page}", 1))
        for path in expected:
            if path not in words.paths():
                raise AuthorError(f"no `{path}`, which docs/_lang/{first}.yml has"
                                  + near_miss(path, words.paths()), Place(f"docs/_lang/{code}.yml", 1))


def check_parity(rendered: Mapping[str, list]) -> None:
    """Every language shows the same values, claims and terms in the same order.

    Raises AuthorError at the first number, claim or term that differs from the first language's.
    """
    first, *others = rendered
    for language in others:
        for model, page in zip(rendered[first], rendered[language]):
            for expected, row in zip_longest(model.rows, page.rows):
                shown = [(one.address, one.places, one.style) if one else None for one in (expected, row)]
                if shown[0] != shown[1]:
                    raise AuthorError(
                        f"the languages part ways: expected {_described(expected)}, got {_described(row)}",
                        _place(row or page.rows[-1]),
                    )
            for kind in ("claim", "term"):
                for expected, given in zip_longest(getattr(model, f"{kind}s"), getattr(page, f"{kind}s")):
                    if expected != given:
                        raise AuthorError(
                            f"the languages part ways: expected the {kind} `{expected}`, as in `{first}`, "
                            f"got `{given}`",
                            Place(f"docs/{language}/{page.name}", 1),
                        )


def _described(row) -> str:
    return f"`{row.address}` as in {row.source}" if row else "no further number"


def _place(row) -> Place:
    file, line = row.source.rsplit(":", 1)
    return Place(file, int(line))
