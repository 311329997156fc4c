"""The laboratory's model: how it learns, and the folder it is kept in."""

import pytest
import torch
from small_text import short, small_text
from transformers import GPT2LMHeadModel

from toymodel import byte_level, checkpoint
from toymodel.model import Model, logits
from trained import corpus, small_model
from trained.errors import TrainedError
from trained.ladder import blocks
from trained.outcome import Job, carried_out
from trained.results import gathered, read_result
from trained.small_model import CONFIG, SETTINGS, dropped, learning
from trained.training import fit, output_matrix
from trained.weights import assembled, by_name, drawn

pytestmark = pytest.mark.usefixtures("one_thread")
ROW = small_model.EXPERIMENT.rows["four_blocks"]
TEXT = "the cat sat on the mat, and the cat said: the mat is mine. " * 20


def test_the_rate_rises_in_a_line_and_falls_along_a_cosine():
    rates = [SETTINGS.rate_at(step) for step in range(SETTINGS.steps)]
    top = SETTINGS.learning_rate
    assert rates[0] == top / SETTINGS.warmup and max(rates) == rates[SETTINGS.warmup] == top
    middle = (SETTINGS.warmup + SETTINGS.steps) // 2
    assert rates[middle] == pytest.approx(top * (1 + SETTINGS.last_share) / 2)
    assert rates[-1] == pytest.approx(top * SETTINGS.last_share, rel=1e-3)
    assert rates[SETTINGS.warmup :] == sorted(rates[SETTINGS.warmup :], reverse=True)


def test_dropout_takes_its_share_and_keeps_the_mean():
    value = dropped(torch.ones(1000, 100), 0.2, torch.Generator().manual_seed(0))
    assert set(value.unique().tolist()) == {0.0, torch.tensor(1 / 0.8).item()}
    assert value.mean().item() == pytest.approx(1, abs=0.01)


def test_a_model_that_learns_goes_another_way_and_one_that_is_judged_does_not():
    w, tokens = assembled(drawn(ROW.shapes, 0)), torch.arange(24).view(2, 12)
    first, again, other = (learning(tokens, w, torch.Generator().manual_seed(seed)) for seed in (0, 0, 1))
    assert torch.equal(first, again) and not torch.equal(first, other)
    assert torch.equal(ROW.stream(tokens, w), blocks(tokens, w))


def test_dropout_too_goes_on_where_it_was(tmp_path, monkeypatch):
    row, data = short(ROW, steps=4), small_text()
    whole = fit(row, data, 0, tmp_path / "whole")
    monkeypatch.setattr("trained.training.STATE_EVERY", -1.0)

    def stop(step, loss):
        if step == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fit(row, data, 0, tmp_path / "cut", report=stop)
    resumed = fit(row, data, 0, tmp_path / "cut")
    assert all(torch.equal(whole.tensors[name], resumed.tensors[name]) for name in whole.tensors)


def test_the_vocabulary_of_the_library_cuts_like_ours():
    made = corpus.vocabulary(TEXT, 270)
    assert made.encode(TEXT).ids == corpus.encoded(TEXT, 270).tolist()
    assert made.get_vocab_size() == 270 and made.decode(made.encode(TEXT).ids) == TEXT


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A rehearsal, gathered: work folder, results, checkpoints."""
    home = tmp_path_factory.mktemp("small")
    job = Job("small_model", "four_blocks", 0, steps=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(small_model, "text", lambda path: TEXT)
        patch.setattr(small_model, "vocabulary", lambda content: corpus.vocabulary(content, 270))
        carried_out(job, small_model.EXPERIMENT, small_text(), home)
        gathered(small_model.EXPERIMENT, [job], home, home / "results", home / "checkpoints")
    return home


def test_the_folder_is_a_checkpoint_of_gpt2s_layout(kept):
    """Ours and the Hugging Face implementation load it and agree."""
    folder = kept / "checkpoints" / "small"
    model = checkpoint.load(folder)
    assert model.config == CONFIG
    tokens = torch.arange(30).view(1, 30)
    ours = logits(tokens, model)
    theirs = GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32).eval()
    with torch.no_grad():
        torch.testing.assert_close(ours, theirs(tokens).logits, atol=1e-4, rtol=0)
    w = model.parameters
    torch.testing.assert_close(blocks(tokens, w) @ output_matrix(w), ours, atol=1e-5, rtol=0)
    vocabulary = byte_level.load(folder, 270, CONFIG.context_length)
    assert vocabulary.text(vocabulary.ids("the cat: ä")) == "the cat: ä"


def test_it_is_small_and_in_half_precision(kept):
    file = kept / "checkpoints" / "small" / "model.safetensors"
    assert file.stat().st_size < 8_000_000
    assert all(tensor.dtype == torch.float16 for tensor in checkpoint.mapped(file).values())


def test_weights_come_back_by_name(kept):
    storage = small_model.EXPERIMENT.storage
    read = storage.read(kept / "checkpoints" / "small" / "model.safetensors")
    stored = by_name(Model(CONFIG, assembled(read)).parameters)
    assert {name: tuple(tensor.shape) for name, tensor in stored.items()} == ROW.shapes
    with pytest.raises(TrainedError, match="no such file"):
        storage.read(kept / "nowhere.safetensors")


def test_the_card_says_what_the_result_says(kept):
    content = read_result("small_model", kept / "results")
    card = (kept / "checkpoints" / "small" / "README.md").read_text(encoding="utf-8")
    assert card == small_model.card(content)
    perplexity = content["figures"]["held_out_perplexity"]["values"][0][0]
    for said in (f"{perplexity:.2f}", content["checkpoints"]["four_blocks"]["sha256"], "2,001,024", "small text"):
        assert said in card
