"""The key-value cache: the same logits, from less work."""

import pytest
import torch

from toymodel.cache import Cache, next_logits
from toymodel.config import GPTConfig
from toymodel.generate import generate
from toymodel.model import forward, logits
from toymodel.ops import causal_mask
from toymodel.runs import run
from toymodel.trace import Trace
from toymodel.weights import load_toy, random_model

MODEL, VOCABULARY = load_toy()
SENTENCE = [0, 2, 4, 5, 1, 6, 10, 11]
LARGER = GPTConfig(
    vocabulary_size=30, context_length=9, width=12, heads=3, blocks=3, mlp_width=20,
    tied_output=True, biases=True, norm_gains=True, shift_logits=True,
)  # fmt: skip


def close(left, right):
    torch.testing.assert_close(left, right, rtol=0, atol=1e-12)


@pytest.mark.parametrize("cuts", [[1] * 8, [5, 1, 1, 1], [3, 5], [8]])
@pytest.mark.parametrize("model", [MODEL, random_model(LARGER)], ids=["toy", "three blocks"])
def test_the_same_logits_however_the_text_is_cut(model, cuts):
    whole = logits(torch.tensor(SENTENCE), model)
    kept, read = Cache(model), 0
    for count in cuts:
        z = next_logits(SENTENCE[read : read + count], model, kept)
        read += count
        close(z, whole[read - 1])
        assert kept.length == read


def test_greedy_writing_with_the_cache():
    kept, ids, tokens = Cache(MODEL), list(SENTENCE[:5]), SENTENCE[:5]
    for _ in range(3):
        tokens = [int(next_logits(tokens, MODEL, kept).argmax())]
        ids += tokens
    assert ids == generate(MODEL, SENTENCE[:5], 3).ids == SENTENCE


def test_only_the_new_row_is_computed():
    kept = Cache(MODEL)
    forward(torch.tensor(SENTENCE[:5]), MODEL, kept)
    kept.record = trace = Trace()
    forward(torch.tensor(SENTENCE[5:6]), MODEL, kept)
    assert trace["q"].shape == (2, 1, 2)
    assert trace["k"].shape == trace["v"].shape == (2, 6, 2)
    assert trace["weights"].shape == (2, 1, 6)
    assert trace["z"].shape == (1, 12)


def test_old_rows_do_not_change():
    before, after = run("toy").trace, run("toy.whole").trace
    for name in ("x", "h", "y", "z", "p"):
        close(after[name][:5], before[name])
    for name in ("k", "v"):
        close(run("toy.cached").trace[name][:, :5], before[name])
    close(run("toy.cached").trace["z"][0], after["z"][5])


def test_a_text_longer_than_the_context():
    kept = Cache(MODEL)
    next_logits(SENTENCE, MODEL, kept)
    with pytest.raises(ValueError, match="expected at most 8 tokens, got 9"):
        next_logits([0], MODEL, kept)
    assert kept.length == 8


def test_the_mask_of_the_last_rows_is_the_end_of_the_whole_mask():
    scores = torch.arange(36.0).reshape(6, 6)
    for rows in range(1, 7):
        torch.testing.assert_close(causal_mask(scores[-rows:]), causal_mask(scores)[-rows:])
