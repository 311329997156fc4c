"""The built site in a real browser, for the tests that need one.

Needs a Chromium (`apt-get install chromium`, or CHROMIUM=path). Without one these tests are skipped, and say so.
"""

import os
import shutil
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(
    not CHROMIUM, reason="NO BROWSER TEST RAN: install Chromium, or set CHROMIUM to its path"
)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments) -> None:
        """No line per request in the test's output."""


@pytest.fixture(scope="module")
def address(site):
    """The site on a port of this machine."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser, address):
    """Open a path in a fresh context; collects console errors and requests that leave the site."""
    contexts, trouble = [], []

    def open_page(path: str, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: message.type == "error" and trouble.append(message.text))
        page.on("pageerror", lambda error: trouble.append(str(error)))
        page.on("request", lambda request: request.url.startswith((address, "data:", "blob:"))
                or trouble.append(f"left the site: {request.url}"))
        page.on("response", lambda answer: answer.status < 400 or trouble.append(f"{answer.status} {answer.url}"))
        page.goto(f"{address}/{path}", wait_until="load")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not trouble


@pytest.fixture
def alive(visit):
    """Open a path and wait until the toy runs on it."""

    def open_page(path: str, **options):
        page = visit(path, **options)
        page.wait_for_selector("html.toy-alive", state="attached")
        return page

    return open_page


def laboratory(page):
    """Open the step's laboratory."""
    page.locator("toy-step summary").first.click()
    page.wait_for_selector(".toy-prompt")
    return page.locator("toy-step")


def address_of(page) -> str:
    """The page's address once the toy is written into it."""
    return page.evaluate("new Promise((done) => setTimeout(() => done(location.href), 250))")


def prompt_of(page) -> list[str]:
    return [text.removesuffix(" ×") for text in page.locator("toy-step ol button").all_inner_texts()]
