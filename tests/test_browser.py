"""The built site in a real browser: nothing wider than the screen, nothing from elsewhere, no errors."""

import pytest
from browsing import needs_browser
from conftest import LANGUAGES, PAGES

pytestmark = needs_browser


def html(page: str) -> str:
    return page.removesuffix(".md") + ".html"


@pytest.mark.parametrize("width", [360, 768, 1440])
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_is_wider_than_the_screen(visit, address, language, width):
    page = visit(f"{language}/index.html", viewport={"width": width, "height": 900})
    for name in PAGES:
        page.goto(f"{address}/{language}/{html(name)}", wait_until="load")
        page.evaluate("document.querySelectorAll('details').forEach(box => box.open = true)")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        page.evaluate("window.scrollTo(500, 0)")
        assert page.evaluate("window.scrollX") == 0, name


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


def search(page, words: str) -> list[str]:
    """The sections found, in their order. The theme listens to keys, and only once its index is there."""
    page.locator(".md-search__input").fill(words)
    found = page.locator(".md-search-result__link")
    for _ in range(100):
        page.keyboard.press("Shift")
        page.wait_for_timeout(100)
        if found.count():
            break
    return [link.get_attribute("href") for link in found.all()]


def test_search_finds_this_languages_pages(visit):
    found = search(visit("ru/index.html"), "логит")
    assert found and all("/ru/" in link for link in found)


@pytest.mark.parametrize(("language", "written", "sought"), [
    ("pt", "atenção", "atencao"), ("es", "parámetros", "parametros"), ("ru", "логит", "логитами"),
    ("en", "probability", "probabilities"), ("es", "vector", "vectores"), ("ru", "внимание", "внимания"),
])  # fmt: skip
def test_search_knows_accents_and_inflections(visit, language, written, sought):
    """Both forms lead to the same pages."""
    found = set(search(visit(f"{language}/index.html"), sought))
    assert found and found == set(search(visit(f"{language}/index.html"), written))


def test_search_wants_what_has_a_plus_and_shuns_what_has_a_minus(visit):
    both = search(visit("en/index.html"), "+logits +temperature")
    assert both and set(both) < set(search(visit("en/index.html"), "logits temperature"))
    without = [link for link in search(visit("en/index.html"), "logits -temperature") if "#" in link]
    assert without and not set(without) & set(search(visit("en/index.html"), "temperature"))


def test_not_found_leads_to_the_language_that_was_asked_for(browser, site):
    """Served, as hosts do, for an address of any depth, below a folder of the host's."""
    folder = (site / "404.html").read_text(encoding="utf-8")
    page = browser.new_page()
    page.route("**/*", lambda route: route.fulfill(body=folder, content_type="text/html"))
    page.goto("http://site.test/inside/es/nowhere/at-all.html")
    links = page.get_by_role("link")
    assert links.first.get_attribute("hreflang") == "es"
    others = [code for code in LANGUAGES if code != "es"]
    assert [link.get_attribute("href") for link in links.all()] == [
        f"http://site.test/inside/{language}/index.html" for language in ["es", *others]
    ]
    page.close()


def whole_in_view(page, element) -> bool:
    """Whether an element comes to lie inside the window, once the page has scrolled to it."""
    window = page.viewport_size
    for _ in range(30):
        box = element.bounding_box()
        if (box["x"] >= 0 and box["y"] >= 0 and box["x"] + box["width"] <= window["width"]
                and box["y"] + box["height"] <= window["height"]):
            return True
        page.wait_for_timeout(100)
    return False


