"""One MkDocs site per language from one build: prepared, built aside, swapped in at the end.

The outer build is the first language's; when it is done it builds the others in the same process.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path

import jinja2
import yaml
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.utils import CountHandler

from worked import ledger
from worked.catalogue import Catalogue
from worked.navigation import titled
from worked.preview import Preview
from worked.render import Rendered
from worked.swap import Swap


class Publication:
    """One run of `mkdocs build`, or one rebuild of `mkdocs serve`: what its events share.

    `locks` is a folder for the lock. Raises AuthorError while another build holds the site.
    """

    def __init__(self, config: MkDocsConfig, docs: Path, locks: Path, serving: bool):
        self.docs, self.serving = docs, serving
        self.address = f"{config.site_url.rstrip('/')}/" if config.site_url else ""
        self.aside = None if serving else Swap(Path(config.site_dir), locks)
        self.target = self.aside.open() if self.aside else Path(config.site_dir)
        self.warnings = CountHandler()
        self.warnings.setLevel(logging.WARNING)
        logging.getLogger("mkdocs").addHandler(self.warnings)

    def take(
        self, rendered: Mapping[str, list[Rendered]], catalogues: Mapping[str, Catalogue],
        previews: Mapping[str, Preview], shared: Callable[..., None],
    ) -> None:
        """The finished pages, the words and the pictures of shared links, by language.

        `shared(folder, previews)` writes into a folder what all languages use: assets, source code, the pictures.
        """
        self.rendered, self.catalogues, self.previews, self.shared = rendered, catalogues, previews, shared
        self.first, *self.others = catalogues

    def prepare(self, config: MkDocsConfig, language: str) -> None:
        """Point a configuration at one language."""
        words = self.catalogues[language]
        config.nav = titled(config.nav, words)
        config.docs_dir = str(self.docs / language)
        config.site_dir = str(self.target / language)
        config.site_url = f"{self.address}{language}/" if self.address else ""
        config.site_name, config.site_description = words.site_name, words.site_description
        config.theme["language"] = language
        for scheme in config.theme["palette"]:
            scheme["toggle"]["name"] = words.palette[scheme["toggle"]["name"]]
        config.extra["language"], config.extra["words"], config.extra["address"] = language, words, self.address
        config.extra["preview"] = self.previews[language]
        config.extra["switch"] = {code: one.name for code, one in self.catalogues.items()}

    def markdown(self, language: str, page: str) -> str:
        return next(one.markdown for one in self.rendered[language] if one.name == page)

    def finish(self, config: MkDocsConfig) -> None:
        """The other languages, what they share, the root page; then the swap."""
        for language in self.others:
            sibling = load_config(
                config.config_file_path, extra={**config.extra, "language": language},
                strict=config.strict, use_directory_urls=config.use_directory_urls,
            )
            sibling.plugins.on_startup(command="serve" if self.serving else "build", dirty=False)
            build(sibling)
        self.shared(self.target, self.previews)
        for language, pages in self.rendered.items():
            _write_ledger(self.target / language, pages)
            (self.target / language / "404.html").write_text(self.own_page("404.html", language), encoding="utf-8")
        for page in ("index.html", "404.html"):
            (self.target / page).write_text(self.own_page(page), encoding="utf-8")
        if self.aside and not (config.strict and self.warnings.get_counts()):  # MkDocs will abort
            self.aside.swap()

    def close(self) -> None:
        """Leave nothing of an unfinished build behind."""
        logging.getLogger("mkdocs").removeHandler(self.warnings)
        if self.aside:
            self.aside.close()

    def own_page(self, name: str, language: str = "") -> str:
        """A page of no language, or of one before the others: the door at the root, and "not found"."""
        environment = jinja2.Environment(
            loader=jinja2.FileSystemLoader([self.docs / "_theme" / "root", self.docs / "assets" / "css"]),
            autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        )
        first = sorted(self.catalogues.values(), key=lambda words: words.language != language)
        return environment.get_template(name).render(catalogues=first, address=self.address)


def write_trees(
    folder: Path, nav: list, rendered: Mapping[str, list[Rendered]], catalogues: Mapping[str, Catalogue],
    settings: Mapping, shared: Callable[[Path], None],
) -> None:
    """Finished Markdown with a plain configuration per language, for any generator."""
    for language, pages in rendered.items():
        tree = folder / language
        for page in pages:
            file = tree / "docs" / page.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(page.markdown, encoding="utf-8")
        shared(tree / "docs")
        plain = {"site_name": catalogues[language].site_name, **settings, "nav": titled(nav, catalogues[language])}
        plain["theme"] = {**settings["theme"], "language": language}
        (tree / "mkdocs.yml").write_text(yaml.safe_dump(plain, allow_unicode=True, sort_keys=False), encoding="utf-8")
        _write_ledger(tree, pages)


def _write_ledger(folder: Path, pages: list[Rendered]) -> None:
    rows = [row for page in pages for row in page.rows]
    (folder / "numbers.json").write_text(ledger.to_json(rows), encoding="utf-8")
