"""The key-value cache: going on with a text without computing its rows again.

A later token cannot change an earlier row, and of the earlier rows only the keys and the values
are ever read again. The cache is a recorder: since the forward pass goes on with what `record`
returns, handing back the kept keys and values with the new ones is all it takes.
"""

from functools import partial

import torch
from torch import Tensor

from toymodel.model import Model, logits
from toymodel.trace import silent, wants


class Cache:
    """Keys and values of the positions read so far, by block.

    Used as the recorder of one forward pass after another, each on the tokens that follow.
    What is computed on the way is told to `record`, another recorder, which may be changed
    between two passes.
    """

    def __init__(self, model: Model, record=silent):
        self._positions = model.parameters.P  # slot, d
        self._kept: dict[tuple[str, int], Tensor] = {}  # each head, slot, c; filled up to `length`
        self.length = 0
        self.record = record

    def __call__(self, name: str, value: Tensor, block: int | None = None) -> Tensor:
        """The value, or what it has to be for the whole text: the next rows of P, and all keys
        and values. Raises ValueError when P has too few rows.
        """
        if name == "position_embedding":
            value = self._next_rows(len(value))
        elif name in ("k", "v"):
            value = self._after_the_kept(name, value, block)
        return self.record(name, value, block)

    def wants(self, name: str, block: int | None) -> bool:
        return name in ("position_embedding", "k", "v") or wants(partial(self.record, block=block), name)

    def _next_rows(self, count: int) -> Tensor:
        limit = len(self._positions)
        if self.length + count > limit:
            raise ValueError(f"expected at most {limit} tokens, got {self.length + count}")
        self.length += count
        return self._positions[self.length - count : self.length]  # t, d

    def _after_the_kept(self, name: str, new: Tensor, block: int) -> Tensor:
        heads, count, width = new.shape
        if (name, block) not in self._kept:
            # Memory that is not written to yet takes no room.
            self._kept[name, block] = new.new_empty(heads, len(self._positions), width)
        rows = self._kept[name, block][:, : self.length]  # head, s, c
        rows[:, self.length - count :] = new
        return rows


def next_logits(tokens: list[int], model: Model, cache: Cache) -> Tensor:
    """Logits (v) after the last of these tokens; `cache` holds the ones before them."""
    return logits(torch.tensor(tokens), model, cache)[-1]
