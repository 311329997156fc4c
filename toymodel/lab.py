"""The laboratory: one checkpoint looked into, as the figures of a result file (trained/README.md says which).

Everything comes from the model's own forward pass, by its recorders: in float64 and in one thread, so
that another machine finds the same figures.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import exp

import torch
from torch import Tensor

from toymodel.byte_level import LINE_END, ByteLevel
from toymodel.config import GPTConfig
from toymodel.lean import LeanTrace
from toymodel.model import Model, logits, predict, unembed
from toymodel.ops import cross_entropy

# The line of a play, a sentence of anywhere, and one that can be answered by who has seen its beginning.
PROMPTS = {
    "dialogue": "JULIET:\nMy lord, where is the",
    "cat": "The cat climbed onto the",
    "again": "The queen spoke to Romeo, and the queen spoke to",
}
# Written for this purpose, so that no model can have learned it.
PARAGRAPH = """\
HOSTESS:
Good sir, the night is cold; what would you have?

TRAVELLER:
A fire, good hostess, and a cup of wine,
For I have walked since morning in the rain.

HOSTESS:
The fire is low, but I will bring thee wood.
What news is there abroad? They say the king
Hath sent his men against the northern lords.

TRAVELLER:
I saw the king's men pass me on the road,
A hundred horse, and every man was still.
They sang no song; they had no drum with them.

HOSTESS:
Then God be with us all, and with my son,
For he is gone a soldier to the north.

TRAVELLER:
Sweet hostess, weep not; I have seen thy son,
And he is well, and sends his love by me.
"""
LENS, LIKELIEST = 5, 10  # tokens listed for each layer, and for the model's own answer
PLACES = ("first", "previous", "itself")  # where a head may look: how far from the position, or at the first one


@dataclass
class Findings:
    """Figures by name, each with its axes and its values in nested lists; labels by axis."""

    labels: dict[str, list]
    figures: dict[str, dict] = field(default_factory=dict)

    def add(self, axes: str, **figures: object) -> None:
        for name, values in figures.items():
            self.figures[name] = {"axes": axes.split(), "values": values}


class AttentionOff:
    """A recorder that puts zeros in place of what attention adds, in the blocks given."""

    def __init__(self, blocks: Iterable[int]):
        self._blocks = frozenset(blocks)

    def __call__(self, name: str, value: Tensor, block: int | None = None) -> Tensor:
        return torch.zeros_like(value) if name == "att" and block in self._blocks else value

    def wants(self, name: str, block: int | None) -> bool:
        return False


class Shares:
    """A recorder that keeps of every head only how much of its attention goes where, in the mean.

    Counted from the third position on, where the first position and the previous one are two.
    `mean(block)` is (head, place), the places those of PLACES.
    """

    def __init__(self):
        self._sums: dict[int, Tensor] = {}
        self._rows = 0

    def __call__(self, name: str, value: Tensor, block: int | None = None) -> Tensor:
        if name == "weights":  # head, t, s
            rows = value[:, 2:]  # head, t, s
            kept = torch.stack([rows[..., 0].sum(-1), *(along(value, back).sum(-1) for back in (1, 0))], -1)
            self._sums[block] = self._sums.get(block, 0) + kept  # head, place
            self._rows += rows.shape[1] if block == 1 else 0
        return value

    def wants(self, name: str, block: int | None) -> bool:
        return name == "weights"

    def mean(self, block: int) -> Tensor:
        return self._sums[block] / self._rows


def along(weights: Tensor, back: int) -> Tensor:
    """Each position's weight on the one so many places before it, from the third on: (head, t, s) -> (head, t)."""
    return weights.diagonal(-back, -2, -1)[:, 2 - back :]


