"""The steps of a site, in their order, and which of them have a page."""

from __future__ import annotations

from types import SimpleNamespace

from worked.errors import found
from worked.numbers import Number


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
