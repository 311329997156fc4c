"""The four languages say the same: the same values, claims, figures and headings, in prose of their own."""

import re

import pytest
from built_page import Page, text_of
from lxml import html

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
SPEAKING = (*HEADINGS, "p", "li", "summary", "figcaption", "caption", "dt", "dd", "blockquote")


def same(pages, what):
    """What a page carries is the same in every language; else, where the first difference is."""
    first, *others = pages
    expected = what(first)
    for other in others:
        given = what(other)
        for place, (ours, theirs) in enumerate(zip(expected, given)):
            assert ours == theirs, f"{first} and {other} part at {place + 1}"
        assert len(expected) == len(given), f"{first}: {len(expected)}, {other}: {len(given)}"


def test_the_same_addresses_in_the_same_order(in_all_languages):
    same(in_all_languages, lambda page: [element.address for element in page.elements])


def test_the_same_ledger_but_for_the_text_and_the_line(in_all_languages):
    keys = ("id", "address", "value", "places", "style", "mode")
    same(in_all_languages, lambda page: [[row[key] for key in keys] for row in page.rows])


def test_the_same_claims_in_the_same_order(in_all_languages):
    same(in_all_languages, lambda page: page.claims)


def test_the_same_figures_in_the_same_order(in_all_languages):
    same(in_all_languages, lambda page: page.article.xpath(".//@data-figure"))


def test_the_same_heading_levels(in_all_languages):
    def levels(page):
        return [node.tag for node in page.article.iter(*HEADINGS)]

    same(in_all_languages, levels)
    assert levels(in_all_languages[0])[0] == "h1"
    assert levels(in_all_languages[0]).count("h1") == 1


def test_the_same_displayed_formulas_but_for_their_words_and_numbers(in_all_languages):
    """Symbols in running text may stand where each language wants them."""

    def shapes(page):
        return [
            [node.tag for node in math.iter() if node.tag not in ("mtext", "mn", "mrow")]
            for math in page.article.xpath(".//math[@display='block']")
        ]

    same(in_all_languages, shapes)


def test_the_same_code(in_all_languages):
    same(in_all_languages, lambda page: [text_of(node) for node in page.article.iter("pre")])


def test_no_paragraph_heading_or_caption_is_empty(page):
    for node in page.article.iter(*SPEAKING):
        assert text_of(node).strip("\N{NO-BREAK SPACE}¶ \n"), html.tostring(node.getparent(), encoding="unicode")[:300]


def test_no_block_stands_inside_a_paragraph(page):
    """Browsers close the paragraph before it, and leave an empty one behind."""
    text = (page.site / page.language / page.name.replace(".md", ".html")).read_text(encoding="utf-8")
    assert not re.search(r"<p\b[^>]*>\s*<(div|figure|table|nav|dl|ol|ul|details|h\d)\b", text)


def test_the_page_says_its_language(page):
    assert page.document.get("lang") == page.language


def test_the_same_ids_of_headings(in_all_languages):
    """The language switch keeps the section."""
    same(in_all_languages, lambda page: [node.get("id") for node in page.article.iter("h2", "h3")])


@pytest.mark.parametrize("left, right", [("pt", "en"), ("pt", "ru"), ("pt", "es"), ("en", "ru"), ("es", "ru")])
def test_the_prose_of_two_languages_differs(site, left, right):
    """No page is a copy of another language's."""

    def paragraphs(code):
        article = Page(site, code, "output.md").article
        return {" ".join(text_of(node).split()) for node in article.iter("p", "figcaption", "summary")
                if len(text_of(node)) > 60 and node.find_class("worked") == []}

    assert len(paragraphs(left)) > 20
    assert not paragraphs(left) & paragraphs(right)
