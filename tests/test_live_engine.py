"""The laboratory's model in the browser computes what PyTorch computes: tokens, every block, ablations, writing on."""

import random
import sys
import unicodedata

import numpy as np
import pytest
import torch
from browsing import needs_browser
from live import SMALL, load, make_checkpoint, publish, serve

from toymodel.generate import generate, write
from toymodel.model import forward
from toymodel.trace import Trace

pytestmark = needs_browser
CLOSE = 1e-4
ROUNDING = 1e-9  # the browser computes in float64: nearer than what is asked by far
PROMPTS = ["The cat climbed onto the", "K", "ROMEO:\nO, she doth teach the torches", "Что это 🐈 — ¿qué?\t42 o'clock"]
OFF = [
    [], *([{"block": block}] for block in (1, 2, 3, 4)), [{"block": block} for block in (1, 2, 3, 4)],
    [{"block": 2, "head": 3}], [{"block": 1, "head": 1}, {"block": 1, "head": 4}, {"block": 3}],
]  # fmt: skip
OPEN = """
  const from = (file) => import(`/assets/js/gpt/${file}.js`);
  const [{ modelOf }, { tensors }, { tokenizer }, { run, written }] =
    await Promise.all(["checkpoint", "safetensors", "tokenizer", "engine"].map(from));
  const at = (file) => fetch(`/assets/models/${name}/${file}`);
  const model = modelOf(await (await at("config.json")).json(),
    tensors(await (await at("model.safetensors")).arrayBuffer()));
  const words = tokenizer(await (await at("tokenizer.json")).json(), model.config.vocabulary_size);
"""
RUN = f"async ({{ name, ids, off }}) => {{ {OPEN} return ids.map((one) => off.map((some) => run(model, one, some))); }}"
WRITE = f"""async ({{ name, ids, off, how, steps }}) => {{ {OPEN}
  return written(model, ids, off, how).take(steps).toArray(); }}"""
REPEAT = f"""async ({{ name, ids, steps }}) => {{ {OPEN}
  const all = [...ids];
  for (let step = 0; step < steps; step += 1) {{
    const z = run(model, all).z.at(-1);
    all.push(z.indexOf(Math.max(...z)));
  }}
  return all.slice(ids.length); }}"""
CUT = f"""async ({{ name, texts }}) => {{ {OPEN}
  return texts.map((text) => {{
    const ids = words.encode(text), read = words.decoder();
    return {{ ids, back: ids.map(read).join("") }};
  }}); }}"""
READABLE = f"async ({{ name, ids }}) => {{ {OPEN} return ids.map(words.readable); }}"


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Checkpoints by name: a seeded random one of the laboratory's shapes, and the trained one where it is."""
    folder = tmp_path_factory.mktemp("random")
    make_checkpoint(folder, seed=6)
    return {"random": folder} | ({"small": SMALL} if SMALL.is_dir() else {})


@pytest.fixture(scope="module")
def tab(models, browser, tmp_path_factory):
    target = tmp_path_factory.mktemp("published")
    publish(target, models)
    server = serve(target)
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{server.server_port}/en-absent-default.html")
    yield page
    page.close()
    server.shutdown()


def edits(off: list[dict]) -> dict:
    """The recorder's edits for what is switched off. An edit is not told its block: it counts how often it is asked."""
    counts = {"att": 0, "head_outputs": 0}

    def edit(name):
        def edited(value, trace):
            counts[name] += 1
            value = value.clone()
            for one in off:
                if one["block"] == counts[name] and name == "att" and "head" not in one:
                    value = torch.zeros_like(value)
                if one["block"] == counts[name] and name == "head_outputs" and "head" in one:
                    value[one["head"] - 1] = 0
            return value

        return edited

    return {name: edit(name) for name in counts}


def lens(y: torch.Tensor, model) -> torch.Tensor:
    """The final norm, then the table of embeddings, written out."""
    w = model.parameters
    centred = y - y.mean(-1, keepdim=True)
    normed = centred / (centred.square().mean(-1, keepdim=True) + model.config.epsilon).sqrt()
    return (normed * w.gain_f + w.bias_f) @ w.E.T


def test_the_small_model_is_there_or_this_says_so(models):
    if "small" not in models:
        pytest.skip(f"THE TRAINED MODEL WAS NOT COMPARED: {SMALL} is not there")


