"""The laboratory's figures against the Hugging Face implementation and plain PyTorch; its file and its errors."""

import hashlib
import json
from dataclasses import replace
from math import exp

import pytest
import torch
from conftest import ROOT
from transformers import GPT2LMHeadModel

from toymodel import byte_level, checkpoint, gpt2, lab
from toymodel.config import GPT2_SMALL, GPTConfig
from toymodel.gpt2_vocabulary import ENCODER
from toymodel.weights import random_model
from worked.measured import load_results

CONFIG = GPTConfig(
    vocabulary_size=GPT2_SMALL.vocabulary_size, context_length=64, width=24, heads=3, blocks=3, mlp_width=40,
    tied_output=True, biases=True, norm_gains=True, shift_logits=True,
)  # fmt: skip
VOCABULARY = byte_level.load(ENCODER.parent, CONFIG.vocabulary_size, CONFIG.context_length)
BLOCKS = range(1, CONFIG.blocks + 1)
CLOSE = {"rtol": 0, "atol": 1e-10}

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("checkpoint")
    checkpoint.save(random_model(CONFIG, seed=4, dtype=torch.float32), made)
    return made


@pytest.fixture(scope="module")
def written(folder, tmp_path_factory):
    """The command's file."""
    file = tmp_path_factory.mktemp("results") / "trial.json"
    threads = torch.get_num_threads()
    assert gpt2.main(["lab", "--weights", str(folder), "--out", str(file)]) == 0
    torch.set_num_threads(threads)
    return file


@pytest.fixture(scope="module")
def content(written):
    return json.loads(written.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def theirs(folder):
    return GPT2LMHeadModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float64).eval()


def figure(content, name, **where):
    """A figure's values at some labels of its axes, in a tensor where they are numbers."""
    entry = content["figures"][name]
    axes, values = list(entry["axes"]), entry["values"]
    while axes:
        axis = axes.pop(0)
        if axis not in where:
            assert not set(where) & set(axes), "free axes come last"
            break
        values = values[content["labels"][axis].index(where[axis])]
    return values


def numbers(values):
    return torch.tensor(values, dtype=torch.float64)


def ids_of(prompt):
    return torch.tensor(VOCABULARY.tokenizer.encode(lab.PROMPTS[prompt]).ids)


def answers(theirs, ids, off=()):
    """Their logits (t, v) with zeros for what attention adds in some blocks, by a hook on their modules."""
    hooks = [
        theirs.transformer.h[block - 1].attn.register_forward_hook(
            lambda module, given, output: (torch.zeros_like(output[0]), *output[1:])
        )
        for block in off
    ]
    with torch.no_grad():
        z = theirs(ids[None]).logits[0]
    for hook in hooks:
        hook.remove()
    return z


@pytest.mark.parametrize("prompt", lab.PROMPTS)
def test_norms_and_attention_of_every_layer(content, theirs, prompt):
    ids = ids_of(prompt)
    n = len(ids)
    assert figure(content, "length", prompt=prompt) == n
    assert figure(content, "id", prompt=prompt)[:n] == ids.tolist()
    streams, kept = [], []
    for number, block in enumerate(theirs.transformer.h):
        kept.append(block.register_forward_hook(
            lambda module, given, output: streams.append(output[0] if isinstance(output, tuple) else output)
        ))  # fmt: skip
        if not number:
            kept.append(block.register_forward_pre_hook(lambda module, given: streams.append(given[0])))
    with torch.no_grad():
        maps = theirs(ids[None], output_attentions=True).attentions
    for hook in kept:
        hook.remove()
    assert len(streams) == CONFIG.blocks + 1
    for layer, stream in enumerate(streams):
        lengths = stream.reshape(n, CONFIG.width).square().sum(-1).sqrt()
        torch.testing.assert_close(numbers(figure(content, "norm", prompt=prompt, layer=layer)[:n]), lengths, **CLOSE)
    for block in BLOCKS:
        for head in range(1, CONFIG.heads + 1):
            rows = figure(content, "weights", prompt=prompt, block=block, head=head)
            torch.testing.assert_close(
                numbers([row[:n] for row in rows[:n]]), maps[block - 1][0, head - 1], **CLOSE
            )
            assert all(value is None for row in rows[n:] for value in row) and all(not any(row[n:]) for row in rows)


