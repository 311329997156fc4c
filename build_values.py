"""What the templates may name: the door's table of values, made from the trace, the results and the words.

Nothing is computed here but identities; nothing is decided but names.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace

from worked.address import Run, encoded
from worked.catalogue import Catalogue
from worked.errors import AuthorError, found, near_miss
from worked.excerpt import excerpt
from worked.glossary import Glossary
from worked.measured import Result
from worked.numbers import Label, Locale, Number
from worked.preview import Preview
from worked.records import addressed
from worked.reductions import ranked

ROOT = Path(__file__).resolve().parent


def identities(toy: dict) -> dict:
    """Which token each position reads, as values: its id, and a 1 among zeros. Ids count from 0."""
    vocabulary = toy["labels"]["v"]
    values = {
        "ids": {"axes": ["t"], "data": toy["ids"]},
        "id_of": {"axes": ["v"], "data": list(range(len(vocabulary)))},
        "one_hot": {"axes": ["t", "v"], "data": [[int(i == j) for j in range(len(vocabulary))] for i in toy["ids"]]},
    }
    return Run.from_export("toy", toy["labels"], values, set(values)).tensors


def values_of(
    data: dict, results: Mapping[str, Result], words: Catalogue, site: SimpleNamespace, glossary: Glossary
) -> dict:
    """Every name that a template may use."""
    exact = {name for name, entry in data["names"].items() if entry["kind"] == "parameter"}
    runs = {
        name: Run.from_export(name, run["labels"], run["values"], exact)
        for name, run in data["runs"].items()
    }
    toy = data["runs"]["toy"]
    vocabulary = {token: Label(token, note=words.gloss.get(token, "")) for token in toy["labels"]["v"]}
    for glossed in words.gloss:
        if glossed not in vocabulary:
            raise AuthorError(f"{words.origin}: no token `{glossed}` to gloss{near_miss(glossed, vocabulary)}")
    if len(words.dimensions) != len(toy["labels"]["d"]):
        raise AuthorError(f"{words.origin}: expected {len(toy['labels']['d'])} dimensions, got {len(words.dimensions)}")

    words.meaning.exactly([*data["names"], "ids"], "the registry (toymodel/names.py) has")
    words.axes.exactly(data["axes"], "the registry (toymodel/names.py) has")

    def run(name: str) -> Run:
        return found(runs, name, f"no run `{name}`")

    def counted(name: str) -> Number:
        return Number(found(data["counted"], name, f"nothing counted as `{name}`"), f"counted/{name}", exact=True)

    def token(name: str) -> Label:
        return found(vocabulary, name, f"no token `{name}` in the vocabulary")

    def average(name: str) -> list[tuple[Label, Number, Number]]:
        """Whose columns average to the token's, each with its share: numerator and denominator."""
        shares = found(data["averages"], name, f"no average for `{name}`")
        return [
            (token(other), *(
                Number(value, f"averages/{encoded(name)}[v={encoded(other)},part={part}]")
                for value, part in zip(share, ("numerator", "denominator"))
            ))
            for other, share in shares.items()
        ]

    def finished(name: str) -> bool:
        """Whether an experiment has a result."""
        found(words.measured.experiments, name, f"no experiment `{name}` in {words.measured.experiments.origin}")
        return name in results

    def result(name: str) -> Result:
        """What an experiment measured."""
        if not finished(name):
            raise AuthorError(f"no trained/results/{name}.json (trained/README.md says what makes it); "
                              f"what may be missing stands inside `if finished(\"{name}\")`")
        return results[name]

    return {
        **runs["toy"].tensors, **identities(toy),
        "run": run, "counted": counted, "token": token, "average": average, "finished": finished, "result": result,
        "labels": lambda names: [token(name) for name in names],
        "source": partial(excerpt, ROOT),
        "vocabulary": vocabulary,
        "tokenization": addressed(data["tokens"], "tokens"),
        "tokens": [token(name) for name in toy["tokens"]],
        "targets": [token(name) for name in toy["targets"]],
        "words": words, "site": site, "glossary": glossary, "axes": data["axes"],
        "registry": [SimpleNamespace(name=name, **entry) for name, entry in data["names"].items()],
        "names": {  # what tables write beside the numbers of an axis
            "t": [token(name) for name in toy["tokens"]], "s": [token(name) for name in toy["tokens"]],
            "v": list(vocabulary.values()), "d": words.dimensions,
        },
    }


def preview(words: Catalogue, data: dict) -> Preview:
    """What a shared link shows: the running example and its likeliest next tokens."""
    toy = data["runs"]["toy"]
    p = Run.from_export("toy", toy["labels"], toy["values"], set()).p(t=len(toy["tokens"]))
    write = Locale(words.language).text
    choices = [(token, p(v=token)) for token in ranked(p)[:5]]
    return Preview(
        words.site_name, words.preview_lead, tuple(toy["tokens"]),
        tuple((token.name, write(share.shown(3)), share.value) for token, share in choices),
    )
