"""What an address means, by another road: the reference, the published sizes, exact fractions.

Imports nothing of `toymodel` or `worked`. Every number is a Fraction: weights and printed digits
exactly, computed values as mpmath gives them with 50 digits, so that no rounding hides in between.
"""

import json
import math
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import measured_values
import mpmath
import tokens_reference
import yaml
from column_averages import shares_of
from counted import COUNTED
from mpmath.libmp import to_rational
from reference import DIGITS, PARAMETERS, TOY_FILE, mpmath_run, sentence

ROOT = Path(__file__).parents[1]

AXES = {  # in the order of the nested lists
    "E": "v d", "P": "slot d", "W_q": "head d c", "W_k": "head d c", "W_v": "head d c",
    "W_O": "j d", "W_1": "d u", "b_1": "u", "W_2": "u d", "b_2": "d", "W_U": "d v",
    "token_embedding": "t d", "position_embedding": "t d", "x": "t d", "a": "t d",
    "q": "head t c", "k": "head s c", "v": "head s c",
    "scores": "head t s", "scaled_scores": "head t s", "masked_scores": "head t s",
    "weights": "head t s", "head_outputs": "head t c", "concatenated": "t j", "att": "t d",
    "h": "t d", "g": "t d", "pre_activation": "t u", "activation": "t u", "m": "t d", "y": "t d",
    "x_mean": "t", "x_deviation": "t", "h_mean": "t", "h_deviation": "t",
    "y_mean": "t", "y_deviation": "t", "f": "t d", "z": "t v", "exp_z": "t v", "p": "t v",
    "loss": "t",
    "ids": "t", "id_of": "v", "one_hot": "t v",
}  # fmt: skip


FIRST_ROW = {"toy.cached": 6}  # where the rows before come from a cache


# --- sources -------------------------------------------------------------------------------


@cache
def weights():
    return json.loads(TOY_FILE.read_text(encoding="utf-8"), parse_float=Fraction)


@cache
def run(name):
    return mpmath_run(name) | identities(sentence(name)[0], len(weights()["vocabulary"]))


def identities(tokens, count):
    """Which token each position reads: by its id, and by a 1 among zeros. Ids count from 0."""
    return {
        "ids": tokens,
        "id_of": list(range(count)),
        "one_hot": [[int(one == token) for one in range(count)] for token in tokens],
    }


@cache
def config():
    """mkdocs.yml."""

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!ENV", lambda loader, node: None)
    return yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader)


def steps():
    """The names of the steps, in order."""
    return list(config()["extra"]["steps"])


def chapter():
    """The names of the chapter's pages, in order."""
    [pages] = [entry["chapter"] for entry in config()["nav"] if isinstance(entry, dict)]
    return [page.removeprefix("chapter/").removesuffix(".md") for page in pages]


# --- tensors -------------------------------------------------------------------------------


@dataclass
class Part:
    """A tensor, or what is left of it: nested lists, and the labels of each axis left."""

    data: list
    axes: list  # of (name, labels)

    def labels(self, axis):
        return dict(self.axes)[axis]

    def at(self, axis, given):
        """Only the label given; or, of several joined by +, only those."""
        labels, several = self.labels(axis), given.split("+")
        depth = [name for name, _ in self.axes].index(axis)
        places = [list(map(str, labels)).index(unquote(one)) for one in several]
        if len(several) == 1:
            return Part(
                within(self.data, depth, lambda level: level[places[0]]),
                self.axes[:depth] + self.axes[depth + 1 :],
            )
        kept = (axis, [labels[place] for place in places])
        return Part(
            within(self.data, depth, lambda level: [level[place] for place in places]),
            [*self.axes[:depth], kept, *self.axes[depth + 1 :]],
        )

    def values(self):
        return list(flat(self.data))


def within(data, depth, change):
    return [within(level, depth - 1, change) for level in data] if depth else change(data)


def flat(data):
    if isinstance(data, list):
        for level in data:
            yield from flat(level)
    else:
        yield exactly(data)


def exactly(value):
    """A number of any kind as a Fraction; minus infinity, a masked score, as it is."""
    if value == -math.inf:
        return -math.inf
    return Fraction(*to_rational(value._mpf_)) if isinstance(value, mpmath.mpf) else Fraction(value)


def tensor(run_name, name):
    """A whole tensor. Weights come from the file itself: exact, and the same in every run."""
    values = run(run_name)
    if name not in values:
        raise KeyError(f"the run {run_name} has no {name}")
    data = weights()[name] if name in PARAMETERS else values[name]
    axes, level = [], data
    for axis in AXES[name].split():
        count = len(level)
        first = FIRST_ROW.get(run_name, 1) if axis == "t" else 1
        labels = weights()["vocabulary"] if axis == "v" else list(range(first, first + count))
        assert len(labels) == count, (name, axis)
        axes.append((axis, labels))
        level = level[0]
    return Part(data, axes)


# --- addresses -----------------------------------------------------------------------------


