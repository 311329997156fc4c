"""Builds with other results: one that is damaged, one that goes, one that comes."""

import json

import pytest
from built_page import Page, text_of
from conftest import CONFIG, LANGUAGES, ROOT, contents

RESULTS = "trained/results"
LENGTHS = [64, 128, 256]
MADE_UP = {  # four ways to tell positions apart, in numbers that nobody measured
    "learned": [40.0, 80.0, 160.0], "sinusoidal": [41.0, 70.0, 140.0],
    "rope": [40.5, 44.0, 58.0], "alibi": [42.0, 41.5, 41.75],
}  # fmt: skip


def made_up():
    """A result of the positions' shape, with two seeds."""
    settings = {"width": 128, "context": 64, "batch": 64, "steps": 60, "learning_rate": 0.001, "warmup": 0,
                "weight_decay": 0.01}  # fmt: skip
    both = {row: [values, [value + 1 for value in values]] for row, values in MADE_UP.items()}
    worst = [[values[-1] for values in seeds] for seeds in both.values()]
    figures = {
        "parameters": (["row"], [1000] * 4), "seconds": (["row", "seed"], [[10.5, 11.5]] * 4),
        "held_out_perplexity": (["row", "seed"], worst), "train_perplexity": (["row", "seed"], worst),
        "perplexity_at": (["row", "seed", "length"], list(both.values())),
    }  # fmt: skip
    return json.dumps({
        "experiment": "positions", "about": "Made up.", "command": "python -m trained run positions --seeds 2",
        "optimizer": "AdamW", "settings": dict.fromkeys(MADE_UP, settings),
        "data": {"name": "nothing", "sha256": "0" * 64, "tokens": 10}, "made_with": {"threads": 1},
        "labels": {"row": list(MADE_UP), "seed": [0, 1], "length": LENGTHS},
        "figures": {name: {"axes": axes, "values": values} for name, (axes, values) in figures.items()},
    })  # fmt: skip


@pytest.mark.parametrize("name, old, new, parts", [
    ("score_variance", '"figures"', '"figurs"', ["no `figures` (dict)"]),
    ("frozen_rows", '"rows"', '"rows', ["the result is damaged"]),
    ("tokenizer", "459760", '["459760"]', ["`tokens`: expected a number or a word"]),
])  # fmt: skip
def test_a_damaged_result_is_refused_and_the_last_good_site_stays(workshop, name, old, new, parts):
    before = contents(workshop.site)
    workshop.replace(f"{RESULTS}/{name}.json", old, new)
    done = workshop.build()
    said = done.stdout + done.stderr
    assert done.returncode == 1 and "Traceback" not in said
    for part in [f"trained/results/{name}.json:", *parts]:
        assert part in said
    assert contents(workshop.site) == before


def test_a_result_that_others_refute_stops_the_build(workshop):
    """A sentence that was written after a number does not outlive it."""
    workshop.replace(f"{RESULTS}/frozen_rows.json", "0.07307888242752333", "0.87307888242752333")
    done = workshop.build()
    said = done.stdout + done.stderr
    assert done.returncode == 1
    assert "the claim no longer holds" in said and "measured/frozen_rows.sum_of_derivatives" in said


def test_a_section_appears_when_its_result_arrives(workshop, tmp_path):
    """Built beside the good site, which other tests compare with."""
    site = tmp_path / "site"

    def build():
        done = workshop.python("-m", "mkdocs", "build", "--site-dir", str(site))
        assert done.returncode == 0, done.stdout + done.stderr

    if (ROOT / RESULTS / "positions.json").exists():
        workshop.write(f"{RESULTS}/positions.json", None)
    build()
    for code in LANGUAGES:
        page = Page(site, code, "chapter/positions.md")
        [note] = page.article.find_class("unfinished")
        assert text_of(note).endswith("python -m trained run positions")
        assert not page.figures("positions")

    workshop.write(f"{RESULTS}/positions.json", made_up())
    build()
    for code in LANGUAGES:
        page = Page(site, code, "chapter/positions.md")
        assert not page.article.find_class("unfinished")
        [figure] = page.figures("positions")
        cell = "measured/positions.perplexity_at[row=alibi,length=128]"
        assert page.texts(f"mean({cell})", figure) == {"42,00" if code != "en" else "42.00"}
        assert page.texts(f"min({cell})", figure) == {"41,50" if code != "en" else "41.50"}
        verdicts = [node.get("class").split()[1] for node in page.article.find_class("verdict")]
        assert verdicts == ["holds", "holds", "fails", "fails"]  # by the worst of two seeds


def test_every_page_of_the_chapter_is_in_the_navigation_once():
    [pages] = [entry["chapter"] for entry in CONFIG["nav"] if isinstance(entry, dict)]
    assert len(set(pages)) == len(pages) >= 8
    assert CONFIG["extra"]["last"] == pages[-1]
