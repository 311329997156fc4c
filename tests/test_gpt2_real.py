"""GPT-2 small's published weights, where they are: what only the real ones can show.

`python -m toymodel.gpt2 fetch` gets them. Without them these tests do not run, and the last lines of
the test run say so.
"""

import math

import pytest
import torch

from toymodel import gpt2
from toymodel.generate import generate
from toymodel.model import logits
from toymodel.ops import cross_entropy
from toymodel.weights import WeightsError

pytestmark = pytest.mark.real_weights

# The Hugging Face implementation's own test of greedy writing (test_lm_generate_gpt2).
BEGINNING = "The dog"
CONTINUED = "The dog was found in a field near the intersection of West and West Streets.\n\nThe dog"

# Ours, so that no model was trained on it. Plain English costs GPT-2 small some 20 to 60 a token; a
# model with one part wrong, hundreds and more.
PARAGRAPH = (
    "The old lighthouse stood at the end of the pier, and every evening the keeper climbed the stairs to "
    "light the lamp. On clear nights the beam could be seen from the other side of the bay, where the "
    "fishing boats came home one after another. He had lived there for more than thirty years, and he knew "
    "the sound of each engine. When a storm came in from the west, he stayed awake until the last of them "
    "was tied up safely in the harbour. Then he made himself a cup of tea and went to bed."
)
BAND = (10, 80)


@pytest.fixture(scope="module")
def published():
    try:
        return gpt2.load(None)
    except WeightsError as error:
        if "are not in the local" not in str(error):
            raise
        pytest.skip(str(error))


def test_greedy_writing(published):
    model, vocabulary, _ = published
    ids = vocabulary.ids(BEGINNING)
    assert ids == [464, 3290]
    assert vocabulary.text(generate(model, ids, 18).ids) == CONTINUED


def test_perplexity_of_a_paragraph(published):
    model, vocabulary, _ = published
    ids = torch.tensor([vocabulary.end, *vocabulary.ids(PARAGRAPH)])
    loss = cross_entropy(logits(ids[:-1], model), ids[1:]).mean()
    assert BAND[0] < math.exp(loss) < BAND[1]
