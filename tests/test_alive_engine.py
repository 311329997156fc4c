"""The toy in the browser computes what PyTorch computes: prompts, weights and switches, value by value."""

import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest
import torch
from browsing import needs_browser

from toymodel.generate import distribution, draw
from toymodel.model import Model, forward
from toymodel.names import find
from toymodel.parameters import named
from toymodel.runs import ATTENTION_OFF, CONTINUATION, NO_MASK, NO_SCALING, POSITIONS_OFF, PROMPT, head_only
from toymodel.tokens import PromptError
from toymodel.trace import Trace
from toymodel.weights import assemble, load_toy

pytestmark = needs_browser
MODEL, VOCABULARY = load_toy()
WEIGHTS = named(MODEL.parameters)
CASES = 200
CLOSE = 1e-12

# What each switch of the page means, in the recorder's own edits. Tied output is another configuration.
SWITCHES = {
    "no_attention": ATTENTION_OFF,
    "head_1_off": head_only(2),
    "head_2_off": head_only(1),
    "no_mask": NO_MASK,
    "no_scaling": NO_SCALING,
    "no_positions": POSITIONS_OFF,
    "no_residual": {"h": lambda h, trace: trace["att"], "y": lambda y, trace: trace["m"]},
    "no_mlp": {"m": lambda m, trace: torch.zeros_like(m)},
    "no_norm": {"a": lambda a, trace: trace["x"], "g": lambda g, trace: trace["h"], "f": lambda f, trace: trace["y"]},
    "tied_output": {},
}

RUN = """async (cases) => {
  const from = (file) => import(`/assets/js/toy/${file}.js`);
  const [{ toyOf, run }, { distribution, draw }] = await Promise.all(["state", "generate"].map(from));
  const { default: data } = await from("data");
  const toy = toyOf(data);
  const written = (key, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);
  return cases.map((one) => {
    const state = { ...toy.initial(), prompt: one.prompt, switches: new Set(one.switches) };
    for (const [name, place, value] of one.weights) state.weights.get(name).set(place, value);
    const trace = run(state, toy);
    const p = distribution(trace.get("z").at(-1), one.sampling);
    return JSON.stringify({ trace: Object.fromEntries(trace), p, drawn: draw(p, one.sampling.random) }, written);
  });
}"""


def cases() -> list[dict]:
    """The default prompt, each switch by itself, then random prompts, weights and switches."""
    chance = random.Random(4)
    plain = {"temperature": 1, "top_k": 12, "top_p": 1, "random": None}
    running = VOCABULARY.encode(PROMPT)
    made = [{"prompt": running, "switches": list(on), "weights": [], "sampling": plain}
            for on in [(), *((name,) for name in SWITCHES)]]
    for _ in range(CASES):
        weights = []
        for _ in range(chance.randrange(7)):
            name = chance.choice(list(WEIGHTS))
            weights.append((name, chance.randrange(WEIGHTS[name].numel()), round(chance.uniform(-5, 5), 4)))
        made.append({
            "prompt": [chance.randrange(12) for _ in range(chance.randint(1, 8))],
            "switches": [name for name in SWITCHES if chance.random() < 0.15],
            "weights": weights,
            "sampling": {
                "temperature": chance.choice([0, 0.01, round(chance.uniform(0.1, 3), 4)]),
                "top_k": chance.randint(1, 12), "top_p": chance.choice([1, round(chance.uniform(0.05, 1), 4)]),
                "random": chance.choice([None, round(chance.random(), 4)]),
            },
        })
    return made


def combined(names: list[str]) -> dict:
    """The edits of several switches, one after the other where they meet."""
    edits: dict = {}
    for name in names:
        for tensor, edit in SWITCHES[name].items():
            before = edits.get(tensor)
            edits[tensor] = edit if before is None else (
                lambda value, trace, first=before, second=edit: second(first(value, trace), trace)
            )
    return edits


