"""The trace of a large model: kept without copies, written as it is made, selected by pattern."""

from dataclasses import replace

import pytest
import torch
from safetensors import safe_open
from torch.nn import functional as F

from toymodel.config import GPTConfig
from toymodel.lean import REMADE, LeanTrace
from toymodel.model import attend, forward, logits
from toymodel.ops import fused_attention, gelu, layer_norm, linear, softmax
from toymodel.parameters import Parameters
from toymodel.selection import RECORDED, Selection, select
from toymodel.stream import Stream, write_trace
from toymodel.trace import Trace, silent, wants
from toymodel.weights import random_model

CONFIG = GPTConfig(
    vocabulary_size=90, context_length=80, width=24, heads=3, blocks=3, mlp_width=40,
    tied_output=True, biases=True, norm_gains=True, shift_logits=True,
)  # fmt: skip
TOKENS = torch.randint(90, (70,), generator=torch.Generator().manual_seed(1))  # more than one part of rows
EVERY = set(RECORDED) - {"loss"}


@pytest.fixture(params=[torch.float32, torch.float64], ids=str)
def model(request):
    return random_model(CONFIG, dtype=request.param)


@pytest.fixture
def whole(model):
    trace = Trace()
    forward(TOKENS, model, trace)
    return trace


def written(file):
    """Every value of a trace file, read by the library."""
    with safe_open(file, framework="pt") as content:
        return {key: content.get_tensor(key) for key in list(content.keys())}, content.metadata()


def doubled(w: Parameters) -> Parameters:
    def double(owner):
        return {key: value.double() for key, value in vars(owner).items() if isinstance(value, torch.Tensor)}

    blocks = tuple(replace(block, **double(block)) for block in w.blocks)
    return replace(w, blocks=blocks, **double(w))


def key_of(name, block):
    return name if block is None else f"block.{block}.{name}"


# --- kept ----------------------------------------------------------------------------------


def test_the_lean_trace_holds_the_same_values(model, whole):
    lean = LeanTrace(CONFIG)
    assert torch.equal(logits(TOKENS, model, lean), whole["z"])
    assert set(lean.names()) == set(whole.names()) == EVERY
    for name in EVERY:
        assert lean.axes(name) == whole.axes(name)
        assert torch.equal(lean.whole(name), whole.whole(name)), name


def test_the_lean_trace_copies_nothing(model):
    lean, seen = LeanTrace(CONFIG), {}

    def tell(name, value, block=None):
        seen[name, block] = value
        return lean(name, value, block)

    forward(TOKENS, model, tell)
    kept = {key for key in seen if key[0] not in REMADE}
    assert all(lean[key].data_ptr() == seen[key].data_ptr() for key in kept)
    assert len(kept) < len(seen)


def test_values_made_again_follow_from_what_was_kept():
    """Not from another computation: a score changed by hand changes what follows from it."""
    model = random_model(CONFIG)
    lean = LeanTrace(CONFIG)
    logits(TOKENS, model, lean)
    before = lean["scaled_scores", 2]
    lean["scores", 2].add_(1)
    torch.testing.assert_close(lean["scaled_scores", 2] - before, torch.full_like(before, 8**-0.5))


# --- fused attention only where nobody looks -------------------------------------------------


def test_who_wants_what():
    assert not wants(silent, *RECORDED)
    assert wants(Trace(), "weights")
    assert wants(lambda name, value, block=None: value, "weights")
    assert wants(LeanTrace(CONFIG), "weights")
    assert not wants(LeanTrace(CONFIG), "masked_scores")


@pytest.mark.parametrize("length", [1, 2, 70])
def test_a_model_that_nobody_watches_computes_the_same(length):
    model = random_model(CONFIG, dtype=torch.float32)
    exact = replace(model, parameters=doubled(model.parameters))
    bare = logits(TOKENS[:length], model)
    watched = logits(TOKENS[:length], model, lambda name, value, block=None: value)
    for computed in (bare, watched):
        torch.testing.assert_close(computed.double(), logits(TOKENS[:length], exact), rtol=0, atol=1e-5)


@pytest.mark.parametrize("rows", [1, 4, 9])
@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
def test_fused_attention_is_attention(batch, rows):
    """The last rows of nine, for any batch, against the formula in float64."""
    generator = torch.Generator().manual_seed(3)
    q, k, v = (torch.randn(*batch, 3, n, 8, generator=generator) for n in (rows, 9, 9))
    expected = attend(q.double(), k.double(), v.double())
    torch.testing.assert_close(fused_attention(q, k, v).double(), expected, rtol=0, atol=1e-6)
    assert torch.equal(attend(q, k, v), fused_attention(q, k, v))


@pytest.mark.parametrize("formula", [gelu, softmax])
def test_kernels_are_their_formulas(formula):
    x = torch.linspace(-9, 9, 600).reshape(20, 30)
    torch.testing.assert_close(formula(x).double(), formula(x.double()), rtol=1e-5, atol=1e-6)


