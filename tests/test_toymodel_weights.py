"""Configurations, weights files and counts, and how each says what is wrong."""

import json
import re
from dataclasses import replace

import pytest
import torch
from reference import PARAMETERS, TOY_FILE
from spoiled import changed
from torch.utils.flop_counter import FlopCounterMode

from toymodel.cache import Cache, next_logits
from toymodel.config import GPT2_SMALL, TOY, GPTConfig
from toymodel.facts import bytes_of_parts, counted, flops, parameter_counts, trace_bytes
from toymodel.model import forward
from toymodel.parameters import named
from toymodel.shapes import parameter_shapes
from toymodel.trace import Trace
from toymodel.weights import WeightsError, load_toy, random_model

CONTENT = json.loads(TOY_FILE.read_text(encoding="utf-8"))


# --- configuration -------------------------------------------------------------------------


def test_toy_and_gpt2_small():
    assert (TOY.head_width, GPT2_SMALL.head_width) == (2, 64)
    assert GPTConfig(12, 8, 4, 2, 1, 8) == TOY
    assert GPTConfig(50257, 1024, 768, 12, 12, 3072, 1e-5, True, True, True, True) == GPT2_SMALL


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"width": 5}, "width: expected a multiple of the 2 heads, got 5 (remainder 1)"),
        ({"blocks": 0}, "blocks: expected a positive whole number, got 0"),
        ({"heads": 2.0}, "heads: expected a positive whole number, got 2.0"),
        ({"mlp_width": True}, "mlp_width: expected a positive whole number, got True"),
        ({"epsilon": 0}, "epsilon: expected a positive number, got 0"),
        ({"epsilon": float("nan")}, "epsilon: expected a positive number, got nan"),
    ],
)
def test_configuration_errors(change, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        replace(TOY, **change)


# --- counts --------------------------------------------------------------------------------


def test_counts_are_what_the_tensors_hold():
    config = GPTConfig(23, 6, 12, 3, 2, 10, biases=True, norm_gains=True)
    for each in (TOY, config, replace(config, tied_output=True, biases=False)):
        tensors = named(random_model(each).parameters)
        assert parameter_counts(each) == {name: t.numel() for name, t in tensors.items()}


def test_gpt2_small_has_its_published_size():
    counts = counted()
    assert counts["gpt2_small.parameters"] == 124_439_808
    assert counts["gpt2_small.unembedding"] == counts["gpt2_small.E"] == 38_597_376
    assert sum(parameter_counts(GPT2_SMALL).values()) == 124_439_808
    assert "gpt2_small.W_U" not in counts


def test_toy_and_llama_counts():
    counts = counted()
    # E and W_U 48 each, P 32, attention 4 x 16, MLP 32 + 8 + 32 + 4.
    assert counts["toy.parameters"] == 2 * 48 + 32 + 4 * 16 + 76 == 268
    assert counts["toy.W_U"] == counts["toy.E"] == counts["toy.unembedding"] == 48
    assert counts["llama_3_8b.unembedding"] == 4096 * 128256
    assert counts["toy.epsilon"] == 1e-5
    assert all(isinstance(n, int) for what, n in counts.items() if not what.endswith("epsilon"))


def test_parts_hold_every_parameter_once():
    """GPT-2 small: 12 blocks of 2,362,368 + 4,722,432 + 3,072, and one more normalisation."""
    counts = counted()
    for model in ("toy", "gpt2_small"):
        parts = ("embedding", "attention", "mlp", "norm", "output")
        assert sum(counts[f"{model}.{part}_parameters"] for part in parts) == counts[f"{model}.parameters"]
        inside = [counts[f"{model}.{part}_parameters_per_block"] for part in ("attention", "mlp", "norm")]
        assert sum(inside) == counts[f"{model}.block_parameters"]
    assert inside == [2_362_368, 4_722_432, 3_072]
    assert counts["gpt2_small.norm_parameters"] == 12 * 3_072 + 2 * 768


def test_bytes_of_gpt2_small():
    """Its checkpoint holds 124,439,808 float32 numbers, embeddings 50,257 + 1,024 rows of 768."""
    parts = bytes_of_parts(GPT2_SMALL)
    assert sum(parts.values()) == 4 * 124_439_808
    assert parts["embedding"] == 4 * (50_257 + 1_024) * 768
    assert sum(bytes_of_parts(TOY, 8).values()) == 8 * 268


def counted_flops(config, length, cached=0):
    """What PyTorch counts while the model runs."""
    model, cache = random_model(config), Cache(random_model(config))
    if cached:
        next_logits([0] * cached, model, cache)
    with FlopCounterMode(display=False) as counter:
        next_logits([0] * length, model, cache)
    return counter.get_total_flops()


@pytest.mark.parametrize(("length", "cached"), [(1, 0), (5, 0), (1, 4), (3, 2)])
def test_flops_are_what_pytorch_counts(length, cached):
    config = GPTConfig(23, 6, 12, 3, 2, 10, biases=True, norm_gains=True)
    for each in (TOY, config, replace(config, tied_output=True)):
        assert sum(flops(each, length, cached).values()) == counted_flops(each, length, cached)


def test_flops_of_gpt2_small():
    """Two for each parameter of the matrices and of E, and four n^2 d for attention in each block."""
    matrices, n = 12 * 12 * 768**2 + 50_257 * 768, 1_024
    assert sum(flops(GPT2_SMALL, n).values()) == 2 * n * matrices + 12 * 4 * n * n * 768


def test_a_trace_takes_as_many_bytes_as_counted():
    config = GPTConfig(23, 6, 12, 3, 2, 10, norm_gains=True)
    trace = Trace()
    forward(torch.tensor([1, 2, 3, 4]), random_model(config), trace)
    expected = {name: trace.whole(name).nbytes for name in trace.names()}
    assert trace_bytes(config, 4, entry=8) == expected


# --- the toy's file ------------------------------------------------------------------------


def test_the_file_is_loaded_as_it_stands():
    model, vocabulary = load_toy()
    tensors = named(model.parameters)
    assert set(tensors) == set(PARAMETERS)
    for name, tensor in tensors.items():
        assert tensor.dtype == torch.float64
        assert tensor.tolist() == CONTENT[name]
    assert list(vocabulary.tokens) == CONTENT["vocabulary"]
    assert vocabulary.context_length == model.config.context_length == 8


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["W_U"], None, "the file: the key 'W_U' is missing"),
        (["vocab"], [], "the file: unknown key 'vocab'; did you mean vocabulary?"),
        (["comment"], [], "the file: unknown key 'comment'"),
        (["grid", "P"], None, "grid: the key 'P' is missing"),
        (["grid", "Q"], 1, "grid: unknown key 'Q'"),
        (["grid"], 3, "grid: expected an object, got 3"),
        (["grid", "P"], 0, "grid: expected a positive step for P, got 0"),
        (["grid", "P"], "x", "grid: expected a positive step for P, got 'x'"),
        (["epsilon"], 1e-6, "epsilon: expected the configuration's 1e-05, got 1e-06"),
        (
            ["activation"],
            "gelu",
            "activation: expected the configuration's 'gelu_tanh', got 'gelu'",
        ),
        (["vocabulary"], ["o"], "vocabulary: expected 12 tokens, got 1"),
        (["vocabulary"], "o", "vocabulary: expected a list of non-empty strings"),
        (["vocabulary", 1], "o", "vocabulary: 'o' appears 2 times"),
        (["vocabulary", 11], "end", "vocabulary: expected <|endoftext|> at the end, got 'end'"),
        (
            ["W_U", 1, 2],
            -1.25,
            "W_U, row 2, column 3: expected a multiple of the grid's 0.5, got -1.25",
        ),
        (
            ["P", 4, 3],
            -0.251,
            "P, row 5, column 4: expected a multiple of the grid's 0.05, got -0.251",
        ),
        (
            ["W_q", 1, 3, 0],
            0.5,
            "W_q, head 2, row 4, column 1: expected a multiple of the grid's 1, got 0.5",
        ),
        (["b_1", 2], float("nan"), "b_1, column 3: expected a finite number, got NaN"),
        (["E", 0, 0], float("-inf"), "E, row 1, column 1: expected a finite number, got -Infinity"),
        (["E", 0, 0], "0.5", "E, row 1, column 1: expected a number, got '0.5'"),
        (["E", 0, 0], True, "E, row 1, column 1: expected a number, got True"),
        (["E", 0, 0], [1], "E, row 1, column 1: expected a number, got a list of 1"),
        (["E", 2], [1, 2, 3], "E, row 3: expected 4 entries (shape 12 x 4), got 3"),
        (["W_O"], [], "W_O: expected 4 entries (shape 4 x 4), got 0"),
        (["W_O"], 7, "W_O: expected 4 entries (shape 4 x 4), got 7"),
        (["W_v", 0], 7, "W_v, head 1: expected 4 entries (shape 2 x 4 x 2), got 7"),
    ],
)
def test_file_errors(tmp_path, path, value, message):
    file = tmp_path / "weights.json"
    file.write_text(json.dumps(changed(CONTENT, path, value)), encoding="utf-8")
    with pytest.raises(WeightsError) as error:
        load_toy(file)
    assert str(error.value) == f"weights.json: {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "weights.json: expected an object of tensors, got a list of 1"),
        ('{"E": [1], "E": [2]}', "weights.json: E: given twice"),
        ('{"E": [1,}', "weights.json: not JSON in UTF-8: "),
    ],
)
def test_files_that_are_not_weights(tmp_path, text, message):
    file = tmp_path / "weights.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(WeightsError, match=f"^{re.escape(message)}"):
        load_toy(file)


