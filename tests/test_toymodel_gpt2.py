"""The command line over GPT-2's checkpoints, its vocabulary, and where the weights come from."""

import hashlib
import json
import re

import pytest
import torch
from huggingface_hub.errors import LocalEntryNotFoundError
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open

from toymodel import byte_level, checkpoint, fetch, gpt2
from toymodel.config import GPT2_SMALL, GPTConfig
from toymodel.generate import CONTEXT_FULL, generate, write
from toymodel.gpt2_vocabulary import ENCODER, MERGES
from toymodel.options import sampling
from toymodel.tokens import PromptError
from toymodel.weights import WeightsError, random_model

CONFIG = GPTConfig(
    vocabulary_size=GPT2_SMALL.vocabulary_size, context_length=32, width=16, heads=2, blocks=3, mlp_width=24,
    tied_output=True, biases=True, norm_gains=True, shift_logits=True,
)  # fmt: skip
PROMPT = "The cat climbed onto the"
VOCABULARY = byte_level.load(ENCODER.parent, GPT2_SMALL.vocabulary_size, GPT2_SMALL.context_length)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("checkpoint")
    checkpoint.save(random_model(CONFIG, dtype=torch.float32), made)
    return made


@pytest.fixture
def command(folder, capsys):
    def run(*arguments, code=0):
        assert gpt2.main([*arguments, "--weights", str(folder)]) == code
        return capsys.readouterr()

    return run


# --- vocabulary ----------------------------------------------------------------------------


def test_known_tokens():
    """The example of the Hugging Face documentation, and the page's own."""
    assert VOCABULARY.ids("Hello, my dog is cute") == [15496, 11, 616, 3290, 318, 13779]
    assert [VOCABULARY.readable(i) for i in VOCABULARY.ids(PROMPT)] == ["The", "␣cat", "␣climbed", "␣onto", "␣the"]
    assert VOCABULARY.end == 50256
    assert VOCABULARY.text([464, 3797, 50256]) == "The cat<|endoftext|>"


@given(st.text(min_size=1, max_size=40))
def test_any_text_comes_back(text):
    ids = VOCABULARY.ids(text)
    assert VOCABULARY.text(ids) == text
    assert b"".join(VOCABULARY.piece(i).bytes for i in ids) == text.encode()


def test_characters_in_several_tokens_are_shown_when_whole():
    ids = VOCABULARY.ids("猫 é")
    assert [VOCABULARY.readable(i) for i in ids] == ["e7", "8c", "ab", "␣é"]
    assert list(VOCABULARY.texts(ids)) == ["", "", "猫", " é", ""]
    assert VOCABULARY.text(ids[:2]) == "\ufffd"


def test_prompts_that_do_not_fit():
    with pytest.raises(PromptError, match="empty prompt"):
        VOCABULARY.ids("")
    with pytest.raises(PromptError, match="prompt too long: 1025 tokens, the limit is 1024"):
        VOCABULARY.ids("a" + " a" * 1024)
    with pytest.raises(IndexError, match="token id 50257: expected 0 to 50256"):
        VOCABULARY.piece(50257)
    with pytest.raises(IndexError, match="token id -1"):
        VOCABULARY.piece(-1)


def test_a_models_own_vocabulary(tmp_path):
    (tmp_path / "vocab.json").write_bytes(ENCODER.read_bytes())
    (tmp_path / "merges.txt").write_bytes(MERGES.read_bytes())
    from_files = byte_level.load(tmp_path, 50257, 1024)
    from_files.tokenizer.save(str(tmp_path / "tokenizer.json"))
    whole = byte_level.load(tmp_path, 50257, 1024)
    assert from_files.ids(PROMPT) == whole.ids(PROMPT) == VOCABULARY.ids(PROMPT)
    with pytest.raises(PromptError, match="the model knows 99 tokens, the vocabulary 50257"):
        byte_level.load(tmp_path, 99, 1024)
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(PromptError, match="cannot be read"):
        byte_level.load(tmp_path, 50257, 1024)


# --- commands ------------------------------------------------------------------------------


def test_trace_in_memory(command):
    shown = command("trace", PROMPT).out
    assert re.search(r"masked_scores +head t s +2 × 5 × 5 +3 +-inf", shown)
    assert re.search(r"p +t v +5 × 50257", shown)
    only = command("trace", PROMPT, "--values", "q", "--blocks", "2").out
    assert re.search(r"q +head t c +2 × 5 × 8 +1 ", only)
    assert "masked_scores" not in only