@pytest.mark.parametrize("prompt", lab.PROMPTS)
def test_what_every_layer_would_answer(content, theirs, prompt):
    """Their own final norm and output matrix, applied to every layer's last row."""
    ids = ids_of(prompt)
    with torch.no_grad():
        hidden = theirs(ids[None], output_hidden_states=True)
        last = hidden.logits[0, -1].softmax(-1)
        answer = int(last.argmax())
        layers = [stream[0, -1] for stream in hidden.hidden_states[:-1]]
        seen = [theirs.lm_head(theirs.transformer.ln_f(row)).softmax(-1) for row in layers] + [last]
    order = []
    for layer, p in enumerate(seen):
        top = p.topk(lab.LENS)
        words = figure(content, "lens_token", prompt=prompt, layer=layer)
        assert words == [VOCABULARY.readable(one) for one in top.indices.tolist()]
        torch.testing.assert_close(
            numbers(figure(content, "lens_p", prompt=prompt, layer=layer)), top.values, **CLOSE
        )
        torch.testing.assert_close(
            numbers(figure(content, "answer_p_at", prompt=prompt, layer=layer)), p[answer], **CLOSE
        )
        place = sorted(p.tolist(), reverse=True).index(float(p[answer])) + 1
        assert figure(content, "answer_rank_at", prompt=prompt, layer=layer) == place
        order.append(place)
    settled = figure(content, "decided_from", prompt=prompt)
    assert set(order[settled:]) == {1} and (settled == 0 or order[settled - 1] > 1)


@pytest.mark.parametrize("prompt", lab.PROMPTS)
def test_the_ten_likeliest(content, theirs, prompt):
    z = answers(theirs, ids_of(prompt))[-1]
    top = z.topk(lab.LIKELIEST)
    assert figure(content, "next_id", prompt=prompt) == top.indices.tolist()
    assert figure(content, "next_token", prompt=prompt) == [VOCABULARY.readable(i) for i in top.indices.tolist()]
    torch.testing.assert_close(numbers(figure(content, "next_z", prompt=prompt)), top.values, **CLOSE)
    expected = z.softmax(-1)[top.indices]
    torch.testing.assert_close(numbers(figure(content, "next_p", prompt=prompt)), expected, **CLOSE)


@pytest.mark.parametrize("prompt", lab.PROMPTS)
def test_attention_switched_off(content, theirs, prompt):
    ids = ids_of(prompt)
    p = answers(theirs, ids)[-1].softmax(-1)
    first = int(p.argmax())
    for block, off in (*((block, [block]) for block in BLOCKS), (None, BLOCKS)):
        other = answers(theirs, ids, off)[-1].softmax(-1)
        assert not torch.allclose(other, p)
        where = {"prompt": prompt, **({"block": block} if block else {})}
        end = "_without" if block else ""
        answer = {**where, **({} if block else {"attention": "off"})}
        assert figure(content, f"answer{end}", **answer) == VOCABULARY.readable(int(other.argmax()))
        torch.testing.assert_close(numbers(figure(content, f"answer_p{end}", **answer)), other[first], **CLOSE)
        apart = torch.nn.functional.kl_div(other.log(), p, reduction="sum")
        torch.testing.assert_close(numbers(figure(content, f"divergence{end}", **where)), apart, **CLOSE)
    assert figure(content, "answer", prompt=prompt, attention="on") == VOCABULARY.readable(first)
    assert figure(content, "answer_p", prompt=prompt, attention="on") == pytest.approx(float(p[first]))
    assert figure(content, "own_p", prompt=prompt, attention="off") == pytest.approx(float(other.max()))


