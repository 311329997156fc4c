"""The ladder: ten rungs from the single token to two blocks, one thing added at a time.

Each rung is a few lines over the attention, normalisation and MLP of `toymodel`, the same that
the toy and GPT-2 are made of.
"""

from dataclasses import replace
from functools import partial

import torch
from torch import Tensor

from toymodel import model
from toymodel.model import embed
from toymodel.ops import causal_mask, softmax
from toymodel.parameters import Parameters
from toymodel.trace import silent
from trained.corpus import VOCABULARY_SIZE
from trained.experiment import Training
from trained.training import Row, Settings
from trained.weights import ATTENTION, BLOCK, EPSILON, FINAL_NORM, MLP, QKV, config, shapes

SETTINGS = Settings()
HEADS = 4


def uniform_average(x: Tensor) -> Tensor:
    """Each row the mean of itself and the rows before it, (..., t, d): attention with all scores 0."""
    scores = torch.zeros(x.shape[-2], x.shape[-2], device=x.device)  # t, s
    return softmax(causal_mask(scores)) @ x  # ..., t, d


def token_only(tokens: Tensor, w: Parameters) -> Tensor:
    return w.E[tokens]


def average_instead(tokens: Tensor, w: Parameters) -> Tensor:
    return uniform_average(w.E[tokens])


def average_instead_with_positions(tokens: Tensor, w: Parameters) -> Tensor:
    return uniform_average(embed(tokens, w))


def average_added(tokens: Tensor, w: Parameters) -> Tensor:
    x = embed(tokens, w)
    return x + uniform_average(x)


def one_head(x: Tensor, w: Parameters) -> Tensor:
    """A single head has nothing to mix, so it goes without W_O: the identity stands there."""
    return model.attention(x, replace(w.blocks[0], W_O=torch.eye(x.shape[-1], device=x.device)))


def head_instead(tokens: Tensor, w: Parameters) -> Tensor:
    return one_head(embed(tokens, w), w)


def head_added(tokens: Tensor, w: Parameters) -> Tensor:
    x = embed(tokens, w)
    return x + one_head(x, w)


def heads_added(tokens: Tensor, w: Parameters) -> Tensor:
    x = embed(tokens, w)
    return x + model.attention(x, w.blocks[0])


def heads_and_mlp_added(tokens: Tensor, w: Parameters) -> Tensor:
    h = heads_added(tokens, w)
    return h + model.mlp(h, w.blocks[0])


def blocks(tokens: Tensor, w: Parameters, record=silent) -> Tensor:
    """Whole blocks, as in `toymodel.model.logits`, up to the last normalisation."""
    stream = embed(tokens, w, record)
    for number, one in enumerate(w.blocks, start=1):
        stream = model.block(stream, one, EPSILON, partial(record, block=number))
    return model.layer_norm(stream, w.gain_f, w.bias_f, EPSILON)


def row(stream, *names: str, heads: int = 1, blocks: int = 1, by_token: bool = False) -> Row:
    sizes = config(VOCABULARY_SIZE, SETTINGS.width, SETTINGS.context, heads, blocks)
    return Row(SETTINGS, shapes(sizes, ("E", "W_U", *names)), stream, by_token)


ROWS = {
    "token_only": row(token_only, by_token=True),
    "average_instead": row(average_instead),
    "average_instead_with_positions": row(average_instead_with_positions, "P"),
    "average_added": row(average_added, "P"),
    "head_instead": row(head_instead, "P", *QKV),
    "head_added": row(head_added, "P", *QKV),
    "four_heads_added": row(heads_added, "P", *ATTENTION, heads=HEADS),
    "with_mlp": row(heads_and_mlp_added, "P", *ATTENTION, *MLP, heads=HEADS),
    "block": row(blocks, "P", *BLOCK, *FINAL_NORM, heads=HEADS),
    "two_blocks": row(blocks, "P", *BLOCK, *FINAL_NORM, heads=HEADS, blocks=2),
}

EXPERIMENT = Training(
    "ladder",
    "Ten models from the single token to two blocks, one thing added at a time; the block with "
    "its normalisations is the full block.",
    ROWS,
)