def test_a_normalisation_is_a_kernel_unless_its_mean_or_deviation_is_recorded():
    x, gain, bias = torch.randn(3, 5, 30, generator=torch.Generator().manual_seed(2))
    gain, bias, kept = gain[0], bias[0], {}

    def record(name, value, block=None):
        return kept.setdefault(name, value)

    expected = layer_norm(x.double(), gain.double(), bias.double())
    for one in (layer_norm(x, gain, bias), layer_norm(x, gain, bias, record=record, of="h")):
        torch.testing.assert_close(one.double(), expected, rtol=1e-5, atol=1e-6)
    torch.testing.assert_close(kept["h_mean"], x.mean(-1))
    torch.testing.assert_close(kept["h_deviation"], (x.var(-1, correction=0) + 1e-5).sqrt())
    assert torch.equal(layer_norm(x, gain, bias), F.layer_norm(x, (30,), gain, bias))


def test_a_kernel_adds_the_bias():
    x, W, b = (torch.randn(shape, generator=torch.Generator().manual_seed(1)) for shape in ((2, 5, 4), (4, 3), (3,)))
    for bias in (None, b):
        double = None if bias is None else bias.double()
        torch.testing.assert_close(linear(x, W, bias).double(), linear(x.double(), W.double(), double))


# --- written as it is made -------------------------------------------------------------------


def test_the_file_holds_everything(model, whole, tmp_path):
    file = tmp_path / "deep" / "trace.safetensors"
    write_trace(TOKENS, model, file, select(), {"prompt": "…"})
    values, about = written(file)
    assert about == {"prompt": "…"}
    expected = {key_of(name, block) for name in EVERY for block in whole.blocks(name)}
    assert set(values) == expected
    for name in EVERY:
        for block in whole.blocks(name):
            # Products of fewer rows at a time add in another order, if at all.
            torch.testing.assert_close(values[key_of(name, block)], whole[name, block], rtol=1e-6, atol=0)
    assert [path.name for path in file.parent.iterdir()] == ["trace.safetensors"]


@pytest.mark.parametrize(
    ("names", "blocks", "keys"),
    [
        ("q,k", "2", {"block.2.q", "block.2.k"}),
        ("*_mean", "1-2", {f"block.{b}.{n}_mean" for b in (1, 2) for n in "xh"}),
        ("p,x", None, {"p", "x"}),
        ("weights,z", "3", {"block.3.weights"}),
    ],
)
def test_a_selection(model, whole, tmp_path, names, blocks, keys):
    write_trace(TOKENS, model, tmp_path / "t", select(names, blocks, 3), {})
    values, _ = written(tmp_path / "t")
    assert set(values) == keys
    for key, value in values.items():
        name, block = key.split(".")[-1], int(key.split(".")[1]) if "." in key else None
        torch.testing.assert_close(value, whole[name, block], rtol=0, atol=1e-3)


def test_blocks_that_are_not_selected_run_fused():
    selection = select("weights", "2", 3)
    assert (selection("weights", 1), selection("weights", 2)) == (False, True)
    assert not Selection(frozenset({"q"}))("weights", 2)


def test_a_run_that_breaks_off_leaves_the_last_file(tmp_path):
    file, model = tmp_path / "t", random_model(CONFIG)
    write_trace(TOKENS, model, file, select(), {})
    before = file.read_bytes()
    with pytest.raises(ValueError, match="at most 80 tokens"):
        write_trace(TOKENS.repeat(2), model, file, select(), {})
    with pytest.raises(RuntimeError, match="enough"), Stream(file, 2, select(), {}) as stream:
        stream("x", torch.zeros(2, 4))
        raise RuntimeError("enough")
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_rows_are_all_there_and_once(tmp_path):
    with pytest.raises(ValueError, match="p: some of the 3 rows"), Stream(tmp_path / "t", 3, select(), {}) as stream:
        stream("p", torch.zeros(2, 4))
    with pytest.raises(ValueError, match="p: already recorded"), Stream(tmp_path / "t", 3, select(), {}) as stream:
        stream("p", torch.zeros(2, 4))
        stream("p", torch.zeros(2, 4))
    with pytest.raises(KeyError, match="no tensor is called 'pp'"), Stream(tmp_path / "t", 3, select(), {}) as stream:
        stream("pp", torch.zeros(2, 4))
    assert list(tmp_path.iterdir()) == []


def test_a_header_too_large(tmp_path):
    about = {"long": "x" * 300_000}
    with pytest.raises(ValueError, match="select fewer"), Stream(tmp_path / "t", 1, select(), about) as stream:
        stream("p", torch.zeros(1, 4))
    assert list(tmp_path.iterdir()) == []


# --- selections ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "blocks", "message"),
    [
        ("weigths", None, "'weigths': no recorded value is called so; did you mean weights"),
        ("q,W_q", None, "'W_q': no recorded value"),
        ("q", "0", "'0': expected blocks from 1 to 3"),
        ("q", "2-9", "'2-9': expected blocks from 1 to 3"),
        ("q", "3-2", "'3-2': expected blocks from 1 to 3, the lower first"),
        ("q", "a", "'a': expected block numbers such as 1-3,12"),
        ("z", "1", "'z': blocks do not record it"),
    ],
)
def test_selections_that_select_nothing(names, blocks, message):
    with pytest.raises(ValueError) as error:
        select(names, blocks, 3)
    assert message in str(error.value)


def test_an_unshifted_model_streams_its_own_exponentials(tmp_path):
    config = replace(CONFIG, shift_logits=False)
    model = random_model(config)
    write_trace(TOKENS, model, tmp_path / "t", select("z,exp_z"), {})
    values, _ = written(tmp_path / "t")
    torch.testing.assert_close(values["exp_z"], values["z"].exp(), rtol=1e-12, atol=0)
