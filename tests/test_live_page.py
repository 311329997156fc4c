"""The laboratory's live part as a reader meets it: what is shown is PyTorch's, in her language, and only when asked."""

import shutil
import subprocess
from pathlib import Path

import pytest
import torch
from browsing import needs_browser
from built_page import decimal
from conftest import LANGUAGES, ROOT
from evaluate import exactly
from live import load, make_checkpoint, publish, serve, tampered

from toymodel.generate import distribution, write
from toymodel.model import forward
from toymodel.runs import ATTENTION_OFF
from toymodel.trace import Trace
from worked.catalogue import Catalogue
from worked.errors import AuthorError
from worked.live import write_live
from worked.mathematics import node

pytestmark = needs_browser
TEXT = "Is it a cat?\n«Да»"
CUT = "\ufffd"  # a character whose last bytes are still to come


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("random")
    make_checkpoint(made, seed=11)
    return made


@pytest.fixture(scope="module")
def published(folder, tmp_path_factory) -> Path:
    target = tmp_path_factory.mktemp("published")
    broken = tampered(folder, tmp_path_factory.mktemp("broken") / "model", n_embd=384)
    publish(target, {"random": folder, "broken": broken})
    return target


@pytest.fixture(scope="module")
def address(published):
    server = serve(published)
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def expected(folder):
    """The model, its tokenizer, the text's ids, and PyTorch's traces with attention and without."""
    model, tokenizer = load(folder)
    ids = tokenizer.encode(TEXT).ids
    traces = []
    for edits in ({}, ATTENTION_OFF):
        traces.append(Trace(edits))
        forward(torch.tensor(ids), model, traces[-1])
    return model, tokenizer, ids, *traces


@pytest.fixture
def asked(visit):
    """Open a page, type the text, press the button, and wait for the answer."""

    def ask(path: str = "en-random-default.html", text: str = TEXT, **options):
        page = visit(path, **options)
        page.fill("#live-text", text)
        page.click("#live form button")
        page.wait_for_selector(".live-map table")
        return page

    return ask


def said(page) -> str:
    return page.locator("#live > .live-said").inner_text()


def column(page, place: int, table: str = ".live-next") -> list[str]:
    return page.locator(f"{table} tbody td:nth-child({place})").all_inner_texts()


def shown(values, code: str = "en", places: int = 3) -> list[str]:
    return [decimal(exactly(float(value)), places, code) for value in values]


