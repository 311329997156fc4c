"""The forward pass: worked by hand, nudged everywhere, batched, and blind to the future."""

from dataclasses import fields, replace
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from toymodel.config import TOY, GPTConfig
from toymodel.model import attention, embed, forward, logits, mlp, predict
from toymodel.names import BY_NAME, NAMES, Kind
from toymodel.ops import causal_mask, cross_entropy, gelu, layer_norm, linear, softmax
from toymodel.parameters import BlockParameters, Parameters, named
from toymodel.runs import run
from toymodel.shapes import axis_lengths
from toymodel.trace import Trace
from toymodel.weights import random_model

GPT_LIKE = GPTConfig(
    23, 6, 6, 3, 2, 10, tied_output=True, biases=True, norm_gains=True, shift_logits=True
)
RECORDED = [entry.name for entry in NAMES if entry.kind == Kind.RECORDED]


def tensor(*rows):
    return torch.tensor(rows, dtype=torch.float64)


def full_trace(model, tokens, edits=None):
    trace = Trace(edits)
    targets = torch.tensor(tokens[1:] + tokens[:1])
    p = forward(torch.tensor(tokens), model, trace, targets)
    return trace, p


# --- worked by hand ------------------------------------------------------------------------


def test_linear():
    x, W, b = tensor([1, 2]), tensor([1, 0, 3], [0, 1, -1]), torch.tensor([10.0, 20, 30])
    assert linear(x, W).tolist() == [[1, 2, 1]]
    assert linear(x, W, b).tolist() == [[11, 22, 31]]


def test_layer_norm_divides_by_population_deviation():
    # Mean 5, deviations -4, -2, 2, 4, variance (16 + 4 + 4 + 16) / 4 = 10, and 10 + 6 = 4^2.
    assert layer_norm(tensor([1, 3, 7, 9]), epsilon=6).tolist() == [[-1, -0.5, 0.5, 1]]


def test_softmax_of_logarithms():
    assert softmax(tensor([0, 0, 3, 1]).log())[0].tolist() == pytest.approx([0, 0, 0.75, 0.25])


def test_mask_and_gelu():
    inf = float("inf")
    assert causal_mask(tensor([1, 2], [3, 4])).tolist() == [[1, -inf], [3, 4]]
    assert gelu(torch.tensor([0.0, 50.0, -50.0])).tolist() == [0, 50, 0]


def test_cross_entropy_of_logarithms():
    z = tensor([1, 1, 2], [5, 0.5, 0.5]).log()
    expected = tensor([4, 12]).log()[0]
    assert cross_entropy(z, torch.tensor([0, 1])).tolist() == pytest.approx(expected.tolist())


def test_attention_with_even_weights_averages_what_came_before():
    """Queries of zero look at everything evenly: (2), (2 + 4)/2, (2 + 4 + 9)/3, plus 100."""
    zero, one = torch.zeros(1, 1, 1).double(), torch.ones(1, 1, 1).double()
    nothing = torch.zeros(1, 1).double()
    w = BlockParameters(
        W_q=zero, W_k=one, W_v=one, W_O=tensor([1]), b_O=torch.tensor([100.0]),
        W_1=nothing, b_1=nothing[0], W_2=nothing, b_2=nothing[0],
    )  # fmt: skip
    assert attention(tensor([2], [4], [9]), w).tolist() == [[102], [103], [105]]


def test_mlp_of_large_integers_is_two_products():
    """Far from zero GELU is the identity, or nothing."""
    w = replace(
        random_model(TOY).parameters.blocks[0],
        W_1=tensor([100, -100], [0, 100]), b_1=torch.tensor([0.0, 1000]).double(),
        W_2=tensor([1, 0], [0, 2]), b_2=torch.tensor([1.0, 2]).double(),
    )  # fmt: skip
    assert mlp(tensor([1, 2], [20, 0]), w).tolist() == [[101, 2202], [2001, 2]]


