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
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from worked.address import Run  # noqa: E402
from worked.assets import copy_assets  # noqa: E402
from worked.audit import AllowList, check_languages  # noqa: E402
from worked.catalogue import Catalogue  # noqa: E402
from worked.errors import AuthorError, near_miss  # noqa: E402
from worked.excerpt import excerpt  # noqa: E402
from worked.mathematics import Mathematics  # noqa: E402
from worked.numbers import Label, Locale, Number  # noqa: E402
from worked.publish import Publication, write_trees  # noqa: E402
from worked.render import Rendered, Renderer  # noqa: E402

DOCS, CACHE, MODULES = ROOT / "docs", ROOT / ".cache", ROOT / "node_modules"
CODE = ["toymodel/model.py", "toymodel/ops.py"]  # what pages link to


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


def compiled_templates(kind: str) -> jinja2.BytecodeCache:
    """Compiled templates on disk, checked against their source by Jinja, and per version of our marks."""
    folder = CACHE / f"templates-{kind}-{hashlib.sha256(machinery_now()).hexdigest()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    return jinja2.FileSystemBytecodeCache(str(folder))


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


def identities(toy: dict) -> dict:
    """Which token each position reads, as values: its id, and a 1 among zeros. Ids count from 0."""
    vocabulary = toy["labels"]["v"]
    values = {
        "ids": {"axes": ["t"], "data": toy["ids"]},
        "id_of": {"axes": ["v"], "data": list(range(len(vocabulary)))},
        "one_hot": {"axes": ["t", "v"], "data": [[int(i == j) for j in range(len(vocabulary))] for i in toy["ids"]]},
    }
    return Run.from_export("toy", toy["labels"], values, set(values)).tensors


def values_of(data: dict, words: Catalogue, site: SimpleNamespace) -> dict:
    """Every name that a template may use."""
    exact = {name for name, entry in data["names"].items() if entry["kind"] == "parameter"}
    runs = {
        name: Run.from_export(name, run["labels"], run["values"], exact)
        for name, run in data["runs"].items()
    }
    toy = data["runs"]["toy"]
    vocabulary = {
        token: Label(token, note=words.gloss.get(token, ""))
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
        **runs["toy"].tensors, **identities(toy),
        "run": run, "counted": counted, "token": token,
        "labels": lambda names: [token(name) for name in names],
        "source": partial(excerpt, ROOT),
        "vocabulary": vocabulary,
        "tokens": [token(name) for name in toy["tokens"]],
        "targets": [token(name) for name in toy["targets"]],
        "words": words, "site": site,
        "names": {  # what tables write beside the numbers of an axis
            "t": [token(name) for name in toy["tokens"]], "s": [token(name) for name in toy["tokens"]],
            "v": list(vocabulary.values()), "d": words.dimensions,
        },
    }


def render_all(pages: list[str], extra: dict) -> tuple[dict[str, list[Rendered]], dict[str, Catalogue]]:
    """Every page of every language, and the words. Raises AuthorError; writes nothing but the caches."""
    data = trace()
    allowed = AllowList.load(DOCS / "_allowed_digits.yml")
    symbols = {name: (entry["tex"], entry["family"]) for name, entry in data["names"].items()}
    symbols["ids"] = ("w", "parameter")  # no tensor of the model: what it is given
    mathematics = Mathematics(MODULES / "katex", CACHE / "katex.json", symbols)
    catalogues = {code: Catalogue.load(DOCS / "_lang" / f"{code}.yml") for code in extra["languages"]}
    check_languages(DOCS, pages, catalogues)
    compiled, site = compiled_templates("pages"), site_facts(extra, pages)
    rendered = {}
    try:
        for code, words in catalogues.items():
            renderer = Renderer(
                code, [DOCS / code, DOCS / "_shared"], values_of(data, words, site),
                Locale(code), mathematics, allowed, ROOT, compiled,
            )
            rendered[code] = [renderer.render(page) for page in pages]
    finally:
        mathematics.close()
    return rendered, catalogues


def shared_files(target: Path) -> None:
    """What all languages use: styles, fonts, and the source code that pages link to."""
    copy_assets(MODULES, DOCS / "assets", target / "assets", CACHE)
    for file in CODE:
        copy = target / "code" / f"{file}.txt"
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / file, copy)


# MkDocs events. The outer build is the first language; it builds the others when it is done.

serving = False
machinery = b""  # the source of what renders pages, as it was when this process read it
current: Publication | None = None


def machinery_now() -> bytes:
    return b"".join(file.read_bytes() for file in [*sorted((ROOT / "worked").glob("**/*.py")), Path(__file__)])


@event_priority(100)
def on_startup(command: str, dirty: bool) -> None:
    global serving, machinery
    serving, machinery = command == "serve", machinery_now()
    os.environ.setdefault("SOURCE_DATE_EPOCH", "315532800")  # no clock in the files: 1980-01-01


@event_priority(100)
def on_config(config: MkDocsConfig) -> MkDocsConfig:
    global current
    if machinery_now() != machinery:
        raise PluginError("worked/ or build_pages.py has changed: restart `mkdocs serve`, it runs the old code")
    language = config.extra.get("language")
    try:
        if language is None:
            rendered, catalogues = render_all(config.nav, config.extra)
            current = Publication(config, DOCS, rendered, catalogues, shared_files, serving)
            language = current.first
    except AuthorError as error:
        raise PluginError(str(error)) from error
    current.prepare(config, language)
    return config


def on_env(env: jinja2.Environment, config: MkDocsConfig, files) -> jinja2.Environment:
    env.bytecode_cache = compiled_templates("theme")  # four sites, one theme: compile it once
    return env


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
    settings = yaml.safe_load((DOCS / "_theme" / "plain.yml").read_text(encoding="utf-8"))
    write_trees(folder, *render_all(config.nav, config.extra), settings, shared_files)


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
