"""Which recorded values are wanted: names by pattern, blocks by number."""

from dataclasses import dataclass
from fnmatch import fnmatchcase

from toymodel.names import BY_NAME, NAMES, Kind, near

RECORDED = tuple(entry.name for entry in NAMES if entry.kind == Kind.RECORDED)


@dataclass(frozen=True)
class Selection:
    """Names of recorded values, and blocks counted from 1; values outside the blocks go by name alone."""

    names: frozenset[str] = frozenset(RECORDED)
    blocks: frozenset[int] | None = None

    def __call__(self, name: str, block: int | None) -> bool:
        return name in self.names and (block is None or self.blocks is None or block in self.blocks)


def select(names: str = "*", blocks: str | None = None, count: int | None = None) -> Selection:
    """Selection from patterns such as "q,k,*_mean" and block numbers such as "1-3,12".

    Without blocks all are selected; with them, only values that blocks record. `count` is the
    number of blocks there are. Raises ValueError for a pattern that matches no recorded value,
    with the near misses, and for blocks that are not there.
    """
    found: set[str] = set()
    for pattern in filter(None, (part.strip() for part in names.split(","))):
        matching = {name for name in RECORDED if fnmatchcase(name, pattern)}
        if not matching:
            raise ValueError(f"{pattern!r}: no recorded value is called so{near(pattern, RECORDED)}")
        found |= matching
    if blocks is None:
        return Selection(frozenset(found))
    in_blocks = frozenset(name for name in found if BY_NAME[name].per_block)
    if not in_blocks:
        raise ValueError(f"{names!r}: blocks do not record it; leave the blocks out")
    return Selection(in_blocks, frozenset(numbers(blocks, count)))


def numbers(text: str, count: int | None) -> list[int]:
    """Block numbers from "1-3,12"."""
    found = []
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise ValueError(f"{text!r}: expected block numbers such as 1-3,12")
        low, high = int(first), int(last or first)
        if not 1 <= low <= high or (count is not None and high > count):
            raise ValueError(f"{part.strip()!r}: expected blocks from 1 to {count or 'the last'}, the lower first")
        found += range(low, high + 1)
    return found
