"""What every step page has: the way to its neighbours at the top, a real model, questions, sources."""

import pytest
from built_page import Element, Page
from conftest import CONFIG, LANGUAGES

STEPS = list(CONFIG["extra"]["steps"])
REAL_MODEL = {"tokens": "what-gpt-does-with-our-sentence", "embeddings": "what-a-real-model-has"}


@pytest.fixture(scope="module", params=[(language, step) for language in LANGUAGES for step in STEPS], ids="/".join)
def step_page(request, site) -> Page:
    language, step = request.param
    return Page(site, language, f"{step}.md")


def test_its_neighbours_are_linked_before_the_first_section(step_page):
    place = STEPS.index(step_page.name.removesuffix(".md"))
    expected = {"prev": STEPS[place - 1] if place else None, "next": (*STEPS, None)[place + 1]}
    [first_section, *_] = step_page.article.iter("h2")
    for relation, step in expected.items():
        links = step_page.article.xpath(".//a[@rel=$relation]", relation=relation)
        assert [link.get("href") for link in links] == ([f"{step}.html"] if step else [])
        for link in links:
            assert first_section in link.xpath("following::h2")
            assert [Element(node).address for node in link.iter("data")] == [f"site/step[{step}]"]


def test_the_path_marks_where_the_reader_is(step_page):
    """The path's description says so."""
    marked = step_page.article.xpath(".//*[@aria-current='step']//a/@href")
    assert marked == [step_page.name.replace(".md", ".html")]


def test_it_has_a_real_model_two_questions_and_sources(step_page):
    named = {heading.get("id") for heading in step_page.article.iter("h2")}
    assert {REAL_MODEL.get(step_page.name.removesuffix(".md"), "in-a-real-model"), "sources"} <= named
    assert len(step_page.article.xpath(".//details")) >= 2
    assert len(step_page.article.xpath(".//li[cite]")) >= 2
