"""The chapter's pages: exact figures to the digit, what stands beside each result, what is not finished."""

import json
from fractions import Fraction

import pytest
import yaml
from built_page import Page, decimal, text_of
from conftest import CONFIG, LANGUAGES, ROOT
from evaluate import evaluate, holds

[CHAPTER] = [entry["chapter"] for entry in CONFIG["nav"] if isinstance(entry, dict)]
RESULTS = {file.stem: json.loads(file.read_text(encoding="utf-8"))
           for file in sorted((ROOT / "trained" / "results").glob("*.json"))}  # fmt: skip


@pytest.fixture(scope="module", params=LANGUAGES)
def chapter(request, site):
    """The chapter's pages in one language, by name, and the laboratory's, which shows results as they do."""
    pages = [*CHAPTER, "laboratory.md"]
    return {path.removeprefix("chapter/").removesuffix(".md"): Page(site, request.param, path) for path in pages}


def shown(page, address):
    """What the page prints for an address, and it does print it."""
    texts = page.texts(address)
    assert texts, address
    return texts


def test_the_variance_table_to_the_digit(chapter):
    """20,000 random pairs from manual_seed(0), widths in order, q before k."""
    page = chapter["scale"]
    for width, variance, deviation, root in [
        (4, "3.975", "1.994", "2"), (16, "16.071", "4.009", "4"), (64, "64.249", "8.016", "8"),
        (256, "253.065", "15.908", "16"), (1024, "1015.562", "31.868", "32"),
    ]:  # fmt: skip
        for name, expected in (("variance", variance), ("deviation", deviation), ("root", root)):
            places = len(expected.partition(".")[2])
            value = evaluate(f"measured/score_variance.{name}[head_width={width}]")
            text = decimal(value, places, page.language)
            assert float(expected) == pytest.approx(float(value), abs=0.5 * 10**-places)
            assert shown(page, f"measured/score_variance.{name}[head_width={width}]") == {text}


def test_gpt2_smalls_parts_to_the_digit(chapter):
    page = chapter["cost"]
    for name, count in [
        ("token_embeddings", 38_597_376), ("position_embeddings", 786_432), ("one_block", 7_087_872),
        ("all_blocks", 85_054_464), ("final_norm", 1_536), ("total", 124_439_808),
    ]:  # fmt: skip
        assert shown(page, f"measured/size_formula.gpt2_small_{name}") == {decimal(count, 0, page.language)}


def test_the_attention_matrix_in_mebibytes(chapter):
    """8 heads, 4 bytes a number: half a MiB for 128 tokens, 8 GiB for 16,384."""
    page = chapter["cost"]
    [figure] = page.figures("cost")
    cells = [text_of(row.xpath("td")[0]).strip() for row in figure.xpath(".//tbody/tr")]
    expected = [decimal(Fraction(1, 2), 1, page.language)]
    expected += [decimal(Fraction(count), 0, page.language) for count in (2, 8, 32, 128, 512, 2048, 8192)]
    assert cells == expected


def test_the_even_share_of_fifteen_words(chapter):
    page = chapter["referent"]
    assert shown(page, "measured/referent_attention.uniform_weight") == {
        decimal(Fraction(1, 15), 3, page.language)
    }


def test_the_tokens_of_both_trainers(chapter):
    page = chapter["notes"]
    for trainer, count in (("toymodel", 459_760), ("tokenizers", 459_792)):
        assert shown(page, f"measured/tokenizer.tokens[trainer={trainer}]") == {decimal(count, 0, page.language)}


@pytest.mark.skipif("ladder" not in RESULTS, reason="the ladder is not finished")
def test_what_w_o_and_the_norms_cost(chapter):
    page = chapter["ladder"]
    parameters = "measured/ladder.parameters[row={}]"
    for more, less, count in (("four_heads_added", "head_added", 16_512), ("block", "with_mlp", 768)):
        address = f"sub({parameters.format(more)},{parameters.format(less)})"
        assert shown(page, address) == {decimal(count, 0, page.language)}


