"""The toy's forward pass with and without recording, interleaved in one run."""

from __future__ import annotations

import statistics
import time

import torch

from toymodel.model import forward
from toymodel.runs import CONTINUATION, PROMPT
from toymodel.trace import Trace, silent
from toymodel.weights import load_toy

ROUNDS, PASSES = 30, 20


def milliseconds(passes: int, run) -> float:
    start = time.perf_counter()
    for _ in range(passes):
        run()
    return (time.perf_counter() - start) / passes * 1000


def main() -> None:
    torch.set_num_threads(1)
    model, vocabulary = load_toy()
    ids = vocabulary.encode(PROMPT)
    tokens = torch.tensor(ids)
    targets = torch.tensor([*ids[1:], vocabulary.tokens.index(CONTINUATION)])
    ways = {
        "silent": lambda: forward(tokens, model, silent, targets),
        "recording": lambda: forward(tokens, model, Trace(), targets),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, run in ways.items():
            times[name].append(milliseconds(PASSES, run))
    medians = {name: statistics.median(values) for name, values in times.items()}
    for name, median in medians.items():
        spread = statistics.quantiles(times[name], n=4)
        print(f"{name:10} {median:.3f} ms a pass (middle half {spread[0]:.3f} to {spread[2]:.3f})")
    print(f"recording costs {medians['recording'] / medians['silent']:.2f} times the silent pass")


if __name__ == "__main__":
    main()