def test_the_types_hold(published, tmp_path):
    """The sources, with the modules that the build writes beside them."""
    for name in ("toy", "gpt"):
        shutil.copytree(ROOT / "docs/assets/js" / name, tmp_path / name)
    shutil.copytree(published / "assets/js/gpt/lang", tmp_path / "gpt/lang")
    shutil.copyfile(published / "assets/js/gpt/models.js", tmp_path / "gpt/models.js")
    options = ["--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2024", "--module", "esnext",
               "--moduleResolution", "bundler", "--lib", "es2024,dom,dom.iterable"]
    files = [tmp_path / "gpt" / name for name in ("main.js", "worker.js")]
    done = subprocess.run([node(), ROOT / "node_modules/typescript/bin/tsc", *options, *files],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_nothing_is_fetched_before_she_asks_and_nothing_is_ever_sent(visit, folder):
    page = visit("en-random-default.html")
    page.wait_for_selector("#live button")
    size = sum(file.stat().st_size for file in folder.iterdir()) / 1e6
    assert f"({shown([size], places=1)[0]} MB)" in page.locator("#live form").inner_text()
    fetched = "performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname)"
    assert not [path for path in page.evaluate(fetched) if "models/" in path or "worker" in path or "parts" in path]
    requests = []
    page.context.on("request", lambda request: requests.append(request))
    page.fill("#live-text", TEXT)
    page.click("#live form button")
    page.wait_for_selector(".live-map table")
    assert {"model.safetensors", "config.json", "tokenizer.json"} <= {one.url.split("/")[-1] for one in requests}
    assert all(one.method == "GET" and not one.post_data and "?" not in one.url for one in requests)
    del requests[:]
    page.get_by_role("button", name="All blocks off").click()
    page.wait_for_selector(".live-bar.without")
    page.get_by_role("button", name="Write on").click()
    page.wait_for_selector(".live-written span + span")
    assert requests == []


def test_tokens_and_answers_are_pytorchs(asked, expected):
    _, _, ids, trace, _ = expected
    page = asked()
    assert [int(text) for text in page.locator(".live-id").all_inner_texts()] == ids
    tokens = page.locator(".live-tokens code").all_inner_texts()
    assert tokens[0] == "I" and "↵" in tokens and any(token.startswith("␣") for token in tokens)
    for temperature in (1, 0.5, 0):
        page.locator("#live-temperature").fill(str(temperature))
        p = distribution(trace["z"][-1], temperature)
        assert column(page, 2) == shown(p.sort(descending=True).values[:10])
    assert page.locator(".live-temperature output").inner_text() == "0.00"


def test_attention_off_stands_beside_the_whole_model(asked, expected):
    *_, trace, without = expected
    page = asked()
    page.get_by_role("button", name="All blocks off").click()
    page.wait_for_selector(".live-bar.without")
    p, off = trace["p"][-1], without["p"][-1]
    chosen = sorted(torch.maximum(p, off).argsort(descending=True)[:10].tolist(), key=lambda id: -p[id])
    assert column(page, 2) == shown(p[chosen])
    assert column(page, 3) == shown(off[chosen])
    differences = [text.replace("+", "") for text in column(page, 4)]
    assert differences == shown((off - p)[chosen])
    moved = shown([(off - p).abs().sum() / 2])[0]
    assert f"other tokens: {moved}." in page.locator("section:has(.live-next) > .live-said").inner_text()
    assert page.get_by_label("attention off: block 2, head 3").is_disabled()  # the whole block is
    page.get_by_role("button", name="All on").click()
    page.wait_for_selector(".live-bar.without", state="detached")
    assert column(page, 2) == shown(p.sort(descending=True).values[:10])


def test_what_each_block_would_answer(asked, expected):
    model, _, _, trace, _ = expected
    page, w = asked(), expected[0].parameters
    answer = trace["p"][-1].argmax()
    for block, row in enumerate(column(page, 3, ".live-lens"), start=1):
        y = trace["y", block][-1]
        normed = (y - y.mean()) / (y.var(correction=0) + model.config.epsilon).sqrt() * w.gain_f + w.bias_f
        p = (w.E @ normed).softmax(0)
        assert [row] == shown([p[answer]])
        first = page.locator(".live-lens tbody tr").nth(block - 1).locator("td span").first.inner_text()
        assert first.split()[-1] == shown([p.max()])[0]


def test_maps_are_walked_through_with_the_keyboard(asked, expected):
    *_, ids, trace, _ = expected
    page = asked()
    assert page.locator(".live-pictures button").count() == 16
    page.get_by_role("button", name="block 3, head 2").focus()
    page.keyboard.press("Enter")
    assert page.locator(".live-caption").inner_text() == "block 3, head 2"
    assert page.locator(".live-pictures [aria-pressed=true]").count() == 1
    weights = trace["weights", 3][1]
    cells = page.locator(".live-map td[tabindex]").all_text_contents()
    assert cells == shown([weights[t, s] for t in range(len(ids)) for s in range(t + 1)])
    page.locator(".live-map td[tabindex='0']").focus()
    for key, (t, s) in {"ArrowDown": (1, 0), "ArrowRight": (1, 1), "ArrowUp": (0, 0), "End": (0, 0)}.items():
        page.keyboard.press(key)
        assert page.evaluate("document.activeElement.textContent") == shown([weights[t, s]])[0]
    page.keyboard.press("ArrowDown")
    told = page.locator(".live-told").inner_text()
    assert "(2)" in told and "(1)" in told and told.endswith(shown([weights[1, 0]])[0])
    assert page.locator(".live-map td[tabindex='0']").count() == 1
    assert page.locator(".live-map thead th").count() == page.locator(".live-map tbody th").count() == len(ids)


def test_writing_on_and_stopping(asked, expected):
    model, tokenizer, ids, *_ = expected
    page = asked()
    page.get_by_role("button", name="Write on").click()
    page.wait_for_function("(count) => document.querySelectorAll('.live-written span').length === count",
                           arg=1 + 128 - len(ids))
    assert written(page) == TEXT + read(tokenizer, write(model, ids, 128))
    page.locator("input[value=drawn]").check()
    page.locator("#live-top-k").fill("9")
    page.locator("#live-seed").fill("3")
    page.get_by_role("button", name="Write on").click()
    page.wait_for_function("document.querySelectorAll('.live-written span').length > 5")
    page.get_by_role("button", name="Stop").click()
    count = page.evaluate("new Promise((done) => setTimeout(() => done("
                          "document.querySelectorAll('.live-written span').length), 300))")
    assert count < 1 + 128 - len(ids)
    assert page.locator(".live-written span").count() == count
    assert written(page) == TEXT + read(tokenizer, write(model, ids, count - 1, top_k=9, seed=3))


def written(page) -> str:
    return page.locator(".live-written").text_content().rstrip(CUT)


def read(tokenizer, steps) -> str:
    """The text of tokens, by the library's own decoder."""
    return tokenizer.decode([step.id for step in steps]).rstrip(CUT)


def test_the_page_answers_while_the_worker_computes(asked):
    page = asked()
    page.fill("#live-text", "go on " * 40)
    ticks = page.evaluate("""() => new Promise((done) => {
      const rows = document.querySelector(".live-tokens");
      let ticks = 0;
      const clock = setInterval(() => { ticks += 1; }, 5);
      new MutationObserver(() => { clearInterval(clock); done(ticks); }).observe(rows, { childList: true });
      document.querySelector("#live form button").click();
    })""")
    assert ticks >= 5


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_language_has_its_words_and_numbers(asked, expected, code):
    page = asked(f"{code}-random-slate.html", viewport={"width": 360, "height": 800})
    assert column(page, 2) == shown(expected[3]["p"][-1].sort(descending=True).values[:10], code)
    words = Catalogue.load(ROOT / "docs" / "_lang" / f"{code}.yml").live
    titles = [words[part].title for part in ("tokens", "switches", "next", "lens", "maps", "write")]
    assert page.locator("#live h3").all_inner_texts() == titles
    text = page.locator("#live").inner_text()
    assert "{}" not in text and "undefined" not in text and "NaN" not in text
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_texts_that_do_not_fit_are_refused(asked):
    page = asked()
    before = page.locator(".live-id").all_inner_texts()
    for text, reason in (("", "nothing to cut"), ("xq " * 130, "128 at most")):
        page.fill("#live-text", text)
        page.click("#live form button")
        page.wait_for_selector("#live textarea[aria-invalid=true]")
        assert reason in said(page)
        assert page.locator(".live-id").all_inner_texts() == before
        page.fill("#live-text", TEXT)
        page.click("#live form button")
        page.wait_for_selector("#live textarea[aria-invalid=false]")


def test_what_cannot_be_loaded_is_said_and_the_page_stays(browser, address):
    page = browser.new_page()
    for path, reason in (("en-broken-default.html", "expected the shape 1024 × 384"),
                         ("en-absent-default.html", "without the trained model")):
        page.goto(f"{address}/{path}")
        page.wait_for_selector("#live button")
        if "absent" in path:
            assert page.locator("#live form button").is_disabled()
        else:
            page.click("#live form button")
            page.wait_for_function("document.querySelector('#live form button').disabled === false")
        assert reason in said(page)
        assert page.locator("#after").is_visible() and page.locator("#live h3").count() == 0
    page.goto(f"{address}/en-random-default.html")
    page.route("**/model.safetensors", lambda route: route.fulfill(status=503))
    page.click("#live form button")
    page.wait_for_function("document.querySelector('#live > .live-said').textContent.includes('could not be fetched')")
    assert "503" in said(page)
    page.unroute("**/model.safetensors")
    page.click("#live form button")
    page.wait_for_selector(".live-map table")  # asked again, it is fetched again
    page.close()


REFUSED = "window.Worker = class { constructor() { throw Error('no'); } }"


@pytest.mark.parametrize("script", ["delete window.Worker", REFUSED])
def test_without_a_worker_it_says_so(browser, address, script):
    page = browser.new_page()
    page.add_init_script(script)
    page.goto(f"{address}/en-random-default.html")
    page.click("#live form button")
    page.wait_for_function("document.querySelector('#live > .live-said').textContent.includes('did not start')")
    assert page.locator("#after").is_visible()
    page.close()


def test_a_model_with_a_file_missing_is_not_published(folder, tmp_path):
    half = tmp_path / "half"
    shutil.copytree(folder, half)
    (half / "tokenizer.json").unlink()
    with pytest.raises(AuthorError, match=r"half.*tokenizer\.json"):
        write_live(tmp_path / "assets", {"half": half}, [])
    assert not (tmp_path / "assets").exists()
