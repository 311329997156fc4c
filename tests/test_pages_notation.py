"""What pages call tensors and shapes: the registry's names, and each tensor's own shape, recomputed."""

import re
from functools import cache

import numpy as np
import pytest
import reference
import yaml
from built_page import NO_BREAK_SPACE, Element, Page, decimal, has_class, text_of
from conftest import CONFIG, LANGUAGES, ROOT
from counted import COUNTED

from toymodel.names import AXES, BY_NAME, NAMES, Family

GIVEN = {"ids", "id_of", "one_hot"}  # what the model is told: no tensors of its own
OTHERS = ("counted", "tokens", "averages", "site", "measured")  # what else an address may begin with
NAMED = re.compile(r"(?:^|[(,+])([a-z0-9_.]+)/(\w+)(?:\[([^\]]*)\])?")
COUNT = re.compile(r"count\(toy/(\w+)(?:\[(.*)\])?,(\w+)\)")
LENGTHS = {"t": 5, "s": 5}  # of the running example


@pytest.fixture(scope="module")
def shapes():
    """Name to shape of everything in the running example, by NumPy."""
    arrays = reference.numpy_arrays("toy")
    return {name: np.shape(array) for name, array in arrays.items()} | {"ids": (len(reference.TOKENS),)}


@pytest.fixture(params=LANGUAGES)
def notation(request, site):
    return Page(site, request.param, "notation.md")


def words(code):
    return yaml.safe_load((ROOT / "docs" / "_lang" / f"{code}.yml").read_text(encoding="utf-8"))


def said(node):
    return text_of(node).replace(NO_BREAK_SPACE, " ")


def axes_of(name):
    return BY_NAME[name].axes if name in BY_NAME else ("t",)


def test_every_tensor_that_a_number_comes_from_is_registered(page):
    seen = 0
    for element in page.elements:
        for run, name, _ in NAMED.findall(element.address):
            if run not in OTHERS:
                assert run in reference.RUNS, element.address
                assert name in BY_NAME or name in GIVEN, element.address
                seen += 1
    assert seen or page.name in ("glossary.md", "tokens.md", "laboratory.md") or page.name.startswith("chapter/")


def test_every_tensor_that_a_template_sets_in_a_formula_is_registered():
    pages, shared = (ROOT / "docs").glob("**/*.md"), (ROOT / "docs").glob("_shared/**/*.jinja")
    written = {
        name
        for file in [*pages, *shared, ROOT / "CONTRIBUTING.md"]
        for name in re.findall(r"\\tensor\{(\w+)\}", file.read_text(encoding="utf-8"))
    }
    assert len(written) > 30
    assert written <= {*BY_NAME, "ids"}


def test_every_tensor_symbol_wears_a_registered_family(page):
    families = set(Family)
    for node in page.article.find_class("tensor"):
        assert families & set(node.get("class").split()), node.get("class")


def counted_axes(nodes):
    """What numbers in a row count, if they are lengths of our model's axes: name, fixed axes, axes."""
    matches = [COUNT.fullmatch(Element(node).address) for node in nodes]
    if not all(matches):
        return None
    [(name, fixed)] = {(match[1], match[2] or "") for match in matches}
    return name, {part.partition("=")[0] for part in fixed.split(",") if part}, [match[3] for match in matches]


def check_shape(nodes, shapes, language):
    """These numbers, in this order, are the whole shape of one tensor, or of the part that an address fixes."""
    name, fixed, axes = counted_axes(nodes)
    expected = [(axis, size) for axis, size in zip(axes_of(name), shapes[name], strict=True) if axis not in fixed]
    printed = [decimal(size, 0, language) for _, size in expected]
    assert [axis for axis, _ in expected] == axes, name
    assert [Element(node).text for node in nodes] == printed, name
    return name


def test_every_shape_in_brackets_is_the_tensors_own(page, shapes):
    spans = page.article.find_class("shape")
    for span in spans:
        if page.name == "tokens.md":  # before there are tensors: texts and ids, counted as they are cut
            assert all(Element(node).address.startswith("tokens/toy/") for node in span.iter("data"))
            continue
        name = check_shape(span.findall("data"), shapes, page.language)
        assert text_of(span) == f"({' × '.join(Element(node).text for node in span.findall('data'))})"
        if name in BY_NAME:
            [symbol] = {node.get("class") for node in span.getprevious().find_class("tensor")}
            assert BY_NAME[name].family in symbol.split()
    without = ("index.md", "notation.md", "glossary.md", "laboratory.md")
    assert spans or page.name in without or page.name.startswith("chapter/")