def test_every_result_is_shown_with_its_command_and_its_data(chapter):
    """Each on some page, its seeds and the beginning of its hash in sight, all of it in the box."""
    for name, content in RESULTS.items():
        pages = [page for page in chapter.values() if page.texts(f"measured/{name}/command")]
        assert pages, f"{name} is on no page of {page_names(chapter)}"
        for page in pages:
            assert shown(page, f"measured/{name}/command") == {content["command"]}
            assert page.article.xpath(".//a[@download]/@href[contains(., $file)]", file=f"/measured/{name}.json")
            if "data" in content:
                assert shown(page, f"measured/{name}/data/sha256") == {content["data"]["sha256"]}
                assert shown(page, f"beginning(measured/{name}/data/sha256,8)") == {content["data"]["sha256"][:8]}
                for row, settings in list(content["settings"].items())[:1]:
                    for key in settings:
                        assert shown(page, f"measured/{name}/settings/{row}/{key}")


def test_the_list_of_experiments_leads_to_the_page_that_shows_each(chapter):
    [figure] = chapter["notes"].figures("experiments")
    rows = figure.xpath(".//tbody/tr")
    listed = {text_of(row.xpath("th/code")[0]): row.xpath("td/a/@href")[0] for row in rows}
    assert listed.keys() >= RESULTS.keys()
    for name in RESULTS:
        page = chapter[listed[name].rpartition("/")[2].removesuffix(".html")]
        assert page.texts(f"measured/{name}/command"), name


def page_names(chapter):
    return ", ".join(map(str, chapter.values()))


def test_a_result_is_served_as_it_was_measured(site):
    for name in RESULTS:
        file = ROOT / "trained" / "results" / f"{name}.json"
        assert (site / "measured" / file.name).read_bytes() == file.read_bytes()


def test_what_is_not_finished_says_so_with_its_command(chapter):
    experiments = catalogue("en")["measured"]["experiments"]
    for page in (page for name, page in chapter.items() if name != "laboratory"):  # which has commands of its own
        for note in page.article.xpath(".//p[@class='unfinished']"):
            [command] = [text_of(code) for code in note.iter("code")]
            name = command.removeprefix("python -m trained run ")
            assert name in experiments and name not in RESULTS, command


def catalogue(code):
    return yaml.safe_load((ROOT / f"docs/_lang/{code}.yml").read_text(encoding="utf-8"))


def test_verdicts_say_what_they_claim(chapter):
    """A mark, a sentence with claims that hold, and the words for it: none of them without the others."""
    found = 0
    for page in chapter.values():
        for verdict in page.article.xpath(".//p[starts-with(@class, 'verdict')]"):
            [mark] = verdict.xpath(".//span[@class='verdict-mark']/text()")
            kind = verdict.get("class").split()[1]
            assert (mark, kind) in {("✓", "holds"), ("✗", "fails")}
            [claims] = verdict.xpath(".//@data-claim")
            assert all(holds(claim) for claim in claims.split("; "))
            assert text_of(verdict.xpath(".//strong")[0])
            found += 1
    assert found >= 12


def test_every_column_of_attention_weights_is_one_whole(chapter):
    page = chapter["referent"]
    for adjective in RESULTS["referent_attention"]["labels"]["adjective"]:
        for block in (1, 2):
            total = evaluate(f"sum(measured/referent_attention.attention[block={block},adjective={adjective}])")
            assert float(total) == pytest.approx(1, abs=1e-12)
        [first] = shown(page, f"measured/referent_attention.named[adjective={adjective}]")
        assert first == evaluate(f"measured/referent_attention.named[adjective={adjective}]")


def test_the_section_has_its_title_in_every_language(site):
    for code in LANGUAGES:
        labels = Page(site, code, "index.md").document.xpath("//nav[contains(@class, 'md-nav--primary')]//label")
        others = [catalogue(other)["sections"]["chapter"] for other in LANGUAGES if other != code]
        texts = [text_of(label).strip() for label in labels]
        assert catalogue(code)["sections"]["chapter"] in texts
        assert not set(others) & set(texts)
