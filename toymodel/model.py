"""The model: token ids in, probabilities of the next token out.

GPT-2's arrangement (Radford et al., 2019): the normalisation comes before attention and
before the MLP, and each of the two adds its result to the residual stream. Every stage has a
letter of its own, the one of the formulas, and hands its value to `record`, which returns
the value the computation goes on with. Dimensions are the registry's axes (`toymodel.names`);
"..." stands for batch dimensions, if any.
"""

import math
from dataclasses import dataclass
from functools import partial

from torch import Tensor, float32

from toymodel.config import GPTConfig
from toymodel.ops import causal_mask, cross_entropy, fused_attention, gelu, layer_norm, linear, linear_by_head, softmax
from toymodel.parameters import BlockParameters, Parameters
from toymodel.trace import silent, wants

PATTERN = ("scores", "scaled_scores", "masked_scores", "weights")


@dataclass(frozen=True)
class Model:
    """A configuration and the parameters that fit it."""

    config: GPTConfig
    parameters: Parameters


def embed(tokens: Tensor, w: Parameters, record=silent) -> Tensor:
    """Token ids (..., t) to vectors (..., t, d). Raises ValueError if P has too few rows."""
    length, limit = tokens.shape[-1], w.P.shape[0]
    if length > limit:
        raise ValueError(f"expected at most {limit} tokens, the rows of P; got {length}")
    token_embedding = record("token_embedding", w.E[tokens])  # ..., t, d
    position_embedding = record("position_embedding", w.P[:length])  # t, d
    return record("x", token_embedding + position_embedding)  # ..., t, d


def attention(a: Tensor, w: BlockParameters, record=silent) -> Tensor:
    """Causal multi-head attention, (..., t, d) -> (..., t, d).

    Vaswani et al., "Attention Is All You Need" (2017), equation 1 and section 3.2.2.
    """
    q = record("q", linear_by_head(a, w.W_q, w.b_q))  # ..., head, t, c
    k = record("k", linear_by_head(a, w.W_k, w.b_k))  # ..., head, s, c
    v = record("v", linear_by_head(a, w.W_v, w.b_v))  # ..., head, s, c
    head_outputs = record("head_outputs", attend(q, k, v, record))  # ..., head, t, c
    side_by_side = head_outputs.transpose(-3, -2).flatten(-2)  # ..., t, j
    concatenated = record("concatenated", side_by_side)  # ..., t, j
    return record("att", linear(concatenated, w.W_O, w.b_O))  # ..., t, d


def attend(q: Tensor, k: Tensor, v: Tensor, record=silent) -> Tensor:
    """The values averaged by how well keys answer queries, head by head: (..., head, t, c)."""
    if q.dtype == float32 and not wants(record, *PATTERN):
        return fused_attention(q, k, v)  # the same, without any matrix of t times s
    scores = record("scores", q @ k.mT)  # ..., head, t, s
    scaled_scores = record("scaled_scores", scores / math.sqrt(q.shape[-1]))  # ..., head, t, s
    masked_scores = record("masked_scores", causal_mask(scaled_scores))  # ..., head, t, s
    weights = record("weights", softmax(masked_scores))  # ..., head, t, s
    return weights @ v


def mlp(g: Tensor, w: BlockParameters, record=silent) -> Tensor:
    """Two layers with GELU between them, position by position: (..., t, d) -> (..., t, d)."""
    pre_activation = record("pre_activation", linear(g, w.W_1, w.b_1))  # ..., t, u
    activation = record("activation", gelu(pre_activation))  # ..., t, u
    return record("m", linear(activation, w.W_2, w.b_2))  # ..., t, d


def block(x: Tensor, w: BlockParameters, epsilon: float, record=silent) -> Tensor:
    """One block, (..., t, d) -> (..., t, d): attention adds to the stream, then the MLP."""
    a = record("a", layer_norm(x, w.gain_a, w.bias_a, epsilon, record, of="x"))  # ..., t, d
    att = attention(a, w, record)  # ..., t, d
    h = record("h", x + att)  # ..., t, d
    g = record("g", layer_norm(h, w.gain_g, w.bias_g, epsilon, record, of="h"))  # ..., t, d
    m = mlp(g, w, record)  # ..., t, d
    return record("y", h + m)  # ..., t, d


def unembed(y: Tensor, model: Model, record=silent) -> Tensor:
    """The last block's output (..., t, d) to logits (..., t, v)."""
    config, w = model.config, model.parameters
    W_U = w.E.mT if config.tied_output else w.W_U  # d, v
    f = record("f", layer_norm(y, w.gain_f, w.bias_f, config.epsilon, record, of="y"))  # ..., t, d
    return record("z", f @ W_U)  # ..., t, v


def predict(z: Tensor, config: GPTConfig, record=silent) -> Tensor:
    """Logits (..., t, v) to probabilities (..., t, v) of the next token: softmax."""
    shift = z.amax(-1, keepdim=True) if config.shift_logits else 0  # ..., t, 1
    exp_z = record("exp_z", (z - shift).exp())  # ..., t, v
    return record("p", exp_z / exp_z.sum(-1, keepdim=True))  # ..., t, v


def logits(tokens: Tensor, model: Model, record=silent) -> Tensor:
    """Token ids (..., t) to logits (..., t, v): embedding, blocks, output. Blocks from 1."""
    stream = embed(tokens, model.parameters, record)  # ..., t, d
    for number, w in enumerate(model.parameters.blocks, start=1):
        stream = block(stream, w, model.config.epsilon, partial(record, block=number))
    return unembed(stream, model, record)  # ..., t, v


def forward(tokens: Tensor, model: Model, record=silent, targets: Tensor | None = None) -> Tensor:
    """Token ids (..., t) to probabilities (..., t, v) of the token that follows each.

    Records the loss of every position when `targets`, the ids (..., t) that do follow, are
    given. Raises ValueError when there are more tokens than rows of P.
    """
    z = logits(tokens, model, record)  # ..., t, v
    p = predict(z, model.config, record)  # ..., t, v
    if targets is not None:
        record("loss", cross_entropy(z, targets))  # ..., t
    return p