def test_predict_of_logarithms():
    assert predict(tensor([1, 3, 4]).log(), TOY)[0].tolist() == pytest.approx([1 / 8, 3 / 8, 1 / 2])


# --- every recorded value is the value that is used ----------------------------------------


@pytest.mark.parametrize("name", RECORDED)
@pytest.mark.parametrize("config", [TOY, GPT_LIKE], ids=["toy", "gpt_like"])
def test_a_nudge_moves_the_result(name, config):
    """Uneven along every axis: norms and softmax cancel what is constant."""

    def nudge(value, trace):
        return value + 1e-3 * torch.arange(1, value.numel() + 1).sin().reshape(value.shape)

    model = run("toy").model if config == TOY else random_model(config, seed=1)
    plain, p = full_trace(model, [0, 2, 4, 5, 1])
    nudged, moved = full_trace(model, [0, 2, 4, 5, 1], {name: nudge})
    change = (p - moved).abs().max() + (plain["loss"] - nudged["loss"]).abs().max()
    assert change > 1e-7


def inert(name, index, trace, w):
    """Entries that cannot matter: the future's scores, a choice among one position, and what
    only reaches units of the MLP where GELU is flat.
    """
    flat = trace["pre_activation"] < -5
    if name in {"scores", "scaled_scores", "masked_scores"}:
        _, t, s = index
        return s > t or t == 0
    if name == "q":
        return index[1] == 0
    if name == "a":
        return index == (0, 3)  # only queries read dimension 4
    if name == "pre_activation":
        return bool(flat[index])
    if name == "g":
        t, d = index
        return bool(flat[t][w.W_1[d] != 0].all())
    return False


@pytest.mark.parametrize("name", [name for name in RECORDED if name not in {"p", "loss"}])
def test_each_single_entry_matters(name):
    model, tokens = run("toy").model, [0, 2, 4, 5, 1]
    w = model.parameters.blocks[0]
    plain, p = full_trace(model, tokens)
    for index in product(*map(range, plain[name].shape)):

        def nudge(value, trace, index=index):
            changed = value.clone()
            changed[index] += 0.01
            return changed

        _, moved = full_trace(model, tokens, {name: nudge})
        matters = bool((p - moved).abs().max() > 1e-9)
        assert matters != inert(name, index, plain, w), (name, index)


def test_what_is_returned_is_what_is_recorded():
    trace, p = full_trace(run("toy").model, [0, 2, 4, 5, 1])
    assert trace.names() == RECORDED
    assert torch.equal(trace["p"], p)
    assert torch.equal(trace["z"], logits(torch.tensor([0, 2, 4, 5, 1]), run("toy").model))


def test_without_targets_there_is_no_loss():
    trace = Trace()
    forward(torch.tensor([0, 2]), run("toy").model, trace)
    assert "loss" not in trace
    assert trace.names() == RECORDED[:-1]


# --- axes ----------------------------------------------------------------------------------


@pytest.mark.parametrize("config", [TOY, GPT_LIKE], ids=["toy", "gpt_like"])
def test_registry_axes_are_the_shapes(config):
    model, n = random_model(config), 5
    lengths = axis_lengths(config) | {"t": n, "s": n, "block": config.blocks}
    trace, _ = full_trace(model, [0, 2, 4, 5, 1])
    for name in RECORDED:
        assert trace.whole(name).shape == tuple(lengths[axis] for axis in trace.axes(name)), name
    for name, value in named(model.parameters).items():
        entry = BY_NAME[name]
        several = entry.per_block and config.blocks > 1
        axes = ("block",) * several + entry.axes
        assert value.shape == tuple(lengths[axis] for axis in axes), name


def test_every_parameter_has_a_field_and_every_field_a_name():
    kept = {field.name: False for field in fields(Parameters) if field.name != "blocks"}
    kept |= {field.name: True for field in fields(BlockParameters)}
    assert kept == {e.name: e.per_block for e in NAMES if e.kind == Kind.PARAMETER}


