"""The laboratory's page without results and with some: of a small random model, and of a training that never was."""

import hashlib
import json
import re

import measured_values
import pytest
import torch
from built_page import Element, Page, text_of, written
from conftest import LANGUAGES, ROOT
from evaluate import evaluate, holds

from toymodel import byte_level, checkpoint, lab_result
from toymodel.config import GPT2_SMALL, GPTConfig
from toymodel.gpt2_vocabulary import ENCODER
from toymodel.weights import random_model
from worked.address import Run
from worked.errors import AuthorError
from worked.figures.maps import attention_map
from worked.measured import check_weights, load_results

RESULTS = "trained/results"
NAMES = ["laboratory", "small_model", "gpt2-small"]
CONFIG = GPTConfig(
    vocabulary_size=GPT2_SMALL.vocabulary_size, context_length=128, width=12, heads=2, blocks=2, mlp_width=16,
    tied_output=True, biases=True, norm_gains=True, shift_logits=True,
)  # fmt: skip
FIGURES = [
    "card", "lab-tokens", "lab-norms", "lab-maps", "lab-looks", "lab-lens", "lab-ten", "lab-losses", "lab-switched",
    "lab-answers",
]  # fmt: skip


@pytest.fixture(scope="module")
def looked_into(tmp_path_factory):
    """What the command writes of a random model."""
    folder = tmp_path_factory.mktemp("model")
    checkpoint.save(random_model(CONFIG, seed=1, dtype=torch.float32, deviation=0.4), folder)
    vocabulary = byte_level.load(ENCODER.parent, CONFIG.vocabulary_size, CONFIG.context_length)
    with torch.inference_mode():
        model = checkpoint.load(folder, torch.float64)
        return lab_result.result("laboratory", "python -m toymodel.gpt2 lab", model, vocabulary, folder)


def trained(sha256):
    """A training's result with four blocks and one seed, in numbers that nobody measured."""
    settings = {"width": 12, "context": 128, "batch": 8, "steps": 60, "learning_rate": 0.001, "warmup": 2,
                "weight_decay": 0.1, "last_share": 0.1, "dropout": 0.2}  # fmt: skip
    figures = {
        "parameters": (["row"], [1000]), "seconds": (["row", "seed"], [[10.5]]),
        "held_out_perplexity": (["row", "seed"], [[40.25]]), "train_perplexity": (["row", "seed"], [[31.5]]),
        "curve_step": (["row", "point"], [[20, 40, 60]]),
        "train_loss_curve": (["row", "seed", "point"], [[[6.0, 4.0, 3.75]]]),
        "held_out_perplexity_curve": (["row", "seed", "point"], [[[300.5, 60.5, 40.5]]]),
    }  # fmt: skip
    return {
        "experiment": "small_model", "about": "Made up.", "command": "python -m trained run small_model --seeds 1",
        "optimizer": "AdamW", "settings": {"four_blocks": settings},
        "data": {"name": "nothing", "sha256": "0" * 64, "characters": 99, "tokens": 10}, "made_with": {"threads": 1},
        "labels": {"row": ["four_blocks"], "seed": [0], "point": [1, 2, 3]},
        "figures": {name: {"axes": axes, "values": values} for name, (axes, values) in figures.items()},
        "checkpoints": {"four_blocks": {"file": "small/model.safetensors", "seed": 0, "sha256": sha256}},
    }  # fmt: skip


def with_results(workshop, site, **contents):
    """Build beside the good site with these results of the laboratory's and no others."""
    for name in NAMES:
        file = f"{RESULTS}/{name}.json"
        if name in contents:
            workshop.write(file, json.dumps(contents[name], ensure_ascii=False))
        elif (workshop.root / file).exists():
            workshop.write(file, None)
    return workshop.python("-m", "mkdocs", "build", "--site-dir", str(site))


def commands(page):
    return [text_of(code) for note in page.article.find_class("unfinished") for code in note.iter("code")]


def test_without_results_the_page_says_what_makes_them(workshop, tmp_path):
    done = with_results(workshop, tmp_path / "site")
    assert done.returncode == 0, done.stdout + done.stderr
    for code in LANGUAGES:
        page = Page(tmp_path / "site", code, "laboratory.md")
        default = "python -m toymodel.gpt2 lab --weights trained/checkpoints/small"
        assert commands(page) == [
            default, "python -m toymodel.gpt2 fetch", "python -m toymodel.gpt2 lab",
            "python -m trained run small_model", default,
        ]  # fmt: skip
        assert not page.article.xpath(".//figure") and not page.article.xpath(".//*[@id='live']")


def test_with_results_every_number_is_the_files_own(workshop, tmp_path, looked_into, monkeypatch):
    """The default model, its training, and GPT-2 small beside it."""
    other = json.loads(json.dumps(looked_into)) | {"experiment": "gpt2-small"}
    training = trained(looked_into["weights"]["sha256"])
    done = with_results(
        workshop, tmp_path / "site", laboratory=looked_into, small_model=training, **{"gpt2-small": other}
    )
    assert done.returncode == 0, done.stdout + done.stderr
    monkeypatch.setattr(measured_values, "RESULTS", workshop.root / RESULTS)
    measured_values.result.cache_clear()
    try:
        for code in LANGUAGES:
            check_page(Page(tmp_path / "site", code, "laboratory.md"), looked_into)
    finally:
        measured_values.result.cache_clear()


