"""Joins the model and the pages: the MkDocs hook, and a command line. Wiring only.

`mkdocs build` renders every page of every language first (a mistake stops here, before anything is
written), then builds one site per language into a draft beside the site, and swaps it in at the end.

    python build_pages.py render DIR    the finished Markdown, for any generator
    python build_pages.py trace         the trace the pages are made from (JSON), recomputed if stale
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import os
import shutil
import subprocess
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import jinja2
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.utils import CountHandler

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from worked import ledger, swap  # noqa: E402
from worked.address import Run  # noqa: E402
from worked.assets import copy_assets  # noqa: E402
from worked.audit import AllowList  # noqa: E402
from worked.catalogue import Catalogue  # noqa: E402
from worked.errors import AuthorError, Place, near_miss  # noqa: E402
from worked.excerpt import excerpt  # noqa: E402
from worked.mathematics import Mathematics  # noqa: E402
from worked.numbers import Label, Locale, Number  # noqa: E402
from worked.render import Renderer, Rendered  # noqa: E402

DOCS, CACHE, MODULES = ROOT / "docs", ROOT / ".cache", ROOT / "node_modules"
CODE = ["toymodel/model.py", "toymodel/ops.py"]  # what pages link to
log = logging.getLogger("mkdocs.hooks.build_pages")


def trace() -> dict:
    """Runs, names and counts of the toy, from the cache or recomputed in a process of its own.

    The cache is keyed by the weights, the code and PyTorch's version, so a stale value cannot
    survive; when it holds, PyTorch is not imported.
    """
    sources = sorted([*(ROOT / "toymodel").glob("**/*.py"), ROOT / "toymodel" / "toy.json"])
    digest = hashlib.sha256(version("torch").encode())
    for source in sources:
        digest.update(source.name.encode() + source.read_bytes())
    cached = CACHE / f"trace-{digest.hexdigest()[:16]}.json"
    if not cached.is_file():
        CACHE.mkdir(exist_ok=True)
        draft = cached.with_suffix(".draft")
        command = [sys.executable, "-m", "toymodel.runs", "--out", str(draft)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            raise AuthorError(f"the model does not run: {done.stderr.strip().splitlines()[-1]}")
        for old in CACHE.glob("trace-*.json"):
            old.unlink()
        draft.replace(cached)
    return json.loads(cached.read_text(encoding="utf-8"))


def site_facts(extra: dict, pages: list[str]) -> SimpleNamespace:
    """The seven steps, numbered in their order, and which of them have a page."""
    steps = [
        SimpleNamespace(name=name, family=family, number=Number(place, f"site/step[{name}]"),
                        exists=f"{name}.md" in pages)
        for place, (name, family) in enumerate(extra["steps"].items(), start=1)
    ]

    def number(name: str) -> Number:
        found = [step.number for step in steps if step.name == name]
        if not found:
            raise AuthorError(f"no step `{name}`{near_miss(name, extra['steps'])}")
        return found[0]

    return SimpleNamespace(steps=steps, number=number, step_count=Number(len(steps), "site/steps"))


def values_of(data: dict, words: Catalogue, site: SimpleNamespace) -> dict:
    """Every name that a template may use."""
    exact = {name for name, entry in data["names"].items() if entry["kind"] == "parameter"}
    runs = {
        name: Run.from_export(name, run["labels"], run["values"], exact)
        for name, run in data["runs"].items()
    }
    toy = data["runs"]["toy"]
    vocabulary = {
        token: Label(token, note=words.gloss[token] if token in words.gloss else "")
        for token in toy["labels"]["v"]
    }

    def run(name: str) -> Run:
        if name not in runs:
            raise AuthorError(f"no run `{name}`{near_miss(name, runs)}")
        return runs[name]

    def counted(name: str) -> Number:
        if name not in data["counted"]:
            raise AuthorError(f"nothing counted as `{name}`{near_miss(name, data['counted'])}")
        return Number(data["counted"][name], f"counted/{name}", exact=True)

    def token(name: str) -> Label:
        if name not in vocabulary:
            raise AuthorError(f"no token `{name}` in the vocabulary{near_miss(name, vocabulary)}")
        return vocabulary[name]

    return {
        **runs["toy"].tensors,
        "run": run, "counted": counted, "token": token,
        "labels": lambda names: [token(name) for name in names],
        "source": partial(excerpt, ROOT),
        "vocabulary": vocabulary,
        "tokens": [token(name) for name in toy["tokens"]],
        "targets": [token(name) for name in toy["targets"]],
        "words": words, "site": site,
    }


def render_all(pages: list[str], extra: dict) -> dict[str, list[Rendered]]:
    """Every page of every language. Raises AuthorError; writes nothing but the caches."""
    data = trace()
    allowed = AllowList.load(DOCS / "_allowed_digits.yml")
    symbols = {name: (entry["tex"], entry["family"]) for name, entry in data["names"].items()}
    mathematics = Mathematics(MODULES / "katex", CACHE / "katex.json", symbols)
    catalogues = {code: Catalogue.load(DOCS / "_lang" / f"{code}.yml") for code in extra["languages"]}
    check_languages(pages, catalogues)
    rendered = {}
    try:
        for code, words in catalogues.items():
            renderer = Renderer(
                code, [DOCS / code, DOCS / "_shared"],
                values_of(data, words, site_facts(extra, pages)),
                Locale(code), mathematics, allowed, ROOT,
            )
            rendered[code] = [renderer.render(page) for page in pages]
    finally:
        mathematics.close()
    return rendered


def check_languages(pages: list[str], catalogues: dict[str, Catalogue]) -> None:
    """The same pages and the same words in every language, glosses apart."""
    first, *others = catalogues
    expected = [path for path in catalogues[first].paths() if not path.startswith("gloss.")]
    for code, words in catalogues.items():
        missing = [page for page in pages if not (DOCS / code / page).is_file()]
        if missing:
            raise AuthorError(f"the page is missing in `{code}`; it exists in the navigation (mkdocs.yml)",
                              Place(f"docs/{code}/{missing[0]}", 1))
        for file in sorted((DOCS / code).glob("**/*.md")):
            page = file.relative_to(DOCS / code).as_posix()
            if page not in pages:
                raise AuthorError("the page is not in the navigation (mkdocs.yml)"
                                  + near_miss(page, pages), Place(f"docs/{code}/{page}", 1))
        for path in expected:
            if path not in words.paths():
                raise AuthorError(f"no `{path}`, which docs/_lang/{first}.yml has"
                                  + near_miss(path, words.paths()), Place(f"docs/_lang/{code}.yml", 1))


class SiteBuild:
    """One run of `mkdocs build` or one rebuild of `mkdocs serve`: what its events share."""

    def __init__(self, config: MkDocsConfig, serving: bool):
        pages = [page for page in config.nav if isinstance(page, str)]
        self.languages = config.extra["languages"]
        self.rendered = render_all(pages, config.extra)
        self.serving, self.site = serving, Path(config.site_dir)
        self.target = self.site if serving else swap.aside(self.site)
        self.warnings = CountHandler()
        self.warnings.setLevel(logging.WARNING)
        logging.getLogger("mkdocs").addHandler(self.warnings)

    def prepare(self, config: MkDocsConfig, language: str) -> None:
        """Point a configuration at one language."""
        words = Catalogue.load(DOCS / "_lang" / f"{language}.yml")
        config.docs_dir = str(DOCS / language)
        config.site_dir = str(self.target / language)
        config.site_name, config.site_description = words.site_name, words.site_description
        config.theme["language"] = language
        for scheme in config.theme["palette"]:
            scheme["toggle"]["name"] = words.palette[scheme["toggle"]["name"]]
        config.extra["language"] = language
        config.extra["switch"] = {
            code: Catalogue.load(DOCS / "_lang" / f"{code}.yml").name for code in self.languages
        }
        config.extra["words"] = words
        if config.site_url:
            config.site_url = f"{config.site_url.rstrip('/')}/{language}/"

    def markdown(self, language: str, page: str) -> str:
        return next(one.markdown for one in self.rendered[language] if one.name == page)

    def finish(self, config: MkDocsConfig) -> None:
        """The other languages, what they share, the root page; then the swap."""
        for language in self.languages[1:]:
            sibling = load_config(config.config_file_path, extra={**config.extra, "language": language})
            if config.site_url:
                sibling.site_url = config.site_url.removesuffix(f"{self.languages[0]}/")
            sibling.plugins.on_startup(command="serve" if self.serving else "build", dirty=False)
            build(sibling)
        shutil.rmtree(self.target / "assets", ignore_errors=True)
        copy_assets(MODULES, DOCS / "assets", self.target / "assets")
        for file in CODE:
            copy = self.target / "code" / f"{file}.txt"
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / file, copy)
        for language in self.languages:
            rows = [row for page in self.rendered[language] for row in page.rows]
            (self.target / language / "numbers.json").write_text(ledger.to_json(rows), encoding="utf-8")
        (self.target / "index.html").write_text(root_page(self.languages), encoding="utf-8")
        if not self.serving and not self.warnings.get_counts():  # strict: MkDocs aborts on a warning
            swap.swap(self.site)

    def close(self) -> None:
        logging.getLogger("mkdocs").removeHandler(self.warnings)
        if not self.serving:
            swap.discard(self.site)


def root_page(languages: list[str]) -> str:
    """The page that leads to the reader's language."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(DOCS / "_theme"), autoescape=True,
                                     undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    catalogues = [Catalogue.load(DOCS / "_lang" / f"{code}.yml") for code in languages]
    return environment.get_template("root.html").render(catalogues=catalogues)


