"""The model's parts against PyTorch's own."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from toymodel.config import GPTConfig
from toymodel.model import attention, mlp
from toymodel.ops import causal_mask, cross_entropy, gelu, layer_norm, softmax
from toymodel.runs import run
from toymodel.trace import Trace
from toymodel.weights import random_model

GPT_LIKE = GPTConfig(
    31, 9, 12, 3, 2, 20, tied_output=True, biases=True, norm_gains=True, shift_logits=True
)
N = 7


@pytest.fixture
def block():
    return random_model(GPT_LIKE, seed=3).parameters.blocks[1]


@pytest.fixture
def rows():
    return torch.randn(N, 12, generator=torch.Generator().manual_seed(1), dtype=torch.float64)


def close(ours, theirs):
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)


def test_layer_norm(block, rows):
    theirs = nn.LayerNorm(12, eps=1e-5, dtype=torch.float64)
    close(layer_norm(rows), theirs(rows))
    with torch.no_grad():
        theirs.weight.copy_(block.gain_a)
        theirs.bias.copy_(block.bias_a)
    close(layer_norm(rows, block.gain_a, block.bias_a), theirs(rows))


def multihead(block):
    """PyTorch's layer with our weights: rows of in_proj are outputs, q, k, v on end."""

    def stacked(W):  # head, d, c -> j, d
        return W.permute(0, 2, 1).flatten(0, 1)

    theirs = nn.MultiheadAttention(12, 3, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(
            torch.cat([stacked(W) for W in (block.W_q, block.W_k, block.W_v)])
        )
        theirs.in_proj_bias.copy_(
            torch.cat([b.flatten() for b in (block.b_q, block.b_k, block.b_v)])
        )
        theirs.out_proj.weight.copy_(block.W_O.T)
        theirs.out_proj.bias.copy_(block.b_O)
    return theirs


def test_multihead_attention(block, rows):
    trace = Trace()
    ours = attention(rows, block, lambda name, value: trace(name, value, block=1))
    later = torch.ones(N, N, dtype=torch.bool).triu(1)
    theirs, weights = multihead(block)(
        rows[None], rows[None], rows[None], attn_mask=later, average_attn_weights=False
    )
    close(ours, theirs[0])
    close(trace["weights"], weights[0])


def test_scaled_dot_product_attention_on_the_toys_heads():
    trace = run("toy").trace
    theirs = F.scaled_dot_product_attention(trace["q"], trace["k"], trace["v"], is_causal=True)
    close(trace["head_outputs"], theirs)


def test_mlp(block, rows):
    hidden = F.gelu(F.linear(rows, block.W_1.T, block.b_1), approximate="tanh")
    close(mlp(rows, block), F.linear(hidden, block.W_2.T, block.b_2))


def test_gelu():
    u = torch.linspace(-12, 12, 481, dtype=torch.float64)
    close(gelu(u), F.gelu(u, approximate="tanh"))


def test_softmax_and_mask(rows):
    scores = rows @ rows.T
    later = torch.ones(N, N, dtype=torch.bool).triu(1)
    close(softmax(causal_mask(scores)), scores.masked_fill(later, float("-inf")).softmax(-1))


def test_softmax_of_huge_scores_stays_finite():
    huge = torch.tensor([[1000.0, 999.0, -1000.0]])
    close(softmax(huge), huge.softmax(-1))


def test_cross_entropy(rows):
    targets = torch.arange(N)
    close(cross_entropy(rows, targets), F.cross_entropy(rows, targets, reduction="none"))
    huge = rows * 1000
    close(cross_entropy(huge, targets), F.cross_entropy(huge, targets, reduction="none"))
