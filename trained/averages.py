"""The average as the beginning of attention: it forgets order, and it is a matrix product and a softmax."""

from pathlib import Path

import torch
from torch import Generator, Tensor

from toymodel.ops import causal_mask, softmax
from trained.experiment import Computation, Findings

LENGTH, WIDTH = 64, 32
SHOWN = 6  # rows of the matrix that the page prints


def random_rows(length: int) -> Tensor:
    return torch.randn(length, WIDTH, generator=Generator().manual_seed(0))


def loop_average(x: Tensor) -> Tensor:
    """Row by row: the mean of the rows up to it."""
    return torch.stack([x[: place + 1].mean(0) for place in range(len(x))])


def averaging_matrix(length: int) -> Tensor:
    """Row t holds 1/t, t times: (t, s)."""
    lower = torch.ones(length, length).tril()
    return lower / lower.sum(-1, keepdim=True)


def softmax_of_zeros(length: int) -> Tensor:
    """Attention's weights when every score is 0: (t, s)."""
    return softmax(causal_mask(torch.zeros(length, length)))


def shuffled(corpus: Path | None) -> Findings:
    """The mean of a window of random vectors before and after shuffling it, in float32."""
    x = random_rows(LENGTH)
    order = torch.randperm(LENGTH, generator=Generator().manual_seed(1))
    found = Findings()
    found.add("tokens", LENGTH)
    found.add("width", WIDTH)
    found.add("moved_tokens", (order != torch.arange(LENGTH)).sum().item())
    found.add("max_difference", (x.mean(0) - x[order].mean(0)).abs().max().item())
    return found


def three_ways(corpus: Path | None) -> Findings:
    """A loop, a matrix and a softmax make the same averages, in float32."""
    x = random_rows(SHOWN)
    looped, matrix, weights = loop_average(x), averaging_matrix(SHOWN), softmax_of_zeros(SHOWN)
    found = Findings({"t": list(range(1, SHOWN + 1)), "s": list(range(1, SHOWN + 1))})
    found.add("matrix", matrix.tolist(), "t", "s")
    found.add("softmax_of_zeros", weights.tolist(), "t", "s")
    found.add("loop_and_matrix_difference", (looped - matrix @ x).abs().max().item())
    found.add("loop_and_softmax_difference", (looped - weights @ x).abs().max().item())
    return found


SHUFFLED = Computation(
    "average_ignores_order", "The mean of a window of random vectors, before and after shuffling it.", shuffled
)
THREE_WAYS = Computation(
    "average_is_a_matmul_is_a_softmax", "The running average as a loop, a triangular matrix and a softmax.", three_ways
)
