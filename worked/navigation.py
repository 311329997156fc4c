"""The navigation of mkdocs.yml: pages, some of them in a section whose title each language gives."""

from __future__ import annotations

from collections.abc import Iterable

from worked.catalogue import Catalogue
from worked.errors import AuthorError, Place


def flat(nav: object) -> list[str]:
    """The file names of all pages, in order: what a section holds stands where the section stands.

    Raises AuthorError for what is neither a file name nor a section of file names.
    """
    pages = []
    for entry in nav if isinstance(nav, list) else [nav]:
        if isinstance(entry, str):
            pages.append(entry)
        elif isinstance(entry, dict) and all(isinstance(inside, list) for inside in entry.values()):
            pages += [page for inside in entry.values() for page in flat(inside)]
        else:
            raise AuthorError(f"the navigation lists file names, and sections of them; got {entry!r}; "
                              "titles stand in the pages", Place("mkdocs.yml", 1))
    return pages


def titled(nav: list, words: Catalogue) -> list:
    """The same navigation with each section under its title in one language, `sections` of the catalogue."""
    return [
        {words.sections[name]: titled(inside, words) for name, inside in entry.items()}
        if isinstance(entry, dict) else entry
        for entry in nav
    ]


def end_after(pages: Iterable, last: str) -> None:
    """The way from page to page ends with `last` ("notes.md"): what comes after it is for looking things up.

    `pages` are MkDocs's, in the order of the navigation. Raises AuthorError if none of them is that.
    """
    pages = list(pages)
    end = next((place for place, page in enumerate(pages) if page.file.src_uri == last), None)
    if end is None:
        raise AuthorError(f"`extra.last` is no page of the navigation: `{last}`", Place("mkdocs.yml", 1))
    for page in pages[end + 1 :]:
        page.previous_page = page.next_page = None
    pages[end].next_page = None