def check_page(page, content):
    assert not commands(page) and page.article.xpath(".//div[@id='live'][@data-model='small']")
    for figure in FIGURES:
        boxed = [bool(one.xpath("ancestor::details[@class='beside']")) for one in page.figures(figure)]
        assert boxed == [False, True], figure  # the default model's in sight, the other's in a box
    for element, row in page.pairs():
        value = evaluate(element.address)
        assert element.text == written(value, row["places"], row["style"], page.language), element.address
    for element in page.elements:
        if not element.is_number:
            assert element.text == evaluate(element.address), element.address
    verdicts = page.article.xpath(".//p[starts-with(@class, 'verdict ')]")
    assert len(verdicts) >= 2 * 9
    for verdict in verdicts:
        [claims] = verdict.xpath(".//@data-claim")
        assert all(holds(claim) for claim in claims.split("; "))
    check_maps(page, content)
    check_verdict(page, content)


def check_maps(page, content):
    """A square for each head, a cell for each pair that may look, as dark as the weight in the file."""
    weights, prompts = content["figures"]["weights"]["values"], content["labels"]["prompt"]
    first, second = page.figures("lab-maps")
    for figure, prompt in ((first, "dialogue"), (second, "cat")):
        place = prompts.index(prompt)
        count = content["figures"]["length"]["values"][place]
        drawings = figure.xpath(".//*[local-name()='svg']")
        assert len(drawings) == CONFIG.blocks * CONFIG.heads
        for number, drawing in enumerate(drawings):
            block, head = divmod(number, CONFIG.heads)
            expected = [
                share for t in range(count) for share in weights[place][block][head][t][: t + 1]
            ]
            cells = drawing.xpath(".//*[local-name()='rect']")
            for cell, share in zip(cells, expected, strict=True):
                shade = re.search(r"--share:([\d.]+)", cell.get("style", "--share:0"))
                assert abs(float(shade[1]) - share) <= 0.00051
            title, description = (drawing.xpath(f".//*[local-name()='{tag}']")[0] for tag in ("title", "desc"))
            numbers = re.findall(r"\d+", title.text)
            assert numbers == [str(block + 1), str(head + 1)] and drawing.get("aria-label") == title.text
            last = weights[place][block][head][count - 1][:count]
            most = last.index(max(last))
            assert content["figures"]["token"]["values"][place][most] in description.text
            assert written(evaluate(str(max(last))), 2, "decimal", page.language) in description.text


def check_verdict(page, content):
    """The toy's factor and the model's, from the losses themselves."""
    [figure] = page.figures("lab-verdict")
    rows = figure.xpath(".//tbody/tr")
    assert len(rows) == 3
    on, off = content["figures"]["paragraph_perplexity"]["values"]
    texts = [text_of(cell).strip() for cell in rows[1].xpath("td")]
    ratio = evaluate(f"div({off!r},{on!r})")
    assert texts[-1] == written(ratio, 2, "decimal", page.language)
    [claim] = [one for one in page.claims if "toy.attention_off/loss" in one and one.endswith("> 1")]
    assert holds(claim)
    shown = Element(rows[0].xpath("td[last()]/data")[0])
    toy = evaluate("div(exp(mean(toy.attention_off/loss)),exp(mean(toy/loss)))")
    assert shown.text == written(toy, 2, "decimal", page.language)


def test_a_result_of_other_weights_stops_the_build(workshop, tmp_path, looked_into):
    """The file is there, and is not the one that the result was computed from."""
    content = json.loads(json.dumps(looked_into))
    content["weights"] |= {"file": "README.md", "sha256": "1" * 64}
    done = with_results(workshop, tmp_path / "site", laboratory=content)
    said = done.stdout + done.stderr
    assert done.returncode == 1 and "Traceback" not in said
    got = hashlib.sha256((ROOT / "README.md").read_bytes()).hexdigest()
    for part in ("trained/results/laboratory.json:1: computed from other weights: README.md", got[:12],
                 "`python -m toymodel.gpt2 lab` computes it again"):  # fmt: skip
        assert part in said
    assert not (tmp_path / "site").exists()


def test_weights_are_compared_where_they_are(tmp_path, looked_into):
    (tmp_path / RESULTS).mkdir(parents=True)
    (tmp_path / "weights").write_bytes(b"these")
    for file, sha256, right in [
        ("weights", hashlib.sha256(b"these").hexdigest(), True),
        ("weights", hashlib.sha256(b"those").hexdigest(), False),
        ("elsewhere", hashlib.sha256(b"those").hexdigest(), True),  # not here, as the published ones: not compared
    ]:
        content = looked_into | {"weights": {"file": file, "sha256": sha256}}
        (tmp_path / RESULTS / "laboratory.json").write_text(json.dumps(content), encoding="utf-8")
        results = load_results(tmp_path / RESULTS)
        if right:
            check_weights(results, tmp_path)
        else:
            with pytest.raises(AuthorError, match="computed from other weights: weights has"):
                check_weights(results, tmp_path)


class Plain:
    """Prints a label as it is."""

    def emit(self, value):
        return value.name


def test_a_map_escapes_what_a_screen_reader_says():
    tensor = Run.from_export("r", {"t": [1, 2], "s": [1, 2]}, {
        "weights": {"axes": ["t", "s"], "data": [[1.0, 0.0], [0.0001, 0.9999]]},
        "token": {"axes": ["t"], "data": ["a", "b"]},
    }, set())  # fmt: skip
    names = [tensor.token(t=1), tensor.token(t=2)]
    drawn = attention_map({"progress": Plain()}, names, tensor.weights, "A & b", "a < b")
    assert 'aria-label="A &amp; b"' in drawn and "<desc>a &lt; b</desc>" in drawn
    assert drawn.count("<rect") == 3 and drawn.count("--share") == 2  # nothing above the diagonal, no shade for none
