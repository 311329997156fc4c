"""What dividing the scores by the root of the head's width is worth, trained at five widths.

One head is added to the stream, and nothing is normalised before its projections, so that the
size of the scores is their own affair.
"""

import math

import torch
from torch import Tensor

from toymodel import model
from toymodel.model import embed
from toymodel.parameters import Parameters
from toymodel.trace import silent
from trained.corpus import VOCABULARY_SIZE
from trained.data import Data
from trained.experiment import Findings, Training, perplexities
from trained.recorders import chained, editing, keeping
from trained.training import Row, Settings
from trained.weights import config, shapes

STEPS = {32: 3000, 64: 3000, 256: 1500, 512: 1500, 1024: 1500}
LOOKED_AT = 32  # held-out windows that the statistics of the scores are taken over
FROZEN = 0.99  # a row with a weight above this moves no more


def recorder(divided: bool, head_width: int):
    """Undoes the division where the row does without."""
    return silent if divided else editing({"scaled_scores": lambda scaled: scaled * math.sqrt(head_width)})


def head_added(head_width: int, divided: bool):
    """The stream of a row: one head, with the division or without; `watch` sees the values used."""
    edited = recorder(divided, head_width)

    def stream(tokens: Tensor, w: Parameters, watch=silent) -> Tensor:
        x = embed(tokens, w)
        return x + model.attention(x, w.blocks[0], chained(edited, watch))

    return stream


def row(head_width: int, divided: bool) -> Row:
    settings = Settings(batch=32, steps=STEPS[head_width])
    width = settings.width
    outside = shapes(config(VOCABULARY_SIZE, width, settings.context), ("E", "W_U", "P"))
    head = {f"W_{one}.1": (1, width, head_width) for one in "qkv"} | {f"b_{one}.1": (1, head_width) for one in "qkv"}
    back = {"W_O.1": (head_width, width), "b_O.1": (width,)}
    return Row(settings, outside | head | back, head_added(head_width, divided))


ROWS = {
    f"{'with' if divided else 'without'}_{head_width}": row(head_width, divided)
    for head_width in STEPS
    for divided in (True, False)
}


def judge(row: Row, parameters: Parameters, data: Data, seed: int) -> Findings:
    """Perplexities, and how the scores and the weights lie on the first held-out windows.

    Only what the mask leaves visible counts, and of the weights only rows that have a choice:
    not the first, which sees itself alone.
    """
    found = perplexities(row, parameters, data, seed)
    inputs = data.part("held_out", row.settings.context)[0][:LOOKED_AT]
    record, kept = keeping(("scaled_scores", "weights"))
    with torch.no_grad():
        row.stream(inputs, parameters, watch=record)
    scores, weights = kept["scaled_scores", None].double(), kept["weights", None].double()[..., 1:, :]
    visible = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    entropy = -torch.special.xlogy(weights, weights).sum(-1)
    found.add("score_deviation", scores[..., visible].std().item())
    found.add("entropy", entropy.mean().item())
    found.add("effective_tokens", entropy.exp().mean().item())
    found.add("frozen_share", (weights.amax(-1) > FROZEN).double().mean().item())
    return found


EXPERIMENT = Training(
    "division_trained",
    "One head of five widths, its scores divided by the root of the width or not.",
    ROWS,
    judge=judge,
)
