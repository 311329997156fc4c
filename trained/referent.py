"""Two tasks that ask for a referent: one that a bag of words solves, and one that needs order.

"the dog did not cross the street because it was too tired , so the dog waited ." Four
adjectives point at who crosses, four at what is crossed. In the first task one noun is an
animal and the other a place, so the adjective alone says which. In the second both come from
one set, and a pair is held out whose reversed order was trained on: the same bag of words, for
which the other noun was right.
"""

from dataclasses import dataclass
from hashlib import sha256
from itertools import permutations, product
from pathlib import Path

import torch
from torch import Generator, Tensor

from toymodel.parameters import Parameters
from trained.data import Data, Pairs
from trained.experiment import Findings, Training, perplexities
from trained.ladder import average_added, blocks
from trained.training import Row, Settings
from trained.weights import BLOCK, FINAL_NORM, config, shapes

ANIMALS = ("dog", "cat", "horse", "goat", "sheep", "cow", "fox", "bear")
PLACES = ("street", "river", "bridge", "field", "lake", "hill", "road", "garden")
AT_CROSSER = ("tired", "scared", "slow", "weak")
AT_CROSSED = ("wet", "wide", "busy", "steep")
ADJECTIVES = AT_CROSSER + AT_CROSSED
WORDS = ("the", "did", "not", "cross", "because", "it", "was", "too", ",", "so", "waited", ".")
VOCABULARY = (*WORDS, *ANIMALS, *PLACES, *ADJECTIVES)
HELD_OUT_SHARE = 4  # one pair of nouns in so many
VISIBLE = 15  # words before the referent
# Long and fast enough for the slowest learner, the uniform average, to know its training sentences
# of the first task by heart; a third of this rate and two thirds of these steps leave it half-taught.
SETTINGS = Settings(width=64, context=17, steps=3000, learning_rate=3e-3)


def sentence(crosser: str, crossed: str, adjective: str) -> list[str]:
    referent = crosser if adjective in AT_CROSSER else crossed
    text = f"the {crosser} did not cross the {crossed} because it was too {adjective} , so the {referent} waited ."
    return text.split()


def ids(words: list[str]) -> list[int]:
    return [VOCABULARY.index(word) for word in words]


@dataclass(frozen=True)
class Sentences:
    """Sentences of one length, by part: ids (sentences, t + 1)."""

    parts: dict[str, Tensor]
    about: dict
    vocabulary_size: int = len(VOCABULARY)

    def batch(self, size: int, context: int, generator: Generator) -> Pairs:
        train = self.parts["train"]
        some = train[torch.randint(len(train), (size,), generator=generator)]
        return some[:, :-1], some[:, 1:]

    def part(self, name: str, context: int) -> Pairs:
        return self.parts[name][:, :-1], self.parts[name][:, 1:]


def sentences(name: str, train: list, held_out: list) -> Sentences:
    """All sentences about pairs of nouns, each pair with every adjective."""
    pairs = {"train": train, "held_out": held_out}
    lines = {part: [sentence(*nouns, one) for nouns in some for one in ADJECTIVES] for part, some in pairs.items()}
    text = "\n".join(" ".join(line) for some in lines.values() for line in some)
    about = {
        "name": name,
        "sha256": sha256(text.encode()).hexdigest(),
        "vocabulary": len(VOCABULARY),
        "train_sentences": len(lines["train"]),
        "held_out_sentences": len(lines["held_out"]),
    }
    return Sentences({part: torch.tensor([ids(line) for line in some]) for part, some in lines.items()}, about)


def shuffled(items: list) -> list:
    return [items[place] for place in torch.randperm(len(items), generator=Generator().manual_seed(0))]


def cheatable(corpus: Path | None = None) -> Sentences:
    """An animal crosses a place; a quarter of the pairs is held out."""
    pairs = shuffled(list(product(ANIMALS, PLACES)))
    border = len(pairs) // HELD_OUT_SHARE
    return sentences("referent, cheatable", pairs[border:], pairs[:border])


def held_out_pairs() -> list[tuple[str, str]]:
    """A quarter of the pairs of different nouns, in one order; the other order is trained on."""
    both = shuffled([pair for pair in permutations(ANIMALS + PLACES, 2) if ids(pair) == sorted(ids(pair))])
    chosen = both[: len(both) // HELD_OUT_SHARE]
    return [pair if place % 2 else pair[::-1] for place, pair in enumerate(chosen)]


def fair(corpus: Path | None = None) -> Sentences:
    """Any noun crosses any other; each held-out pair was trained on in the reversed order."""
    held_out = held_out_pairs()
    train = [pair for pair in permutations(ANIMALS + PLACES, 2) if pair not in held_out]
    return sentences("referent, fair", train, held_out)


def judge(row: Row, parameters: Parameters, data: Data, seed: int) -> Findings:
    """Perplexities, and how often the referent is the most likely word where it must be named."""
    found = perplexities(row, parameters, data, seed)
    for part in ("held_out", "train"):
        inputs, targets = data.part(part, row.settings.context)
        with torch.no_grad():
            z = row.stream(inputs, parameters)[:, VISIBLE - 1] @ parameters.W_U  # sentences, v
        found.add(f"{part}_accuracy", (z.argmax(-1) == targets[:, VISIBLE - 1]).double().mean().item())
    return found


def row(stream, *names: str, heads: int = 1, blocks: int = 1) -> Row:
    sizes = config(len(VOCABULARY), SETTINGS.width, SETTINGS.context, heads, blocks)
    return Row(SETTINGS, shapes(sizes, ("E", "W_U", "P", *names)), stream)


ROWS = {
    "uniform_average": row(average_added),
    "one_block": row(blocks, *BLOCK, *FINAL_NORM, heads=4),
    "two_blocks": row(blocks, *BLOCK, *FINAL_NORM, heads=4, blocks=2),
}

CHEATABLE = Training(
    "referent_cheatable",
    "Who is meant, when one candidate is an animal and the other a place: a bag of words knows.",
    {name: ROWS[name] for name in ("uniform_average", "one_block")},
    cheatable,
    judge,
)
FAIR = Training(
    "referent_fair",
    "Who is meant, when both candidates come from one set and only their order tells.",
    ROWS,
    fair,
    judge,
)