def test_every_block_is_pytorchs_with_each_ablation(models, tab):
    for name, folder in models.items():
        model, tokenizer = load(folder)
        ids = [tokenizer.encode(prompt).ids for prompt in PROMPTS]
        answers = tab.evaluate(RUN, {"name": name, "ids": ids, "off": OFF})
        for one, runs in zip(ids, answers, strict=True):
            for off, answer in zip(OFF, runs, strict=True):
                trace = Trace(edits(off))
                forward(torch.tensor(one), model, trace)
                expected = {
                    "z": trace["z"], "weights": trace.whole("weights"), "y": trace.whole("y"),
                    "lens": torch.stack([lens(trace["y", block][-1], model) for block in (1, 2, 3, 4)]),
                }
                for what, value in expected.items():
                    got = np.array(answer[what])
                    assert got.shape == tuple(value.shape), (name, off, what)
                    assert np.abs(got - value.numpy()).max() < ROUNDING < CLOSE, (name, off, what)


def test_switching_attention_off_matters(models, tab):
    """Each ablation changes the random model's logits; one of the last head's changes no earlier block."""
    _, tokenizer = load(models["random"])
    ids = [tokenizer.encode(PROMPTS[0]).ids]
    whole, *others = tab.evaluate(RUN, {"name": "random", "ids": ids, "off": OFF})[0]
    for off, other in zip(OFF[1:], others, strict=True):
        assert np.abs(np.array(whole["z"]) - np.array(other["z"])).max() > 0.01, off
        first = min(one["block"] for one in off)
        assert whole["y"][: first - 1] == other["y"][: first - 1]


@pytest.mark.parametrize("off", [[], [{"block": 2}], [{"block": 1, "head": 2}]])
def test_writing_on_is_pytorchs(models, tab, off):
    """The likeliest each time, and drawn: the same seed, the same tokens, with the same shares."""
    for name, folder in models.items():
        model, tokenizer = load(folder)
        ids = tokenizer.encode(PROMPTS[2]).ids
        for how in ({"temperature": 1, "top_k": 1024, "seed": None}, {"temperature": 0.8, "top_k": 20, "seed": 7},
                    {"temperature": 1.3, "top_k": 1024, "seed": 123456}):
            steps = 20
            got = tab.evaluate(WRITE, {"name": name, "ids": ids, "off": off, "how": how, "steps": steps})
            sequence, expected = list(ids), []
            if off:  # the recorder's edits count their calls, so each step gets fresh ones
                if how["seed"] is not None:
                    continue
                for _ in range(steps):
                    trace = Trace(edits(off))
                    p = forward(torch.tensor(sequence), model, trace)[-1]
                    expected.append((int(p.argmax()), float(p.max())))
                    sequence.append(expected[-1][0])
            else:
                expected = [(step.id, step.p) for step in write(model, ids, steps, **how)]
            assert [step["id"] for step in got] == [token for token, _ in expected], (name, how)
            assert np.allclose([step["p"] for step in got], [p for _, p in expected], atol=ROUNDING), (name, how)


def test_with_the_cache_and_without_the_same_is_written_to_the_end(models, tab):
    """Until the context is full; without the cache for a while."""
    for name, folder in models.items():
        model, tokenizer = load(folder)
        ids = tokenizer.encode(PROMPTS[0]).ids
        how = {"temperature": 1, "top_k": 1024, "seed": None}
        cached = tab.evaluate(WRITE, {"name": name, "ids": ids, "off": [], "how": how, "steps": 1000})
        whole = generate(model, ids, 1000)
        assert [*ids, *(step["id"] for step in cached)] == whole.ids
        assert len(whole.ids) == model.config.context_length
        repeated = tab.evaluate(REPEAT, {"name": name, "ids": ids, "steps": 12})
        assert repeated == [step["id"] for step in cached][:12]


def texts() -> list[str]:
    """Random texts of all kinds of characters, with many borders between letters, digits, signs and white space."""
    chance = random.Random(9)
    white = [*" \t\n\r\x0b\x0c\x1c\x1f\x85\xa0\u1680\u2003\u2028\u202f\u205f\u3000\ufeff\u200b"]
    common = [*".,;:!?-—«»", *"etaoin shrdlu", *"ETAOIN", "'s", "'t", "'re", "'LL", "'d", "'", "’"]
    common += [*"0123½²", *"абвгд оеи "]
    known = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) not in ("Cs", "Cn")]
    kinds = [lambda: chance.choice(common), lambda: chance.choice(white), lambda: chance.choice(known)]
    plain = [*PROMPTS, "", " ", "  two", "e\u0301", "\ufeffx", "👩‍👩‍👧‍👦 नमस्ते", "a" * 300, "\x00\x7f", "it's we'll I'M"]
    return plain + [
        "".join(chance.choices(kinds, weights)[0]() for _ in range(chance.randrange(1, 60)))
        for weights in ([6, 1, 1], [3, 3, 1], [1, 1, 3], [1, 0, 0]) for _ in range(500)
    ]


