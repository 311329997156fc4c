"""Every number on every built page: recomputed by another road, formatted, compared."""

import math
import re
from fractions import Fraction

import pytest
import yaml
from built_page import Element, drawing, formula_around, mathml, seen, text_of, written
from conftest import ROOT
from evaluate import evaluate, holds
from lxml import html

ALLOWED = yaml.safe_load((ROOT / "docs/_allowed_digits.yml").read_text(encoding="utf-8"))
# These are about Markdown: in the built page their digits are gone.
OF_MARKDOWN = {"the marker of a numbered list in Markdown", "the target of a link", "an HTML entity"}
NAMES = [re.compile(entry["pattern"]) for entry in ALLOWED["prose"] if entry["reason"] not in OF_MARKDOWN]
HEARD = {"title", "desc"}  # of a picture: what it says to those who do not see it
NOT_PROSE = {"pre", "math", "script", "style", *HEARD}
SPOKEN = ("alt", "aria-label", "title", "placeholder", "aria-description")


# --- numbers -------------------------------------------------------------------------------


def test_every_number_is_what_its_address_says(page):
    for element, row in page.pairs():
        value = evaluate(element.address)
        if value == -math.inf:
            assert float(element.value) == value, element
        else:
            assert abs(Fraction(element.value) - value) <= Fraction(1, 10**12) * max(1, abs(value)), element
        expected = written(value, row["places"], row["style"], page.language)
        assert element.text == expected, (element.address, row["source"])


def test_no_number_is_near_a_tie(page):
    """Else another machine could print another digit. Printed digits are exact: they may tie."""
    for row in page.rows:
        if row["places"] is not None and "shown(" not in row["address"] and row["style"] != "compact":
            value = evaluate(row["address"]) * (100 if row["style"] == "percent" else 1)
            if value == -math.inf:
                continue
            shifted = abs(value) * 10 ** row["places"]
            assert abs(shifted % 1 - Fraction(1, 2)) > Fraction(10 ** row["places"], 10**9), row


def test_every_computed_token_is_what_its_address_says(page):
    for element in page.elements:
        if not element.is_number:
            assert element.text == evaluate(element.address), element.address


# --- the ledger ----------------------------------------------------------------------------


def test_the_ledger_has_one_row_for_each_number_in_page_order(page):
    assert [row["id"] for row in page.rows] == list(range(1, len(page.rows) + 1))
    for elements, rows in page.units():
        shown = sorted((element.address, element.text) for element in elements)
        assert shown == sorted((row["address"], seen(row)) for row in rows)
    for element, row in page.pairs():
        assert float(element.value) == float(row["value"]), row


def test_the_ledgers_modes_are_where_the_numbers_stand(page):
    modes = {"data": "text", "tspan": "picture", "span": "tex"}
    for element, row in page.pairs():
        assert row["mode"] == modes[element.node.tag], row
        assert (row["mode"] == "tex") == (formula_around(element.node) is not None)


def test_every_row_names_a_line_of_a_source(page):
    for row in page.rows:
        file, _, line = row["source"].rpartition(":")
        lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
        assert 1 <= int(line) <= len(lines), row


def test_every_address_stands_inside_the_article(page):
    assert len(page.document.xpath("//*[@data-ref]")) == len(page.elements)


# --- digits that nobody computed -----------------------------------------------------------


def test_no_digit_in_prose_without_an_address(page):
    for chunk in prose(page.article):
        for name in NAMES:
            chunk = name.sub("", chunk)
        assert not re.search(r"\d", chunk), chunk


def prose(node):
    """Text with no address around it, block by block."""
    blocks = [[]]

    def walk(part):
        if isinstance(part, html.HtmlComment) or part.tag in NOT_PROSE or "katex" in part.get("class", "").split():
            return
        if "data-ref" not in part.attrib:
            inline = part.tag in {"a", "strong", "em", "code", "span", "abbr", "b", "i"}
            if not inline:
                blocks.append([])
            blocks[-1].append(part.text or "")
            for child in part:
                walk(child)
                blocks[-1].append(child.tail or "")
            if not inline:
                blocks.append([])

    walk(node)
    return ["".join(block) for block in blocks if "".join(block).strip()]


