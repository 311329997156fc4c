"""Four ways to tell positions apart, trained on 64 tokens and judged on 64, 128 and 256.

Learned positions (GPT-2), sinusoids (Vaswani et al., 2017, section 3.5), RoPE (Su et al.,
"RoFormer", 2021) and ALiBi (Press et al., "Train Short, Test Long", 2022). The block is
`toymodel`'s; RoPE and ALiBi intervene in its recorded q, k and scaled scores.
"""

import torch
from torch import Tensor

from toymodel import model
from toymodel.parameters import Parameters
from toymodel.trace import silent
from trained.corpus import VOCABULARY_SIZE
from trained.data import Data
from trained.experiment import Findings, Training, perplexities
from trained.recorders import editing
from trained.training import Row, Settings, perplexity
from trained.weights import BLOCK, EPSILON, FINAL_NORM, config, shapes

SETTINGS = Settings(context=64)
HEADS = 4
LENGTHS = (64, 128, 256)
BASE = 10_000  # of the wave lengths, for sinusoids and RoPE


def angles(length: int, pairs: int) -> Tensor:
    """Position times frequency, (t, pairs): the wave lengths grow from 2 pi to nearly 2 pi BASE."""
    frequencies = BASE ** -(torch.arange(pairs) / pairs)  # pairs
    return torch.arange(length)[:, None] * frequencies  # t, pairs


def sinusoids(length: int, width: int) -> Tensor:
    """Sine and cosine of each frequency, side by side: (t, d)."""
    turned = angles(length, width // 2)  # t, d / 2
    return torch.stack((turned.sin(), turned.cos()), -1).flatten(-2)  # t, d


def rotated(q: Tensor) -> Tensor:
    """RoPE: channels i and i + c/2 are a pair, turned by the position's angle; (..., t, c) both ways."""
    turned = angles(q.shape[-2], q.shape[-1] // 2).to(q.device)  # t, c / 2
    one, other = q.chunk(2, -1)
    return torch.cat(
        (one * turned.cos() - other * turned.sin(), one * turned.sin() + other * turned.cos()), -1
    )  # ..., t, c


def biased(scaled_scores: Tensor) -> Tensor:
    """ALiBi: each head takes its slope times the distance from every score, (..., head, t, s)."""
    heads, length = scaled_scores.shape[-3:-1]
    slopes = 2 ** (-8 * torch.arange(1, heads + 1) / heads)  # head
    places = torch.arange(length)
    distances = places[:, None] - places  # t, s: negative where the mask is
    return scaled_scores - (slopes[:, None, None] * distances).to(scaled_scores.device)


def stream(start, record=silent):
    """One block over what `start(tokens, w)` makes of the ids."""

    def run(tokens: Tensor, w: Parameters) -> Tensor:
        y = model.block(start(tokens, w), w.blocks[0], EPSILON, record)
        return model.layer_norm(y, w.gain_f, w.bias_f, EPSILON)

    return run


def token_embedding(tokens: Tensor, w: Parameters) -> Tensor:
    return w.E[tokens]


def with_sinusoids(tokens: Tensor, w: Parameters) -> Tensor:
    return w.E[tokens] + sinusoids(tokens.shape[-1], w.E.shape[-1]).to(w.E.device)


def row(stream, *names: str) -> Row:
    """Learned positions have a row for every position that will be asked for; most are never trained."""
    sizes = config(VOCABULARY_SIZE, SETTINGS.width, max(LENGTHS), HEADS)
    return Row(SETTINGS, shapes(sizes, ("E", "W_U", *BLOCK, *FINAL_NORM, *names)), stream)


ROWS = {
    "learned": row(stream(model.embed), "P"),
    "sinusoidal": row(stream(with_sinusoids)),
    "rope": row(stream(token_embedding, editing({"q": rotated, "k": rotated}))),
    "alibi": row(stream(token_embedding, editing({"scaled_scores": biased}))),
}


def judge(row: Row, parameters: Parameters, data: Data, seed: int) -> Findings:
    """Perplexity on the same held-out tokens, in windows of each length."""
    inputs, targets = data.part("held_out", max(LENGTHS))
    found = perplexities(row, parameters, data, seed)
    found.labels["length"] = list(LENGTHS)
    at = [perplexity(row, parameters, (inputs.reshape(-1, n), targets.reshape(-1, n))) for n in LENGTHS]
    found.add("perplexity_at", at, "length")
    return found


EXPERIMENT = Training(
    "positions",
    "One block with four ways to tell positions apart, trained on windows of 64 tokens, judged on longer ones.",
    ROWS,
    judge=judge,
)
