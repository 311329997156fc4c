"""Claims, catalogues, the ledger, excerpts, symbols, and the swap of a finished site."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worked.catalogue import Catalogue
from worked.claims import Comparison, bound, equal
from worked.errors import AuthorError, Place
from worked.excerpt import excerpt
from worked.ledger import Row, to_json
from worked.mathematics import Mathematics, markdown_safe
from worked.numbers import Label, Number
from worked.swap import Swap

TWO, THREE = Number(2.0, "toy/a"), Number(3.0, "toy/b")


# --- claims --------------------------------------------------------------------------------


@pytest.mark.parametrize("comparison, text, holds", [
    (TWO < THREE, "toy/a < toy/b", True),
    (TWO > THREE, "toy/a > toy/b", False),
    (TWO <= 2, "toy/a <= 2", True),
    (TWO >= 2.5, "toy/a >= 2.5", False),
    (Label("o", "argmax(toy/p)") == "o", "argmax(toy/p) = 'o'", True),
    (Label("o", "argmax(toy/p)") == Label("␣no"), "argmax(toy/p) = '␣no'", False),
    (equal(TWO, Number(2.0 + 1e-10, "toy/c")), "toy/a ~ toy/c", True),
    (equal(TWO, Number(2.0 + 2e-9, "toy/c")), "toy/a ~ toy/c", False),
])  # fmt: skip
def test_comparisons(comparison, text, holds):
    assert isinstance(comparison, Comparison)
    assert (comparison.text, comparison.holds) == (text, holds)


def test_a_comparison_is_no_truth_value():
    """`a and b` would keep the last comparison only."""
    with pytest.raises(AuthorError, match=r"`toy/a < toy/b` is a comparison .*commas"):
        bool(TWO < THREE)


def test_a_claim_compares_something():
    with pytest.raises(AuthorError, match="without a comparison"):
        bound([], "Nothing.")


def test_a_claim_marks_its_sentence():
    marked = bound([TWO < THREE, TWO >= 2], "Two is <em>less</em>.")
    assert marked == '<span class="claim" data-claim="toy/a &lt; toy/b; toy/a &gt;= 2">Two is <em>less</em>.</span>'


def test_a_claim_fails_if_only_its_last_comparison_does():
    with pytest.raises(AuthorError, match=r"expected toy/a > toy/b, got 2.0 > 3.0 .*Two"):
        bound([TWO < THREE, TWO > THREE], "Two.")


# --- errors --------------------------------------------------------------------------------


def test_the_innermost_place_is_kept():
    inner, outer = Place("docs/_shared/a.jinja", 3), Place("docs/en/b.md", 9)
    assert str(AuthorError("wrong").at(inner).at(outer)) == "docs/_shared/a.jinja:3: wrong"
    assert str(AuthorError("wrong").at(None)) == "wrong"


# --- catalogues ----------------------------------------------------------------------------


@pytest.fixture
def words(tmp_path):
    file = tmp_path / "xx.yml"
    file.write_text("step: Step\ngloss: {␣no: on the}\nsteps:\n  output: {title: Output}\n", encoding="utf-8")
    return Catalogue.load(file)


def test_words_by_name_and_by_key(words):
    assert words.step == words["step"] == "Step"
    assert words.gloss["␣no"] == "on the"
    assert words.steps.output.title == "Output"
    assert words.paths() == ["step", "gloss.␣no", "steps.output.title"]


def test_a_missing_word_names_its_catalogue(words):
    with pytest.raises(AuthorError, match=r"xx\.yml has no `stp`; did you mean `step`\?"):
        _ = words.stp
    with pytest.raises(AuthorError, match=r"xx\.yml: steps has no `outpt`; did you mean `output`\?"):
        _ = words.steps.outpt


# --- the ledger and excerpts ---------------------------------------------------------------


def test_the_ledger_is_json_one_row_a_line():
    rows = [Row("a.md", n, f"docs/a.md:{n}", "toy/z[v=␣no]", -0.5, 3, "decimal", "text", "−0,500") for n in (1, 2)]
    text = to_json(rows)
    assert [row["id"] for row in json.loads(text)] == [1, 2]
    assert json.loads(text)[0] == rows[0].__dict__
    assert len(text.splitlines()) == 4
    assert "␣no" in text
    assert json.loads(to_json([])) == []


SOURCE = '''"""Module."""
import math

@one
@two(3)
def first(x):
    """Doc."""

    return x  # end


class Second:
    pass
'''


def test_an_excerpt_is_the_very_lines(tmp_path):
    (tmp_path / "code.py").write_text(SOURCE, encoding="utf-8")
    first = '@one\n@two(3)\ndef first(x):\n    """Doc."""\n\n    return x  # end'
    assert excerpt(tmp_path, "code.py", ["first"]) == first
    assert excerpt(tmp_path, "code.py", ["Second", "first"]) == f"class Second:\n    pass\n\n\n{first}"


# --- formulas ------------------------------------------------------------------------------


def test_symbols_come_from_the_registry(tmp_path):
    mathematics = Mathematics(tmp_path, tmp_path / "cache.json", {"y_mean": (r"\mu(y)", "norm")})
    assert mathematics.expanded(r"\tensor{y_mean}_t") == r"\mathord{\htmlClass{tensor norm}{\mu(y)}}_t"
    with pytest.raises(AuthorError, match=r"no tensor `y_men`; did you mean `y_mean`\?"):
        mathematics.expanded(r"\tensor{y_men}")


@given(st.text())
def test_markdown_leaves_safe_html_alone(text):
    safe = markdown_safe(text)
    assert not set(safe) & set("\\`*_[]|$~^\n")


# --- the swap ------------------------------------------------------------------------------


@pytest.fixture
def site(tmp_path):
    """A good site that stands."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "good.html").write_text("good")
    return site


