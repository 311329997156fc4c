"""The toy in the browser: from an edit to the painted page, and how much script and style a page brings.

Builds nothing: measures `site/`. Needs a Chromium (CHROMIUM=path, or on the PATH). An edit is typed into the
field over a weight inside an animation frame; the clock stops at the first task after that frame, when the
browser has computed the toy, laid the page out and painted it.
"""

from __future__ import annotations

import gzip
import os
import re
import shutil
import statistics
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from playwright.sync_api import sync_playwright

SITE = Path(__file__).resolve().parents[1] / "site"
GOAL_MS, GOAL_BYTES = 8, 40_000
# A page, and a weight that stands on it.
EDITS = {"embeddings": "toy/E[v=␣no,d=1]", "attention": "toy/W_q[head=1,d=4,c=1]", "heads": "toy/W_O[j=1,d=4]",
         "block": "toy/W_1[d=1,u=1]", "output": "toy/W_U[d=1,v=␣no]"}
MEASURE = """async ({ address, rounds }) => {
  const cell = [...document.querySelectorAll("td [data-ref]")].find((one) => one.dataset.ref === address);
  cell.click();
  const field = document.querySelector(".toy-field input");
  const times = [];
  for (let round = 0; round < rounds; round += 1) {
    times.push(await new Promise((done) => requestAnimationFrame(() => {
      const channel = new MessageChannel();
      const start = performance.now();
      channel.port1.onmessage = () => done(performance.now() - start);
      field.value = String(round % 2 ? 0.1 + round / 100 : -0.1 - round / 100);
      field.dispatchEvent(new Event("input"));
      channel.port2.postMessage(0);
    })));
  }
  return times;
}"""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments) -> None:
        """No line per request."""


def compressed(tab) -> int:
    """Our own scripts and styles that the page has fetched so far, in bytes as a server compresses them."""
    fetched = tab.evaluate("performance.getEntriesByType('resource').map((one) => new URL(one.name).pathname)")
    ours = {path for path in fetched if re.match(r"/assets/(js|css)/", path)}
    return sum(len(gzip.compress((SITE / path[1:]).read_bytes(), 9)) for path in ours)


def opened(tab) -> int:
    """The same once the laboratory is open."""
    tab.locator("toy-step summary").first.click()
    tab.wait_for_selector(".toy-prompt")
    return compressed(tab)


def main() -> None:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium or not SITE.is_dir():
        sys.exit("bench/alive.py: needs a Chromium and a built site (make site)")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(SITE)))
    Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for page, address in EDITS.items():
            tab = browser.new_page(viewport={"width": 1280, "height": 900})
            tab.goto(f"http://127.0.0.1:{server.server_port}/en/{page}.html", wait_until="networkidle")
            tab.wait_for_selector("html.toy-alive", state="attached")
            size = compressed(tab)
            times = tab.evaluate(MEASURE, {"address": address, "rounds": 60})[10:]
            print(f"{page:12} {statistics.median(times):5.1f} ms from an edit to the painted page "
                  f"({min(times):.1f} to {max(times):.1f}; goal below {GOAL_MS}); {size:,} bytes of "
                  f"our script and style (goal below {GOAL_BYTES:,}), {opened(tab):,} with the laboratory open")
            tab.close()
        browser.close()
    server.shutdown()


if __name__ == "__main__":
    main()
