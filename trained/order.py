"""Without positions, one causal attention layer cannot tell the order of what came before; two can.

The last row of one layer is a weighted mean over a set. A second layer reads rows that each saw
another set, and which set depends on the order.
"""

from pathlib import Path

import torch
from torch import Generator

from toymodel.model import attention
from toymodel.weights import random_model
from trained.experiment import Computation, Findings
from trained.weights import config

LENGTH, WIDTH, HEADS, LAYERS = 16, 32, 4, 3


def compute(corpus: Path | None) -> Findings:
    """The largest change in the last row when the rows before it are permuted, in float64."""
    blocks = random_model(config(LENGTH, WIDTH, LENGTH, HEADS, LAYERS)).parameters.blocks
    generator = Generator().manual_seed(0)
    x = torch.randn(LENGTH, WIDTH, generator=generator, dtype=torch.float64)
    order = torch.randperm(LENGTH - 1, generator=generator)
    one, other = x, torch.cat((x[order], x[-1:]))
    changes = []
    for w in blocks:
        one, other = one + attention(one, w), other + attention(other, w)
        changes.append((one[-1] - other[-1]).abs().max().item())
    found = Findings({"layers": list(range(1, LAYERS + 1))})
    found.add("last_row_change", changes, "layers")
    found.add("last_row_size", one[-1].abs().max().item())
    return found


EXPERIMENT = Computation(
    "order_without_positions", "What permuting the earlier tokens does to the last row of a few layers.", compute
)
