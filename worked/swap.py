"""Build aside, swap at the end: a failed build leaves the last good site untouched."""

from __future__ import annotations

import shutil
from pathlib import Path


def aside(site: Path) -> Path:
    """An empty folder beside the site, on the same disk, where the new one is built."""
    draft, previous = _neighbour(site, "draft"), _neighbour(site, "previous")
    if previous.exists() and not site.exists():  # a swap was interrupted half way
        previous.rename(site)
    shutil.rmtree(draft, ignore_errors=True)
    draft.mkdir(parents=True)
    return draft


def swap(site: Path) -> None:
    """The finished draft takes the site's place."""
    draft, previous = _neighbour(site, "draft"), _neighbour(site, "previous")
    shutil.rmtree(previous, ignore_errors=True)
    if site.exists():
        site.rename(previous)
    draft.rename(site)
    shutil.rmtree(previous, ignore_errors=True)


def discard(site: Path) -> None:
    """Nothing of a failed build stays behind."""
    shutil.rmtree(_neighbour(site, "draft"), ignore_errors=True)


def _neighbour(site: Path, role: str) -> Path:
    return site.with_name(f".{site.name}-{role}")
