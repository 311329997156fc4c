"""Weights: the toy's, read from a file and checked, and random ones for any configuration."""

import json
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import torch
from torch import Tensor

from toymodel.bpe import cut
from toymodel.config import TOY, GPTConfig
from toymodel.model import Model
from toymodel.names import BY_NAME, near
from toymodel.parameters import BlockParameters, Parameters
from toymodel.shapes import parameter_shapes
from toymodel.tokens import END, Vocabulary

TOY_FILE = Path(__file__).with_name("toy.json")
ACTIVATION = "gelu_tanh"
ABOUT = ("about", "vocabulary", "merges", "epsilon", "activation", "grid")
PLACES = ("head", "row", "column")


class WeightsError(ValueError):
    """A weights file that is not what its configuration asks for."""


def load_toy(path: Path = TOY_FILE, config: GPTConfig = TOY) -> tuple[Model, Vocabulary]:
    """The model (float64) and the vocabulary of a toy weights file, checked against config.

    Raises WeightsError, naming file, tensor and place from 1, for a key missing or unknown,
    a wrong shape, an entry that is not a finite number on the tensor's grid, merges that do
    not lead to the tokens, or a vocabulary, epsilon or activation that disagrees with the
    configuration.
    """
    path = Path(path)
    content = read(path)
    try:
        shapes = parameter_shapes(config)
        check_keys("the file", content, (*ABOUT, *shapes))
        check_vocabulary(content["vocabulary"], config)
        check_merges(content["merges"], content["vocabulary"])
        check_agreement("epsilon", content["epsilon"], config.epsilon)
        check_agreement("activation", content["activation"], ACTIVATION)
        check_keys("grid", content["grid"], shapes)
        for name, shape in shapes.items():
            check_tensor(name, content[name], shape, step(name, content["grid"][name]))
    except WeightsError as error:
        raise WeightsError(f"{path.name}: {error}") from None
    tensors = {name: as_tensor(content[name]) for name in shapes}
    merges = tuple(tuple(pair) for pair in content["merges"])
    vocabulary = Vocabulary(tuple(content["vocabulary"]), config.context_length, merges)
    return Model(config, assemble([tensors])), vocabulary


def random_model(
    config: GPTConfig, seed: int = 0, dtype: torch.dtype = torch.float64, deviation: float = 0.2
) -> Model:
    """A model with random weights, the same for the same seed: for tests and timings.

    Matrices, embeddings and biases are drawn from a normal distribution with mean 0, gains with
    mean 1. A deviation of 0.2 is, for small models, wide enough for every part to matter, unlike
    GPT-2's own 0.02, which is meant for training.
    """
    generator = torch.Generator().manual_seed(seed)

    def draw(name: str, shape: tuple[int, ...]) -> Tensor:
        mean = 1.0 if name.startswith("gain") else 0.0
        return mean + deviation * torch.randn(shape, generator=generator, dtype=dtype)

    shapes = parameter_shapes(config)
    blocks = [
        {name: draw(name, shape) for name, shape in shapes.items()} for _ in range(config.blocks)
    ]
    return Model(config, assemble(blocks))


def assemble(blocks: list[dict[str, Tensor]]) -> Parameters:
    """Parameters from one dict a block; what is not per block is taken from the first."""

    def part(tensors: dict[str, Tensor], per_block: bool) -> dict[str, Tensor]:
        return {n: value for n, value in tensors.items() if BY_NAME[n].per_block == per_block}

    layers = tuple(BlockParameters(**part(tensors, per_block=True)) for tensors in blocks)
    return Parameters(blocks=layers, **part(blocks[0], per_block=False))


def as_tensor(entries: list) -> Tensor:
    def floats(part):
        return [floats(item) for item in part] if isinstance(part, list) else float(part)

    return torch.tensor(floats(entries), dtype=torch.float64)


def read(path: Path) -> dict:
    """The file's JSON, numbers as Decimal so that the grid can be checked exactly."""
    try:
        content = json.loads(
            path.read_text(encoding="utf-8"),
            parse_float=Decimal,
            parse_int=Decimal,
            parse_constant=Decimal,
            object_pairs_hook=without_duplicates,
        )
    except OSError as error:
        raise WeightsError(f"{path.name}: cannot be read: {error.strerror}") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise WeightsError(f"{path.name}: not JSON in UTF-8: {error}") from None
    except WeightsError as error:
        raise WeightsError(f"{path.name}: {error}") from None
    if not isinstance(content, dict):
        raise WeightsError(f"{path.name}: expected an object of tensors, got {shown(content)}")
    return content


