"""The key-value cache: going on with a text without computing its rows again.

A later token cannot change an earlier row, and of the earlier rows only the keys and the values
are ever read again. The cache is a recorder: since the forward pass goes on with what `record`
returns, handing back the kept keys and values with the new ones is all it takes.
"""

import torch
from torch import Tensor

from toymodel.model import Model, logits
from toymodel.trace import silent


class Cache:
    """Keys and values of the positions read so far, by block.

    Used as the recorder of one forward pass after another, each on the tokens that follow.
    What is computed on the way is told to `record`, another recorder.
    """

    def __init__(self, model: Model):
        self._positions = model.parameters.P  # slot, d
        self._kept: dict[tuple[str, int], Tensor] = {}
        self.length = 0

    def __call__(self, name: str, value: Tensor, block: int | None = None, record=silent) -> Tensor:
        """The value, or what it has to be for the whole text: the next rows of P, and all keys
        and values. Raises ValueError when P has too few rows.
        """
        if name == "position_embedding":
            value = self._next_rows(len(value))
        elif name in ("k", "v"):
            value = self._kept[name, block] = self._after_the_kept(name, value, block)
        return record(name, value, block)

    def _next_rows(self, count: int) -> Tensor:
        limit = len(self._positions)
        if self.length + count > limit:
            raise ValueError(f"expected at most {limit} tokens, got {self.length + count}")
        self.length += count
        return self._positions[self.length - count : self.length]  # t, d

    def _after_the_kept(self, name: str, new: Tensor, block: int) -> Tensor:
        if (name, block) not in self._kept:
            return new
        return torch.cat([self._kept[name, block], new], dim=-2)  # head, s, c


def next_logits(tokens: list[int], model: Model, cache: Cache) -> Tensor:
    """Logits (v) after the last of these tokens; `cache` holds the ones before them."""
    return logits(torch.tensor(tokens), model, cache)[-1]
