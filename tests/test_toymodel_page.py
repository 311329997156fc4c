"""Every figure of the page "Output", to the digit it shows, from the run."""

import json
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest
import torch

from toymodel.facts import LLAMA_3_8B, counted
from toymodel.model import forward
from toymodel.runs import run

PAGE = json.loads(
    Path(__file__).with_name("output-page.json").read_text(encoding="utf-8"),
    parse_float=Decimal,
    parse_int=Decimal,
)
THREE = Decimal("0.001")


def rounded(value, step=THREE):
    return Decimal(float(value)).quantize(step, ROUND_HALF_UP)


@pytest.fixture
def toy():
    return run("toy")


def test_vocabulary_prompt_and_tokens(toy):
    assert list(toy.vocabulary.tokens) == PAGE["vocabulary"]
    assert toy.prompt == PAGE["prompt"]["text"]
    assert toy.vocabulary.strings(toy.tokens) == PAGE["prompt"]["tokens"]
    assert list(toy.tokens) == PAGE["prompt"]["ids"]


def test_output_matrix(toy):
    assert toy.model.parameters.W_U.tolist() == [[float(n) for n in row] for row in PAGE["W_U"]]


def test_final_norm(toy):
    norm, y = PAGE["final_norm"], toy.trace["y"][4]
    assert [rounded(value) for value in y] == norm["y_5"]
    assert rounded(y.sum()) == norm["sum"]
    assert rounded(toy.trace["y_mean"][4]) == norm["mean"]
    assert rounded(toy.trace["y_deviation"][4]) == norm["std"]
    assert [rounded(value) for value in toy.trace["f"][4]] == norm["f_5"]


def test_worked_logit(toy):
    """The terms are products of the printed digits; the logit is the tensor's."""
    worked = PAGE["logit_worked"]
    v = toy.vocabulary.tokens.index(worked["token"])
    column = [Decimal(n) for n in toy.model.parameters.W_U[:, v].tolist()]
    assert column == worked["column"]
    printed = [rounded(value) for value in toy.trace["f"][4]]
    terms = [
        (f * w).quantize(THREE, ROUND_HALF_UP) for f, w in zip(printed, column, strict=True) if w
    ]
    assert terms == worked["terms"]
    assert sum(terms) == worked["z"] == rounded(toy.trace["z"][4, v])


def test_softmax_table(toy):
    p = toy.trace["p"][4]
    order = p.argsort(descending=True).tolist()
    assert [toy.vocabulary.tokens[v] for v in order] == [row[0] for row in PAGE["softmax_table"]]
    for v, (_, *figures) in zip(order, PAGE["softmax_table"], strict=True):
        assert [rounded(toy.trace[name][4, v]) for name in ("z", "exp_z", "p")] == figures
    assert rounded(toy.trace["exp_z"][4].sum()) == PAGE["softmax_sum"]
    assert rounded(p[6:10].sum(), Decimal("0.01")) == PAGE["four_places_share"]


def test_every_position(toy):
    words, p = toy.vocabulary.tokens, toy.trace["p"]
    for position, read, likeliest, share, loss, target in PAGE["every_position_predicts"]:
        t = int(position) - 1
        assert words[toy.tokens[t]] == read
        assert words[p[t].argmax()] == likeliest
        assert rounded(p[t].max()) == share
        assert rounded(toy.trace["loss"][t]) == loss
        assert words[toy.targets[t]] == target


def test_mean_and_uniform_loss(toy):
    assert rounded(toy.trace["loss"].mean()) == PAGE["mean_loss_nats"]
    assert rounded(torch.tensor(12.0, dtype=torch.float64).log()) == PAGE["uniform_loss_nats"]


def test_attention_off():
    off = run("toy.attention_off")
    last = dict(zip(off.vocabulary.tokens, off.trace["p"][4], strict=True))
    for token, share in PAGE["attention_off_last_row"].items():
        assert rounded(last[token]) == share
    assert max(last, key=last.get) == "␣gato"


def test_tied_output_falls_on_no_itself():
    tied = run("toy.tied")
    assert tied.vocabulary.tokens[tied.trace["p"][4].argmax()] == "␣no"


def test_the_weights_story_of_the_other_animal(toy):
    ids = toy.vocabulary.encode("o cão subiu no")
    last = dict(zip(toy.vocabulary.tokens, forward(torch.tensor(ids), toy.model)[4], strict=True))
    shown = {token: str(rounded(last[token])) for token in ("␣telhado", "␣muro", "␣chão")}
    assert shown == {"␣telhado": "0.345", "␣muro": "0.155", "␣chão": "0.107"}


def test_facts_of_larger_models():
    small = PAGE["facts"]["GPT-2 small"]
    counts = counted()
    assert counts["gpt2_small.blocks"] == small["blocks"]
    assert counts["gpt2_small.width"] == small["d"]
    assert counts["gpt2_small.vocabulary"] == small["vocabulary"]
    assert round(counts["gpt2_small.unembedding"] / 1e6, 1) == 38.6
    assert {k: LLAMA_3_8B[k] for k in ("blocks", "width")} == {"blocks": 32, "width": 4096}
