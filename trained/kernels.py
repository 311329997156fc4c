"""The loss in chunks, for training: never the logits of more than a chunk of rows at a time.

Attention, normalisation and GELU have kernels in `toymodel.ops` already, for float32.
"""

import torch
from torch import Tensor

from toymodel.ops import cross_entropy

CHUNK = 2048  # rows


class MeanCrossEntropy(torch.autograd.Function):
    """Rows (n, d), an output matrix (d, v) and targets (n) to the mean loss in nats.

    Its derivative is known as soon as a chunk's probabilities are, so the chunk is computed
    once and forgotten.
    """

    @staticmethod
    def forward(context, f: Tensor, W_U: Tensor, targets: Tensor) -> Tensor:
        total = f.new_zeros(())
        d_f, d_W = torch.empty_like(f), torch.zeros_like(W_U)
        for start in range(0, len(f), CHUNK):
            rows = slice(start, start + CHUNK)
            z = f[rows] @ W_U  # rows, v
            log_total = z.logsumexp(-1, keepdim=True)  # rows, 1
            target = targets[rows, None]  # rows, 1
            total += (log_total - z.gather(-1, target)).sum()
            d_z = z.sub_(log_total).exp_()  # rows, v: the probabilities
            d_z.scatter_add_(-1, target, -torch.ones_like(log_total))
            d_f[rows] = d_z @ W_U.mT
            d_W.addmm_(f[rows].mT, d_z)
        context.save_for_backward(d_f, d_W)
        context.rows = len(f)
        return total / len(f)

    @staticmethod
    def backward(context, d_loss: Tensor):
        d_f, d_W = context.saved_tensors
        return d_f * (d_loss / context.rows), d_W * (d_loss / context.rows), None


def mean_cross_entropy(f: Tensor, W_U: Tensor, targets: Tensor) -> Tensor:
    """The mean loss over all rows, in nats: (..., t, d), (d, v), (..., t) -> ()."""
    return MeanCrossEntropy.apply(f.flatten(0, -2), W_U, targets.flatten())


@torch.no_grad()
def total_cross_entropy(f: Tensor, W_U: Tensor, targets: Tensor) -> float:
    """The sum of the losses of all rows, added up in float64."""
    rows, ids = f.flatten(0, -2), targets.flatten()
    chunks = zip(rows.split(CHUNK), ids.split(CHUNK), strict=True)
    return sum(cross_entropy(row @ W_U, target).double().sum().item() for row, target in chunks)
