"""Choosing a token and writing on."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from toymodel.generate import choose, distribution, draw, generate
from toymodel.runs import ATTENTION_OFF, run
from toymodel.weights import load_toy

MODEL, VOCABULARY = load_toy()
PROMPT = [0, 2, 4, 5, 1]
TENTHS = torch.tensor([0.1, 0.4, 0.2, 0.3], dtype=torch.float64).log()
LOGITS = st.lists(st.floats(-20, 20), min_size=1, max_size=12)


def shares(*options, **named):
    return [round(p, 12) for p in distribution(TENTHS, *options, **named).tolist()]


def test_the_greedy_path():
    written = generate(MODEL, PROMPT, 5, end=VOCABULARY.end)
    steps = [(VOCABULARY.tokens[step.id], round(step.p, 3)) for step in written.steps]
    assert steps == [("␣telhado", 0.395), (".", 0.497), ("<|endoftext|>", 0.363)]
    assert written.stopped == "end of text"
    assert VOCABULARY.decode(written.ids) == "o gato subiu no telhado.<|endoftext|>"


def test_other_reasons_to_stop():
    assert generate(MODEL, PROMPT, 5).stopped == "context full"
    assert len(generate(MODEL, PROMPT, 5).ids) == 8
    assert generate(MODEL, PROMPT, 2).stopped == "steps done"
    assert generate(MODEL, PROMPT, 3).stopped == "steps done"
    assert generate(MODEL, PROMPT, 0).ids == PROMPT


def test_generation_reads_what_it_wrote_and_leaves_the_prompt_alone():
    ids = list(PROMPT)
    written = generate(MODEL, ids, 2)
    assert ids == PROMPT
    assert written.steps[1] == generate(MODEL, written.ids[:6], 1).steps[0]


def test_generation_with_edits():
    step = generate(MODEL, PROMPT, 1, edits=ATTENTION_OFF).steps[0]
    assert (VOCABULARY.tokens[step.id], round(step.p, 3)) == ("␣gato", 0.455)


def test_seeds_repeat():
    drawn = [generate(MODEL, PROMPT, 3, temperature=2, seed=seed).ids for seed in (*range(9), 0)]
    assert drawn[0] == drawn[-1]
    assert len({tuple(ids) for ids in drawn}) > 3


def test_a_tiny_temperature_is_greedy_and_overflows_nothing():
    p = distribution(torch.tensor([1.0, 3.0, 2.0], dtype=torch.float64), temperature=1e-310)
    assert p.tolist() == [0.0, 1.0, 0.0]


def test_temperature():
    assert shares() == [0.1, 0.4, 0.2, 0.3]
    # Temperature one half squares the shares: 1, 16, 4, 9 of 30.
    assert shares(0.5) == [round(n / 30, 12) for n in (1, 16, 4, 9)]
    assert shares(0) == [0, 1, 0, 0]


def test_top_k():
    assert shares(top_k=2) == [0, round(4 / 7, 12), 0, round(3 / 7, 12)]
    assert shares(top_k=1) == [0, 1, 0, 0]
    assert shares(top_k=99) == shares()


def test_top_p_keeps_the_token_that_crosses():
    assert shares(top_p=0.39) == [0, 1, 0, 0]
    assert shares(top_p=0.41) == [0, round(4 / 7, 12), 0, round(3 / 7, 12)]
    assert shares(top_p=0.69) == shares(top_k=2)
    assert shares(top_p=0.71) == shares(top_k=3)
    assert shares(top_p=1.0) == shares()
    assert shares(top_p=1e-9) == [0, 1, 0, 0]


def test_top_p_exactly_reached_adds_no_token():
    halves = torch.tensor([0.25, 0.5, 0.25]).double().log2() * torch.tensor(2.0).double().log()
    exact = distribution(halves)
    assert exact.tolist() == [0.25, 0.5, 0.25]
    assert distribution(halves, top_p=0.5).tolist() == [0, 1, 0]
    assert distribution(halves, top_p=0.75).tolist() == pytest.approx([1 / 3, 2 / 3, 0])


def test_top_p_counts_the_shares_that_top_k_left():
    # Of 4/7 and 3/7 the first alone reaches 0.5; of the full 0.4 it would not.
    assert shares(top_k=2, top_p=0.5) == [0, 1, 0, 0]


def test_ties_go_by_the_vocabularys_order():
    even = torch.zeros(4, dtype=torch.float64)
    assert choose(even) == 0
    assert distribution(even, top_k=2).tolist() == [0.5, 0.5, 0, 0]
    assert distribution(even, top_p=0.3).tolist() == [0.5, 0.5, 0, 0]
    assert distribution(even, temperature=0).tolist() == [1, 0, 0, 0]
    many = distribution(torch.zeros(5000, dtype=torch.float64), top_k=3)
    assert many.nonzero()[:, 0].tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("number", "token"), [(0.0, 0), (0.0999, 0), (0.1001, 1), (0.4999, 1), (0.5001, 2), (0.9999, 3)]
)
def test_the_random_number_walks_the_vocabulary(number, token):
    assert choose(TENTHS, random_number=number) == token


def test_choosing_without_a_random_number_is_greedy():
    assert choose(TENTHS) == choose(TENTHS, temperature=3, top_k=2) == 1


@given(LOGITS, st.floats(0, 1, exclude_max=True), st.floats(0.1, 5), st.integers(1, 13))
def test_only_what_is_kept_is_drawn(row, number, temperature, k):
    z = torch.tensor(row, dtype=torch.float64)
    p = distribution(z, temperature, top_k=k)
    assert float(p.sum()) == pytest.approx(1)
    assert p[draw(p, number)] > 0
    assert int((p > 0).sum()) <= k


@given(LOGITS, st.floats(0.01, 1))
def test_top_p_keeps_the_fewest_that_reach_it(row, top_p):
    full = distribution(torch.tensor(row, dtype=torch.float64))
    kept = full[distribution(torch.tensor(row, dtype=torch.float64), top_p=top_p) > 0]
    assert float(kept.sum()) >= top_p - 1e-12
    assert float(kept.sum() - kept.min()) < top_p + 1e-12


def test_a_whole_that_rounds_below_one_still_draws_its_last_token():
    p = torch.tensor([0.5, 0.4, 0.0])
    assert draw(p, 0.95) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": -1}, "temperature: expected a number from 0 up, got -1"),
        ({"temperature": float("nan")}, "temperature: expected a number from 0 up, got nan"),
        ({"top_k": 0}, "top_k: expected at least 1 token, got 0"),
        ({"top_p": 0}, "top_p: expected a share above 0 and up to 1, got 0"),
        ({"top_p": 1.1}, "top_p: expected a share above 0 and up to 1, got 1.1"),
        ({"random_number": 1}, "random_number: expected 0 up to, not with, 1; got 1"),
    ],
)
def test_option_errors(options, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        choose(TENTHS, **options)


def test_steps_and_length_errors():
    with pytest.raises(ValueError, match="steps: expected 0 or more, got -1"):
        generate(MODEL, PROMPT, -1)
    with pytest.raises(ValueError, match="at most 8 tokens"):
        generate(MODEL, PROMPT * 2, 1)


def test_probabilities_of_a_run_are_the_distribution():
    trace = run("toy").trace
    torch.testing.assert_close(distribution(trace["z"][4]), trace["p"][4], rtol=0, atol=1e-15)