@pytest.mark.parametrize("javascript", [True, False])
@pytest.mark.parametrize("width", [360, 768, 1440])
@pytest.mark.parametrize("step", ["tokens", "block", "generation"])
def test_a_definition_shows_on_hover_and_on_focus_and_is_not_cut_off(visit, step, width, javascript):
    page = visit(f"ru/{step}.html", viewport={"width": width, "height": 700}, java_script_enabled=javascript)
    page.evaluate("document.fonts.ready")  # letters that change their width move the words
    terms = page.locator(".term")
    assert terms.count() >= 5
    for term in terms.all():
        word, definition = term.locator("a"), term.locator("[role=tooltip]")
        assert not definition.is_visible()
        word.focus()
        assert definition.is_visible()
        assert whole_in_view(page, definition)
        word.blur()
        assert not definition.is_visible()
        word.hover()
        assert definition.is_visible()
        assert whole_in_view(page, definition)
        shown, under = definition.bounding_box(), word.bounding_box()
        page.mouse.move(shown["x"] + shown["width"] / 2, shown["y"] + shown["height"] / 2)  # one may point at it
        on_it = min(under["x"] + under["width"], shown["x"] + shown["width"]) > max(under["x"], shown["x"])
        assert on_it and definition.is_visible()
        page.mouse.move(0, 0)
        assert not definition.is_visible()


def test_escape_puts_a_definition_away_until_the_word_is_left(visit):
    page = visit("en/output.html")
    word, definition = page.locator(".term a").nth(1), page.locator(".term [role=tooltip]").nth(1)
    word.hover()
    assert definition.is_visible()
    page.keyboard.press("Escape")
    assert not definition.is_visible()
    page.mouse.move(0, 0)
    word.hover()
    assert definition.is_visible()


def test_the_first_touch_shows_the_definition_and_the_second_follows_the_link(visit):
    page = visit("es/output.html", viewport={"width": 360, "height": 700}, has_touch=True, is_mobile=True)
    word, definition = page.locator(".term a").nth(2), page.locator(".term [role=tooltip]").nth(2)
    word.tap()
    assert definition.is_visible()
    assert "/es/output.html" in page.url  # the section may have joined it
    word.tap()
    page.wait_for_url("**/es/glossary.html#*")


def test_without_javascript_a_touch_leads_to_the_entry(visit):
    page = visit("es/output.html", viewport={"width": 360, "height": 700}, has_touch=True, java_script_enabled=False)
    page.locator(".term a").first.tap()
    page.wait_for_url("**/es/glossary.html#*")
    assert page.locator(":target dfn").is_visible()


def test_a_word_is_a_link_that_its_definition_describes(visit):
    """What a screen reader gets: the name is the word alone, the description its definition."""
    page = visit("en/output.html")
    word = page.get_by_role("link", name="tied weights", exact=True)
    assert word.evaluate(
        "link => document.getElementById(link.getAttribute('aria-describedby')).textContent"
    ).startswith("tied weights One table used twice")


@pytest.mark.parametrize("javascript", [True, False])
def test_choosing_an_adjective_shows_its_row(visit, javascript):
    """By mouse and by keyboard, with a script and without; one row at a time."""
    page = visit("ru/chapter/referent.html", java_script_enabled=javascript)
    choices, panels = page.locator(".chooser input"), page.locator(".chooser .panel")
    assert choices.count() == panels.count() == 8

    def shown():
        return [place for place, panel in enumerate(panels.all()) if panel.is_visible()]

    assert shown() == [0] and choices.nth(0).is_checked()
    page.locator(".chooser label").nth(4).click()
    assert shown() == [4]
    choices.nth(4).focus()
    page.keyboard.press("ArrowRight")
    assert shown() == [5] and choices.nth(5).is_checked()
    page.emulate_media(media="print")
    assert shown() == [5]
    assert page.locator(".chooser label:visible").count() == 1


def test_choosing_a_row_of_the_ladder_makes_its_curve_stand_out(visit):
    page = visit("en/chapter/ladder.html", java_script_enabled=False)
    choices, lines = page.locator(".chooser input"), page.locator("svg.lines .rung")
    if not choices.count():
        pytest.skip("the ladder is not finished")
    assert choices.count() == lines.count() == 10

    def widths():
        style = "line => getComputedStyle(line).strokeWidth"
        return [line.locator("polyline").first.evaluate(style) for line in lines.all()]

    for place in (0, 6):
        choices.nth(place).check()
        assert [width == max(widths()) for width in widths()] == [one == place for one in range(10)]
