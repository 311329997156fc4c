"""toymodel's attention beside PyTorch's own, with the same weights."""

from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Generator, Tensor, nn

from toymodel.model import attention
from toymodel.parameters import BlockParameters
from trained.experiment import Computation, Findings
from trained.recorders import keeping

WIDTH, HEADS, LENGTH, WINDOWS = 128, 4, 64, 8
DTYPES = {"float32": torch.float32, "float64": torch.float64}


def copied(layer: nn.MultiheadAttention) -> BlockParameters:
    """A layer's weights under toymodel's names: one matrix a head, and rows that multiply from the left."""
    width = layer.embed_dim // layer.num_heads
    weights = [W.unflatten(0, (layer.num_heads, width)).mT for W in layer.in_proj_weight.chunk(3)]  # head, d, c
    biases = [b.unflatten(0, (layer.num_heads, width)) for b in layer.in_proj_bias.chunk(3)]  # head, c
    mlp = dict.fromkeys(("W_1", "b_1", "W_2", "b_2"))
    return BlockParameters(
        **dict(zip(("W_q", "W_k", "W_v", "b_q", "b_k", "b_v"), weights + biases, strict=True)),
        W_O=layer.out_proj.weight.mT, b_O=layer.out_proj.bias, **mlp,
    )  # fmt: skip


@torch.no_grad()
def differences(dtype: torch.dtype) -> list[float]:
    """The largest difference from nn.MultiheadAttention, and from scaled_dot_product_attention."""
    generator = Generator().manual_seed(0)
    layer = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
    for parameter in layer.parameters():
        parameter.copy_(torch.rand(parameter.shape, generator=generator) * 0.2 - 0.1)
    layer = layer.to(dtype)
    x = torch.randn(WINDOWS, LENGTH, WIDTH, generator=generator).to(dtype)
    later = torch.ones(LENGTH, LENGTH, dtype=torch.bool).triu(1)
    record, kept = keeping(("q", "k", "v", "head_outputs"))
    ours = attention(x, copied(layer), record)
    theirs = layer(x, x, x, attn_mask=later, need_weights=False)[0]
    q, k, v = (kept[name, None] for name in "qkv")
    fused = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return [apart(ours, theirs), apart(kept["head_outputs", None], fused)]


def apart(one: Tensor, other: Tensor) -> float:
    return (one - other).abs().max().item()


def compute(corpus: Path | None) -> Findings:
    found = Findings({"dtype": list(DTYPES), "beside": ["MultiheadAttention", "scaled_dot_product_attention"]})
    found.add("max_difference", [differences(dtype) for dtype in DTYPES.values()], "dtype", "beside")
    return found


EXPERIMENT = Computation("same_as_pytorch", "Our attention beside PyTorch's, with the same weights.", compute)