def names(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "locks")


def test_the_finished_draft_takes_the_sites_place(site, tmp_path):
    aside = Swap(site, tmp_path / "locks")
    draft = aside.open()
    assert draft.parent == site.parent
    assert names(draft) == []
    (draft / "new.html").write_text("new")
    assert names(site) == ["good.html"]
    aside.swap()
    aside.close()
    assert names(site) == ["new.html"]
    assert names(site.parent) == ["site"]


def test_a_discarded_draft_leaves_nothing(site, tmp_path):
    aside = Swap(site, tmp_path / "locks")
    (aside.open() / "new.html").write_text("new")
    aside.close()
    assert names(site) == ["good.html"]
    assert names(site.parent) == ["site"]


def test_an_old_draft_does_not_leak_into_a_new_one(site, tmp_path):
    aside = Swap(site, tmp_path / "locks")
    (aside.draft).mkdir()
    (aside.draft / "stale.html").write_text("stale")
    assert names(aside.open()) == []
    aside.close()


def test_a_swap_interrupted_half_way_is_undone(site, tmp_path):
    """The power went between the two renames: the site stands aside, its place is empty."""
    aside = Swap(site, tmp_path / "locks")
    site.rename(aside.previous)
    aside.open()
    assert (site / "good.html").read_text() == "good"
    aside.close()


def test_a_second_build_is_refused_while_the_first_holds_the_site(site, tmp_path):
    first, second = Swap(site, tmp_path / "locks"), Swap(site, tmp_path / "locks")
    (first.open() / "new.html").write_text("new")
    with pytest.raises(AuthorError, match=r"another build is writing .*site"):
        second.open()
    second.close()
    assert names(first.draft) == ["new.html"]
    first.close()
    second.open()
    second.close()


def test_dot_files_stay_as_with_mkdocs(site, tmp_path):
    (site / ".git").mkdir()
    (site / ".nojekyll").write_text("")
    aside = Swap(site, tmp_path / "locks")
    (aside.open() / "new.html").write_text("new")
    aside.swap()
    aside.close()
    assert names(site) == [".git", ".nojekyll", "new.html"]


def test_a_link_stays_a_link(site, tmp_path):
    link = tmp_path / "public"
    link.symlink_to(site)
    aside = Swap(link, tmp_path / "locks")
    (aside.open() / "new.html").write_text("new")
    aside.swap()
    aside.close()
    assert link.is_symlink()
    assert names(site) == ["new.html"]


def test_a_file_in_the_sites_place_is_refused(tmp_path):
    (tmp_path / "site").write_text("mine")
    aside = Swap(tmp_path / "site", tmp_path / "locks")
    with pytest.raises(AuthorError, match="is a file"):
        aside.open()
    aside.close()
    assert (tmp_path / "site").read_text() == "mine"