def figures(model: Model, vocabulary: ByteLevel, done: Callable[[], None] = lambda: None) -> Findings:
    """What the laboratory's pages show of a model. `done` is called after each of the `passes(config)` forward passes.

    A prompt that is shorter than the longest has null in the places that it leaves empty. Raises
    PromptError for a vocabulary in which the prompts do not fit the model's context.
    """
    config = model.config
    blocks = list(range(1, config.blocks + 1))
    ids = {name: vocabulary.ids(prompt) for name, prompt in PROMPTS.items()}
    places = list(range(1, max(map(len, ids.values())) + 1))
    found = Findings({
        "prompt": list(PROMPTS), "t": places, "s": places, "layer": [0, *blocks], "block": blocks,
        "head": list(range(1, config.heads + 1)), "lens_rank": list(range(1, LENS + 1)),
        "rank": list(range(1, LIKELIEST + 1)), "attention": ["on", "off"], "place": list(PLACES),
    })  # fmt: skip
    found.add(
        "prompt", text=[prompt.replace("\n", LINE_END) for prompt in PROMPTS.values()],
        length=[len(some) for some in ids.values()],
    )  # fmt: skip
    found.add(
        "prompt t", id=[filled(some, places) for some in ids.values()],
        token=[filled(map(vocabulary.readable, some), places) for some in ids.values()],
    )  # fmt: skip
    each = []
    for some in ids.values():
        each.append(of_prompt(torch.tensor(some), model, vocabulary, places, done))
    for name, (axes, _) in each[0].items():
        found.add(f"prompt {axes}".strip(), **{name: [one[name][1] for one in each]})
    of_paragraph(found, model, vocabulary, done)
    return found


def passes(config: GPTConfig) -> int:
    """How many forward passes `figures` reports as done."""
    return (len(PROMPTS) + 1) * (config.blocks + 2)


def of_prompt(
    tokens: Tensor, model: Model, vocabulary: ByteLevel, places: list[int], done: Callable[[], None]
) -> dict[str, tuple[str, object]]:
    """A prompt's figures: by name, axes and values."""
    config = model.config
    blocks = range(1, config.blocks + 1)
    trace = LeanTrace(config)
    z = logits(tokens, model, trace)[-1]  # v
    p = predict(z, config)  # v
    done()
    answer = int(p.argmax())
    layers = [trace["x"], *(trace["y", block] for block in blocks)]  # each t, d
    seen = [predict(unembed(layer[-1], model), config) for layer in layers]  # each v
    first = p.argsort(descending=True, stable=True)[:LIKELIEST]
    lens = [one.argsort(descending=True, stable=True)[:LENS] for one in seen]
    first_place = [int(one.argmax()) == answer for one in seen]
    *each, whole = [
        last_logits(tokens, model, AttentionOff(off), done) for off in (*([block] for block in blocks), blocks)
    ]  # each v

    def words(chosen: Tensor) -> list[str]:
        return [vocabulary.readable(one) for one in chosen.tolist()]

    def chosen(logits: Tensor) -> str:
        return vocabulary.readable(int(logits.argmax()))

    def of_answer(logits: Tensor) -> float:
        return float(predict(logits, config)[answer])

    def apart(logits: Tensor) -> float:
        """Kullback-Leibler divergence of another prediction from the model's own, in nats."""
        return float((p * (z.log_softmax(-1) - logits.log_softmax(-1))).sum())

    return {
        "norm": ("layer t", [filled(layer.norm(dim=-1).tolist(), places) for layer in layers]),
        "weights": ("block head t s", [square(trace["weights", block], places) for block in blocks]),
        "lens_token": ("layer lens_rank", [words(top) for top in lens]),
        "lens_p": ("layer lens_rank", [one[top].tolist() for one, top in zip(seen, lens, strict=True)]),
        "answer_p_at": ("layer", [float(one[answer]) for one in seen]),
        "answer_rank_at": ("layer", [1 + int((one > one[answer]).sum()) for one in seen]),
        "decided_from": ("", max(layer for layer, is_first in enumerate([False, *first_place]) if not is_first)),
        "next_token": ("rank", words(first)),
        "next_id": ("rank", first.tolist()),
        "next_z": ("rank", z[first].tolist()),
        "next_p": ("rank", p[first].tolist()),
        "answer": ("attention", [chosen(z), chosen(whole)]),
        "own_p": ("attention", [float(p.max()), float(predict(whole, config).max())]),
        "answer_p": ("attention", [float(p[answer]), of_answer(whole)]),
        "divergence": ("", apart(whole)),
        **copying(tokens, [z, whole], config, vocabulary),
        "answer_without": ("block", [chosen(one) for one in each]),
        "answer_p_without": ("block", [of_answer(one) for one in each]),
        "divergence_without": ("block", [apart(one) for one in each]),
    }


