"""The live part on the site's own page: the browser finds the numbers that the page around it prints."""

import json

import pytest
from browsing import needs_browser
from built_page import decimal
from conftest import LANGUAGES, ROOT
from evaluate import exactly

from toymodel.lab import LIKELIEST, PROMPTS

pytestmark = needs_browser
RESULT = json.loads((ROOT / "trained/results/laboratory.json").read_text(encoding="utf-8"))


def figure(name: str, prompt: str):
    return RESULT["figures"][name]["values"][RESULT["labels"]["prompt"].index(prompt)]


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_browser_agrees_with_the_page(visit, code):
    page = visit(f"{code}/laboratory.html")
    page.wait_for_selector("#live button")
    assert not page.locator(".live-still").count()
    page.fill("#live-text", PROMPTS["dialogue"])
    page.click("#live form button")
    page.wait_for_selector(".live-map table")
    rows = page.locator(".live-next tbody tr")
    assert rows.count() == LIKELIEST
    assert rows.locator("code").all_inner_texts() == figure("next_token", "dialogue")
    shares = page.locator(".live-next tbody td:nth-child(2)").all_inner_texts()
    assert shares == [decimal(exactly(p), 3, code) for p in figure("next_p", "dialogue")]


def test_from_disk_the_page_says_what_the_live_part_needs(browser, site):
    page = browser.new_page()
    page.goto((site / "en" / "laboratory.html").as_uri())
    assert page.locator("#live .live-still").is_visible() and not page.locator("#live button").count()
    page.close()