def test_spoken_attributes_and_the_description_hold_only_the_ledgers_numbers(page):
    spoken = page.document.xpath("//head/meta[@name='description']/@content | //head/title/text()")
    for node in page.article.iter():
        spoken += [text_of(node)] if node.tag in HEARD else []
        spoken += [node.get(name) for name in SPOKEN if not isinstance(node, html.HtmlComment) and node.get(name)]
    rest = "\n".join(spoken)
    for row in page.rows_in("attribute"):
        before, found, rest = rest.partition(row["text"])
        assert found, row
        assert not digits_but_names(before), row
    assert not digits_but_names(rest)


def digits_but_names(text):
    for name in NAMES:
        text = name.sub("", text)
    return re.findall(r"\S*\d\S*", text)


def test_numbers_in_code_are_in_the_page(page):
    code = "\n".join(text_of(node) for tag in ("pre", "code") for node in page.article.iter(tag))
    for row in page.rows_in("code"):
        assert re.search(rf"(?<![\d.]){re.escape(row['text'])}(?![\d])", code), row


# --- formulas ------------------------------------------------------------------------------

# What each allowed pattern has become in MathML: the places where it leaves a digit.
ALLOWED_SHAPES = {
    r"\\tensor\{[^}]*\}": [  # the symbols with a digit are the MLP's: W_1, b_1, W_2, b_2
        "msub[mi[.='W' or .='b']]/mn[position()=1 and (.='1' or .='2')]",
    ],
    r"\^2|\^\{2\}": ["msup/mn[position()=last() and .='2']"],
    r"\\frac\{1\}\{d\}": ["mfrac[mi[.='d']]/mn[position()=1 and .='1']"],
    r"_\{i=1\}": [f"{sum_}/*[2][mi[.='i']]/mn[.='1']" for sum_ in ("munderover", "munder", "msubsup", "msub")],
}


def test_every_allowed_pattern_of_formulas_has_its_shape():
    """An author who allows another pattern says here what becomes of it."""
    assert {entry["pattern"] for entry in ALLOWED["formula"]} == set(ALLOWED_SHAPES)


def typed(formula):
    """The digits of a formula that authors may type, as its MathML shows them."""
    return mathml(formula).xpath(" | ".join(f".//{shape}" for shapes in ALLOWED_SHAPES.values() for shape in shapes))


def test_every_digit_drawn_in_a_formula_has_an_address(page):
    for formula in page.formulas:
        drawn = drawing(formula)
        without = "".join(outside(drawn))
        expected = sorted(node.text for node in typed(formula))
        assert sorted(re.findall(r"\d", without)) == expected, text_of(mathml(formula))


def outside(node):
    """Text with no address around it."""
    if "data-ref" not in node.attrib:
        yield node.text or ""
        for child in node:
            yield from outside(child)
            yield child.tail or ""


def test_mathml_carries_the_same_numbers_in_the_order_of_the_ledger(page):
    """Screen readers and copying get the MathML: no digit more, none less."""
    rows = iter(page.rows_in("tex"))
    for formula in page.formulas:
        allowed = set(typed(formula))
        spoken = "".join(f"{text}|" for node, text in leaves(mathml(formula)) if node not in allowed)
        for node in formula.iterfind(".//*[@data-ref]"):
            if Element(node).is_number:
                number = seen(next(rows))
                # A sign or a group of digits may be a leaf of its own.
                leaf = re.compile(r"\|?".join(map(re.escape, number)) + r"\|")
                found = leaf.search(spoken)
                assert found, (number, spoken)
                assert not re.search(r"\d", spoken[: found.start()]), (number, spoken)
                spoken = spoken[found.end() :]
        assert not re.search(r"\d", spoken), spoken
    assert next(rows, None) is None


def leaves(node):
    if len(node) == 0:
        yield node, text_of(node)
    for child in node:
        yield from leaves(child)


# --- claims --------------------------------------------------------------------------------


def test_every_claim_holds(page):
    for comparison in page.claims:
        assert holds(comparison), comparison


@pytest.mark.parametrize("page", [("en", "output.md")], indirect=True, ids=str)
def test_the_output_page_makes_claims(page):
    assert len(page.claims) >= 15