def test_any_text_is_cut_as_the_library_cuts_it(models, tab):
    given = texts()
    for name, folder in models.items():
        _, tokenizer = load(folder)
        for text, got in zip(given, tab.evaluate(CUT, {"name": name, "texts": given}), strict=True):
            assert got["ids"] == tokenizer.encode(text).ids, (name, text)
            assert got["back"] == text, (name, text)


def test_tokens_are_shown_so_that_they_can_be_told_apart(models, tab):
    _, tokenizer = load(models["random"])
    readable = tab.evaluate(READABLE, {"name": "random", "ids": list(range(1024))})
    shown = {symbol: readable[tokenizer.token_to_id(symbol)] for symbol in "ĠĊĀÐaâ"}
    assert shown == {"Ġ": "␣", "Ċ": "↵", "Ā": "<00>", "Ð": "<d0>", "a": "a", "â": "<e2>"}
    assert readable[tokenizer.encode("о").ids[0]] == "о"  # two bytes that make a letter
    alike = [sign for sign in readable if readable.count(sign) > 1]
    assert all("␣" in sign for sign in alike), alike  # the text that this vocabulary comes from holds that very sign


BROKEN = """async ({ name }) => {
  const from = (file) => import(`/assets/js/gpt/${file}.js`);
  const [{ modelOf }, { tensors, Damaged }, { tokenizer }] =
    await Promise.all(["checkpoint", "safetensors", "tokenizer"].map(from));
  const at = (file) => fetch(`/assets/models/${name}/${file}`);
  const file = await (await at("model.safetensors")).arrayBuffer();
  const settings = await (await at("config.json")).json();
  const words = await (await at("tokenizer.json")).json();
  const infinite = file.slice(0);
  new DataView(infinite).setUint16(file.byteLength - 2, 0x7c00, true);
  const other = (name) => name.replace("h.1.mlp.c_fc.bias", "x");
  const renamed = () => new Map([...tensors(file)].map(([name, value]) => [other(name), value]));
  const extra = () => new Map([...tensors(file), ["h.9.ln_1.bias", { shape: [1], values: new Float32Array(1) }]]);
  const tries = {
    cut: () => tensors(file.slice(0, -100)), empty: () => tensors(new ArrayBuffer(4)),
    text: () => tensors(new TextEncoder().encode("version https://git-lfs").buffer), infinite: () => tensors(infinite),
    missing: () => modelOf(settings, renamed()), extra: () => modelOf(settings, extra()),
    heads: () => modelOf({ ...settings, n_head: 5 }, tensors(file)),
    width: () => modelOf({ ...settings, n_embd: 384 }, tensors(file)),
    activation: () => modelOf({ ...settings, activation_function: "relu" }, tensors(file)),
    size: () => tokenizer(words, 1000), unigram: () => tokenizer({ ...words, model: { type: "Unigram" } }, 1024),
  };
  return Object.fromEntries(Object.entries(tries).map(([name, attempt]) => {
    try { attempt(); return [name, "accepted"]; }
    catch (error) { return [name, error instanceof Damaged ? error.message : `not foreseen: ${error}`]; }
  }));
}"""
SAID = {
    "cut": "expected", "empty": "4 bytes", "text": "header", "infinite": "no finite number",
    "missing": "h.1.mlp.c_fc.bias is missing", "extra": "unknown tensor h.9.ln_1.bias", "heads": "5 heads",
    "width": "expected the shape 1024 × 384, got 1024 × 192", "activation": "GPT-2 has gelu_new",
    "size": "1000 tokens", "unigram": "expected BPE",
}  # fmt: skip


def test_files_that_do_not_fit_are_refused_with_a_reason(models, tab):
    said = tab.evaluate(BROKEN, {"name": "random"})
    assert set(said) == set(SAID)
    for name, text in SAID.items():
        assert text in said[name] and "not foreseen" not in said[name], (name, said[name])
