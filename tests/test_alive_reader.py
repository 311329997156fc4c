"""A reader and the toy: by mouse, by keyboard alone, by touch; sharing it, taking it along, leaving it."""

import itertools

import pytest
import torch
from browsing import address_of, laboratory, needs_browser, prompt_of
from conftest import CONFIG, LANGUAGES

from toymodel.model import logits
from toymodel.runs import PROMPT
from toymodel.weights import load_toy

pytestmark = needs_browser
MODEL, VOCABULARY = load_toy()
STEPS = list(CONFIG["extra"]["steps"])
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def test_every_step_has_its_place_for_a_laboratory(site):
    for language, name in itertools.product(LANGUAGES, STEPS):
        assert (site / language / f"{name}.html").read_text(encoding="utf-8").count(f'<toy-step name="{name}">') == 1


def test_nothing_moves_when_the_laboratory_comes(browser, address):
    tops = """document.fonts.ready.then(() => [...document.querySelectorAll(".md-content :is(p, h2, figure, .worked)")]
      .map((one) => one.getBoundingClientRect().top))"""
    for name, width in (("tokens", 1280), ("block", 360), ("generation", 1280)):
        page = browser.new_page(viewport={"width": width, "height": 900})
        page.route("**/toy/main.js", lambda route: route.fulfill(body="", content_type="text/javascript"))
        page.goto(f"{address}/ru/{name}.html")
        before = page.evaluate(tops)
        page.unroute("**/toy/main.js")
        page.goto(f"{address}/ru/{name}.html")
        page.wait_for_selector("html.toy-alive", state="attached")
        assert page.evaluate(tops) == pytest.approx(before, abs=0.5), name
        lab = laboratory(page)
        assert lab.get_by_role("checkbox").count() == 10
        assert lab.locator(".toy-sampling").count() == (name == "generation")
        page.close()


def test_the_toy_goes_along_and_is_left_with_one_click(alive, visit):
    page = alive("en/output.html", viewport={"width": 1440, "height": 900})
    laboratory(page).get_by_label("no mask").check()
    page.locator('td data[data-ref="toy/W_U[d=1,v=o]"]').first.click()
    page.locator(".toy-field input").fill("1.5")
    shared = address_of(page)
    page.locator(".path-step a").nth(4).click()
    page.wait_for_url("**/en/block.html?toy=*")
    page.wait_for_selector(".toy-notice:visible")
    page.get_by_role("link", name="Español").click()
    page.wait_for_url("**/es/block.html?toy=*")
    page.wait_for_selector(".toy-notice:visible")
    assert "sin máscara" in page.locator(".toy-notice").inner_text()
    assert "1" in page.locator(".toy-summary").inner_text()
    assert page.url.split("toy=")[1] == shared.split("toy=")[1].split("#")[0]
    page.get_by_role("button", name="Volver al original").click()
    assert "toy=" not in address_of(page)
    page.locator(".path-step a").nth(5).click()
    page.wait_for_url("**/es/output.html")


def test_a_shared_address_keeps_its_section_and_its_state(alive):
    first = laboratory(page := alive("en/output.html"))
    first.get_by_label("no residual").check()
    text = address_of(page).split("toy=")[1]
    other = alive(f"en/output.html?toy={text}#softmax")
    assert other.evaluate("document.getElementById('softmax').getBoundingClientRect().top") < 300
    assert address_of(other).endswith(f"?toy={text}#softmax")
    assert laboratory(other).get_by_label("no residual").is_checked()


VERSION = "VERSION"  # stands for the one of this site
DAMAGED = [
    "0", "1zzzz", ".zzzz", ".012345678", "..z", "..aa", "...t-1", "...k0", "...k13", "...q5", "....z1~1",
    "....0zz~1", "....00", "....00~zzzzzz", "....00~1~1", ".....", "....00~0", "<img src=x>", "..a.", "%00", "a" * 5000,
]
GOOD = [".4", ".0", "..aj", "...t6y8_k3_p3yc_r1", "....00~1_a5~-2s", ".02451b.d.k1.01~1", ".024517"]


def version_of(site) -> str:
    return "1" + (site / "assets/js/toy/data.js").read_text(encoding="utf-8").split('"fingerprint": "')[1][:4]


def test_a_state_that_nobody_wrote_is_refused_and_one_that_was_comes_back(alive, site):
    page, version = alive("en/index.html"), version_of(site)
    good = [version + text for text in GOOD]
    texts = [*(text if text in ("0", "1zzzz") else version + text for text in DAMAGED), *good]
    answers = page.evaluate("""async (texts) => {
      const { encode, decode } = await import("/assets/js/toy/codec.js");
      const { toyOf } = await import("/assets/js/toy/state.js");
      const toy = toyOf((await import("/assets/js/toy/data.js")).default);
      return texts.map((text) => {
        try {
          return encode(decode(text, toy), toy);
        } catch (error) {
          return error instanceof RangeError ? null : String(error);
        }
      });
    }""", texts)
    assert answers == [*(None for _ in DAMAGED), *good]


@pytest.mark.parametrize("text, notice", [
    ("1zzzz", "another version"), (f"{VERSION}..z", "cannot be read"), ("%3Cimg%20src%3Dx%3E", "cannot be read"),
])
def test_a_damaged_or_foreign_address_gives_a_notice_and_the_original(alive, site, text, notice):
    page = alive(f"en/output.html?toy={text.replace(VERSION, version_of(site))}")
    assert notice in page.get_by_role("alert").inner_text()
    assert page.locator(".toy-notice").is_hidden()
    assert "toy=" not in address_of(page)
    assert page.locator(".toy-foot img, toy-step img").count() == 0