def test_each_block_reads_what_the_block_before_it_wrote():
    trace, _ = full_trace(random_model(GPT_LIKE), [0, 2, 4, 5, 1])
    torch.testing.assert_close(trace["x_mean", 1], trace["x"].mean(-1))
    torch.testing.assert_close(trace["x_mean", 2], trace["y", 1].mean(-1))
    torch.testing.assert_close(trace["y_mean"], trace["y", 2].mean(-1))


def test_shifted_logits_give_the_same_probabilities():
    z = torch.randn(4, 23, dtype=torch.float64)
    plain = predict(z, replace(GPT_LIKE, shift_logits=False))
    torch.testing.assert_close(predict(z, GPT_LIKE), plain, rtol=0, atol=1e-15)
    assert torch.isfinite(predict(z.float() * 1000, GPT_LIKE)).all()


def test_tied_output_reads_with_the_embeddings():
    model = random_model(GPT_LIKE)
    trace, _ = full_trace(model, [0, 2, 4])
    assert torch.equal(trace["z"], trace["f"] @ model.parameters.E.T)


# --- batches and time ----------------------------------------------------------------------


@pytest.mark.parametrize("config", [TOY, GPT_LIKE], ids=["toy", "gpt_like"])
def test_batches_give_the_same_as_single_sequences(config):
    model = random_model(config, seed=2)
    tokens = torch.randint(12, (2, 3, 5), generator=torch.Generator().manual_seed(4))
    batched = forward(tokens, model)
    losses = cross_entropy(logits(tokens, model), tokens)
    for i in range(2):
        for j in range(3):
            single = forward(tokens[i, j], model)
            torch.testing.assert_close(batched[i, j], single, rtol=0, atol=1e-14)
            loss = cross_entropy(logits(tokens[i, j], model), tokens[i, j])
            torch.testing.assert_close(losses[i, j], loss, rtol=0, atol=1e-13)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 11), min_size=2, max_size=6), st.data())
def test_a_later_token_changes_nothing_before_it(tokens, data):
    place = data.draw(st.integers(1, len(tokens) - 1))
    changed = tokens.copy()
    changed[place] = data.draw(st.integers(0, 11))
    for model in (run("toy").model, random_model(GPT_LIKE)):
        before = forward(torch.tensor(tokens), model)[:place]
        after = forward(torch.tensor(changed), model)[:place]
        torch.testing.assert_close(before, after, rtol=0, atol=1e-15)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 11), min_size=1, max_size=8))
def test_shares_sum_to_one_and_norms_are_centred(tokens):
    trace, p = full_trace(run("toy").model, tokens)
    torch.testing.assert_close(p.sum(-1), torch.ones(len(tokens)).double())
    torch.testing.assert_close(trace["weights"].sum(-1), torch.ones(2, len(tokens)).double())
    for name in ("a", "g", "f"):
        assert trace[name].mean(-1).abs().max() < 1e-12


def test_too_many_tokens():
    with pytest.raises(ValueError, match="at most 8 tokens, the rows of P; got 9"):
        embed(torch.zeros(9, dtype=torch.long), run("toy").model.parameters)


def test_gradients_reach_every_parameter():
    model = random_model(GPT_LIKE)
    for value in parameter_tensors(model.parameters):
        value.requires_grad_()
    tokens = torch.tensor([[0, 1, 2, 3, 4, 5]])
    cross_entropy(logits(tokens, model), tokens).mean().backward()
    # A bias of the keys adds the same to a whole row of scores, which softmax cancels.
    cancelled = {id(w.b_k) for w in model.parameters.blocks}
    for value in parameter_tensors(model.parameters):
        assert value.grad is not None
        assert (value.grad.abs().max() > 1e-9) != (id(value) in cancelled)


def parameter_tensors(parameters):
    owners = (parameters, *parameters.blocks)
    values = [getattr(owner, field.name) for owner in owners for field in fields(owner)]
    return [value for value in values if isinstance(value, torch.Tensor)]