# MkDocs events. The outer build is the first language; it builds the others when it is done.

serving = False
current: SiteBuild | None = None


@event_priority(100)
def on_startup(command: str, dirty: bool) -> None:
    global serving
    serving = command == "serve"
    os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800")  # no clock in the files: 1980-01-01


@event_priority(100)
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    global current
    language = config.extra.get("language")
    try:
        if language is None:
            current = SiteBuild(config, serving)
            language = current.languages[0]
    except AuthorError as error:
        raise PluginError(str(error)) from error
    current.prepare(config, language)
    return config


def on_page_read_source(page, config: MkDocsConfig) -> str:
    return current.markdown(config.extra["language"], page.file.src_uri)


@event_priority(-100)
def on_post_build(config: MkDocsConfig) -> None:
    if config.extra["language"] == current.languages[0]:
        try:
            current.finish(config)
        except AuthorError as error:
            raise PluginError(str(error)) from error
        finally:
            current.close()


def on_build_error(error: Exception) -> None:
    if current is not None:
        current.close()


def render_to(folder: Path) -> None:
    """Finished Markdown and a plain configuration per language, for any generator."""
    config = load_config(str(ROOT / "mkdocs.yml"))
    plain = yaml.safe_load((DOCS / "_theme" / "plain.yml").read_text(encoding="utf-8"))
    for language, pages in render_all(config.nav, config.extra).items():
        words = Catalogue.load(DOCS / "_lang" / f"{language}.yml")
        for page in pages:
            file = folder / language / "docs" / page.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(page.markdown, encoding="utf-8")
        copy_assets(MODULES, DOCS / "assets", folder / language / "docs" / "assets")
        settings = {"site_name": words.site_name, **plain, "nav": list(config.nav)}
        settings["theme"]["language"] = language
        (folder / language / "mkdocs.yml").write_text(
            yaml.safe_dump(settings, allow_unicode=True, sort_keys=False), encoding="utf-8")
        (folder / language / "numbers.json").write_text(
            ledger.to_json([row for page in pages for row in page.rows]), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("trace", help="print the trace the pages are made from")
    commands.add_parser("render", help="write the finished Markdown").add_argument("folder", type=Path)
    arguments = parser.parse_args()
    try:
        if arguments.command == "render":
            render_to(arguments.folder)
        else:
            print(json.dumps(trace(), ensure_ascii=False))
    except AuthorError as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()
