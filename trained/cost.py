"""What attention costs as the text grows: time, and bytes, of one layer on this machine.

The bytes are the allocator's own, as PyTorch's profiler reports them. Times are those of one
thread's work, the least of a few, so that other work on the machine does not count; the longest
texts are left out where the memory does not suffice.
"""

import os
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import torch
from torch import Generator
from torch.profiler import ProfilerActivity, profile

from toymodel.model import attention
from toymodel.ops import linear
from toymodel.parameters import BlockParameters
from trained.experiment import Computation, Findings
from trained.recorders import keeping
from trained.weights import ATTENTION, assembled, config, drawn, shapes

WIDTH, HEADS = 512, 8
LENGTHS = [128 * 2**power for power in range(8)]  # up to 16,384
BYTES = 4  # of a float32
REPEATS = 3
COPIES = 5  # attention matrices in memory together: scores, scaled, masked, exponentials, weights
SEES_ALL, _ = keeping(())  # a recorder, so that every step of attention is taken
FITTED = 4  # last rows that the exponents are fitted to


def matrix_bytes(length: int) -> int:
    return HEADS * length**2 * BYTES


def least_seconds(work: Callable[[], object], repeats: int = REPEATS) -> float:
    times = []
    for _ in range(repeats):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times)


def peak_bytes(work: Callable[[], object]) -> int:
    """The most that the allocator held at once beyond what it held before."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        work()
    events = [event for event in seen.profiler.kineto_results.events() if event.name() == "[memory]"]
    held = most = 0
    for event in sorted(events, key=lambda event: event.start_ns()):
        held += event.nbytes()
        most = max(most, held)
    return most


def projections(a: torch.Tensor, w: BlockParameters) -> None:
    """The four products whose cost grows with the text's length alone."""
    for W, b in ((w.W_q, w.b_q), (w.W_k, w.b_k), (w.W_v, w.b_v)):
        linear(a, W.transpose(0, 1).flatten(1), b.flatten())
    linear(a, w.W_O, w.b_O)


def fitting(lengths: list[int]) -> list[int]:
    """The lengths whose matrices fit into what memory is free now."""
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return [length for length in lengths if COPIES * matrix_bytes(length) < 0.8 * free]


def exponent(lengths: list[int], values: list[float]) -> float:
    """The power of the length that a value grows as: the slope of a line through the logarithms."""
    x, y = torch.tensor(lengths).double().log(), torch.tensor(values).double().log()
    return ((x - x.mean()) @ (y - y.mean()) / (x - x.mean()).square().sum()).item()


@torch.inference_mode()
def compute(corpus: Path | None, lengths: list[int] = LENGTHS) -> Findings:
    w = assembled(drawn(shapes(config(1, WIDTH, 1, HEADS), ATTENTION), 0)).blocks[0]
    measured = fitting(lengths)
    seconds, alone, peaks = [], [], []
    for length in measured:
        a = torch.randn(length, WIDTH, generator=Generator().manual_seed(0))
        seconds.append(least_seconds(lambda a=a: attention(a, w, SEES_ALL)))
        alone.append(least_seconds(lambda a=a: projections(a, w)))
        peaks.append(peak_bytes(lambda a=a: attention(a, w, SEES_ALL)))
    found = Findings({"length": lengths, "measured_length": measured})
    found.add("width", WIDTH)
    found.add("heads", HEADS)
    found.add("attention_matrix_bytes", [matrix_bytes(length) for length in lengths], "length")
    found.add("attention_matrix_mib", [matrix_bytes(length) / 2**20 for length in lengths], "length")
    last = measured[-FITTED:]
    for name, values in {"seconds": seconds, "projections_seconds": alone, "peak_bytes": peaks}.items():
        found.add(name, values, "measured_length")
        ratios = [None, *(after / before for before, after in pairwise(values))]
        found.add(f"{name}_ratio", ratios, "measured_length")
        found.add(f"{name}_exponent", exponent(last, values[-len(last) :]))
    return found


EXPERIMENT = Computation(
    "quadratic_cost", "Time and memory of one attention layer as the text grows.", compute, timed=True
)
