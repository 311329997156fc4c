"""The registry, and a trace that keeps exactly what it was told."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from toymodel.config import GPTConfig
from toymodel.model import forward
from toymodel.names import AXES, NAMES, Family, Kind, find
from toymodel.runs import run
from toymodel.trace import Trace, silent
from toymodel.weights import random_model

FROZEN = """
E: v d, P: slot d, gain_a: d per block, bias_a: d per block, W_q: head d c per block,
W_k: head d c per block, W_v: head d c per block, b_q: head c per block,
b_k: head c per block, b_v: head c per block, W_O: j d per block, b_O: d per block,
gain_g: d per block, bias_g: d per block, W_1: d u per block, b_1: u per block,
W_2: u d per block, b_2: d per block, gain_f: d, bias_f: d, W_U: d v, token_embedding: t d,
position_embedding: t d, x: t d, x_mean: t per block, x_deviation: t per block,
a: t d per block, q: head t c per block, k: head s c per block, v: head s c per block,
scores: head t s per block, scaled_scores: head t s per block,
masked_scores: head t s per block, weights: head t s per block,
head_outputs: head t c per block, concatenated: t j per block, att: t d per block,
h: t d per block, h_mean: t per block, h_deviation: t per block, g: t d per block,
pre_activation: t u per block, activation: t u per block, m: t d per block, y: t d per block,
y_mean: t, y_deviation: t, f: t d, z: t v, exp_z: t v, p: t v, loss: t
"""


def zeros(*shape):
    return torch.zeros(shape, dtype=torch.float64)


def refuses(error, message):
    return pytest.raises(error, match=re.escape(message))


# --- registry ------------------------------------------------------------------------------


def test_the_ordered_list_of_names_and_axes_is_frozen():
    now = [
        f"{entry.name}: {' '.join(entry.axes)}{' per block' * entry.per_block}" for entry in NAMES
    ]
    assert now == FROZEN.strip().replace("\n", " ").split(", ")


def test_entries_are_complete():
    for entry in NAMES:
        assert set(entry.axes) <= set(AXES), entry.name
        assert "block" not in entry.axes
        assert entry.meaning.endswith(".")
        assert entry.meaning[0].isupper()
        assert entry.meaning.count(". ") == 0, f"{entry.name}: one sentence"
        assert entry.tex.isascii()
        assert entry.tex.count("{") == entry.tex.count("}")
        assert (entry.family == Family.PARAMETER) == (entry.kind == Kind.PARAMETER)


def test_symbols_and_names_are_distinct():
    assert len({entry.tex for entry in NAMES}) == len({entry.name for entry in NAMES}) == len(NAMES)


def test_find():
    assert find("z").axes == ("t", "v")
    with refuses(KeyError, "no tensor is called 'maked_scores'; did you mean masked_scores or"):
        find("maked_scores")


def test_light_modules_do_not_load_torch():
    code = (
        "import sys, toymodel.names, toymodel.facts, toymodel.config, toymodel.shapes;"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[1])


# --- trace ---------------------------------------------------------------------------------


def test_silent_returns_its_very_argument():
    value = zeros(2, 4)
    assert silent("x", value) is value
    assert silent("a", value, block=1) is value


def test_recording_returns_the_very_argument_and_keeps_axes():
    trace, value = Trace(), zeros(2, 4)
    assert trace("x", value) is value
    assert trace.axes("x") == ("t", "d")
    assert trace.names() == ["x"]


def test_copies_in_and_out():
    trace, value = Trace(), zeros(2, 4)
    trace("x", value)
    value += 1
    trace["x"].fill_(2)
    trace.whole("x").fill_(3)
    assert torch.equal(trace["x"], zeros(2, 4))


def test_recorded_values_are_detached():
    trace, value = Trace(), zeros(2, 4).requires_grad_()
    assert trace("x", value).requires_grad
    assert not trace["x"].requires_grad


def test_blocks():
    trace = Trace()
    trace("a", zeros(2, 4), block=1)
    assert torch.equal(trace["a"], trace["a", 1])
    assert trace.axes("a") == ("t", "d")
    trace("a", zeros(2, 4) + 1, block=2)
    assert trace["a", 2].sum() == 8
    assert trace.axes("a") == ("block", "t", "d")
    assert trace.whole("a").shape == (2, 2, 4)
    with refuses(KeyError, "a: recorded in 2 blocks; say which, from 1"):
        trace["a"]
    with refuses(KeyError, "a of block 3: recorded only in [1, 2]"):
        trace["a", 3]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            ("weigths", zeros(2, 2, 2), 1),
            KeyError,
            "no tensor is called 'weigths'; did you mean weights",
        ),
        (("W_U", zeros(4, 12)), KeyError, "W_U: a parameter, which is given and not recorded"),
        (("a", zeros(2, 4)), ValueError, "a: recorded per block, but no block was given"),
        (("z", zeros(2, 12), 1), ValueError, "z: not recorded per block, but block 1 was given"),
        (("z", zeros(12)), ValueError, "z: expected the axes (t, v), got the shape (12,)"),
        (
            ("q", zeros(5, 2), 1),
            ValueError,
            "q of block 1: expected the axes (head, t, c), got the shape (5, 2)",
        ),
    ],
)
def test_refusals(arguments, error, message):
    with refuses(error, message):
        Trace()(*arguments)


def test_duplicates_are_refused():
    trace = Trace()
    trace("x", zeros(2, 4))
    trace("a", zeros(2, 4), block=1)
    with refuses(ValueError, "x: already recorded"):
        trace("x", zeros(2, 4))
    with refuses(ValueError, "a of block 1: already recorded"):
        trace("a", zeros(2, 4), block=1)


def test_reading_what_is_not_there():
    trace = Trace()
    with refuses(KeyError, "z: not recorded in this run"):
        trace["z"]
    with refuses(KeyError, "no tensor is called 'zz'"):
        trace["zz"]
    with refuses(KeyError, "W_U: a parameter"):
        trace["W_U"]


# --- edits ---------------------------------------------------------------------------------


def test_the_edited_value_is_recorded_and_used():
    trace = Trace({"x": lambda x, trace: x + trace["token_embedding"]})
    trace("token_embedding", zeros(2, 4) + 2)
    returned = trace("x", zeros(2, 4) + 1)
    assert torch.equal(returned, zeros(2, 4) + 3)
    assert torch.equal(trace["x"], returned)


def test_edits_reach_every_block():
    config = GPTConfig(7, 5, 4, 2, 3, 8, tied_output=True)
    trace = Trace({"att": lambda att, trace: torch.zeros_like(att)})
    forward(torch.tensor([1, 2, 3]), random_model(config), trace)
    assert torch.equal(trace.whole("att"), zeros(3, 3, 4))
    assert torch.equal(trace["h", 2], trace["y", 1])


def test_attention_off_leaves_the_stream_as_it_was():
    trace = run("toy.attention_off").trace
    assert torch.equal(trace["h"], trace["x"])
    assert torch.equal(trace["weights"], run("toy").trace["weights"])


def test_edits_of_unknown_names_and_shapes_are_refused():
    with refuses(KeyError, "no tensor is called 'attn'"):
        Trace({"attn": silent})
    with refuses(KeyError, "W_U: a parameter"):
        Trace({"W_U": silent})
    with refuses(ValueError, "x: the edit must keep the shape (2, 4), it returned (4,)"):
        Trace({"x": lambda x, trace: x[0]})("x", zeros(2, 4))
