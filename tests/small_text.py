"""A text made for the tests, so that a fresh clone without the corpus can train on something."""

from dataclasses import replace
from pathlib import Path

import torch

from trained.corpus import VARIABLE, VOCABULARY_SIZE, described, place
from trained.errors import TrainedError
from trained.training import Row

SHORT = {"steps": 5, "batch": 2}


def small_text(tokens: int = 3000):
    """Ids that repeat with a twist, so that there is something to learn."""
    generator = torch.Generator().manual_seed(0)
    ids = (torch.arange(tokens) * 7 + torch.randint(3, (tokens,), generator=generator)) % VOCABULARY_SIZE
    return described(ids, "made for the tests", VOCABULARY_SIZE, "small text")


def short(row: Row, **settings) -> Row:
    return replace(row, settings=replace(row.settings, **(SHORT | settings)))


def corpus_path() -> Path | None:
    """Where the real corpus is, if it is anywhere."""
    try:
        return place()
    except TrainedError:
        return None


WITHOUT_CORPUS = f"NOT TESTED: tiny Shakespeare is not here (set {VARIABLE} or run `python -m trained fetch`)"
