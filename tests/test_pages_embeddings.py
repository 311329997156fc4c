"""What the page "Embeddings" must show, worked out by hand, in every language."""

from fractions import Fraction

import pytest
from built_page import Element, Page, decimal
from conftest import LANGUAGES
from evaluate import weights

IDS = {"o": 0, "␣gato": 2, "␣sub": 4, "iu": 5, "␣no": 1}
X = ["-0.2 0 -0.5 1.3", "2 -1 -0.9 0.1", "0 1.2 0.6 -0.3", "-0.2 1.3 -0.5 -0.1", "-0.1 -0.1 -0.1 1.25"]
COMPARED = ["␣gato", "␣cão", "␣telhado", "␣muro", "␣sub", "iu", "o", "␣no"]


@pytest.fixture(scope="module", params=LANGUAGES)
def page(request, site) -> Page:
    return Page(site, request.param, "embeddings.md")


@pytest.fixture
def prints(page):
    def check(address, number, places):
        expected = decimal(Fraction(number), places, page.language)
        assert page.texts(address) == {expected}, address

    return check


def cells(figure):
    return [Element(node).address for node in figure.iterfind(".//td/data")]


def test_the_ids(page):
    [figure] = page.figures("ids")
    assert cells(figure) == [f"toy/ids[t={t}]" for t in range(1, 6)]
    assert [Element(node).text for node in figure.iterfind(".//td/data")] == [str(i) for i in IDS.values()]


def test_both_tables_and_what_goes_out_stand_there_whole(page):
    tokens, places, out = page.figures("matrix")
    dimensions = range(1, 5)
    assert cells(tokens) == [f"toy/E[v={v},d={d}]" for v in weights()["vocabulary"] for d in dimensions]
    assert cells(places) == [f"toy/P[slot={slot},d={d}]" for slot in range(1, 9) for d in dimensions]
    assert cells(out) == [f"toy/x[t={t},d={d}]" for t in range(1, 6) for d in dimensions]
    marked = [len(figure.xpath(".//tr[@class='current']")) for figure in (tokens, places, out)]
    assert marked == [5, 5, 1]


def test_what_goes_out(prints):
    for t, row in enumerate(X, start=1):
        for d, number in enumerate(row.split(), start=1):
            prints(f"toy/x[t={t},d={d}]", number, 3)


def test_the_worked_cosine(prints):
    prints("sqrt(dot(toy/E[v=␣gato],toy/E[v=␣gato]))", "2.291", 3)
    prints("sqrt(dot(toy/E[v=␣cão],toy/E[v=␣cão]))", "1.581", 3)
    prints("dot(toy/E[v=␣gato],toy/E[v=␣cão])", "3.25", None)


def test_every_pair_of_the_cosine_table(page):
    [figure] = page.figures("cosines")
    row = [Element(node).text for node in figure.findall(".//tbody/tr")[0].iterfind("td/data")]
    expected = ["1", "0.90", "0.50", "0.58", "-0.49", "-0.29", "0.10", "0"]
    assert row == [decimal(Fraction(number), 2, page.language) for number in expected]
    assert len(cells(figure)) == len(COMPARED) ** 2


def test_the_sizes_of_gpt2s_tables(prints):
    prints("counted/gpt2_small.P", 786_432, 0)
    prints("counted/gpt2_small.parameters", 124_439_808, 0)


def test_without_positions_the_order_is_lost(page, prints):
    prints("toy.positions_off/p[t=5,v=iu]", "0.051", 3)
    prints("toy.swapped_positions_off/p[t=5,v=iu]", "0.051", 3)
    prints("toy/p[t=5,v=iu]", "0.049", 3)
    prints("toy.swapped/p[t=5,v=iu]", "0.109", 3)
    lost = [claim for claim in page.claims if "swapped_positions_off" in claim]
    assert len(lost) == len(weights()["vocabulary"])
