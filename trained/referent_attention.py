"""Where the two blocks that learned to name the referent look, word by word, for each adjective.

Block 1's query at the last word is the same whatever the adjective, so within a head the ratios
between the weights of unchanged words stay; the weights themselves need not, since the
adjective's key enters the softmax. Block 2 reads what block 1 brought to each position.
"""

from pathlib import Path

import torch
from torch import Tensor

from toymodel.model import Model, logits
from toymodel.parameters import Parameters
from toymodel.trace import Trace
from trained.experiment import Computation, Findings
from trained.outcome import weights_of
from trained.referent import ADJECTIVES, SETTINGS, VISIBLE, VOCABULARY, held_out_pairs, ids, sentence
from trained.results import CHECKPOINTS
from trained.weights import assembled, config

CHECKPOINT = CHECKPOINTS / "referent_fair-two_blocks-seed0.safetensors"
PAIR = ("tired", "wet")  # the sentences set side by side
HEADS, BLOCKS = 4, 2


def look(words: list[str], parameters: Parameters) -> tuple[Tensor, str]:
    """The last word's row of weights in every block, (block, head, s), and the word named next."""
    sizes = config(len(VOCABULARY), SETTINGS.width, SETTINGS.context, HEADS, BLOCKS)
    trace = Trace()
    z = logits(torch.tensor(ids(words)), Model(sizes, parameters), trace)
    return trace.whole("weights")[:, :, -1], VOCABULARY[z[-1].argmax()]


def shares(rows: Tensor, unchanged: Tensor) -> Tensor:
    """The unchanged words' weights as parts of their own sum: equal wherever their ratios are, (head, s)."""
    return rows[:, unchanged] / rows[:, unchanged].sum(-1, keepdim=True)


def difference(one: Tensor, other: Tensor) -> float:
    return (one - other).abs().max().item()


def compute(corpus: Path | None) -> Findings:
    """In float64, for a pair of nouns that was held out."""
    tensors = {name: tensor.double() for name, tensor in weights_of(CHECKPOINT).items()}
    crosser, crossed = held_out_pairs()[0]
    lines = [sentence(crosser, crossed, adjective)[:VISIBLE] for adjective in ADJECTIVES]
    rows, named = zip(*(look(line, assembled(tensors)) for line in lines), strict=True)
    by_head = torch.stack(rows, 2)  # block, head, adjective, s
    first, second = (by_head[:, :, ADJECTIVES.index(adjective)] for adjective in PAIR)  # block, head, s
    one, other = (lines[ADJECTIVES.index(adjective)] for adjective in PAIR)
    unchanged = torch.tensor([before == after for before, after in zip(one, other, strict=True)])
    blocks = range(BLOCKS)
    found = Findings({
        "block": [block + 1 for block in blocks], "head": list(range(1, HEADS + 1)),
        "adjective": list(ADJECTIVES), "position": list(range(1, VISIBLE + 1)),
    })  # fmt: skip
    found.add("crosser", crosser)
    found.add("crossed", crossed)
    found.add("word", lines, "adjective", "position")
    found.add("named", list(named), "adjective")
    found.add("uniform_weight", 1 / VISIBLE)
    found.add("attention", by_head.mean(1).tolist(), "block", "adjective", "position")
    found.add("attention_by_head", by_head.tolist(), "block", "head", "adjective", "position")
    found.add("pair", list(PAIR), "of_pair")
    found.labels["of_pair"] = [1, 2]
    found.add("row_difference", [difference(first[block], second[block]) for block in blocks], "block")
    both = [[shares(rows[block], unchanged) for rows in (first, second)] for block in blocks]
    found.add("share_difference", [difference(*pair) for pair in both], "block")
    return found


EXPERIMENT = Computation(
    "referent_attention", "What each of two blocks attends to where the referent must be named.", compute
)
