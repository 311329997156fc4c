"""Checkpoints of GPT-2's layout: names both ways, and files that are not what they should be."""

import json
import re
from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import GPT2Config, GPT2LMHeadModel

from toymodel import checkpoint
from toymodel.config import GPTConfig
from toymodel.model import logits
from toymodel.parameters import named
from toymodel.weights import WeightsError, random_model

SMALL = GPTConfig(
    vocabulary_size=50, context_length=12, width=128, heads=2, blocks=2, mlp_width=512,
    tied_output=True, biases=True, norm_gains=True, shift_logits=True,
)  # fmt: skip
MODEL = random_model(SMALL, dtype=torch.float32, deviation=0.05)
TOKENS = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6])


@pytest.fixture
def folder(tmp_path):
    checkpoint.save(MODEL, tmp_path)
    return tmp_path


def change(folder, edit):
    """Edit the tensors of the file, a dict, and write it again."""
    file = folder / checkpoint.FILE
    tensors = {name: value.clone() for name, value in load_file(file).items()}
    edit(tensors)
    save_file(tensors, file)


def same(one, other):
    ours, theirs = named(one.parameters), named(other.parameters)
    assert list(ours) == list(theirs)
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)


# --- names both ways -----------------------------------------------------------------------


@pytest.mark.parametrize("prefix", ["transformer.", ""])
@pytest.mark.parametrize("config", [SMALL, replace(SMALL, tied_output=False)], ids=["tied", "untied"])
def test_what_we_write_both_read(tmp_path, prefix, config):
    model = random_model(config, dtype=torch.float32, deviation=0.05)
    checkpoint.save(model, tmp_path, prefix)
    same(checkpoint.load(tmp_path), model)
    theirs = GPT2LMHeadModel.from_pretrained(tmp_path).eval()
    with torch.no_grad():
        torch.testing.assert_close(logits(TOKENS, model), theirs(TOKENS[None]).logits[0], rtol=0, atol=1e-5)


@pytest.mark.parametrize("head", [True, False], ids=["with lm_head", "without"])
def test_what_they_write_we_read(tmp_path, head):
    torch.manual_seed(2)
    config = GPT2Config(vocab_size=50, n_positions=12, n_embd=96, n_head=4, n_layer=3, n_inner=100)
    theirs = GPT2LMHeadModel(config).eval()
    (theirs if head else theirs.transformer).save_pretrained(tmp_path)
    ours = checkpoint.load(tmp_path)
    assert (ours.config.heads, ours.config.blocks, ours.config.mlp_width) == (4, 3, 100)
    with torch.no_grad():
        torch.testing.assert_close(logits(TOKENS, ours), theirs(TOKENS[None]).logits[0], rtol=0, atol=1e-5)


def test_the_file_of_2019_carries_masks_along(folder):
    """And so does the published one; names there have no prefix."""
    checkpoint.save(MODEL, folder, prefix="")
    change(folder, lambda tensors: tensors.update({f"h.{i}.attn.bias": torch.ones(1, 1, 12, 12) for i in (0, 1)}))
    same(checkpoint.load(folder), MODEL)


def test_sizes_come_from_the_shapes_without_a_config(folder):
    (folder / checkpoint.CONFIG_FILE).unlink()
    assert checkpoint.load(folder / checkpoint.FILE).config == SMALL
    change(folder, lambda tensors: tensors.update({"lm_head.weight": tensors["transformer.wte.weight"].clone()}))
    assert checkpoint.load(folder).config == SMALL
    change(folder, lambda tensors: tensors.update({"lm_head.weight": tensors["lm_head.weight"] + 1}))
    assert checkpoint.load(folder).config == replace(SMALL, tied_output=False)


def test_parameters_are_views_of_the_file(folder):
    w = checkpoint.load(folder).parameters.blocks[1]
    packed = {each.untyped_storage().data_ptr() for each in (w.W_q, w.W_k, w.W_v)}
    assert len(packed) == 1
    assert w.W_q.transpose(0, 1).flatten(1).untyped_storage().data_ptr() in packed


