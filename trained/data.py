"""What models are trained on: token ids, the batches drawn from them, the parts they are judged on.

`Data` is what training asks for; `Text` is the corpus, one long row of ids. The two referent
tasks bring sentences of their own (`trained.referent`).
"""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Generator, Tensor

Pairs = tuple[Tensor, Tensor]  # inputs and targets, both (windows, t): each input's next token


class Data(Protocol):
    """Training data of one kind; `about` is what a result file says of it."""

    vocabulary_size: int
    about: dict

    def batch(self, size: int, context: int, generator: Generator) -> Pairs: ...

    def part(self, name: str, context: int) -> Pairs: ...


@dataclass(frozen=True)
class Text:
    """A text's ids: the first nine tenths to train on, the rest held out."""

    ids: Tensor
    vocabulary_size: int
    about: dict

    @property
    def parts(self) -> dict[str, Tensor]:
        border = len(self.ids) * 9 // 10
        return {"train": self.ids[:border], "held_out": self.ids[border:]}

    def batch(self, size: int, context: int, generator: Generator) -> Pairs:
        """Windows of the training part that start anywhere."""
        train = self.parts["train"]
        starts = torch.randint(len(train) - context, (size, 1), generator=generator)  # windows, 1
        windows = train[starts + torch.arange(context + 1)]  # windows, t + 1
        return windows[:, :-1], windows[:, 1:]

    def part(self, name: str, context: int) -> Pairs:
        """A whole part cut into windows, one after another; what does not fill one is left out."""
        ids = self.parts[name]
        used = (len(ids) - 1) // context * context
        return ids[:used].view(-1, context), ids[1 : used + 1].view(-1, context)
