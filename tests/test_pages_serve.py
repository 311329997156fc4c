"""`mkdocs serve` sees a change in everything that pages are made from."""

import html
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest
from conftest import surroundings

PATIENCE = 300  # seconds for a rebuild on a busy machine


@pytest.fixture
def served(workshop):
    """The address of a running server, and how to wait for a page to say something."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "mkdocs", "serve", "-a", f"127.0.0.1:{port}"]
    log = (workshop.root / "serve.log").open("w+", encoding="utf-8")
    process = subprocess.Popen(command, cwd=workshop.root, env=surroundings({}), stdout=log, stderr=log)

    def shows(path, text):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/{path}", timeout=5) as page:
                    if text in html.unescape(page.read().decode()):
                        return
            except (urllib.error.URLError, OSError):
                pass
            if "An error happened during the rebuild" in (workshop.root / "serve.log").read_text(encoding="utf-8"):
                break
            time.sleep(0.2)
        log.seek(0)
        pytest.fail(f"{path} never showed {text!r}; the server said:\n{log.read()[-3000:]}")

    yield shows
    process.terminate()
    process.wait(10)
    log.close()
    (workshop.root / "serve.log").unlink()


def test_every_kind_of_change_is_seen(workshop, served):
    served("en/output.html", 'data-ref="toy/p')
    workshop.replace("docs/en/output.md", "# ", "# Changed in a page: ")
    served("en/output.html", "Changed in a page: ")
    macro = "[% macro incoming() -%]\n"
    workshop.replace("docs/_shared/output.jinja", macro, f"{macro}<!-- changed in a partial -->\n\n")
    served("ru/output.html", "<!-- changed in a partial -->")
    workshop.replace("docs/_lang/es.yml", "\nfirst_choice: ", "\nfirst_choice: changed in a catalogue ")
    served("es/output.html", "changed in a catalogue ")
    # W_U of the last token: its logit moves, and with it every probability.
    text = (workshop.root / "toymodel/toy.json").read_text(encoding="utf-8")
    head, mark, rows = text.rpartition('"W_U": [')
    assert mark and "-0.5]" in rows
    workshop.write("toymodel/toy.json", head + mark + rows.replace("-0.5]", "-1.0]", 1))
    served("pt/output.html", 'value="-1.0" data-ref="toy/W_U[d=1,v=<|endoftext|>]"')
