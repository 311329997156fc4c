"""Byte-pair encoding: learning merges by counting pairs, and cutting text with them.

Sennrich et al., "Neural Machine Translation of Rare Words with Subword Units" (2016), section
3.2; over bytes, as in GPT-2 (Radford et al., 2019). A piece is a `str` or `bytes`; everything
but `split` and `train` works on either.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

import regex

# GPT-2's: no merge crosses these borders. A space belongs to the word after it.
SPLIT = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


@dataclass(frozen=True)
class Merge:
    """One lesson: how often each pair of neighbours was counted, the pair that won, and the
    words after it was joined, as pieces, each with how often the text holds it.
    """

    counts: dict[tuple, int]
    pair: tuple
    words: dict[tuple, int]


def train(text: str, merges: int) -> Iterator[Merge]:
    """Learn merges from a text, one after another; fewer when no pair is left."""
    words = split(text)
    for _ in range(merges):
        counts = count_pairs(words)
        if not counts:
            return
        pair = max(counts, key=counts.get)  # among equals, the pair seen first
        words = {joined(pieces, pair): times for pieces, times in words.items()}
        yield Merge(counts, pair, words)


def split(text: str) -> dict[tuple[bytes, ...], int]:
    """The text's words as single bytes, in the order of their first appearance, counted."""
    words = Counter(SPLIT.findall(text))
    return {tuple(single_bytes(word)): times for word, times in words.items()}


def count_pairs(words: Mapping[tuple, int]) -> dict[tuple, int]:
    """How often each two pieces stand side by side, in the order in which they are seen."""
    counts: dict[tuple, int] = {}
    for pieces, times in words.items():
        for pair in pairwise(pieces):
            counts[pair] = counts.get(pair, 0) + times
    return counts


def joined(pieces: tuple, pair: tuple) -> tuple:
    """The pieces with the pair joined wherever it stands, from left to right."""
    left, right = pair
    if left not in pieces or right not in pieces:
        return pieces
    result, place = [], 0
    while place < len(pieces):
        if pieces[place : place + 2] == pair:
            result.append(left + right)
            place += 2
        else:
            result.append(pieces[place])
            place += 1
    return tuple(result)


def merge_steps(pieces: Iterable, merges: Iterable[tuple]) -> Iterator[tuple[tuple, tuple]]:
    """Apply merges to one word, the earliest learned first: each pair joined, and the pieces after it."""
    rank = {pair: place for place, pair in enumerate(merges)}
    pieces = tuple(pieces)
    while known := rank.keys() & set(pairwise(pieces)):
        pair = min(known, key=rank.get)
        pieces = joined(pieces, pair)
        yield pair, pieces


def cut(pieces: Iterable, merges: Iterable[tuple]) -> tuple:
    """What is left of a word once no merge applies: its tokens."""
    start = tuple(pieces)
    return [start, *(after for _, after in merge_steps(start, merges))][-1]


def single_bytes(text: str) -> list[bytes]:
    """The UTF-8 bytes of a text, one by one."""
    return [bytes([byte]) for byte in text.encode()]
