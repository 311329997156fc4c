"""The operations of a transformer, each as its formula.

Every tensor may have leading batch dimensions, written "..." in the shapes.
"""

import math

import torch
from torch import Tensor

from toymodel.trace import silent


def linear(x: Tensor, W: Tensor, b: Tensor | None = None) -> Tensor:
    """x W + b: (..., n, i), (..., i, o), (..., o) -> (..., n, o).

    The leading dimensions broadcast, so that one W and b for each head make a result for
    each head.
    """
    return x @ W if b is None else x @ W + b[..., None, :]


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
    mean = record(f"{of}_mean", x.mean(-1))  # ..., n
    centred = x - mean[..., None]  # ..., n, d
    variance = centred.square().mean(-1)  # ..., n
    deviation = record(f"{of}_deviation", (variance + epsilon).sqrt())  # ..., n
    normed = centred / deviation[..., None]  # ..., n, d
    scaled = normed if gain is None else normed * gain  # ..., n, d
    return scaled if bias is None else scaled + bias  # ..., n, d


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
    return scores.masked_fill(later, -math.inf)


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
