"""The figures that the page "Output" must show, to the digit, in every language."""

import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from built_page import Element, decimal, text_of

WANTED = json.loads(Path(__file__).with_name("output-page.json").read_text(encoding="utf-8"), parse_float=Decimal)
PROMPT = WANTED["prompt"]["tokens"]
LAST = len(PROMPT)
TARGET = WANTED["logit_worked"]["token"]


@pytest.fixture
def prints(output_page):
    """Whether the page, or a part of it, prints a number with these decimals for an address."""

    def check(address, number, places=3, within=None):
        expected = decimal(Fraction(number), places, output_page.language)
        assert expected in output_page.texts(address, within), (address, output_page.texts(address, within))

    return check


def rows_of(figure):
    """Each row of a table: the tokens and the numbers' addresses and texts, from left to right."""
    for row in figure.iter("tr"):
        tokens = [text_of(node) for node in row.iter("code")]
        numbers = [Element(node) for node in row.iterfind(".//td//data") if node.get("data-ref")]
        if numbers:
            yield tokens, numbers


def test_the_prompts_tokens_open_the_page(output_page):
    reading = next(node for node in output_page.article.iter("p") if list(node.iter("code")))
    assert [text_of(node) for node in reading.iter("code")][: len(PROMPT)] == PROMPT


def test_output_matrix(output_page, prints):
    [figure] = [
        node for node in output_page.figures("matrix") if output_page.texts("toy/W_U[d=1,v=o]", node)
    ]
    head = next(figure.iter("tr"))
    assert [text_of(node) for node in head.iter("code")] == WANTED["vocabulary"]
    rows = [numbers for _, numbers in rows_of(figure)]
    assert len(rows) == len(WANTED["W_U"])
    for d, (row, expected) in enumerate(zip(rows, WANTED["W_U"]), start=1):
        assert [number.address for number in row] == [f"toy/W_U[d={d},v={token}]" for token in WANTED["vocabulary"]]
        assert [number.text for number in row] == [as_written(n, output_page.language) for n in expected]


def as_written(number, language):
    return decimal(Fraction(number), None, language)


def test_final_norm(prints):
    norm = WANTED["final_norm"]
    for d, (y, f) in enumerate(zip(norm["y_5"], norm["f_5"]), start=1):
        prints(f"toy/y[t={LAST},d={d}]", y)
        prints(f"toy/f[t={LAST},d={d}]", f)
    prints(f"sum(toy/y[t={LAST}])", norm["sum"])
    prints(f"toy/y_mean[t={LAST}]", norm["mean"])
    prints(f"toy/y_deviation[t={LAST}]", norm["std"])


def test_the_logit_digit_by_digit(output_page, prints):
    logit = WANTED["logit_worked"]
    terms = []
    for d, weight in enumerate(logit["column"], start=1):
        f, column = f"toy/f[t={LAST},d={d}]", f"toy/W_U[d={d},v={TARGET}]"
        assert as_written(weight, output_page.language) in output_page.texts(column)
        [term] = output_page.texts(f"mul(shown({f},3),{column})")
        terms.append(term)
    assert [t for t in terms if t != "0"] == [decimal(Fraction(t), 3, output_page.language) for t in logit["terms"]]
    prints(f"toy/z[t={LAST},v={TARGET}]", logit["z"])


def test_softmax_table(output_page, prints):
    [figure] = output_page.figures("softmax")
    *rows, (_, sums) = rows_of(figure)
    assert [tokens[0] for tokens, _ in rows] == [row[0] for row in WANTED["softmax_table"]]
    for (_, numbers), (token, *expected) in zip(rows, WANTED["softmax_table"]):
        assert [number.address for number in numbers] == [
            f"toy/{name}[t={LAST},v={token}]" for name in ("z", "exp_z", "p")
        ]
        texts = [decimal(Fraction(number), 3, output_page.language) for number in expected]
        assert [number.text for number in numbers] == texts
    assert [number.address for number in sums] == [f"sum(toy/exp_z[t={LAST}])", f"sum(toy/p[t={LAST}])"]
    assert [number.text for number in sums] == [
        decimal(Fraction(number), 3, output_page.language) for number in (WANTED["softmax_sum"], 1)
    ]


def test_the_four_places_share(prints):
    places = "+".join(row[0] for row in WANTED["softmax_table"][:4])
    prints(f"sum(toy/p[t={LAST},v={places}])", WANTED["four_places_share"], places=2)


def test_every_position_predicts(output_page):
    [figure] = output_page.figures("predictions")
    *rows, (_, mean) = rows_of(figure)
    assert len(rows) == len(WANTED["every_position_predicts"])
    for (tokens, numbers), (t, read, choice, share, loss, target) in zip(rows, WANTED["every_position_predicts"]):
        assert tokens == [read, target, choice]
        assert [number.address for number in numbers] == [f"toy/p[t={t},v={target}]", f"toy/loss[t={t}]"]
        texts = [decimal(Fraction(number), 3, output_page.language) for number in (share, loss)]
        assert [number.text for number in numbers] == texts
    assert [number.text for number in mean] == [decimal(Fraction(WANTED["mean_loss_nats"]), 3, output_page.language)]


def test_mean_and_uniform_loss(prints):
    prints("mean(toy/loss)", WANTED["mean_loss_nats"])
    prints("ln(counted/toy.vocabulary)", WANTED["uniform_loss_nats"])


def test_what_attention_bought(output_page, prints):
    [picture] = output_page.figures("paired bars")
    for token, share in WANTED["attention_off_last_row"].items():
        prints(f"toy.attention_off/p[t={LAST},v={token}]", share, within=picture)
    wanted = dict((row[0], row[3]) for row in WANTED["softmax_table"])
    for token in WANTED["attention_off_last_row"]:
        prints(f"toy/p[t={LAST},v={token}]", wanted[token], within=picture)


def test_tied_weights_repeat_the_last_token(output_page):
    assert output_page.texts(f"argmax(toy.tied/p[t={LAST}])") == {PROMPT[-1]}
    assert f"argmax(toy.tied/p[t={LAST}]) = '{PROMPT[-1]}'" in output_page.claims


def test_facts_about_other_models(prints):
    gpt2, llama = WANTED["facts"]["GPT-2 small"], WANTED["facts"]["Llama 3 8B"]
    for model, facts in (("gpt2_small", gpt2), ("llama_3_8b", llama)):
        prints(f"counted/{model}.blocks", facts["blocks"], places=0)
        prints(f"counted/{model}.width", facts["d"], places=0)
    prints("counted/gpt2_small.vocabulary", gpt2["vocabulary"], places=0)


def test_gpt2s_unembedding_in_millions(output_page):
    assert "38.6 million numbers" in WANTED["facts"]["GPT-2 small"]["unembedding"]
    words = {"pt": "38,6 milhões", "en": "38.6 million", "ru": "38,6 миллиона", "es": "38,6 millones"}
    assert words[output_page.language] in output_page.texts("counted/gpt2_small.unembedding")
