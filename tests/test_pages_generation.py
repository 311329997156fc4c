"""The page "Generation": what it prints is what the code that chooses does, in every language."""

import pytest
import torch
from built_page import Element, Page, has_class, read, text_of
from conftest import LANGUAGES

from toymodel.generate import distribution, draw
from toymodel.runs import run

TOY = run("toy")
Z = TOY.trace["z"][-1]
TOKENS = TOY.vocabulary.tokens
LIKELIEST_FIRST = [TOKENS[place] for place in Z.argsort(descending=True)]


@pytest.fixture(scope="module", params=LANGUAGES)
def generation(request, site) -> Page:
    return Page(site, request.param, "generation.md")


def table(page, kind):
    """The body of a table: for each row its token and its cells, each the numbers in it."""
    [figure] = page.figures(kind)
    return [
        (text_of(next(row.iter("code"))), [list(map(Element, cell.iter("data"))) for cell in row.iterfind("td")])
        for row in figure.iterfind(".//tbody/tr")
    ]


def same(cell, share):
    return abs(float(cell[0].value) - float(share)) < 1e-12


def test_every_step_shows_the_whole_vocabulary(generation):
    rows = table(generation, "steps")
    assert [token for token, _ in rows] == list(TOKENS)
    p = run("toy.whole").trace["p"]
    for place, (_, cells) in enumerate(rows):
        assert all(same(cell, p[t, place]) for t, cell in zip((4, 5, 6), cells, strict=True))


@pytest.mark.parametrize("column, temperature", [(1, 0.5), (2, 1), (3, 2)])
def test_temperature(generation, column, temperature):
    p = distribution(Z, temperature)
    rows = table(generation, "temperature")
    assert [token for token, _ in rows] == LIKELIEST_FIRST
    assert all(same(cells[column], p[TOKENS.index(token)]) for token, cells in rows)


def test_two_temperatures_are_worked(generation):
    """For the likeliest token: its logit divided, the sum of the exponentials, its share. 1 is p itself."""
    worked = [line for line in generation.article.iter("span") if has_class(line, "worked")]
    ends = [[Element(node).address for node in line.iterfind(".//*[@data-ref]")][-1] for line in worked]
    for given in ("2", "0.5"):
        logit, vector = f"div(toy/z[t=5,v=␣telhado],{given})", f"sum(exp(div(toy/z[t=5],{given})))"
        first = ends.index(logit)
        assert ends[first + 1 : first + 3] == [vector, f"div(exp({logit}),{vector})"]


@pytest.mark.parametrize("column, options", [(2, {"top_k": 3}), (3, {"top_p": 0.7})])
def test_top_k_and_top_p(generation, column, options):
    p = distribution(Z, **options)
    rows = table(generation, "kept")
    assert [token for token, _ in rows] == LIKELIEST_FIRST
    for token, cells in rows:
        share = p[TOKENS.index(token)]
        assert same(cells[column], share) if share else cells[column] == []


def test_running_sums(generation):
    shares = distribution(Z).sort(descending=True).values.cumsum(0)
    assert all(same(cells[1], share) for (_, cells), share in zip(table(generation, "kept"), shares, strict=True))


def test_each_printed_interval_is_as_long_as_its_printed_share(generation):
    end = 0
    for _, ([share], [start], [stop], _) in table(generation, "interval table"):
        printed = [read(element.text, generation.language) for element in (share, start, stop)]
        assert printed[1] == end
        assert printed[2] - printed[1] == printed[0]
        end = printed[2]
    assert end == 1


def test_each_given_number_falls_where_the_code_draws(generation):
    p, given = distribution(Z, top_p=0.7), []
    for token, (_, [start], [stop], fallen) in table(generation, "interval table"):
        for element in fallen:
            number = float(element.value)
            given.append(number)
            assert float(start.value) <= number < float(stop.value)
            assert TOKENS[draw(p, number)] == token
    assert given == [0.15, 0.62, 0.9]


def test_the_cached_and_the_whole_logits_are_one(generation):
    [figure] = generation.figures("same logits")
    without, with_cache = [[Element(n) for n in row.iter("data")] for row in figure.iterfind(".//tbody/tr")]
    assert [element.address for element in without] == [f"toy.whole/z[t=6,v={token}]" for token in TOKENS]
    assert [element.address for element in with_cache] == [f"toy.cached/z[t=6,v={token}]" for token in TOKENS]
    assert [element.text for element in without] == [element.text for element in with_cache]
    assert torch.equal(run("toy.whole").trace["z"][5], run("toy.cached").trace["z"][0])


def test_the_first_rows_print_the_digits_of_the_page_before(generation, site):
    before = Page(site, generation.language, "output.md")
    for t in range(1, 6):
        for d in range(1, 5):
            [old] = before.texts(f"toy/y[t={t},d={d}]", before.figures("matrix")[0])
            assert generation.texts(f"toy.whole/y[t={t},d={d}]") == {old}