def test_trace_to_a_file(command, tmp_path):
    shown = command("trace", PROMPT, "--out", str(tmp_path), "--values", "weights,z,x").out
    assert "trace.safetensors: 1.3 MB" in shown
    with safe_open(tmp_path / "trace.safetensors", "pt") as content:
        assert set(content.keys()) == {"x", "z", *(f"block.{b}.weights" for b in (1, 2, 3))}
        about = content.metadata()
    assert json.loads(about["tokens"]) == ["The", "␣cat", "␣climbed", "␣onto", "␣the"]
    assert (about["prompt"], json.loads(about["ids"])) == (PROMPT, VOCABULARY.ids(PROMPT))


def test_generate(command, folder):
    model = checkpoint.load(folder)
    ids = VOCABULARY.ids(PROMPT)
    expected = VOCABULARY.text(generate(model, ids, 4).ids) + "\n"
    assert command("generate", PROMPT, "--steps", "4").out == expected
    assert command("generate", PROMPT, "--steps", "4", "--stream").out == expected
    drawn = [command("generate", PROMPT, "--steps", "4", "--seed", "3", *how).out for how in (
        [], [], ["--temperature", "0.1"], ["--top-k", "1"], ["--top-p", "1e-9"],
    )]  # fmt: skip
    assert drawn[0] == drawn[1] != expected
    assert drawn[3] == drawn[4] == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("trace", ""), "empty prompt"),
        (("trace", "x", "--values", "weigths"), "did you mean weights"),
        (("trace", "x", "--blocks", "4"), "expected blocks from 1 to 3"),
        (("generate", "x", "--top-k", "3"), "--top-k needs --seed"),
        (("generate", " x" * 33), "prompt too long: 33 tokens, the limit is 32"),
    ],
)
def test_what_cannot_be_used(command, arguments, message):
    captured = command(*arguments, code=2)
    assert message in captured.err
    assert captured.out == ""


def test_writing_stops_when_the_context_is_full(folder):
    model = checkpoint.load(folder)
    ids = VOCABULARY.ids(" a" * 30)
    done = generate(model, ids, 9)
    assert (len(done.ids), done.stopped) == (32, CONTEXT_FULL)
    whole = generate(model, ids, 2, edits={"x": lambda x, trace: x})  # every row anew
    assert whole.ids == done.ids
    with pytest.raises(ValueError, match="at least 1 and at most 32 tokens to continue, got 0"):
        list(write(model, [], 1))


def test_sampling_options_are_shared():
    assert sampling(gpt2.parser().parse_args(["generate", "x", "--seed", "1", "--top-k", "2"])) == {
        "seed": 1, "top_k": 2
    }  # fmt: skip


# --- where the weights come from -----------------------------------------------------------


@pytest.fixture
def published(monkeypatch, tmp_path):
    """A cache with two small files in place of the published ones."""
    files = {name: tmp_path / name for name in fetch.SHA_256}
    for name, file in files.items():
        file.write_text(name)
    monkeypatch.setattr(
        fetch, "SHA_256", {name: hashlib.sha256(name.encode()).hexdigest() for name in files}
    )
    monkeypatch.setattr(fetch, "try_to_load_from_cache", lambda repository, name, revision: str(files[name]))
    monkeypatch.setattr(fetch, "hf_hub_download", lambda repository, name, revision: str(files[name]))
    return files


def test_cached_weights_are_checked(published):
    folder = published["model.safetensors"].parent
    assert fetch.cached() == fetch.fetch() == folder
    published["model.safetensors"].write_text("altered")
    for way in (fetch.cached, fetch.fetch):
        with pytest.raises(WeightsError, match=r"altered or damaged: SHA-256 [0-9a-f]{64}, the published file has"):
            way()


def test_weights_that_are_not_there(published, monkeypatch, capsys):
    monkeypatch.setattr(fetch, "try_to_load_from_cache", lambda repository, name, revision: None)
    assert gpt2.main(["trace", PROMPT]) == 2
    assert "`python -m toymodel.gpt2 fetch` gets them, 548 MB, or give" in capsys.readouterr().err


def test_no_network(published, monkeypatch, capsys):
    def down(*arguments, **options):
        raise LocalEntryNotFoundError("no connection.\nmore")

    monkeypatch.setattr(fetch, "hf_hub_download", down)
    assert gpt2.main(["fetch"]) == 2
    assert "cannot be fetched: no connection; run" in capsys.readouterr().err
