"""The steps of a site: their order, which of them have a page, and where the reading ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import SimpleNamespace

from worked.errors import found
from worked.numbers import Number


def end_after(pages: Iterable, steps: Mapping) -> None:
    """The way from page to page ends with the last step: what comes after it is for looking things up.

    `pages` are MkDocs's, in the order of the navigation.
    """
    pages = list(pages)
    last = next(reversed(steps))
    end = next((place for place, page in enumerate(pages) if page.file.src_uri == f"{last}.md"), len(pages))
    for page in pages[end + 1 :]:
        page.previous_page = page.next_page = None
    for page in pages[end : end + 1]:
        page.next_page = None


def site_facts(extra: dict, pages: list[str]) -> SimpleNamespace:
    """The seven steps, numbered in their order, and which of them have a page."""
    steps = [
        SimpleNamespace(name=name, family=family, number=Number(place, f"site/step[{name}]"),
                        exists=f"{name}.md" in pages)
        for place, (name, family) in enumerate(extra["steps"].items(), start=1)
    ]

    def number(name: str) -> Number:
        return found({step.name: step.number for step in steps}, name, f"no step `{name}`")

    return SimpleNamespace(steps=steps, number=number, step_count=Number(len(steps), "site/steps"))