def test_every_number_is_followed_by_pointing(alive):
    page = alive("en/output.html", viewport={"width": 1280, "height": 900})
    page.locator('td [data-ref="toy/z[t=5,v=␣telhado]"]').first.hover()
    page.wait_for_selector(".toy-about:visible")
    about = page.locator(".toy-about").inner_text()
    assert "toy/z[t=5,v=␣telhado]" in about
    assert repr(logits(torch.tensor(VOCABULARY.encode(PROMPT)), MODEL)[4, 6].item())[:16] in about
    assert page.locator(".toy-how data").count() == 8
    lit = page.locator(".toy-lit").count()
    assert lit == page.locator('.md-content [data-ref="toy/z[t=5,v=␣telhado]"]').count() > 1
    page.locator('.worked [data-ref="toy/y_mean[t=5]"]').last.hover()
    page.wait_for_function("document.querySelector('.toy-address').textContent === 'toy/y_mean[t=5]'")
    page.locator('svg [data-ref^="toy/p"]').first.hover()
    page.wait_for_function("document.querySelector('.toy-address').textContent.startsWith('toy/p')")
    page.locator('p [data-ref^="toy/p"]').first.hover()
    page.wait_for_function("document.querySelector('.toy-lit').closest('p')")


def test_one_click_leads_to_where_a_number_is_made(alive):
    page = alive("en/output.html", viewport={"width": 1280, "height": 900})
    page.locator('td [data-ref="toy/y[t=5,d=1]"]').first.hover()
    page.wait_for_selector(".toy-made:visible")
    page.locator(".toy-made").click()
    page.wait_for_url("**/en/block.html#what-the-mlp-writes-and-the-second-sum")


def test_by_keyboard_alone(alive):
    page = alive("en/output.html", viewport={"width": 1280, "height": 900})
    page.locator(".scroll:has([data-ref='toy/W_U[d=1,v=o]'])").first.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowDown")
    focused = "document.activeElement.getAttribute('data-ref')"
    for _ in range(30):
        if page.evaluate(focused).startswith("toy/W_U"):
            break
        page.keyboard.press("ArrowRight")
    address = page.evaluate(focused)
    assert address.startswith("toy/W_U")
    assert address in page.locator(".toy-about").inner_text()
    page.keyboard.press("ArrowDown")
    below = page.evaluate(focused)
    assert below != address and below.split("v=")[1] == address.split("v=")[1]
    page.keyboard.type("3")
    page.keyboard.type(".5")
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.textContent === '3.5'")
    assert page.evaluate(focused) == below
    page.keyboard.press("Enter")  # to what can be done with it
    assert page.evaluate("document.activeElement.matches('.toy-edit')")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.matches('.toy-made')")
    page.keyboard.press("Escape")
    assert page.evaluate(focused) == below
    page.locator("toy-step summary").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".toy-prompt")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # removes the first token
    assert prompt_of(page) == ["␣gato", "␣sub", "iu", "␣no"]
    assert page.evaluate("document.activeElement.closest('ol') !== null")


def test_by_touch(alive):
    page = alive("es/output.html", **PHONE)
    number = page.locator('td [data-ref="toy/f[t=5,d=1]"]').first
    number.tap()
    assert "toy/f[t=5,d=1]" in page.locator(".toy-about").inner_text()
    weight = page.locator('td [data-ref="toy/W_U[d=1,v=o]"]').first
    weight.tap()
    field = page.locator(".toy-field input")
    assert field.is_visible()
    field.fill("0,5")
    assert weight.inner_text() == "0,5"
    field.fill("ocho")
    assert page.locator(".toy-field .toy-said").is_visible()
    assert weight.inner_text() == "0,5"
    page.locator(".toy-made").tap()
    page.wait_for_url("**/es/output.html?toy=*#logits")


@pytest.mark.parametrize("language, scheme", [*zip(LANGUAGES, itertools.cycle(["light", "dark"]))])
def test_the_open_laboratory_fits_a_phone(alive, language, scheme):
    page = alive(f"{language}/generation.html", color_scheme=scheme, reduced_motion="reduce", **PHONE)
    laboratory(page).get_by_role("checkbox").nth(3).check()
    page.locator(".toy-numbers summary").click()
    page.locator('.toy-tensors [data-ref^="toy/z"]').first.tap()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    foot = page.locator(".toy-foot").bounding_box()
    assert foot["width"] <= 360
    assert foot["height"] < 370


def test_without_javascript_the_page_is_as_it_is_written(visit):
    page = visit("en/output.html", java_script_enabled=False)
    assert page.locator("toy-step").first.is_hidden()
    assert page.locator(".toy-foot").count() == 0


def test_from_a_folder_on_disk_the_page_is_as_it_is_written(browser, site):
    page, trouble = browser.new_page(), []
    page.on("console", lambda message: message.type == "error" and trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.goto((site / "en/output.html").as_uri(), wait_until="load")
    assert page.locator("toy-step").first.is_hidden()
    assert page.locator(".toy-foot").count() == 0
    assert not [text for text in trouble if "toy" in text]
    page.close()