def copying(
    tokens: Tensor, either: list[Tensor], config: GPTConfig, vocabulary: ByteLevel
) -> dict[str, tuple[str, object]]:
    """Whether the model answers what followed the last token when that stood there before; null where it did not.

    `either` are the last position's logits (v) with attention and without.
    """
    *before, last = tokens.tolist()
    if last not in before:
        return {"copy_token": ("", None), "copy_p": ("attention", [None] * 2), "copy_rank": ("attention", [None] * 2)}
    followed = tokens[len(before) - before[::-1].index(last)]  # at the latest such place
    return {
        "copy_token": ("", vocabulary.readable(int(followed))),
        "copy_p": ("attention", [float(predict(z, config)[followed]) for z in either]),
        "copy_rank": ("attention", [1 + int((z > z[followed]).sum()) for z in either]),
    }


def last_logits(tokens: Tensor, model: Model, record, done: Callable[[], None]) -> Tensor:
    """The last position's (v)."""
    z = logits(tokens, model, record)[-1]  # v
    done()
    return z


def of_paragraph(found: Findings, model: Model, vocabulary: ByteLevel, done: Callable[[], None]) -> None:
    """What the model makes of a longer text: its loss with attention, without, and where heads look in it."""
    config = model.config
    blocks = range(1, config.blocks + 1)
    windows = windows_of(vocabulary, config.context_length)
    shares = Shares()

    def losses(record) -> Tensor:
        each = [cross_entropy(logits(one[:-1], model, record), one[1:]) for one in windows]
        done()
        return torch.cat(each)  # t

    on, off = losses(shares), losses(AttentionOff(blocks))
    without = [float(losses(AttentionOff([block])).mean()) for block in blocks]
    whole = [float(on.mean()), float(off.mean())]
    rows = [t for one in windows for t in range(3, len(one))]
    found.add(
        "", paragraph=PARAGRAPH.strip().replace("\n", LINE_END), paragraph_characters=len(PARAGRAPH),
        paragraph_tokens=len(on), helped=int((on < off).sum()),
    )  # fmt: skip
    found.add("attention", paragraph_loss=whole, paragraph_perplexity=[exp(loss) for loss in whole])
    found.add("block", paragraph_loss_without=without, paragraph_perplexity_without=[exp(loss) for loss in without])
    found.add("block head place", share=[shares.mean(block).tolist() for block in blocks])
    found.add("", even_share=sum(1 / t for t in rows) / len(rows))


def windows_of(vocabulary: ByteLevel, length: int) -> list[Tensor]:
    """The paragraph's ids in windows side by side, each with the token that follows its last one."""
    ids = torch.tensor(vocabulary.tokenizer.encode(PARAGRAPH, add_special_tokens=False).ids)
    return [ids[start : start + length + 1] for start in range(0, len(ids) - 1, length)]


def filled(values: Iterable, places: list[int]) -> list:
    """Values at the first places, null at the others."""
    some = list(values)
    return some + [None] * (len(places) - len(some))


def square(weights: Tensor, places: list[int]) -> list:
    """Attention weights (head, t, s) in nested lists, null beyond the prompt."""
    return [
        [filled(row, places) for row in head] + [[None] * len(places)] * (len(places) - len(head))
        for head in weights.tolist()
    ]
