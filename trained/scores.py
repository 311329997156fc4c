"""The size of random scores, and what it does to a softmax: why attention divides by the root of its width."""

import math
from functools import cache
from pathlib import Path

import torch
from torch import Generator, Tensor

from toymodel.ops import softmax
from trained.experiment import Computation, Findings

WIDTHS = [4, 16, 64, 256, 1024]
PAIRS, ROWS, KEYS = 20_000, 2_000, 64
AT_ONCE = 100  # rows whose keys are in memory together
FROZEN = 0.99  # a row with a weight above this moves no more
DIVISION = ["with", "without"]


def variance(corpus: Path | None) -> Findings:
    """Variance and deviation of q . k over pairs of standard normal vectors, width after width."""
    generator = Generator().manual_seed(0)
    variances, deviations = [], []
    for width in WIDTHS:
        q = torch.randn(PAIRS, width, generator=generator)
        k = torch.randn(PAIRS, width, generator=generator)
        scores = (q * k).sum(-1)  # pairs
        variances.append(scores.var().item())
        deviations.append(scores.std().item())
    found = Findings({"head_width": WIDTHS})
    found.add("pairs", PAIRS)
    found.add("variance", variances, "head_width")
    found.add("deviation", deviations, "head_width")
    found.add("root", [math.sqrt(width) for width in WIDTHS], "head_width")
    return found


@cache
def random_scores(width: int, rows: int) -> Tensor:
    """One standard normal query against 64 keys of its own, row by row: (rows, keys)."""
    generator = Generator().manual_seed(width)
    made = []
    for start in range(0, rows, AT_ONCE):
        some = min(AT_ONCE, rows - start)
        q = torch.randn(some, width, 1, generator=generator)
        k = torch.randn(some, KEYS, width, generator=generator)
        made.append((k @ q)[..., 0])
    return torch.cat(made).double()


def both_weights(width: int, rows: int) -> list[Tensor]:
    """The softmax of the same scores with the division and without: (rows, keys) each."""
    scores = random_scores(width, rows)
    return [softmax(scores / math.sqrt(width)), softmax(scores)]


def effective_tokens(weights: Tensor) -> Tensor:
    """exp of each row's entropy, (..., keys) -> (...): how many tokens it attends to, all told."""
    return (-torch.special.xlogy(weights, weights).sum(-1)).exp()


def effective(corpus: Path | None) -> Findings:
    """One row, and the mean over many, of the number of tokens that a softmax spreads over."""
    by_width = [[effective_tokens(weights) for weights in both_weights(width, ROWS)] for width in WIDTHS]
    found = Findings({"head_width": WIDTHS, "division": DIVISION})
    found.add("keys", KEYS)
    found.add("rows", ROWS)
    found.add("one_row", [[tokens[0].item() for tokens in both] for both in by_width], "head_width", "division")
    found.add("mean", [[tokens.mean().item() for tokens in both] for both in by_width], "head_width", "division")
    return found


def frozen(corpus: Path | None) -> Findings:
    """How many rows are as good as decided, and what is left of the softmax's derivative.

    The derivative of weight i by its own score is w_i (1 - w_i).
    """
    shares, largest, totals = [], [], []
    for width in WIDTHS:
        both = both_weights(width, ROWS)
        diagonals = [weights * (1 - weights) for weights in both]
        shares.append([(weights.amax(-1) > FROZEN).double().mean().item() for weights in both])
        largest.append([diagonal.amax(-1).mean().item() for diagonal in diagonals])
        totals.append([diagonal.sum(-1).mean().item() for diagonal in diagonals])
    found = Findings({"head_width": WIDTHS, "division": DIVISION})
    found.add("rows", ROWS)
    found.add("keys", KEYS)
    found.add("frozen_above", FROZEN)
    found.add("frozen_share", shares, "head_width", "division")
    found.add("largest_derivative", largest, "head_width", "division")
    found.add("sum_of_derivatives", totals, "head_width", "division")
    return found


VARIANCE = Computation("score_variance", "The variance of q . k grows as the width of the head.", variance)
EFFECTIVE = Computation("effective_tokens", "How many of 64 tokens a row of random scores attends to.", effective)
FROZEN_ROWS = Computation("frozen_rows", "How many of 2,000 random rows put nearly all weight on one token.", frozen)