def evaluate(address):
    """The number (Fraction), the label (str) or the tensor that an address stands for."""
    if call := re.fullmatch(r"([a-z]+)\((.*)\)", address):
        return FUNCTIONS[call[1]](*split(call[2]))
    if quoted := re.fullmatch(r"'(.*)'", address):
        return quoted[1]
    if address == "pi":
        with mpmath.workdps(DIGITS):
            return exactly(+mpmath.pi)
    if address == "site/steps":
        return Fraction(len(steps()))
    if step := re.fullmatch(r"site/step\[(.*)\]", address):
        return Fraction(steps().index(unquote(step[1])) + 1)
    if address == "site/chapter":
        return Fraction(len(chapter()))
    if page := re.fullmatch(r"site/chapter\[(.*)\]", address):
        return Fraction(chapter().index(unquote(page[1])) + 1)
    if figure := re.fullmatch(r"measured/([\w-]+)\.(\w+)(?:\[(.*)\])?", address):
        return narrowed(Part(*measured_values.figure(figure[1], figure[2])), figure[3])
    if address.startswith("measured/"):
        leaf = measured_values.entry(*map(unquote, address.split("/")[1:]))
        return leaf if isinstance(leaf, str) else Fraction(leaf)
    if count := re.fullmatch(r"counted/(\w+)\.(\w+)", address):
        return Fraction(COUNTED[count[1]][count[2]])
    if address.startswith("tokens/"):
        leaf = tokens_reference.at(map(unquote, address.split("/")[1:]))
        return leaf if isinstance(leaf, str) else Fraction(leaf)
    if share := re.fullmatch(r"averages/(.*)\[v=(.*),part=(numerator|denominator)\]", address):
        found = shares_of(unquote(share[1]))[unquote(share[2])]
        return Fraction(getattr(found, share[3]))
    if path := re.fullmatch(r"([a-z0-9_.]+)/(\w+)(?:\[(.*)\])?", address):
        return narrowed(tensor(path[1], path[2]), path[3])
    return Fraction(address)


def narrowed(part, coordinates):
    """A tensor at the coordinates of an address: a part of it, or the one number or word there."""
    for coordinate in split(coordinates or ""):
        axis, _, label = coordinate.partition("=")
        part = part.at(axis, label)
    if part.axes:
        return part
    return part.data if isinstance(part.data, str) else exactly(part.data)


def split(text):
    """At the commas that stand inside no bracket."""
    parts, depth, start = [], 0, 0
    for place, char in enumerate(text):
        depth += (char in "([") - (char in ")]")
        if char == "," and depth == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]] if text else []


def of_values(operation):
    return lambda address: operation(evaluate(address).values())


def of_numbers(operation):
    """Of numbers; or of each element of a vector and the same numbers beside it."""

    def applied(first, *others):
        left, right = evaluate(first), list(map(number, others))
        if isinstance(left, Part):
            return Part([operation(value, *right) for value in left.values()], left.axes)
        return operation(left, *right)

    return applied


def number(address):
    value = evaluate(address)
    assert isinstance(value, Fraction), f"{address} is no number"
    return value


def transcendental(name):
    def operation(value):
        if value == -math.inf and name == "exp":
            return Fraction(0)
        with mpmath.workdps(DIGITS):
            function = {"exp": mpmath.exp, "ln": mpmath.log, "sqrt": mpmath.sqrt, "tanh": mpmath.tanh}[name]
            return exactly(function(mpmath.mpf(value.numerator) / value.denominator))

    return of_numbers(operation)


def argmax(address):
    """The one label of the largest element."""
    part = evaluate(address)
    [(_, labels)] = part.axes
    values = part.values()
    [largest] = [label for label, value in zip(labels, values) if value == max(values)]
    return largest


FUNCTIONS = {
    "sum": of_values(sum),
    "mean": of_values(lambda values: sum(values) / len(values)),
    "max": of_values(max),
    "min": of_values(min),
    "argmax": argmax,
    "dot": lambda *vectors: sum(map(math.prod, zip(*(evaluate(vector).values() for vector in vectors), strict=True))),
    "add": of_numbers(lambda *terms: sum(terms)),
    "sub": of_numbers(lambda left, right: left - right),
    "mul": of_numbers(lambda *factors: math.prod(factors)),
    "div": of_numbers(lambda left, right: left / right),
    "neg": of_numbers(lambda value: -value),
    "exp": transcendental("exp"),
    "ln": transcendental("ln"),
    "sqrt": transcendental("sqrt"),
    "tanh": transcendental("tanh"),
    "count": lambda address, axis: Fraction(len(evaluate(address).labels(axis))),
    "beginning": lambda address, count: evaluate(address)[: int(count)],
    "label": lambda address, axis, place: Fraction(evaluate(address).labels(axis)[int(place) - 1]),
    "shown": lambda address, places: rounded(evaluate(address), int(places)),
}


# --- rounding and claims -------------------------------------------------------------------


def rounded(value, places):
    """To so many decimals, ties away from zero, as at school. Minus infinity has none."""
    if value == -math.inf:
        return value
    size = math.floor(abs(value) * 10**places + Fraction(1, 2))
    return Fraction(-size if value < 0 else size, 10**places)


RELATIONS = {
    ">": lambda left, right: left > right,
    "<": lambda left, right: left < right,
    ">=": lambda left, right: left >= right,
    "<=": lambda left, right: left <= right,
    "=": lambda left, right: left == right,
    "~": lambda left, right: abs(left - right) <= Fraction(1, 10**9),
}


def holds(comparison):
    """Whether "toy/p[…] > 0.3" is so."""
    left, relation, right = comparison.split(" ")
    return RELATIONS[relation](evaluate(left), evaluate(right))
