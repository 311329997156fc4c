"""A build that fails says why, exits with 1, and leaves the last good site as it was."""

import shutil
from pathlib import Path

import pytest
from conftest import ROOT, contents


@pytest.fixture(scope="session")
def good(twins):
    """What the good site consists of."""
    return contents(twins[1].site)


@pytest.fixture
def refused(workshop, good):
    """Builds what a test has broken; its message, after checking that nothing else changed."""

    def build():
        done = workshop.build()
        assert done.returncode == 1, done.stdout + done.stderr
        assert "Traceback" not in done.stderr
        assert contents(workshop.site) == good
        assert [path.name for path in workshop.root.glob(".site*")] == []
        return done.stdout + done.stderr

    return build


@pytest.fixture
def modules(workshop):
    """The installed packages of the copy, as a folder of links: a test may take one away."""
    folder = workshop.root / "node_modules"
    folder.unlink()
    for package in [*(ROOT / "node_modules").glob("[!@.]*"), *(ROOT / "node_modules").glob("@*/*")]:
        link = folder / package.relative_to(ROOT / "node_modules")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(package)
    yield folder
    shutil.rmtree(folder)
    folder.symlink_to(ROOT / "node_modules")


def test_a_mistake_in_a_page(workshop, refused):
    text = (workshop.root / "docs/es/output.md").read_text(encoding="utf-8")
    workshop.write("docs/es/output.md", text + "\n\n[= softmx =]\n")
    said = refused()
    line = text.count("\n") + 3
    assert f"docs/es/output.md:{line}: " in said
    assert "`softmx`" in said


def test_a_page_missing_in_one_language(workshop, refused):
    workshop.write("docs/ru/output.md", None)
    said = refused()
    assert "docs/ru/output.md:1: the page is missing in `ru`" in said
    assert "mkdocs.yml" in said


def test_a_page_outside_the_navigation(workshop, refused):
    workshop.write("docs/en/outptu.md", "# Stray\n")
    said = refused()
    assert "docs/en/outptu.md:1: the page is not in the navigation (mkdocs.yml)" in said
    assert "did you mean `output.md`?" in said


def test_a_word_missing_in_one_catalogue(workshop, refused):
    workshop.replace("docs/_lang/es.yml", "\nfirst_choice:", "\nfrist_choice:")
    said = refused()
    assert "docs/_lang/es.yml:1: no `first_choice`, which docs/_lang/pt.yml has" in said
    assert "did you mean `frist_choice`?" in said


def test_weights_off_their_grid(workshop, refused):
    workshop.replace("toymodel/toy.json", "[2.0, -1.0, -0.5, 0.0]", "[2.0, -1.1, -0.5, 0.0]")
    said = refused()
    for part in ("the model does not run", "toy.json", "E", "-1.1", "0.5"):
        assert part in said


def test_a_claim_that_other_weights_refute(workshop, refused):
    """No weights may make a sentence of a page false without anybody noticing."""
    workshop.replace("toymodel/toy.json", "[0.0, 0.0, 0.0, 1.5]", "[0.0, 0.0, 0.0, 0.5]")
    said = refused()
    assert "the claim no longer holds" in said or "rounding tie" in said
    assert "docs/" in said


def test_katex_not_installed(modules, refused):
    (modules / "katex").unlink()
    said = refused()
    assert "KaTeX is not installed in" in said
    assert "make setup" in said


def test_a_font_not_installed(modules, refused):
    """Found only after every page is written: nothing of that build may stay."""
    (modules / "@fontsource/dejavu-mono").unlink()
    said = refused()
    assert "the package @fontsource/dejavu-mono is not installed in" in said
    assert "make setup" in said


def test_a_link_that_leads_nowhere(workshop, refused):
    """MkDocs's own warnings are errors, in the last language as in the first."""
    for language in ("pt", "es"):
        text = (workshop.root / f"docs/{language}/index.md").read_text(encoding="utf-8")
        workshop.write(f"docs/{language}/index.md", text + "\n\n[x](nowhere.md)\n")
        assert "nowhere.md" in refused()
        workshop.restore()


def test_the_command_line_says_it_too(workshop, tmp_path):
    workshop.replace("docs/en/output.md", "# ", "# [= softmx =] ")
    done = workshop.python("build_pages.py", "render", str(tmp_path / "out"))
    assert done.returncode == 1
    assert done.stderr.startswith("error: docs/en/output.md:")
    assert "`softmx`" in done.stderr
    assert not (tmp_path / "out").exists()


def test_the_first_build_that_fails_leaves_no_site(workshop):
    kept = workshop.site.rename(workshop.root / "kept")
    try:
        workshop.write("docs/en/output.md", None)
        assert workshop.build().returncode == 1
        assert not Path(workshop.site).exists()
        assert [path.name for path in workshop.root.glob(".site*")] == []
    finally:
        kept.rename(workshop.site)


def test_damaged_caches_heal(workshop):
    """Cut off, emptied or replaced by something else: what is kept is made again, and the site is the same."""
    good = contents(workshop.site)
    cache = workshop.root / ".cache"
    damaged = [file for pattern in ("trace-*.json", "katex.json", "pages/*.json", "templates-*/*")
               for file in cache.glob(pattern)]
    assert len(damaged) > 60
    for place, file in enumerate(damaged, start=1):  # the trace becomes an empty list
        file.write_bytes([b"", b"[]", file.read_bytes()[:40]][place % 3])
    done = workshop.build()
    assert done.returncode == 0, done.stdout + done.stderr
    assert contents(workshop.site) == good


def test_a_name_of_the_registry_without_a_meaning(workshop, refused):
    workshop.replace("docs/_lang/es.yml", "\n  masked_scores:", "\n  maskd_scores:")
    assert "docs/_lang/es.yml:1: no `meaning.masked_scores`" in refused()
    for code in ("pt", "en", "ru"):
        workshop.replace(f"docs/_lang/{code}.yml", "\n  masked_scores:", "\n  maskd_scores:")
    said = refused()
    assert "docs/_lang/pt.yml: meaning has no `masked_scores`, which the registry (toymodel/names.py) has" in said
    assert "did you mean `maskd_scores`?" in said


def test_a_meaning_for_a_name_that_is_not_registered(workshop, refused):
    for code in ("pt", "en", "ru", "es"):
        workshop.replace(f"docs/_lang/{code}.yml", "\n  masked_scores:", "\n  masked_score: x\n  masked_scores:")
    said = refused()
    assert "docs/_lang/pt.yml" in said
    assert "`masked_score`, which is not among what the registry (toymodel/names.py) has" in said


def test_a_term_missing_in_one_glossary(workshop, refused):
    workshop.replace("docs/_glossary/ru.yml", "\nlogit:", "\nlogitt:")
    said = refused()
    assert "docs/_glossary/ru.yml has no `logit`, which docs/_glossary/terms.yml has; did you mean `logitt`?" in said


def test_a_term_explained_in_a_section_that_is_not_there(workshop, refused):
    workshop.replace("docs/_glossary/terms.yml", "output.md#logits", "output.md#logit")
    said = refused()
    assert "`logit` in docs/_glossary/terms.yml: pt/output.md has no heading with { #logit }" in said


def test_terms_in_another_order_in_one_language(workshop, refused):
    workshop.replace("docs/en/output.md", '[= term("nat") =]', "nat")
    said = refused()
    assert "docs/en/output.md" in said
    assert "expected the term `nat`, as in `pt`, got `None`" in said
