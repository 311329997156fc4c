"""The glossary: terms with their definitions, for the page that lists them and for the word in the text.

`terms.yml` says once, for all languages, where each term is explained; `<code>.yml` has the same keys with
the language's own head word and definition. A key is the term's anchor in every language.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from jinja2 import pass_context

from worked.catalogue import Catalogue
from worked.errors import AuthorError, Place, found, near_miss
from worked.mathematics import node

COLLATE = """
const words = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(words.sort(new Intl.Collator(process.argv[1]).compare)));
"""


@dataclass(frozen=True)
class Term:
    """One entry: its head word and definition, the head words of the other languages, by code, and the
    page ("output.md") and section ("logits") that explain it."""

    key: str
    word: str
    definition: str
    elsewhere: Mapping[str, str]
    page: str
    section: str


class Glossary:
    """The terms of one language, by key."""

    def __init__(self, language: str, terms: Iterable[Term]):
        self.language, self.terms = language, {term.key: term for term in terms}

    def __getitem__(self, key: str) -> Term:
        return found(self.terms, key, f"no term `{key}` in the glossary")

    def alphabetical(self) -> list[Term]:
        """By head word, in the order of the language's own dictionaries."""
        by_word = {term.word: term for term in self.terms.values()}
        return [by_word[word] for word in collated(list(by_word), self.language)]


def load_glossaries(docs: Path, languages: Iterable[str], pages: Iterable[str]) -> dict[str, Glossary]:
    """From `docs/_glossary`, by language.

    Raises AuthorError for a term that one file has and another has not, a head word that two terms
    share, and a page or a section that is not there.
    """
    folder = docs / "_glossary"
    homes = Catalogue.load(folder / "terms.yml")
    entries = {code: Catalogue.load(folder / f"{code}.yml") for code in languages}
    for code, words in entries.items():
        words.exactly(homes, f"{homes.origin} has")
        heads = [words[key].word for key in words]
        for head in heads:
            if heads.count(head) > 1:
                raise AuthorError(f"two terms have the head word `{head}`", Place(words.origin, 1))
        for key in homes:
            _check_home(docs / code, homes[key], pages, f"`{key}` in {homes.origin}")
    return {
        code: Glossary(code, (
            Term(key, words[key].word, words[key].definition.strip(),
                 {other: entries[other][key].word for other in entries if other != code}, *homes[key].split("#"))
            for key in homes
        ))
        for code, words in entries.items()
    }


def _check_home(folder: Path, home: str, pages: Iterable[str], who: str) -> None:
    page, mark, section = home.partition("#")
    if page not in pages or not mark:
        raise AuthorError(f"{who}: expected a page and a section, `output.md#logits`, got `{home}`"
                          + near_miss(page, pages))
    if f"{{ #{section} }}" not in (folder / page).read_text(encoding="utf-8-sig"):
        raise AuthorError(f"{who}: {folder.name}/{page} has no heading with {{ #{section} }}")


def collated(words: list[str], language: str) -> list[str]:
    """In dictionary order: Unicode's collation for the language, from the ICU that Node brings.

    Folding accents away would not do: й is no и and ñ no n, while á is an a and ё an е.
    """
    done = subprocess.run([node(), "-e", COLLATE, language], input=json.dumps(words), check=True,
                          capture_output=True, encoding="utf-8")
    return json.loads(done.stdout)


@pass_context
def term(context, key: str, shown: str | None = None) -> str:
    """A word of the text as a link to its entry, with the definition beside it; style and focus show that.

    `shown` is the word as the sentence inflects it. Raises AuthorError for a term explained above on the page.
    """
    one, explained = context["glossary"][key], context["progress"].terms
    if key in explained:
        raise AuthorError(f"the term `{key}` is explained above on this page; once is enough")
    explained.append(key)
    return (
        f'<span class="term"><a href="{context["up"]}glossary.html#{key}" aria-describedby="definition-{key}">'
        f"{shown or one.word}</a>"
        f'<span class="definition" id="definition-{key}" role="tooltip" data-search-exclude>'
        f"<strong>{one.word}</strong> {one.definition}</span></span>"
    )
