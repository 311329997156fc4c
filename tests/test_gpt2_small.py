"""GPT-2 small at full size, with random weights, against the Hugging Face implementation.

The weights are drawn once, written in its naming, and read back by both.
"""

from itertools import accumulate

import pytest
import torch
from transformers import GPT2LMHeadModel

from toymodel import checkpoint
from toymodel.cache import Cache, next_logits
from toymodel.config import GPT2_SMALL
from toymodel.lean import LeanTrace
from toymodel.model import logits
from toymodel.weights import random_model

DEVIATION = 0.05  # scores of about 2: every part matters, and float32 still resolves the logits
PIECES = [16, 5, 1, 1, 1]
TOLERANCE = {torch.float32: 1e-4, torch.float64: 1e-10}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("gpt2-small")
    checkpoint.save(random_model(GPT2_SMALL, seed=6, dtype=torch.float32, deviation=DEVIATION), made)
    yield made
    (made / checkpoint.FILE).unlink()  # half a gigabyte


@pytest.fixture(scope="module", params=TOLERANCE, ids=str)
def both(request, folder):
    """Our model and theirs, of one precision."""
    theirs = GPT2LMHeadModel.from_pretrained(folder, attn_implementation="eager", dtype=request.param)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # on a busy machine, threads wait for one another
    with torch.inference_mode():
        yield checkpoint.load(folder, request.param), theirs.eval(), TOLERANCE[request.param]
    torch.set_num_threads(threads)


def tokens_of(length):
    generator = torch.Generator().manual_seed(length)
    return torch.randint(GPT2_SMALL.vocabulary_size, (length,), generator=generator)


def test_the_size_is_gpt2_smalls(both):
    ours, theirs, _ = both
    assert ours.config == GPT2_SMALL
    assert theirs.num_parameters() == 124_439_808


@pytest.mark.parametrize("length", [1, 7, 300])
def test_hidden_states_attentions_and_logits(both, length):
    ours, theirs, tolerance = both
    tokens, trace = tokens_of(length), LeanTrace(GPT2_SMALL)
    bare = logits(tokens, ours)
    logits(tokens, ours, trace)
    expected = theirs(tokens[None], output_hidden_states=True, output_attentions=True, use_cache=False)
    streams = [trace["x"], *(trace["y", block] for block in range(1, 12)), trace["f"]]
    weights = [trace["weights", block] for block in range(1, 13)]
    pairs = [
        *zip(streams, expected.hidden_states, strict=True),
        *zip(weights, expected.attentions, strict=True),
        (trace["z"], expected.logits),
        (bare, expected.logits),
    ]
    assert max(float((one - other[0]).abs().max()) for one, other in pairs) < tolerance
    assert expected.logits.abs().max() > 3  # large enough that the tolerance means something
    assert torch.stack(weights).amax(-1).mean() > 3 / length or length < 3  # far from even


def test_with_a_cache(both):
    """A prompt, several tokens at once, and single ones, each after what came before."""
    ours, theirs, tolerance = both
    tokens, cache, past = tokens_of(24), Cache(ours), None
    for start, end in zip([0, *accumulate(PIECES)], accumulate(PIECES)):
        z = next_logits(tokens[start:end].tolist(), ours, cache)
        expected = theirs(tokens[None, start:end], cache=past, use_cache=True)
        past = expected.cache
        assert (z - expected.logits[0, -1]).abs().max() < tolerance
    assert (z - logits(tokens, ours)[-1]).abs().max() < tolerance