def test_no_file(tmp_path):
    with pytest.raises(WeightsError, match=r"^none\.json: cannot be read: No such file"):
        load_toy(tmp_path / "none.json")


def test_too_large_for_a_float_is_not_finite(tmp_path):
    file = tmp_path / "weights.json"
    file.write_text(json.dumps(changed(CONTENT, ["E", 0, 0], 123)).replace("123", "1e400"), encoding="utf-8")
    with pytest.raises(
        WeightsError, match=re.escape("column 1: expected a finite number, got 1E+400")
    ):
        load_toy(file)


def test_another_configuration_is_not_the_files():
    with pytest.raises(WeightsError, match=r"^toy\.json: the file: unknown key 'W_U'"):
        load_toy(config=replace(TOY, tied_output=True))
    with pytest.raises(WeightsError, match=re.escape("shape 9 x 4), got 8")):
        load_toy(config=replace(TOY, context_length=9))


# --- random weights ------------------------------------------------------------------------


def test_random_models_repeat_and_have_their_shapes():
    config = replace(TOY, blocks=2, biases=True, norm_gains=True)
    one, same, other = (named(random_model(config, seed).parameters) for seed in (1, 1, 2))
    for name, shape in parameter_shapes(config).items():
        assert torch.equal(one[name], same[name])
        assert not torch.equal(one[name], other[name])
        assert one[name].shape in {shape, (2, *shape)}
    assert not torch.equal(one["W_q"][0], one["W_q"][1])
    assert random_model(config, dtype=torch.float32).parameters.E.dtype == torch.float32
    assert abs(one["gain_a"].mean() - 1) < 0.3
