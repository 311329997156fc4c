"""The steps of a site and the pages of its chapter: their order, and which of the steps have a page."""

from __future__ import annotations

from types import SimpleNamespace

from worked.errors import found
from worked.numbers import Number


def site_facts(extra: dict, pages: list[str]) -> SimpleNamespace:
    """The seven steps and the pages of the chapter, each numbered in its order."""
    steps = [
        SimpleNamespace(name=name, family=family, number=Number(place, f"site/step[{name}]"),
                        exists=f"{name}.md" in pages)
        for place, (name, family) in enumerate(extra["steps"].items(), start=1)
    ]
    names = [page.removeprefix("chapter/").removesuffix(".md") for page in pages if page.startswith("chapter/")]
    chapter = [
        SimpleNamespace(name=name, number=Number(place, f"site/chapter[{name}]"))
        for place, name in enumerate(names, start=1)
    ]

    def number(name: str) -> Number:
        return found({step.name: step.number for step in steps}, name, f"no step `{name}`")

    return SimpleNamespace(
        steps=steps, number=number, step_count=Number(len(steps), "site/steps"),
        chapter=chapter, chapter_count=Number(len(chapter), "site/chapter"),
    )
