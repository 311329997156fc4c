"""What the pages' scripts need to run the model in the browser: its weights and names, and each language's words.

Written as JavaScript modules beside the scripts, `data.js` and `lang/<code>.js`, so that a browser fetches them
like any other script.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import yaml

from worked.catalogue import Catalogue
from worked.errors import AuthorError, Place, near_miss
from worked.numbers import GROUPED_FROM, PLACES, Locale


def write_alive(folder: Path, exported: Mapping, made: Path, catalogues: Iterable[Catalogue]) -> None:
    """Write the modules into `folder`. `exported` holds names, runs and counts; `made` says where each name is made.

    Raises AuthorError when `made` leaves out a name, or has one that nobody registered.
    """
    names = {
        name: {key: entry[key] for key in ("axes", "family")}
        for name, entry in exported["names"].items() if name in exported["runs"]["toy"]["values"]
    }
    (folder / "lang").mkdir(parents=True, exist_ok=True)
    write_module(folder / "data.js", data_of(exported, names) | {"made": places_of(made, names)})
    for words in catalogues:
        write_module(folder / "lang" / f"{words.language}.js", language_of(words))


def data_of(exported: Mapping, names: Mapping) -> dict:
    """The toy as plain data: vocabulary, merges, running prompt, parameters, sizes, registry, its counts."""
    toy, counts = exported["runs"]["toy"], exported["counted"]
    vocabulary = toy["labels"]["v"]
    parameters = {
        name: toy["values"][name]["data"] for name in names if exported["names"][name]["kind"] == "parameter"
    }
    merges = [[pair["left"], pair["right"]] for pair in exported["tokens"]["toy"]["merges"]]
    print_of = hashlib.sha256(json.dumps([vocabulary, merges, parameters], sort_keys=True).encode()).hexdigest()
    return {
        "fingerprint": print_of[:4],
        "vocabulary": vocabulary,
        "merges": merges,
        "prompt": toy["ids"],
        "continuation": vocabulary.index(toy["targets"][-1]),
        "epsilon": counts["toy.epsilon"],
        "width": counts["toy.width"],
        "head_width": counts["toy.head_width"],
        "units": counts["toy.mlp_width"],
        "parameters": parameters,
        "names": names,
        "runs": {name: run["ids"] for name, run in exported["runs"].items()},
        "counted": {f"counted/{name}": value for name, value in counts.items() if name.startswith("toy.")},
    }


def places_of(made: Path, names: Mapping) -> dict:
    """Name to page and section, from a YAML file of `name: page#section`."""
    entries, place = yaml.safe_load(made.read_text(encoding="utf-8")), Place(made.name, 1)
    for name in entries:
        if name not in names:
            raise AuthorError(f"no tensor `{name}`{near_miss(name, names)}", place)
    for name in names:
        if name not in entries:
            raise AuthorError(f"it does not say where `{name}` is made: expected `{name}: page#section`", place)
    return {name: dict(zip(("page", "hash"), entry.split("#"))) for name, entry in entries.items()}


def language_of(words: Catalogue) -> dict:
    """How a language writes numbers, and the words of the controls."""
    return {
        "marks": marks_of(words.language),
        "words": words.alive.plain() | {"steps": {name: words.steps[name].title for name in words.steps}},
        "token": words.token,
        "gloss": words.gloss.plain(),
        "dimensions": words.dimensions,
    }


def marks_of(language: str) -> dict:
    """How a language writes numbers, as `numbers.js` wants to know it."""
    locale = Locale(language)
    pattern = locale.babel.percent_formats[None].pattern
    return {
        "decimal": locale.decimal_mark, "group": locale.group_mark, "list": locale.list_separator,
        "grouped_from": GROUPED_FROM.get(language, 1000), "percent": pattern.replace("#,##0", ""),
        "places": PLACES,
    }


def write_module(file: Path, content: dict) -> None:
    """A JavaScript module whose default export is `content`."""
    file.write_text(f"export default {json.dumps(content, ensure_ascii=False)};\n", encoding="utf-8")
