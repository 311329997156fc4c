"""Where the normalisation stands: before each part (GPT-2) or after each sum (the first transformer).

Twelve blocks. Post-norm is Vaswani et al., "Attention Is All You Need" (2017), section 3.1; what
it does to gradients, and what a warm-up mends: Xiong et al., "On Layer Normalization in the
Transformer Architecture" (2020).
"""

import torch
from torch import Tensor

from toymodel import model
from toymodel.model import embed
from toymodel.parameters import Parameters
from trained.corpus import VOCABULARY_SIZE
from trained.data import Data
from trained.experiment import Findings, Training, perplexities
from trained.ladder import blocks
from trained.training import Row, Settings, batch_generator
from trained.weights import BLOCK, EPSILON, FINAL_NORM, assembled, config, drawn, shapes

BLOCKS, HEADS, WARMUP = 12, 4, 200


def post_norm_blocks(tokens: Tensor, w: Parameters) -> Tensor:
    """Each part is added to the stream, and then the stream is normalised."""
    stream = embed(tokens, w)
    for one in w.blocks:
        h = model.layer_norm(stream + model.attention(stream, one), one.gain_a, one.bias_a, EPSILON)
        stream = model.layer_norm(h + model.mlp(h, one), one.gain_g, one.bias_g, EPSILON)
    return stream


def row(stream, *names: str, warmup: int = 0) -> Row:
    settings = Settings(width=64, batch=16, steps=1000, learning_rate=3e-3, warmup=warmup)
    sizes = config(VOCABULARY_SIZE, settings.width, settings.context, HEADS, BLOCKS)
    return Row(settings, shapes(sizes, ("E", "W_U", "P", *BLOCK, *names)), stream)


ROWS = {
    "pre": row(blocks, *FINAL_NORM),
    "pre_warmup": row(blocks, *FINAL_NORM, warmup=WARMUP),
    "post": row(post_norm_blocks),
    "post_warmup": row(post_norm_blocks, warmup=WARMUP),
}


def judge(row: Row, parameters: Parameters, data: Data, seed: int) -> Findings:
    """Perplexities, and the norm of each block's gradient on the first batch, before any step."""
    found = perplexities(row, parameters, data, seed)
    tensors = {name: tensor.requires_grad_() for name, tensor in drawn(row.shapes, seed).items()}
    generator = batch_generator(seed, 0)
    pairs = data.batch(row.settings.batch, row.settings.context, generator)
    row.loss(pairs, assembled(tensors), generator).backward()
    squares = torch.zeros(BLOCKS, dtype=torch.float64)
    for name, tensor in tensors.items():
        if "." in name:
            squares[int(name.partition(".")[2]) - 1] += tensor.grad.double().square().sum()
    found.labels["block"] = list(range(1, BLOCKS + 1))
    found.add("gradient_norm_at_start", squares.sqrt().tolist(), "block")
    return found


EXPERIMENT = Training(
    "pre_vs_post_norm",
    "Twelve blocks with the normalisation before or after each part, with and without a warm-up.",
    ROWS,
    judge=judge,
)