def computed(case: dict) -> dict[str, np.ndarray]:
    """PyTorch's trace of a case, with the weights that it ran on."""
    weights = {name: tensor.clone() for name, tensor in WEIGHTS.items()}
    for name, place, value in case["weights"]:
        weights[name].view(-1)[place] = value
    tied = "tied_output" in case["switches"]
    given = {name: tensor for name, tensor in weights.items() if not (tied and name == "W_U")}
    model = Model(replace(MODEL.config, tied_output=tied), assemble([given]))
    tokens, trace = case["prompt"], Trace(combined(sorted(case["switches"], key=list(SWITCHES).index)))
    known = tokens == VOCABULARY.encode(PROMPT)
    targets = [*tokens[1:], VOCABULARY.tokens.index(CONTINUATION) if known else 0]
    forward(torch.tensor(tokens), model, trace, torch.tensor(targets))
    values = {name: tensor.numpy() for name, tensor in weights.items()}
    values |= {name: trace[name].numpy() for name in trace.names()}
    values["loss"] = values["loss"][: None if known else -1]  # what follows the last token is not known
    return values


@pytest.fixture(scope="module")
def answers(browser, address):
    page = browser.new_page()
    page.goto(f"{address}/en/tokens.html", wait_until="networkidle")
    given = cases()
    answered = [json.loads(text) for text in page.evaluate(RUN, given)]
    page.close()
    return list(zip(given, answered, strict=True))


def test_every_recorded_value_is_pytorchs(answers):
    assert len(answers) >= CASES + 1
    for case, answer in answers:
        expected = computed(case)
        assert list(answer["trace"]) == list(expected)
        for name, value in expected.items():
            got = np.array(answer["trace"][name], dtype=float)
            assert got.shape == value.shape, (case, name)
            assert len(find(name).axes) == got.ndim or got.size == 0
            finite = np.isfinite(value)
            assert np.array_equal(got[~finite], value[~finite], equal_nan=True), (case, name)
            distance = np.abs(got[finite] - value[finite]) / np.maximum(1, np.abs(value[finite]))
            assert distance.size == 0 or distance.max() <= CLOSE, (case, name, distance.max())


def test_the_cases_are_worth_comparing(answers):
    """Every switch changes the running example; all weights and all lengths take part."""
    plain = np.array(answers[0][1]["trace"]["p"])
    for case, answer in answers[1 : len(SWITCHES) + 1]:
        assert np.abs(np.array(answer["trace"]["p"]) - plain).max() > 0.001, case["switches"]
    assert {name for case, _ in answers for name, _, _ in case["weights"]} == set(WEIGHTS)
    assert {len(case["prompt"]) for case, _ in answers} == set(range(1, 9))


def test_tokens_are_chosen_as_pytorch_chooses_them(answers):
    for case, answer in answers:
        z = torch.tensor(answer["trace"]["z"][-1], dtype=torch.float64)
        how = case["sampling"]
        p = distribution(z, how["temperature"], how["top_k"], how["top_p"])
        assert all(math.isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE) for a, b in zip(answer["p"], p.tolist())), case
        assert answer["drawn"] == draw(p, how["random"]), case


TEXTS = [
    PROMPT, "o gato", " o gato", "␣gato", "o cão subiu no telhado.", "subiu", "no<|endoftext|>", "ca\u0303o", "",
    "   ", "o gato dormiu no", "xyz", "o gato o", "o o o o o o o o o", "Gato", "o\tgato", ".", "<|endoftext|>",
]
CUT = """async (texts) => {
  const { vocabulary } = await import("/assets/js/toy/vocabulary.js");
  const { default: data } = await import("/assets/js/toy/data.js");
  return texts.map(vocabulary(data.vocabulary, data.merges, data.parameters.P.length).encode);
}"""
REASONS = {"empty": "empty prompt", "unknown": "no token for", "long": "prompt too long"}


def test_texts_are_cut_as_the_vocabulary_cuts_them(browser, address):
    page = browser.new_page()
    page.goto(f"{address}/en/tokens.html", wait_until="networkidle")
    for text, got in zip(TEXTS, page.evaluate(CUT, TEXTS), strict=True):
        try:
            assert got == {"ids": VOCABULARY.encode(text)}
        except PromptError as error:
            assert REASONS[got["why"]] in str(error), text
    page.close()