def test_half_precision_is_converted(folder):
    change(folder, lambda tensors: tensors.update({name: value.half() for name, value in tensors.items()}))
    loaded = checkpoint.load(folder)
    assert loaded.parameters.E.dtype == torch.float32
    torch.testing.assert_close(loaded.parameters.E, MODEL.parameters.E, rtol=1e-3, atol=1e-4)


# --- what is wrong, and what to do ---------------------------------------------------------


def refused(path, *parts):
    with pytest.raises(WeightsError) as error:
        checkpoint.load(path)
    for part in parts:
        assert part in str(error.value)


def test_no_file(tmp_path):
    refused(tmp_path, "model.safetensors: no such file", "python -m toymodel.gpt2 fetch")


@pytest.mark.parametrize("bytes_left", [0, 7, 300, -1])
def test_truncated_files(folder, bytes_left):
    file = folder / checkpoint.FILE
    file.write_bytes(file.read_bytes()[:bytes_left])
    refused(folder, "not a whole safetensors file", "fetch or export it again")


def test_pickles_are_not_read(tmp_path):
    file = tmp_path / "pytorch_model.bin"
    torch.save({"wte.weight": torch.ones(2, 2)}, file)
    refused(file, "not a whole safetensors file", "safe_serialization=True")


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda t: t.pop("transformer.h.1.mlp.c_fc.bias"), "the tensor 'h.1.mlp.c_fc.bias' is missing"),
        (lambda t: t.update(extra=torch.ones(1)), "unknown tensor 'extra'"),
        (
            lambda t: t.update({"transformer.wpe.weight": torch.ones(13, 128)}),
            "wpe.weight: expected the shape (12, 128), got (13, 128); does the config.json belong",
        ),
        (
            lambda t: t.update({"transformer.ln_f.bias": torch.ones(128, dtype=torch.int32)}),
            "ln_f.bias: expected floating-point numbers, got torch.int32",
        ),
        (
            lambda t: t.update({"transformer.h.0.attn.c_atn.weight": t.pop("transformer.h.0.attn.c_attn.weight")}),
            "the tensor 'h.0.attn.c_attn.weight' is missing; did you mean h.0.attn.c_atn.weight",
        ),
    ],
)
def test_tensors_that_do_not_fit(folder, edit, message):
    change(folder, edit)
    refused(folder, str(folder), message)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"activation_function": "relu"}, "activation_function is 'relu'; GPT-2 has 'gelu_new'"),
        ({"model_type": "llama"}, "model_type is 'llama'"),
        ({"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx is True"),
        ({"n_head": 3}, "width: expected a multiple of the 3 heads, got 128 (remainder 2)"),
        ({"n_embd": "x"}, "width: expected a positive whole number, got 'x'"),
        ({"n_layer": None}, "blocks: expected a positive whole number, got None"),
        ({"n_layer": 1}, "unknown tensor 'h.1."),
        ({"n_layer": 3}, "the tensor 'h.2."),
    ],
)
def test_settings_that_do_not_fit(folder, settings, message):
    file = folder / checkpoint.CONFIG_FILE
    file.write_text(json.dumps(json.loads(file.read_text()) | settings))
    refused(folder, message)


@pytest.mark.parametrize("text", ["{", "[1]"])
def test_settings_that_cannot_be_read(folder, text):
    (folder / checkpoint.CONFIG_FILE).write_text(text)
    refused(folder, "config.json beside it cannot be read")


def test_a_setting_that_is_missing(folder):
    file = folder / checkpoint.CONFIG_FILE
    settings = json.loads(file.read_text())
    del settings["n_positions"]
    file.write_text(json.dumps(settings))
    refused(folder, "n_positions is missing")


def test_another_layout(tmp_path):
    save_file({"model.embed_tokens.weight": torch.ones(4, 4)}, tmp_path / checkpoint.FILE)
    refused(tmp_path, "no matrix 'wte.weight'", "is this GPT-2's layout")


def test_without_config_heads_are_64_wide(tmp_path):
    checkpoint.save(random_model(replace(SMALL, width=96)), tmp_path)
    (tmp_path / checkpoint.CONFIG_FILE).unlink()
    with pytest.raises(WeightsError, match=re.escape("64 wide, which does not divide the width 96")):
        checkpoint.load(tmp_path)
