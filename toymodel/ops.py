"""The operations of a transformer, each as its formula.

Every tensor may have leading batch dimensions, written "..." in the shapes.

In float32, where a large model's time goes, PyTorch's own kernel computes the same formula in
one pass over memory. Float64 follows the formula step by step. Tests hold the two together.
"""

import math
from collections.abc import Callable
from functools import partial, wraps

import torch
from torch import Tensor
from torch.nn import functional as F

from toymodel.trace import silent, wants


def float32_by(kernel: Callable[..., Tensor]):
    """Let a kernel stand in for a formula where the first argument is float32."""

    def with_kernel(formula: Callable[..., Tensor]) -> Callable[..., Tensor]:
        @wraps(formula)
        def either(x: Tensor, *others) -> Tensor:
            return kernel(x, *others) if x.dtype == torch.float32 else formula(x, *others)

        return either

    return with_kernel


@float32_by(lambda x, W, b=None: F.linear(x, W.mT, b))
def linear(x: Tensor, W: Tensor, b: Tensor | None = None) -> Tensor:
    """x W + b: (..., n, i), (i, o), (o) -> (..., n, o)."""
    return x @ W if b is None else x @ W + b


def linear_by_head(x: Tensor, W: Tensor, b: Tensor | None = None) -> Tensor:
    """x W + b for each head: (..., n, i), (head, i, o), (head, o) -> (..., head, n, o).

    One product with all heads' columns side by side, which are a view of W where a checkpoint
    holds them so.
    """
    heads, _, width = W.shape
    columns = W.transpose(0, 1).flatten(1)  # i, head * o
    outputs = linear(x, columns, None if b is None else b.flatten())  # ..., n, head * o
    return outputs.unflatten(-1, (heads, width)).transpose(-3, -2)  # ..., head, n, o


def layer_norm(
    x: Tensor,
    gain: Tensor | None = None,
    bias: Tensor | None = None,
    epsilon: float = 1e-5,
    record=silent,
    of: str = "x",
) -> Tensor:
    """Each row less its mean, divided by its deviation: (..., n, d) -> (..., n, d).

    The deviation is the root of the population variance plus epsilon. Gain and bias, both
    (d), are applied where given. Records "{of}_mean" and "{of}_deviation", both (..., n).
    Ba, Kiros and Hinton, "Layer Normalization" (2016), equations 3 and 4.
    """
    if x.dtype == torch.float32 and not wants(record, f"{of}_mean", f"{of}_deviation"):
        return F.layer_norm(x, x.shape[-1:], gain, bias, epsilon)  # the same, in one pass
    mean = record(f"{of}_mean", x.mean(-1))  # ..., n
    centred = x - mean[..., None]  # ..., n, d
    variance = centred.square().mean(-1)  # ..., n
    deviation = record(f"{of}_deviation", (variance + epsilon).sqrt())  # ..., n
    normed = centred / deviation[..., None]  # ..., n, d
    scaled = normed if gain is None else normed * gain  # ..., n, d
    return scaled if bias is None else scaled + bias  # ..., n, d


@float32_by(partial(torch.softmax, dim=-1))
def softmax(scores: Tensor) -> Tensor:
    """Shares of each row that sum to 1: (..., n) -> (..., n); minus infinity gets exactly 0.

    The row's largest score is subtracted first, which changes no share and keeps the
    exponentials finite.
    """
    exponentials = (scores - scores.amax(-1, keepdim=True)).exp()  # ..., n
    return exponentials / exponentials.sum(-1, keepdim=True)  # ..., n


def causal_mask(scores: Tensor) -> Tensor:
    """Scores with minus infinity wherever s is later than t: (..., t, s) -> (..., t, s).

    With fewer rows than columns, the rows are the last ones: those before are in a cache.
    """
    t, s = scores.shape[-2:]
    later = torch.ones(t, s, dtype=torch.bool, device=scores.device).triu(1 + s - t)  # t, s
    return torch.where(later, -math.inf, scores)


def fused_attention(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Causal attention without ever holding a matrix of t times s: three (..., head, t, c) -> one.

    PyTorch's kernel wants exactly one batch dimension; its own causal mask, as many rows as columns.
    """
    t, s = q.shape[-2], k.shape[-2]
    allowed = torch.ones(t, s, dtype=torch.bool, device=q.device).tril(s - t) if 1 < t < s else None  # t, s
    q_batch, k_batch, v_batch = (each.reshape(-1, *each.shape[-3:]) for each in (q, k, v))
    outputs = F.scaled_dot_product_attention(q_batch, k_batch, v_batch, attn_mask=allowed, is_causal=1 < t == s)
    return outputs.reshape(q.shape)  # ..., head, t, c


@float32_by(partial(F.gelu, approximate="tanh"))
def gelu(u: Tensor) -> Tensor:
    """The activation of GPT-2, entry by entry.

    Hendrycks and Gimpel, "Gaussian Error Linear Units" (2016), section 2, the form with tanh.
    """
    return 0.5 * u * (1 + torch.tanh(math.sqrt(2 / math.pi) * (u + 0.044715 * u**3)))


def cross_entropy(z: Tensor, targets: Tensor) -> Tensor:
    """-ln softmax(z)[target] of each row, in nats: (..., n, v), (..., n) -> (..., n).

    Written as ln(sum of e^z) - z[target], which neither over- nor underflows.
    """
    return z.logsumexp(-1) - z.gather(-1, targets[..., None])[..., 0]  # ..., n
