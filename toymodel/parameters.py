"""The learned tensors of a model, under the registry's names.

What a configuration leaves out (biases, gains, an output matrix of its own) is None.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from toymodel.names import NAMES, Kind


@dataclass(frozen=True)
class BlockParameters:
    """One block's parameters; the shapes are those of the registry's axes."""

    W_q: Tensor  # head, d, c
    W_k: Tensor  # head, d, c
    W_v: Tensor  # head, d, c
    W_O: Tensor  # j, d
    W_1: Tensor  # d, u
    b_1: Tensor  # u
    W_2: Tensor  # u, d
    b_2: Tensor  # d
    b_q: Tensor | None = None  # head, c
    b_k: Tensor | None = None  # head, c
    b_v: Tensor | None = None  # head, c
    b_O: Tensor | None = None  # d
    gain_a: Tensor | None = None  # d
    bias_a: Tensor | None = None  # d
    gain_g: Tensor | None = None  # d
    bias_g: Tensor | None = None  # d


@dataclass(frozen=True)
class Parameters:
    """All parameters of a model."""

    E: Tensor  # v, d
    P: Tensor  # slot, d
    blocks: tuple[BlockParameters, ...]
    W_U: Tensor | None = None  # d, v
    gain_f: Tensor | None = None  # d
    bias_f: Tensor | None = None  # d


def named(parameters: Parameters) -> dict[str, Tensor]:
    """Name to tensor, in the registry's order, for every parameter that is there.

    A per-block parameter of a model with several blocks comes stacked along a first axis.
    """
    tensors = {}
    for entry in NAMES:
        if entry.kind != Kind.PARAMETER:
            continue
        owners = parameters.blocks if entry.per_block else (parameters,)
        values = [getattr(owner, entry.name) for owner in owners]
        if values[0] is not None:
            tensors[entry.name] = torch.stack(values) if len(values) > 1 else values[0]
    return tensors
