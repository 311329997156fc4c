"""The glossary: complete in every language, in its own order, and within reach of the words in the text."""

import re
import unicodedata

import pytest
import yaml
from built_page import NO_BREAK_SPACE, Page, has_class, text_of
from conftest import CONFIG, LANGUAGES, PAGES, ROOT

STEPS = list(CONFIG["extra"]["steps"])
CYRILLIC = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
FORBIDDEN = ("h1", "h2", "h3", "h4", "a", "code", "pre", "th", "figure", "svg", "summary", "nav", "dl")


def data(code):
    return yaml.safe_load((ROOT / "docs" / "_glossary" / f"{code}.yml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def entries():
    return {code: data(code) for code in LANGUAGES}


@pytest.fixture(params=LANGUAGES)
def glossary(request, site):
    return Page(site, request.param, "glossary.md")


@pytest.fixture(params=[(code, step) for code in LANGUAGES for step in STEPS], ids=lambda param: "/".join(param))
def step_page(request, site):
    code, step = request.param
    return Page(site, code, f"{step}.md")


def listed(page):
    return page.article.xpath(".//dl[@class='glossary']/div")


def place(word, language):
    """Where a dictionary of the language puts a word, by its alphabet; written without a collation library."""
    word = word.lower().replace("ё", "е")
    if language == "ru":  # Cyrillic before Latin; й is a letter of its own
        return [(char not in CYRILLIC, CYRILLIC.find(char), char) for char in word if char.isalpha() or char == " "]
    bare = "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))
    return [(char.isalpha(), char) for char in bare if char.isalpha() or char == " "]


def test_the_same_terms_in_every_language(entries):
    keys = set(data("terms"))
    assert len(keys) >= 40
    for code in LANGUAGES:
        assert set(entries[code]) == keys, code


def test_the_list_is_whole_and_alphabetical(glossary, entries):
    shown = {row.get("id"): text_of(row.find("dt")) for row in listed(glossary)}
    assert shown == {key: entry["word"] for key, entry in entries[glossary.language].items()}
    heads = list(shown.values())
    assert heads == sorted(heads, key=lambda word: place(word, glossary.language))


def test_equivalents_are_the_other_languages_head_words(glossary, entries):
    for row in listed(glossary):
        given = {node.get("lang"): text_of(node) for node in row.xpath(".//span[@lang]")}
        assert given == {
            code: entries[code][row.get("id")]["word"] for code in LANGUAGES if code != glossary.language
        }
        assert list(given) == [code for code in LANGUAGES if code != glossary.language]


def test_a_definition_is_one_or_two_sentences_and_a_hint_at_most(entries):
    for code, terms in entries.items():
        for key, entry in terms.items():
            text = re.sub("<[^>]*>", "", entry["definition"])
            assert text.endswith("."), (code, key)
            assert text[0].isupper() or text[0] == "e", (code, key)
            assert 1 <= len(re.findall(r"\.(?= |$)", text)) <= 3, (code, key)
            assert 40 <= len(text) <= 260, (code, key, len(text))


@pytest.mark.parametrize("left, right", [("pt", "en"), ("pt", "es"), ("en", "ru")])
def test_definitions_are_written_in_each_language(entries, left, right):
    for key in entries[left]:
        assert entries[left][key]["definition"] != entries[right][key]["definition"], key


def test_every_entry_leads_to_the_section_that_explains_it(glossary):
    homes = data("terms")
    for row in listed(glossary):
        [link] = row.iter("a")
        page, _, section = link.get("href").partition("#")
        assert f"{page.replace('.html', '.md')}#{section}" == homes[row.get("id")]
        target = Page(glossary.site, glossary.language, page.replace(".html", ".md"))
        assert target.article.xpath(".//h2[@id=$section]", section=section), link.get("href")


# --- words in the text ---------------------------------------------------------------------


def test_the_words_lead_to_their_entries_and_say_what_these_say(step_page, entries):
    known = entries[step_page.language]
    marked = step_page.article.find_class("term")
    assert len(marked) >= 5
    assert len({mark[0].get("href") for mark in marked}) == len(marked), "a term is explained twice on one page"
    for mark in marked:
        link, definition = mark
        page, _, key = link.get("href").partition("#")
        assert page == "glossary.html"
        assert definition.get("id") == link.get("aria-describedby") == f"definition-{key}"
        assert definition.get("role") == "tooltip"
        plain = re.sub("<[^>]*>", "", known[key]["definition"])
        assert text_of(definition).replace(NO_BREAK_SPACE, " ") == f"{known[key]['word']} {plain}"


def test_no_word_is_marked_where_a_definition_would_disturb(step_page):
    for mark in step_page.article.find_class("term"):
        above = [node for node in mark.iterancestors()]
        assert not [node.tag for node in above if node.tag in FORBIDDEN], text_of(mark)
        assert not [node for node in above if has_class(node, "katex") or has_class(node, "worked")], text_of(mark)


@pytest.mark.parametrize("page", PAGES)
def test_the_same_words_in_the_same_order_in_every_language(site, page):
    terms = [
        [mark[0].get("href") for mark in Page(site, code, page).article.find_class("term")] for code in LANGUAGES
    ]
    assert terms[1:] == terms[:-1]


def test_definitions_stay_out_of_the_search(site):
    for code in LANGUAGES:
        index = (site / code / "search" / "search_index.json").read_text(encoding="utf-8")
        known = data(code)
        assert index.count(known["residual-stream"]["definition"][:40]) <= 1  # the glossary's own


def test_the_reading_ends_with_the_chapter(site):
    """What comes after it is for looking things up: nothing leads on to it, nor back from it."""
    for code in LANGUAGES:
        nav = {name: [link.get("href") for link in Page(site, code, name).document.find_class("md-footer__link")]
               for name in (f"{STEPS[-1]}.md", "laboratory.md", "chapter/average.md", "chapter/notes.md",
                            "notation.md", "glossary.md")}
        assert nav[f"{STEPS[-1]}.md"] == [f"{STEPS[-2]}.html", "laboratory.html"]
        assert nav["laboratory.md"] == [f"{STEPS[-1]}.html", "chapter/average.html"]
        assert nav["chapter/average.md"] == ["../laboratory.html", "queries.html"]
        assert nav["chapter/notes.md"] == ["referent.html"]
        assert nav["notation.md"] == nav["glossary.md"] == []