def test_what_copying_would_answer(content, theirs):
    """What followed the last token when that stood there before: only the third prompt repeats itself."""
    for prompt in ("dialogue", "cat"):
        assert figure(content, "copy_token", prompt=prompt) is None
        assert figure(content, "copy_p", prompt=prompt) == figure(content, "copy_rank", prompt=prompt) == [None, None]
    ids = ids_of("again")
    followed = ids[max(place for place, one in enumerate(ids[:-1]) if one == ids[-1]) + 1]
    assert figure(content, "copy_token", prompt="again") == VOCABULARY.readable(int(followed))
    for way, off in (("on", ()), ("off", BLOCKS)):
        p = answers(theirs, ids, off)[-1].softmax(-1)
        assert figure(content, "copy_p", prompt="again", attention=way) == pytest.approx(float(p[followed]))
        assert figure(content, "copy_rank", prompt="again", attention=way) == 1 + int((p > p[followed]).sum())


def test_the_longer_text_in_windows(content, theirs):
    """More tokens than a context holds: each window judged by itself, no token twice, none left out."""
    ids = torch.tensor(VOCABULARY.tokenizer.encode(lab.PARAGRAPH).ids)
    assert len(ids) > 2 * CONFIG.context_length

    def losses(off):
        parts = []
        for start in range(0, len(ids) - 1, CONFIG.context_length):
            window = ids[start : start + CONFIG.context_length + 1]
            z = answers(theirs, window[:-1], off)
            parts.append(torch.nn.functional.cross_entropy(z, window[1:], reduction="none"))
        return torch.cat(parts)

    on, off = losses(()), losses(BLOCKS)
    assert content["figures"]["paragraph_tokens"]["values"] == len(on) == len(ids) - 1
    assert content["figures"]["helped"]["values"] == int((on < off).sum())
    for way, values in (("on", on), ("off", off)):
        assert figure(content, "paragraph_loss", attention=way) == pytest.approx(float(values.mean()))
        assert figure(content, "paragraph_perplexity", attention=way) == pytest.approx(exp(float(values.mean())))
    for block in BLOCKS:
        expected = float(losses([block]).mean())
        assert figure(content, "paragraph_loss_without", block=block) == pytest.approx(expected)
        assert figure(content, "paragraph_perplexity_without", block=block) == pytest.approx(exp(expected))


def test_where_heads_look_in_it(content, theirs):
    ids = torch.tensor(VOCABULARY.tokenizer.encode(lab.PARAGRAPH).ids)
    sums, rows, even = torch.zeros(CONFIG.blocks, CONFIG.heads, 3, dtype=torch.float64), 0, 0.0
    for start in range(0, len(ids) - 1, CONFIG.context_length):
        window = ids[start : start + CONFIG.context_length + 1][:-1]
        with torch.no_grad():
            maps = torch.stack(theirs(window[None], output_attentions=True).attentions)[:, 0]  # block, head, t, s
        for t in range(2, len(window)):
            for place, s in enumerate((0, t - 1, t)):
                sums[:, :, place] += maps[:, :, t, s]
            rows, even = rows + 1, even + 1 / (t + 1)
    torch.testing.assert_close(numbers(content["figures"]["share"]["values"]), sums / rows, **CLOSE)
    assert content["figures"]["even_share"]["values"] == pytest.approx(even / rows)


# --- the file ------------------------------------------------------------------------------


