"""The built site in a real browser: nothing wider than the screen, nothing from elsewhere, no errors."""

import pytest
from browsing import needs_browser
from conftest import LANGUAGES, PAGES

pytestmark = needs_browser


def html(page: str) -> str:
    return page.removesuffix(".md") + ".html"


@pytest.mark.parametrize("width", [360, 768, 1440])
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_is_wider_than_the_screen(visit, language, width):
    for name in PAGES:
        page = visit(f"{language}/{html(name)}", viewport={"width": width, "height": 900})
        page.evaluate("document.querySelectorAll('details').forEach(box => box.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.evaluate("window.scrollTo(500, 0)")
        assert page.evaluate("window.scrollX") == 0


def test_wide_tables_scroll_inside_themselves(visit):
    page = visit("pt/output.html", viewport={"width": 360, "height": 900})
    wide = page.evaluate(
        "[...document.querySelectorAll('.scroll')].filter(box => box.scrollWidth > box.clientWidth).length"
    )
    assert wide > 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_root_page_leads_to_the_readers_language(visit, language):
    page = visit("", locale=f"{language}-XX")
    page.wait_for_url(f"**/{language}/index.html")


@pytest.mark.parametrize("options", [{"locale": "de-DE"}, {"locale": "ru-RU", "java_script_enabled": False}])
def test_the_root_page_lists_the_languages_for_everyone_else(visit, options):
    page = visit("", **options)
    links = [link.get_attribute("href") for link in page.get_by_role("link").all()]
    assert links == [f"{language}/index.html" for language in LANGUAGES]


def test_the_language_switch_stays_on_the_page(visit):
    page = visit("pt/output.html", viewport={"width": 360, "height": 900})
    page.get_by_role("link", name="Русский").click()
    page.wait_for_url("**/ru/output.html")
    assert page.locator("html").get_attribute("lang") == "ru"


def test_the_language_switch_stays_on_the_section(visit):
    page = visit("pt/output.html#softmax")
    page.get_by_role("link", name="Español").click()
    page.wait_for_url("**/es/output.html#softmax")


def test_the_current_step_is_in_view_on_a_phone(visit):
    page = visit("en/generation.html", viewport={"width": 360, "height": 900})
    box = page.locator(".path [aria-current]").bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 360


@pytest.mark.parametrize("javascript", [True, False])
def test_the_dark_scheme_follows_the_system(visit, javascript):
    options = {"java_script_enabled": javascript}
    ground = "getComputedStyle(document.body).backgroundColor"
    light, dark = (
        visit("en/output.html", color_scheme=scheme, **options).evaluate(ground) for scheme in ("light", "dark")
    )
    assert light != dark


def test_every_answer_opens_without_javascript(visit):
    page = visit("en/output.html", java_script_enabled=False)
    boxes = page.locator("details.question")
    assert boxes.count() >= 2
    for box in boxes.all():
        assert not box.locator("p").first.is_visible()
        box.locator("summary").click()
        assert box.locator("p").first.is_visible()


def test_the_open_box_is_a_glyph_of_the_sites_own_font(visit):
    page = visit("pt/output.html")
    assert page.evaluate("document.fonts.check('16px \"Open Box\"', '␣')")


def test_search_finds_this_languages_pages(visit):
    page = visit("ru/index.html", viewport={"width": 1440, "height": 900})
    page.locator(".md-search__input").fill("логит")
    page.keyboard.press("Shift")  # the theme listens to keys, and Cyrillic letters are put in without one
    page.wait_for_selector(".md-search-result__link")
    found = [link.get_attribute("href") for link in page.locator(".md-search-result__link").all()]
    assert found and all("/ru/" in link for link in found)
