"""The registry: every tensor that a formula, a trace, a file or a page may name.

`NAMES` is ordered: first the parameters, then the recorded values in the order in which the
forward pass computes them. `AXES` says what each axis counts; every axis counts from 1.
"""

from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import partial

AXES = {
    "t": "position that speaks: a row of the sequence",
    "s": "position that is looked at: a column of the attention pattern",
    "v": "token of the vocabulary",
    "d": "dimension of the residual stream",
    "head": "attention head",
    "c": "channel inside one head",
    "j": "channel of the concatenated heads (heads x channels inside a head)",
    "u": "unit of the MLP's hidden layer",
    "slot": "row of the position table P, from 1 to the context length",
    "block": "block of the model",
}


class Family(StrEnum):
    """What a tensor belongs to; pages colour by it."""

    PARAMETER = "parameter"
    STREAM = "stream"
    NORM = "norm"
    QUERY = "query"
    KEY = "key"
    VALUE = "value"
    ATTENTION = "attention"
    MLP = "mlp"
    OUTPUT = "output"


class Kind(StrEnum):
    """Whether a tensor is given (learned) or computed and recorded by the forward pass."""

    PARAMETER = "parameter"
    RECORDED = "recorded"


@dataclass(frozen=True)
class Name:
    """One tensor's identity.

    name       the name in code, traces, files and addresses
    tex        the symbol in formulas
    axes       the axes in order, keys of AXES; a block axis is never among them
    family     what it belongs to
    meaning    one sentence
    kind       parameter or recorded
    per_block  whether every block has one of its own
    """

    name: str
    tex: str
    axes: tuple[str, ...]
    family: Family
    meaning: str
    kind: Kind
    per_block: bool = False


def parameter(name, tex, axes, meaning, per_block=False):
    return Name(
        name, tex, tuple(axes.split()), Family.PARAMETER, meaning, Kind.PARAMETER, per_block
    )


def recorded(name, tex, axes, family, meaning, per_block=False):
    return Name(name, tex, tuple(axes.split()), family, meaning, Kind.RECORDED, per_block)


block_parameter = partial(parameter, per_block=True)
block_recorded = partial(recorded, per_block=True)