def test_the_file_is_a_result_with_its_weights(content, written, folder):
    [result] = load_results(written.parent).values()
    assert (result.name, result.file.made_with.dtype.name) == ("trial", "float64")
    weights = content["weights"]
    assert weights["sha256"] == hashlib.sha256((folder / checkpoint.FILE).read_bytes()).hexdigest()
    assert weights["file"] == checkpoint.FILE  # outside the working folder: no one's path
    assert content["command"] == f"python -m toymodel.gpt2 lab --weights {folder.name} --out trial.json"
    total = sum(value.numel() for value in GPT2LMHeadModel.from_pretrained(folder).parameters())
    assert weights["parameters"] == total
    assert weights["sizes"] == {
        "blocks": 3, "heads": 3, "width": 24, "mlp_width": 40, "vocabulary": 50257, "context": 64,
    }  # fmt: skip


def test_a_second_run_writes_the_same_bytes(written, folder, capsys):
    before = written.read_bytes()
    assert gpt2.main(["lab", "--weights", str(folder), "--out", str(written)]) == 0
    assert written.read_bytes() == before
    assert capsys.readouterr().out == f"{written}\n"


def test_by_default_each_kind_has_its_own_file(folder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(gpt2.fetch, "cached", lambda: folder)
    assert gpt2.main(["lab", "--weights", str(folder)]) == gpt2.main(["lab"]) == 0
    made = {file.stem: json.loads(file.read_text()) for file in (tmp_path / "trained/results").iterdir()}
    assert made.keys() == {"laboratory", "gpt2-small"}
    assert made["gpt2-small"]["command"] == "python -m toymodel.gpt2 lab"
    assert made["laboratory"]["command"] == f"python -m toymodel.gpt2 lab --weights {folder.name}"
    assert made["gpt2-small"]["figures"] == made["laboratory"]["figures"]


def test_a_run_that_breaks_off_leaves_the_last_result(written, folder, monkeypatch, capsys):
    before = written.read_bytes()

    def broken(*arguments):
        raise OSError("no space left")

    monkeypatch.setattr("toymodel.files.os.replace", broken)
    assert gpt2.main(["lab", "--weights", str(folder), "--out", str(written)]) == 2
    assert "no space left" in capsys.readouterr().err
    assert written.read_bytes() == before and [written] == list(written.parent.iterdir())


@pytest.mark.parametrize("context, message", [
    (12, "prompt too long: 12 tokens"), (2, "prompt too long"),
])
def test_models_that_are_too_small(tmp_path, capsys, context, message):
    small = replace(CONFIG, context_length=context - 1)
    checkpoint.save(random_model(small, dtype=torch.float32), tmp_path / "model")
    out = tmp_path / "result.json"
    assert gpt2.main(["lab", "--weights", str(tmp_path / "model"), "--out", str(out)]) == 2
    assert message in capsys.readouterr().err and not out.exists()


def test_weights_that_are_not_there(tmp_path, capsys):
    assert gpt2.main(["lab", "--weights", str(tmp_path), "--out", str(tmp_path / "result.json")]) == 2
    assert "no such file" in capsys.readouterr().err and not list(tmp_path.iterdir())


COMMITTED = ROOT / "trained/results/laboratory.json"


@pytest.mark.skipif(not COMMITTED.exists(), reason="the laboratory has no result yet")
def test_the_committed_result_comes_out_again():
    """From the committed weights: figure by figure, but for the last bits."""
    content = json.loads(COMMITTED.read_text(encoding="utf-8"))
    folder = (ROOT / content["weights"]["file"]).parent
    model = checkpoint.load(folder, torch.float64)
    vocabulary = byte_level.load(folder, model.config.vocabulary_size, model.config.context_length)
    with torch.inference_mode():
        found = lab.figures(model, vocabulary)
    assert found.labels == content["labels"]

    def same(one, other):
        if isinstance(one, list):
            return len(one) == len(other) and all(map(same, one, other))
        return one == (pytest.approx(other, rel=1e-6, abs=1e-9) if isinstance(other, float) else other)

    for name, entry in found.figures.items():
        assert entry["axes"] == content["figures"][name]["axes"]
        assert same(entry["values"], content["figures"][name]["values"]), name
