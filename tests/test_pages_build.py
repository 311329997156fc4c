"""The build as a whole: the same bytes every time, nothing from elsewhere, no PyTorch when warm."""

import json
import re
import shutil

import pytest
from built_page import Page, seen, text_of
from conftest import LANGUAGES, PAGES, contents
from evaluate import COUNTED
from lxml import html


def test_two_builds_are_the_same_byte_for_byte(twins):
    first, second = (contents(one.site) for one in twins)
    assert first.keys() == second.keys()
    assert [name for name in first if first[name] != second[name]] == []


def test_every_page_of_every_language_is_there(site):
    files = set(contents(site))
    assert {"index.html", "assets/katex/katex.min.css", "code/toymodel/model.py.txt"} <= files
    for code in LANGUAGES:
        assert f"{code}/numbers.json" in files
        for page in PAGES:
            assert f"{code}/{page.replace('.md', '.html')}" in files


def test_no_mark_or_template_is_left_in_a_page(page):
    text = (page.site / page.language / page.name.replace(".md", ".html")).read_text(encoding="utf-8")
    assert not re.search("[\ue000-\uf8ff]", text)
    words = text_of(page.article)
    for mark in ("[=", "=]", "[%", "[~", "~]", r"\tensor", r"\frac", "$"):
        assert mark not in words, mark


def test_nothing_is_fetched_from_elsewhere(site):
    """The pages work offline and tell nobody who reads them."""
    for file in site.rglob("*.html"):
        document = html.fromstring(file.read_bytes())
        for address in document.xpath("//link/@href | //@src | //@srcset"):
            assert not re.match(r"(https?:)?//", address), (file.name, address)
    own = [site / "assets/css", site / "assets/katex"]
    for file in [file for folder in own for file in folder.rglob("*.css")]:
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"url\(\s*[\"']?(https?:)?//|@import\s+[\"'](https?:)?//", text), file


def test_what_a_page_links_to_is_there(site):
    for file in site.rglob("*.html"):
        if file.name == "404.html":  # its addresses depend on where the site lives
            continue
        document = html.fromstring(file.read_bytes())
        for address in document.xpath("//a/@href | //link/@href | //script/@src | //img/@src"):
            path, _, anchor = address.partition("#")
            if re.match(r"[a-z]+:", path):
                continue
            target = (file.parent / path).resolve() if path else file
            target = target / "index.html" if target.is_dir() else target
            assert target.is_file(), (file.relative_to(site), address)
            if anchor and target.suffix == ".html":
                ids = html.fromstring(target.read_bytes()).xpath("//@id")
                assert anchor in ids, (file.relative_to(site), address)


def test_a_warm_build_does_not_import_torch(workshop, tmp_path):
    """A torch that cannot be imported stands before the real one."""
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch/__init__.py").write_text("raise ImportError('somebody imported torch')\n")
    before = contents(workshop.site)
    done = workshop.build(PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stdout + done.stderr
    assert contents(workshop.site) == before

    [cached] = (workshop.root / ".cache").glob("trace-*.json")
    cached.unlink()
    done = workshop.build(PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert "the model does not run: ImportError: somebody imported torch" in done.stdout + done.stderr


def test_the_trace_on_the_command_line(workshop):
    """What the pages are made from, and every count by formulas of this test's own."""
    done = workshop.python("build_pages.py", "trace")
    assert done.returncode == 0, done.stderr
    counted = json.loads(done.stdout)["counted"]
    expected = {f"{model}.{name}": count for model, counts in COUNTED.items() for name, count in counts.items()}
    assert counted.keys() == expected.keys()
    for name, count in counted.items():
        assert count == pytest.approx(float(expected[name]), rel=1e-15, abs=0), name
    assert (counted["gpt2_small.parameters"], counted["toy.parameters"]) == (124_439_808, 268)


# --- finished Markdown for any generator ---------------------------------------------------


@pytest.fixture(scope="session")
def finished(twins, tmp_path_factory):
    folder = tmp_path_factory.mktemp("finished")
    done = twins[0].python("build_pages.py", "render", str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_finished_markdown_has_every_page_and_the_same_ledger(finished, site):
    for code in LANGUAGES:
        for page in PAGES:
            text = (finished / code / "docs" / page).read_text(encoding="utf-8")
            assert not re.search("[\ue000-\uf8ff]", text)
        ledger = (finished / code / "numbers.json").read_bytes()
        assert ledger == (site / code / "numbers.json").read_bytes()


def test_finished_markdown_can_be_written_again_over_itself(finished, twins):
    before = contents(finished)
    done = twins[0].python("build_pages.py", "render", str(finished))
    assert done.returncode == 0, done.stdout + done.stderr
    assert contents(finished) == before


@pytest.mark.parametrize("generator", ["mkdocs", "properdocs", "zensical"])
def test_other_generators_show_the_same_numbers(generator, finished, twins, tmp_path):
    project = tmp_path / "en"
    shutil.copytree(finished / "en", project)
    done = twins[0].python("-m", generator, "build", "-f", str(project / "mkdocs.yml"))
    assert done.returncode == 0, done.stdout + done.stderr
    (project / "site" / "en").mkdir()
    shutil.copy(project / "numbers.json", project / "site" / "en")
    for name in PAGES:
        page = name.replace(".md", ".html")
        (project / "site" / "en" / page).parent.mkdir(exist_ok=True)
        shutil.copy(project / "site" / page, project / "site" / "en" / page)
    for name in PAGES:
        assert numbers(Page(project / "site", "en", name)) == ledger(Page(project / "site", "en", name))


def numbers(page):
    """Address and text of every number, in page order; inside a formula, by address."""
    return [
        pair
        for elements, _ in page.units()
        for pair in sorted((element.address, element.text) for element in elements)
    ]


def ledger(page):
    rows = iter(page.rows_in("text", "tex", "picture"))
    counts = [len(elements) for elements, _ in page.units()]
    return [
        pair
        for count in counts
        for pair in sorted((row["address"], seen(row)) for row in (next(rows) for _ in range(count)))
    ]


def test_styles_come_in_one_file_without_their_comments(site):
    """Everything that the sheet imports stands in it, in its order; the measured pages' own style only there."""
    style = (site / "assets/css/site.css").read_text(encoding="utf-8")
    assert "/*" not in style and "@import" not in style
    marks = ("@font-face", "--ground:", ".md-grid", "figure.values", ".pieces", ".term")
    places = [style.index(mark) for mark in marks]
    assert places == sorted(places)
    for code in LANGUAGES:
        for page in PAGES:
            document = html.fromstring((site / code / page.replace(".md", ".html")).read_bytes())
            own = [link for link in document.xpath("//link[@rel='stylesheet']/@href") if "/css/" in link]
            names = [link.rpartition("/")[2] for link in own]
            parts = {"chapter": ["chapter.css"], "laboratory": ["laboratory.css", "gpt.css"]}
            more = [sheet for part, sheets in parts.items() if page.startswith(part) for sheet in sheets]
            assert names == ["site.css", *more], page


def test_a_style_that_is_not_there_stops_the_build(workshop):
    workshop.replace("docs/assets/css/site.css", "values.css", "valeus.css")
    done = workshop.build()
    assert done.returncode == 1
    assert "site.css imports valeus.css, and there is no such file beside it" in done.stdout + done.stderr