NAMES: tuple[Name, ...] = (
    parameter("E", r"E", "v d", "Token embeddings: one row for each token."),
    parameter("P", r"P", "slot d", "Position embeddings: one row for each place in the context."),
    block_parameter("gain_a", r"\gamma_a", "d", "Gain of the normalisation before attention."),
    block_parameter("bias_a", r"\beta_a", "d", "Bias of the normalisation before attention."),
    block_parameter("W_q", r"W_q", "head d c", "Makes the queries of each head."),
    block_parameter("W_k", r"W_k", "head d c", "Makes the keys of each head."),
    block_parameter("W_v", r"W_v", "head d c", "Makes the values of each head."),
    block_parameter("b_q", r"b_q", "head c", "Bias of the queries of each head."),
    block_parameter("b_k", r"b_k", "head c", "Bias of the keys of each head."),
    block_parameter("b_v", r"b_v", "head c", "Bias of the values of each head."),
    block_parameter("W_O", r"W_O", "j d", "Writes the concatenated heads into the stream."),
    block_parameter("b_O", r"b_O", "d", "Bias of what attention writes into the stream."),
    block_parameter("gain_g", r"\gamma_g", "d", "Gain of the normalisation before the MLP."),
    block_parameter("bias_g", r"\beta_g", "d", "Bias of the normalisation before the MLP."),
    block_parameter("W_1", r"W_1", "d u", "What each unit of the MLP reads."),
    block_parameter("b_1", r"b_1", "u", "Bias of each unit of the MLP."),
    block_parameter("W_2", r"W_2", "u d", "What each unit of the MLP writes."),
    block_parameter("b_2", r"b_2", "d", "Bias of what the MLP writes into the stream."),
    parameter("gain_f", r"\gamma_f", "d", "Gain of the final normalisation."),
    parameter("bias_f", r"\beta_f", "d", "Bias of the final normalisation."),
    parameter("W_U", r"W_U", "d v", "Reads the logits off the stream: one column for each token."),
    recorded("token_embedding", r"E_{w}", "t d", Family.STREAM,
             "The row of E that belongs to the token at each position."),
    recorded("position_embedding", r"P_{t}", "t d", Family.STREAM,
             "The row of P that belongs to each position."),
    recorded("x", r"x", "t d", Family.STREAM,
             "Input of the first block: token embedding plus position embedding."),
    block_recorded("x_mean", r"\mu(x)", "t", Family.NORM,
             "Mean over the dimensions of the block's input."),
    block_recorded("x_deviation", r"\sigma(x)", "t", Family.NORM,
             "What the centred input is divided by: the root of population variance plus epsilon."),
    block_recorded("a", r"a", "t d", Family.NORM,
             "Normalised input of the block: what attention reads."),
    block_recorded("q", r"q", "head t c", Family.QUERY,
             "Queries: what each position looks for."),
    block_recorded("k", r"k", "head s c", Family.KEY,
             "Keys: what each position can be found by."),
    block_recorded("v", r"v", "head s c", Family.VALUE,
             "Values: what each position hands over when it is looked at."),
    block_recorded("scores", r"S", "head t s", Family.ATTENTION,
             "Dot product of every query with every key."),
    block_recorded("scaled_scores", r"\tilde{S}", "head t s", Family.ATTENTION,
             "Scores divided by the root of the head width."),
    block_recorded("masked_scores", r"\hat{S}", "head t s", Family.ATTENTION,
             "Scaled scores with minus infinity at every later position."),
    block_recorded("weights", r"A", "head t s", Family.ATTENTION,
             "Softmax of the masked scores: the share of attention each position gets."),
    block_recorded("head_outputs", r"o", "head t c", Family.ATTENTION,
             "Values averaged with the attention weights, head by head."),
    block_recorded("concatenated", r"\operatorname{concat}(o)", "t j", Family.ATTENTION,
             "Head outputs side by side."),
    block_recorded("att", r"\mathrm{att}", "t d", Family.ATTENTION,
             "What attention adds to the residual stream."),
    block_recorded("h", r"h", "t d", Family.STREAM,
             "Residual stream after attention."),
    block_recorded("h_mean", r"\mu(h)", "t", Family.NORM,
             "Mean over the dimensions of h."),
    block_recorded("h_deviation", r"\sigma(h)", "t", Family.NORM,
             "What the centred h is divided by: the root of population variance plus epsilon."),
    block_recorded("g", r"g", "t d", Family.NORM,
             "Normalised h: what the MLP reads."),
    block_recorded("pre_activation", r"u", "t u", Family.MLP,
             "What each unit of the MLP sums up, before its activation."),
    block_recorded("activation", r"\operatorname{GELU}(u)", "t u", Family.MLP,
             "How far each unit of the MLP is switched on."),
    block_recorded("m", r"m", "t d", Family.MLP,
             "What the MLP adds to the residual stream."),
    block_recorded("y", r"y", "t d", Family.STREAM,
             "Residual stream after the MLP: the block's output."),
    recorded("y_mean", r"\mu(y)", "t", Family.NORM,
             "Mean over the dimensions of the last block's output."),
    recorded("y_deviation", r"\sigma(y)", "t", Family.NORM,
             "What the centred y is divided by: the root of population variance plus epsilon."),
    recorded("f", r"f", "t d", Family.NORM,
             "Final normalisation of the last block's output."),
    recorded("z", r"z", "t v", Family.OUTPUT,
             "Logits: one score for each token of the vocabulary."),
    recorded("exp_z", r"e^{z}", "t v", Family.OUTPUT,
             "Exponential of each logit (of z less the row's largest, if the model shifts)."),
    recorded("p", r"p", "t v", Family.OUTPUT,
             "Probability of each token as the next one."),
    recorded("loss", r"\ell", "t", Family.OUTPUT,
             "Cross-entropy in nats: minus the logarithm of the target's probability."),
)  # fmt: skip

BY_NAME = {entry.name: entry for entry in NAMES}


def near(word: str, words) -> str:
    """The ending of an error message that offers the near misses, or nothing."""
    found = get_close_matches(word, list(words))
    return f"; did you mean {' or '.join(found)}?" if found else ""


def find(name: str) -> Name:
    """The registry's entry. Raises KeyError with the near misses for an unknown name."""
    if name not in BY_NAME:
        raise KeyError(f"no tensor is called {name!r}{near(str(name), BY_NAME)}")
    return BY_NAME[name]
