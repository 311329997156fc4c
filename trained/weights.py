"""A model's parameters while it learns: tensors by name, and as the `Parameters` that toymodel reads.

The names are the registry's; a block's carry its number, from 1: "W_q.1".
"""

import math
import zlib
from collections.abc import Iterable, Mapping

import torch
from torch import Generator, Tensor

from toymodel.config import GPTConfig
from toymodel.names import BY_NAME
from toymodel.parameters import BlockParameters, Parameters
from toymodel.shapes import parameter_shapes

Shapes = dict[str, tuple[int, ...]]
Tensors = dict[str, Tensor]

EPSILON = 1e-5  # in every normalisation
TIED_DEVIATION = 0.02  # of embeddings that are the output matrix too: Radford et al. (2019)

QKV = ("W_q", "W_k", "W_v", "b_q", "b_k", "b_v")
ATTENTION = (*QKV, "W_O", "b_O")
MLP = ("W_1", "b_1", "W_2", "b_2")
NORMS = ("gain_a", "bias_a", "gain_g", "bias_g")
FINAL_NORM = ("gain_f", "bias_f")
BLOCK = ATTENTION + MLP + NORMS
WHOLE = ("E", "P", "W_U", *FINAL_NORM)


def config(vocabulary_size: int, width: int, context: int, heads: int = 1, blocks: int = 1) -> GPTConfig:
    """GPT-2's arrangement in another size, with an output matrix of its own."""
    return GPTConfig(vocabulary_size, context, width, heads, blocks, 4 * width, biases=True, norm_gains=True)


def shapes(of: GPTConfig, names: Iterable[str]) -> Shapes:
    """The shapes of the parameters named, in every block where they are a block's."""
    known = parameter_shapes(of)
    chosen = {}
    for name in names:
        where = [f"{name}.{number}" for number in range(1, of.blocks + 1)] if BY_NAME[name].per_block else [name]
        chosen |= dict.fromkeys(where, known[name])
    return chosen


def drawn(of: Shapes, seed: int) -> Tensors:
    """Initial values, PyTorch's defaults for embeddings, linear layers and normalisations.

    Embeddings from a normal distribution of deviation 1, or GPT-2's 0.02 where E is the output
    matrix too; matrices and biases uniform within 1 / sqrt(rows) of 0; gains 1, their biases 0.
    Every tensor has a generator of its own, so that a name means the same values in each model
    of a seed.
    """
    tensors = {}
    for name, shape in of.items():
        generator = Generator().manual_seed(zlib.crc32(f"{name}/{seed}".encode()))
        kind = name.partition(".")[0]
        if kind in ("E", "P"):
            tensors[name] = torch.randn(shape, generator=generator) * (1 if "W_U" in of else TIED_DEVIATION)
        elif kind in NORMS + FINAL_NORM:
            tensors[name] = torch.ones(shape) if kind.startswith("gain") else torch.zeros(shape)
        else:
            rows = of[name.replace("b_", "W_")][-2]
            tensors[name] = (2 * torch.rand(shape, generator=generator) - 1) / math.sqrt(rows)
    return tensors


def assembled(tensors: Mapping[str, Tensor]) -> Parameters:
    """The same tensors as toymodel knows them; None for what the model does without."""
    numbers = sorted({int(name.partition(".")[2]) for name in tensors if "." in name})
    blocks = tuple(
        BlockParameters(**{name: tensors.get(f"{name}.{number}") for name in BLOCK}) for number in numbers
    )
    whole = {name: tensors.get(name) for name in WHOLE}
    return Parameters(blocks=blocks, **whole)


def by_name(parameters: Parameters) -> Tensors:
    """What `assembled` put together, by name again."""
    tensors = {name: getattr(parameters, name) for name in WHOLE}
    for number, block in enumerate(parameters.blocks, start=1):
        tensors |= {f"{name}.{number}": getattr(block, name) for name in BLOCK}
    return {name: tensor for name, tensor in tensors.items() if tensor is not None}


def output_matrix(parameters: Parameters) -> Tensor:
    """W_U, or the embeddings where they are read the other way round: (d, v)."""
    return parameters.E.mT if parameters.W_U is None else parameters.W_U


def count(tensors: Mapping[str, Tensor] | Shapes) -> int:
    """How many parameters there are."""
    return sum(math.prod(getattr(one, "shape", one)) for one in tensors.values())
