"""The result files by another road: what an address of a measured value names, read from the JSON itself."""

import json
from fractions import Fraction
from functools import cache
from pathlib import Path

RESULTS = Path(__file__).parents[1] / "trained" / "results"


@cache
def result(name):
    """A whole file, every decimal exactly as it is written."""
    return json.loads((RESULTS / f"{name}.json").read_text(encoding="utf-8"), parse_float=Fraction)


def figure(name, figure):
    """Nested lists, and each axis with its labels."""
    content = result(name)
    entry = content["figures"][figure]
    return entry["values"], [(axis, content["labels"][axis]) for axis in entry["axes"]]


def entry(name, *path):
    """Something beside the figures: a setting, a hash, the command; places in lists count from 1."""
    level = result(name)
    for key in path:
        level = level[int(key) - 1] if isinstance(level, list) else level[key]
    return level
