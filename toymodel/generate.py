"""Choosing the next token, and writing on, one token after another."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from toymodel.cache import Cache, next_logits
from toymodel.model import Model, logits
from toymodel.ops import softmax
from toymodel.trace import Edit, Trace

END_OF_TEXT = "end of text"
CONTEXT_FULL = "context full"
STEPS_DONE = "steps done"


@dataclass(frozen=True)
class Step:
    """One generated token: its id, and its share in the distribution it was chosen from."""

    id: int
    p: float


@dataclass(frozen=True)
class Generation:
    """The whole sequence, prompt included; the generated tokens; and why it stopped there:
    END_OF_TEXT, CONTEXT_FULL or STEPS_DONE.
    """

    ids: list[int]
    steps: list[Step]
    stopped: str


def distribution(
    z_row: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """Logits (v) to the probabilities (v) that a token is drawn from.

    The logits are divided by the temperature; then only the `top_k` likeliest tokens stay;
    then, of these, only the likeliest whose shares first reach `top_p` together, the one
    that crosses it included. Among equals the vocabulary's order decides. At temperature 0
    everything is on the largest logit. Nucleus sampling: Holtzman et al., "The Curious Case
    of Neural Text Degeneration" (2020), section 3.1.

    Raises ValueError for a temperature below 0, a top_k below 1 or a top_p outside (0, 1].
    """
    if not 0 <= temperature < float("inf"):
        raise ValueError(f"temperature: expected a number from 0 up, got {temperature}")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k: expected at least 1 token, got {top_k}")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p: expected a share above 0 and up to 1, got {top_p}")
    if temperature == 0:
        return torch.zeros_like(z_row).index_fill(0, z_row.argmax(), 1.0)
    scaled = (z_row - z_row.max()) / temperature  # the largest is 0: a tiny temperature overflows nothing
    p = softmax(scaled)
    if top_k is not None:
        p = keep(p, likeliest(p)[:top_k])
    if top_p is not None and top_p < 1:
        order = likeliest(p)
        before = p[order].cumsum(0) - p[order]  # the share of all the likelier tokens
        p = keep(p, order[before < top_p])
    return p


def likeliest(p: Tensor) -> Tensor:
    return p.argsort(descending=True, stable=True)


def keep(p: Tensor, ids: Tensor) -> Tensor:
    kept = torch.zeros_like(p).index_copy(0, ids, p[ids])
    return kept / kept.sum()


def draw(p: Tensor, random_number: float | None) -> int:
    """The id at which the shares, added up in the vocabulary's order, pass the random number
    in [0, 1); the largest share without one.
    """
    if random_number is None:
        return int(p.argmax())
    if not 0 <= random_number < 1:
        raise ValueError(f"random_number: expected 0 up to, not with, 1; got {random_number}")
    possible = p.nonzero()[:, 0]
    passed = int((p[possible].cumsum(0) <= random_number).sum())
    # Rounding can leave the whole sum a little below 1.
    return int(possible[min(passed, len(possible) - 1)])


def choose(
    z_row: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    random_number: float | None = None,
) -> int:
    """The id of the next token from its logits (v): see `distribution` and `draw`."""
    return draw(distribution(z_row, temperature, top_k, top_p), random_number)


def write(
    model: Model,
    ids: list[int],
    steps: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int | None = None,
    end: int | None = None,
    edits: Mapping[str, Edit] | None = None,
) -> Iterator[Step]:
    """Continue `ids` token by token, up to `steps` of them: the likeliest each time, or drawn with a
    seed. Ends after the token `end`, and when the context is full.

    Keys and values are kept, so that each step computes one row; with `edits`, those of a Trace,
    which may look at the whole sequence, each step computes all rows. Raises ValueError for options
    out of range, an empty prompt, or one longer than the context.
    """
    if steps < 0:
        raise ValueError(f"steps: expected 0 or more, got {steps}")
    limit = model.config.context_length
    if not 1 <= len(ids) <= limit:
        raise ValueError(f"expected at least 1 and at most {limit} tokens to continue, got {len(ids)}")
    randomness = None if seed is None else torch.Generator().manual_seed(seed)
    sequence, kept = list(ids), Cache(model)
    for _ in range(min(steps, limit - len(ids))):
        if edits:
            z_row = logits(torch.tensor(sequence), model, Trace(edits))[-1]  # v
        else:
            z_row = next_logits(sequence[kept.length :], model, kept)  # v
        p = distribution(z_row, temperature, top_k, top_p)  # v
        token = draw(p, None if randomness is None else uniform(randomness))
        sequence.append(token)
        yield Step(token, float(p[token]))
        if token == end:
            return


def generate(model: Model, ids: list[int], steps: int, end: int | None = None, **options) -> Generation:
    """All of `write` at once, and why it stopped. The arguments are those of `write`."""
    chosen = list(write(model, ids, steps, end=end, **options))
    stopped = STEPS_DONE if len(chosen) == steps else CONTEXT_FULL
    if chosen and chosen[-1].id == end:
        stopped = END_OF_TEXT
    return Generation([*ids, *(step.id for step in chosen)], chosen, stopped)


def uniform(randomness: torch.Generator) -> float:
    return torch.rand((), generator=randomness, dtype=torch.float64).item()