def test_every_other_product_of_lengths_is_one_tensors_shape(page, shapes):
    """5 × 4 anywhere else: all axes of one tensor, or two sizes of one published configuration, or no shape but
    a count times what was measured for each."""
    for node in page.article.iter("data"):
        beside = node.getnext()
        if (node.tail or "").strip() == "×" and beside is not None and beside.tag == "data":
            if counted_axes([node]) and not has_class(node.getparent(), "shape"):
                run = [node, beside]
                while (run[-1].tail or "").strip() == "×":
                    run.append(run[-1].getnext())
                if (node.getprevious() is None) or (node.getprevious().tail or "").strip() != "×":
                    check_shape(run, shapes, page.language)
            elif all(Element(one).address.startswith("counted/") for one in (node, beside)):
                models = {Element(one).address.partition(".")[0] for one in (node, beside)}
                assert len(models) == 1, models


# --- the tables ----------------------------------------------------------------------------


def rows(page, kind):
    [figure] = page.figures(kind)
    return [row for row in figure.iter("tr") if row.get("id")]


def test_the_axes_are_the_registrys_with_their_lengths(notation):
    catalogue = words(notation.language)
    assert list(catalogue["axes"]) == list(AXES)
    for axis, row in zip(AXES, rows(notation, "axes"), strict=True):
        _, meaning, ours, theirs = row
        assert row.get("id") == f"axis-{axis}"
        assert said(meaning) == catalogue["axes"][axis]
        assert text_of(ours) == str(LENGTHS.get(axis, COUNTED["toy"][f"axis_{axis}"]))
        assert text_of(theirs) == decimal(COUNTED["gpt2_small"][f"axis_{axis}"], 0, notation.language)


@cache
def used_in(site, language, step):
    """The tensors of the running example whose numbers a step shows, or claims something about."""
    page = Page(site, language, f"{step}.md")
    addresses = [*(element.address for element in page.elements), *page.claims]
    return {name for address in addresses for name in re.findall(r"\btoy/(\w+)", address)}


@pytest.mark.parametrize("kind", ["parameter", "recorded"])
def test_every_name_has_a_row_in_order_with_its_meaning_axes_and_shapes(notation, kind, shapes):
    catalogue = words(notation.language)
    expected = ["ids"] * (kind == "recorded") + [entry.name for entry in NAMES if entry.kind == kind]
    given = rows(notation, kind)
    assert [row.get("id") for row in given] == expected
    steps = {step: used_in(notation.site, notation.language, step) for step in CONFIG["extra"]["steps"]}
    users = {name: [step for step, used in steps.items() if name in used] for name in expected}
    absent = f"—{catalogue['notation']['absent']}"
    for name, row in zip(expected, given):
        symbol, about, axes, ours, theirs = row
        family = BY_NAME[name].family if name in BY_NAME else "parameter"
        assert all(family in node.get("class") for node in symbol.find_class("tensor"))
        code, meaning, step = about
        assert code.text == name
        per_block = f"; {catalogue['notation']['per_block']}" if name in BY_NAME and BY_NAME[name].per_block else ""
        assert said(meaning) == catalogue["meaning"][name] + per_block
        assert text_of(next(axes.iter("math"))) == "×".join(axes_of(name))
        if name in shapes:
            assert check_shape(ours.findall("data"), shapes, notation.language) == name
        else:
            assert text_of(ours) == absent
        if name == "W_U":
            assert text_of(theirs) == absent  # GPT-2's output is tied to E
        else:
            sizes = [COUNTED["gpt2_small"][f"axis_{axis}"] for axis in axes_of(name)]
            assert text_of(theirs) == " × ".join(decimal(size, 0, notation.language) for size in sizes)
            if name in COUNTED["gpt2_small"] and name in BY_NAME:
                blocks = COUNTED["gpt2_small"]["blocks"] if BY_NAME[name].per_block else 1
                assert np.prod(sizes) * blocks == COUNTED["gpt2_small"][name]
        [link] = step.iter("a")
        home = link.get("href").removesuffix(".html")
        assert home in steps
        assert not users[name] or home in users[name], f"{name} is used in {users[name]}"
    assert sum(bool(users[name]) for name in expected) > len(expected) / 2


def test_openings_and_table_take_a_meaning_from_one_place(site, notation):
    """What comes in and goes out is described in the very words of the table."""
    meanings = words(notation.language)["meaning"]
    for name in ("embeddings", "attention", "heads", "block", "output"):
        for end in Page(site, notation.language, f"{name}.md").article.xpath(".//dl[@class='in-out']//dd"):
            shape = end.find_class("shape")
            if shape:
                tensor, _, _ = counted_axes(shape[0].findall("data"))
                assert shape[0].tail.strip().replace(NO_BREAK_SPACE, " ") == meanings[tensor]
