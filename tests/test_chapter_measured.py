"""Result files as values: addresses, refusals, verdicts, numbers written with a power of ten."""

import json
from fractions import Fraction

import measured_values
import pytest
from built_page import written
from conftest import LANGUAGES, ROOT
from evaluate import evaluate
from spoiled import changed

from worked.claims import Comparison, verdict
from worked.errors import AuthorError
from worked.measured import load_results
from worked.navigation import end_after, flat, titled
from worked.numbers import Label, Locale, Number, Shown

RESULTS = load_results(ROOT / "trained" / "results")
GOOD = {
    "experiment": "toy", "about": "A trial.", "command": "python -m trained run toy", "made_with": {"threads": 1},
    "labels": {"row": ["one", "two"], "seed": [0, 3]},
    "figures": {
        "loss": {"axes": ["row", "seed"], "values": [[1.5, 2.5], [3.5, 4.5]]},
        "said": {"axes": ["row"], "values": ["yes", "no"]},
        "count": {"axes": [], "values": 7},
    },
}  # fmt: skip


@pytest.fixture
def loaded(tmp_path):
    def load(content=GOOD, name="toy"):
        text = content if isinstance(content, str) else json.dumps(content)
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
        return load_results(tmp_path)[name]

    return load


def test_a_figure_has_an_address_of_its_own(loaded):
    toy = loaded()
    number = toy.loss(row="two", seed=3)
    assert (number.value, number.address) == (4.5, "measured/toy.loss[row=two,seed=3]")
    assert toy.loss(row="one").address == "measured/toy.loss[row=one]"
    assert toy.loss.shape[1].address == "count(measured/toy.loss,seed)"
    assert (toy.count.value, toy.count.address) == (7, "measured/toy.count")


def test_words_are_labels_and_what_stands_beside_the_figures_is_addressed_too(loaded):
    toy = loaded()
    said = toy.said(row="two")
    assert isinstance(said, Label) and (said.name, said.address) == ("no", "measured/toy.said[row=two]")
    assert toy.file.command.address == "measured/toy/command"
    assert toy.file.made_with.threads.address == "measured/toy/made_with/threads"
    assert "settings" not in toy.file


def test_the_labels_along_an_axis(loaded):
    toy = loaded()
    assert toy.along("row") == ["one", "two"]
    assert [(seed.value, seed.address) for seed in toy.along("seed")] == [
        (0, "label(measured/toy.loss,seed,1)"), (3, "label(measured/toy.loss,seed,2)"),
    ]
    assert toy.along("width") == []


