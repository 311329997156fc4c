"""Reads a built page as a reader's browser would, and writes numbers as each language does.

Relies on what carries meaning (data-ref, data-value, data-claim, data-figure) and on the names
that KaTeX gives its parts; not on the site's own classes.
"""

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from evaluate import rounded
from lxml import html

NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
DECIMAL_MARK = {"pt": ",", "en": ".", "ru": ",", "es": ","}
GROUP_MARK = {"pt": ".", "en": ",", "ru": NO_BREAK_SPACE, "es": "."}
GROUPED_FROM = {"pt": 1_000, "en": 1_000, "ru": 1_000, "es": 10_000}
PERCENT = {"pt": "%", "en": "%", "ru": f"{NO_BREAK_SPACE}%", "es": f"{NO_BREAK_SPACE}%"}
MILLIONS = {"pt": "milhões", "en": "million", "ru": "миллиона", "es": "millones"}  # after decimals


# --- writing -------------------------------------------------------------------------------


def written(value: Fraction, places: int | None, style: str, language: str) -> str:
    """A number as prose prints it."""
    if style == "percent":
        return decimal(value * 100, places, language) + PERCENT[language]
    if style == "compact":
        millions = decimal(value / 1_000_000, places, language)
        assert 1 <= abs(value) / 1_000_000 < 1_000, "this test knows the words for millions only"
        assert millions.strip("−0").endswith(tuple("123456789")), "a fraction of a million"
        return f"{millions} {MILLIONS[language]}"
    if style == "scientific":
        power = next(n for n in range(-40, 40) if abs(value) < Fraction(10) ** (n + 1))
        if rounded(abs(value) / Fraction(10) ** power, places) == 10:
            power += 1
        raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
        mantissa = decimal(value / Fraction(10) ** power, places, language)
        return f"{mantissa}{NO_BREAK_SPACE}×{NO_BREAK_SPACE}10{raised}"
    return decimal(value, places, language)


def decimal(value: Fraction, places: int | None, language: str) -> str:
    if value == -math.inf:
        return "−∞"
    if places is None:
        places = next(n for n in range(30) if (value * 10**n).denominator == 1)
    value = rounded(value, places)
    whole, fraction = divmod(int(abs(value) * 10**places), 10**places)
    digits = str(whole)
    if whole >= GROUPED_FROM[language]:
        digits = re.sub(r"(?<=\d)(?=(\d{3})+$)", GROUP_MARK[language], digits)
    decimals = f"{DECIMAL_MARK[language]}{fraction:0{places}d}" if places else ""
    return ("−" if value < 0 else "") + digits + decimals


def read(text: str, language: str) -> Fraction:
    """The number that a text prints, back from its language's marks."""
    bare = text.replace(GROUP_MARK[language], "").replace(DECIMAL_MARK[language], ".")
    return Fraction(bare.replace("−", "-"))


def from_tex(text: str) -> str:
    """A number in TeX as it will look in the formula."""
    for tex, seen in (("-", "−"), ("{,}", ","), ("{.}", "."), (r"\,", NO_BREAK_SPACE), (r"\infty", "∞")):
        text = text.replace(tex, seen)
    return text


# --- reading -------------------------------------------------------------------------------


def has_class(node, name: str) -> bool:
    return name in node.get("class", "").split()


def text_of(node) -> str:
    """The visible text: KaTeX's thin space is a space, its other spacing nothing."""
    if isinstance(node, html.HtmlComment):
        return ""
    if has_class(node, "mspace"):
        return NO_BREAK_SPACE if "0.1667em" in node.get("style", "") else ""
    if node.tag == "mtext" and not (node.text or "").strip():
        return NO_BREAK_SPACE
    parts = [node.text or ""]
    for child in node:
        parts += [text_of(child), child.tail or ""]
    return "".join(parts)


@dataclass
class Element:
    """One value on the page, with its address."""

    node: html.HtmlElement

    @property
    def address(self) -> str:
        return self.node.get("data-ref")

    @property
    def value(self) -> str | None:
        return self.node.get("value" if self.node.tag == "data" else "data-value")

    @property
    def text(self) -> str:
        return text_of(self.node).strip()

    @property
    def is_number(self) -> bool:
        return self.value is not None


@dataclass
class Page:
    """One built page: its article, the values in it, and its rows of the ledger."""

    site: Path
    language: str
    name: str  # output.md

    def __str__(self) -> str:
        return f"{self.language}/{self.name}"

    @cached_property
    def document(self) -> html.HtmlElement:
        file = self.site / self.language / self.name.replace(".md", ".html")
        return html.fromstring(file.read_bytes(), parser=html.HTMLParser(encoding="utf-8"))

    @cached_property
    def article(self) -> html.HtmlElement:
        [article] = self.document.iter("article")
        return article

    @cached_property
    def elements(self) -> list[Element]:
        return [Element(node) for node in self.article.iterfind(".//*[@data-ref]")]

    @cached_property
    def rows(self) -> list[dict]:
        ledger = json.loads((self.site / self.language / "numbers.json").read_text("utf-8"))
        return [row for row in ledger if row["page"] == self.name]

    def rows_in(self, *modes: str) -> list[dict]:
        return [row for row in self.rows if row["mode"] in modes]

    def units(self) -> Iterator[tuple[list[Element], list[dict]]]:
        """In page order, what the ledger enters together: a number alone, or those of a formula.

        KaTeX draws what is under a fraction's line first, so only formulas have an order.
        """
        rows = iter(self.rows_in("text", "tex", "picture"))
        elements = iter([element for element in self.elements if element.is_number])
        for element in elements:
            formula = formula_around(element.node)
            if formula is None:
                yield [element], [next(rows)]
                continue
            count = sum(Element(node).is_number for node in formula.iterfind(".//*[@data-ref]"))
            together = [element, *(next(elements) for _ in range(count - 1))]
            yield together, [next(rows) for _ in together]
        left = list(rows)
        assert not left, f"{self}: rows that no element shows: {left[:3]}"

    def pairs(self) -> Iterator[tuple[Element, dict]]:
        """Every number with its row of the ledger."""
        for elements, rows in self.units():
            rows = sorted(rows, key=lambda row: (row["address"], seen(row)))
            elements = sorted(elements, key=lambda element: (element.address, element.text))
            yield from zip(elements, rows, strict=True)

    @cached_property
    def formulas(self) -> list[html.HtmlElement]:
        """KaTeX's outermost element of each formula."""
        return [math.getparent().getparent() for math in self.article.iter("math")]

    def figures(self, kind: str) -> list[html.HtmlElement]:
        return self.article.xpath(".//*[@data-figure=$kind]", kind=kind)

    def texts(self, address: str, within=None) -> set[str]:
        """What the page prints for an address."""
        where = self.article if within is None else within
        return {Element(n).text for n in where.xpath(".//*[@data-ref=$a]", a=address)}

    @cached_property
    def claims(self) -> list[str]:
        marked = self.article.xpath(".//@data-claim")
        return [comparison for claim in marked for comparison in claim.split("; ")]


def seen(row: dict) -> str:
    """What a row of the ledger says the reader sees."""
    return from_tex(row["text"]) if row["mode"] == "tex" else row["text"]


def formula_around(node) -> html.HtmlElement | None:
    return next((up for up in node.iterancestors() if has_class(up, "katex")), None)


def mathml(formula) -> html.HtmlElement:
    return next(formula.iter("math"))


def drawing(formula) -> html.HtmlElement:
    """The part of a formula that is drawn, beside its MathML."""
    [part] = [node for node in formula if has_class(node, "katex-html")]
    return part
