"""The whole trace of a large model, in little more memory than its values take.

At 1,024 tokens the values of GPT-2 small take 3.8 GB, if each is kept; 1.6 GB of them are one step
away from others: scores scaled and masked, logits exponentiated and divided. The model's own lines
make these again, from what was kept, when they are read.
"""

from torch import Tensor

from toymodel.config import GPTConfig
from toymodel.model import attend, predict
from toymodel.trace import Trace

# What is known once a value is recorded, and made again when it is read.
FOLLOWING = {"scores": ("scaled_scores", "masked_scores"), "z": ("exp_z", "p")}
REMADE = {name for names in FOLLOWING.values() for name in names}


class LeanTrace(Trace):
    """A Trace whose values are the model's own tensors, not copies: to be read, not written to.

    `logits(tokens, model, trace)` is enough for every value but the loss: the probabilities follow
    from z. Knows no edits.
    """

    def __init__(self, config: GPTConfig):
        super().__init__()
        self._config = config

    def __call__(self, name: str, value: Tensor, block: int | None = None) -> Tensor:
        """Keep a value, or know that it can be made again. Raises as Trace does."""
        if name in REMADE:
            return value
        super().__call__(name, value, block)
        for following in FOLLOWING.get(name, ()):
            self._values.setdefault(following, {})[block] = None  # nothing kept: made again when read
        return value

    def wants(self, name: str, block: int | None) -> bool:
        return name not in REMADE

    def _keep(self, value: Tensor) -> Tensor:
        return value.detach()

    def _read(self, name: str, block: int | None) -> Tensor:
        kept = self._values[name][block]
        return self._remake(name, block) if kept is None else kept

    def _remake(self, name: str, block: int | None) -> Tensor:
        made: dict[str, Tensor] = {}

        def kept_or_made(name_now: str, value: Tensor) -> Tensor:
            kept = name_now not in REMADE
            made[name_now] = self._values[name_now][block] if kept else value
            return made[name_now]

        if name in FOLLOWING["z"]:
            predict(self["z"], self._config, kept_or_made)
        else:
            attend(self["q", block], self["k", block], self["v", block], kept_or_made)
        return made[name]