def test_every_committed_figure_is_what_its_address_says_in_the_file():
    """Read by two programs: each number of each result, whatever its axes."""
    assert RESULTS
    for result in RESULTS.values():
        for name, figure in result.tensors.items():
            some = figure.numbers() if figure.axes else [result[name]]
            known = [one for one in some if isinstance(one, Label) or one.value is not None]
            for one in known[:: max(1, len(known) // 20)]:
                found = evaluate(one.address)
                if isinstance(one, Label):
                    assert found == one.name, one.address
                else:
                    assert abs(found - Fraction(one.value)) <= abs(found) / 10**15, one.address


@pytest.mark.parametrize("content, parts", [
    ("", ["toy.json:1: ", "damaged"]),
    (json.dumps(GOOD)[:150], ["damaged"]),
    ("[]", ["no object, but list"]),
    (changed(GOOD, ["experiment"], "tay"), ["the file is named `toy`, the experiment in it `tay`"]),
    (changed(GOOD, ["command"], None), ["no `command` (str)"]),
    (changed(GOOD, ["labels", "row"], ["one"]), ["`loss`: expected 1 values along `row`"]),
    (changed(GOOD, ["labels", "row"], ["one", "one"]), ["labels of `row`", "none twice"]),
    (changed(GOOD, ["labels", "seed"], None), ["`loss` has the axis `seed`, for which there are no labels"]),
    (changed(GOOD, ["figures", "loss", "values"], [[1.5, 2.5], [3.5]]),
     ["`loss`: expected 2 values along `seed`, got [3.5]"]),
    (changed(GOOD, ["figures", "loss", "values"], None), ["`loss`: expected axes and values"]),
    (changed(GOOD, ["figures", "count", "values"], [7]), ["`count`: expected a number or a word, got [7]"]),
    (changed(GOOD, ["figures", "count", "values"], True), ["`count`: expected a number or a word, got True"]),
    (json.dumps(GOOD).replace("1.5", "NaN"), ["NaN is no number that could be shown"]),
    (json.dumps(GOOD).replace("1.5", "1e999"), ["`loss`: inf is no number that could be shown"]),
])  # fmt: skip
def test_a_result_that_does_not_fit_is_refused(loaded, content, parts):
    with pytest.raises(AuthorError) as caught:
        loaded(content)
    for part in ["toy.json", *parts]:
        assert part in str(caught.value), str(caught.value)


# --- verdicts ------------------------------------------------------------------------------

SMALL, LARGE = Number(1.0, "a"), Number(2.0, "b")


def test_a_verdict_claims_what_holds_either_way():
    held = verdict(SMALL < LARGE, LARGE > 1)
    assert held.holds and [one.text for one in held.comparisons] == ["a < b", "b > 1"]
    failed = verdict(SMALL > LARGE, LARGE > 1, SMALL >= LARGE)
    assert not failed.holds and [one.text for one in failed.comparisons] == ["a <= b", "a < b"]
    assert all(one.holds for one in failed.comparisons)


def test_an_equality_has_no_opposite_to_claim():
    with pytest.raises(AuthorError, match="`a = b` has no opposite to claim"):
        verdict(Comparison.of(SMALL, "=", LARGE))


# --- powers of ten -------------------------------------------------------------------------


@pytest.mark.parametrize("value, expected", [
    (2.9802322387695312e-08, "2.98 × 10⁻⁸"), (4.440892098500626e-16, "4.44 × 10⁻¹⁶"),
    (9.999e-08, "1.00 × 10⁻⁷"), (-1234.5678, "−1.23 × 10³"), (7.0, "7.00 × 10⁰"),
])
@pytest.mark.parametrize("language", LANGUAGES)
def test_numbers_with_a_power_of_ten(language, value, expected):
    text = Locale(language).text(Shown(Number(value, "a"), 2, "scientific"))
    assert text.replace("\N{NO-BREAK SPACE}", " ").replace(",", ".") == expected
    assert text == written(Fraction(value), 2, "scientific", language)


def test_a_mantissa_near_a_tie_is_refused():
    with pytest.raises(AuthorError, match="rounding tie at 2 decimals"):
        _ = Shown(Number(1.125e-8, "a"), 2, "scientific").digits


# --- pages in sections ---------------------------------------------------------------------


class Page:
    def __init__(self, path):
        self.file, self.previous_page, self.next_page = self, "before", "after"
        self.src_uri = path


def test_a_navigation_with_a_section():
    nav = ["index.md", {"chapter": ["chapter/one.md", "chapter/two.md"]}, "glossary.md"]
    assert flat(nav) == ["index.md", "chapter/one.md", "chapter/two.md", "glossary.md"]
    words = {"chapter": "Das Kapitel"}
    assert titled(nav, type("Words", (), {"sections": words})) == [nav[0], {"Das Kapitel": nav[1]["chapter"]}, nav[2]]


@pytest.mark.parametrize("entry", [{"Title": "page.md"}, 3, None])
def test_a_navigation_of_anything_else_is_refused(entry):
    with pytest.raises(AuthorError, match=r"mkdocs\.yml:1: the navigation lists file names, and sections of them"):
        flat(["index.md", entry])


def test_the_way_ends_where_it_is_said_to():
    pages = [Page("a.md"), Page("b.md"), Page("c.md")]
    end_after(pages, "b.md")
    assert [(page.previous_page, page.next_page) for page in pages] == [
        ("before", "after"), ("before", None), (None, None),
    ]
    with pytest.raises(AuthorError, match=r"`extra\.last` is no page of the navigation: `d\.md`"):
        end_after(pages, "d.md")


def test_the_other_road_reads_the_files_themselves():
    assert measured_values.entry("score_variance", "command") == "python -m trained run score_variance"
    assert evaluate("measured/score_variance.variance[head_width=64]") == Fraction("64.24853515625")
    assert evaluate("beginning(measured/referent_fair/data/sha256,4)") == "9278"