def without_duplicates(pairs: list[tuple]) -> dict:
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise WeightsError(f"{twice}: given twice")
    return content


def check_keys(where: str, content, expected) -> None:
    if not isinstance(content, dict):
        raise WeightsError(f"{where}: expected an object, got {shown(content)}")
    for key in content:
        if key not in expected:
            raise WeightsError(f"{where}: unknown key {key!r}{near(key, expected)}")
    for key in expected:
        if key not in content:
            raise WeightsError(f"{where}: the key {key!r} is missing")


def check_vocabulary(tokens, config: GPTConfig) -> None:
    if not isinstance(tokens, list) or not all(isinstance(t, str) and t for t in tokens):
        raise WeightsError("vocabulary: expected a list of non-empty strings")
    if len(tokens) != config.vocabulary_size:
        raise WeightsError(
            f"vocabulary: expected {config.vocabulary_size} tokens, got {len(tokens)}"
        )
    for token in tokens:
        if tokens.count(token) > 1:
            raise WeightsError(f"vocabulary: {token!r} appears {tokens.count(token)} times")
    if tokens[-1] != END:
        raise WeightsError(f"vocabulary: expected {END} at the end, got {tokens[-1]!r}")


def check_merges(merges, tokens: list[str]) -> None:
    """Every merge joins pieces that exist by then, and every token but the last comes about."""
    if not isinstance(merges, list):
        raise WeightsError(f"merges: expected a list of pairs, got {shown(merges)}")
    made = set()
    for place, pair in enumerate(merges, start=1):
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(p, str) and p for p in pair)):
            raise WeightsError(f"merges, row {place}: expected two pieces, got {shown(pair)}")
        for piece in pair:
            if len(piece) > 1 and piece not in made:
                raise WeightsError(f"merges, row {place}: no merge before it makes {piece!r}")
        made.add("".join(pair))
    pairs = [tuple(pair) for pair in merges]
    for token in tokens[:-1]:
        if (pieces := cut(token, pairs)) != (token,):
            raise WeightsError(f"merges: {token!r} is left in pieces: {' '.join(pieces)}")


def check_agreement(what: str, got, expected) -> None:
    if isinstance(got, Decimal):
        got = float(got)
    if got != expected:
        raise WeightsError(f"{what}: expected the configuration's {expected!r}, got {got!r}")


def step(name: str, value) -> Fraction:
    if not isinstance(value, Decimal) or not value.is_finite() or value <= 0:
        raise WeightsError(f"grid: expected a positive step for {name}, got {shown(value)}")
    return Fraction(value)


def check_tensor(name: str, entries, shape: tuple[int, ...], grid: Fraction) -> None:
    """Check every entry of nested lists, depth first, so that the error names the first."""

    def check(part, place: tuple[int, ...]) -> None:
        where = ", ".join([name, *map("{} {}".format, PLACES[3 - len(shape) :], place)])
        if len(place) == len(shape):
            check_number(where, part, grid)
            return
        length = shape[len(place)]
        got = str(len(part)) if isinstance(part, list) else shown(part)
        if got != str(length):
            full = " x ".join(map(str, shape))
            raise WeightsError(f"{where}: expected {length} entries (shape {full}), got {got}")
        for index, item in enumerate(part, start=1):
            check(item, (*place, index))

    check(entries, ())


def check_number(where: str, value, grid: Fraction) -> None:
    if not isinstance(value, Decimal):
        raise WeightsError(f"{where}: expected a number, got {shown(value)}")
    if not math.isfinite(float(value)):
        raise WeightsError(f"{where}: expected a finite number, got {shown(value)}")
    if Fraction(value) % grid:
        raise WeightsError(
            f"{where}: expected a multiple of the grid's {float(grid):g}, got {shown(value)}"
        )


def shown(value) -> str:
    """How an error names what came instead of what was expected."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return str(value) if isinstance(value, Decimal) else repr(value)
