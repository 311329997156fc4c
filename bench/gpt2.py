"""GPT-2 small, ours and its peers, side by side in one run: time, memory, tokens a second.

The peers live in an environment of their own, which is never the project's:

    python3 -m venv PEERS
    PEERS/bin/pip install torch==2.13.0 transformers==5.24.0 transformer-lens==4.3.0 onnxruntime==1.32.0 onnxscript
    python bench/gpt2.py --peers PEERS/bin/python

Without --peers ours runs alone. Weights are random (seeded), of full size. Each way runs in a process
of its own; the rounds are interleaved, one run of each after the other; shown are the shortest and the
median time, CPU time, which a busy machine lengthens less, and the peak of resident memory. Ours keeps
freed memory (`toymodel.memory`), which other programs could do as well: hence each way with and without.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from gpt2_ways import KEPT, WRITTEN

from toymodel import checkpoint
from toymodel.config import GPT2_SMALL
from toymodel.facts import parameter_counts
from toymodel.weights import random_model

ROOT = Path(__file__).resolve().parents[1]
WEIGHTS = 4 * sum(parameter_counts(GPT2_SMALL).values())  # bytes
FORWARD = ("ours, bare", "transformers sdpa, bare", "transformers eager, recorded")
TRACES = ("ours, full trace", "TransformerLens, run_with_cache")
STREAMED = "ours, streamed" + KEPT
PRODUCTS = "ours, the products alone" + KEPT
DECODING = (PRODUCTS, *(f"{one}, decoding{KEPT}" for one in ("ours", "transformers", "onnxruntime")))


class Worker:
    """A process that runs one way when told to."""

    def __init__(self, python: str, way: str, length: int, folder: Path, threads: int):
        self.way, self.seconds, self.cpu = way, [], []
        self._process = subprocess.Popen(
            [python, str(ROOT / "bench" / "gpt2_ways.py"), way, str(length), str(folder), str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        if self._line() != "ready":
            raise SystemExit(f"{way}: did not start; run bench/gpt2_ways.py by hand to see why")

    def run(self, count: bool) -> None:
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        seconds, cpu = map(float, self._line().split())
        if count:
            self.seconds.append(seconds)
            self.cpu.append(cpu)

    def end(self) -> None:
        self._process.stdin.close()
        self.peak = float(self._line())
        self._process.wait()

    def _line(self) -> str:
        return self._process.stdout.readline().strip()


def measure(ways, length: int, rounds: int, options: argparse.Namespace, folder: Path) -> dict[str, Worker]:
    """Each way once a round, after one that warms up."""
    workers = {}
    for way in ways:
        python = sys.executable if way.startswith("ours") else options.peers
        if python:
            workers[way] = Worker(python, way, length, folder, options.threads)
    for number in range(rounds + 1):
        for worker in workers.values():
            worker.run(count=number > 0)
    for worker in workers.values():
        worker.end()
    return workers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", help="the Python of an environment with the peers")
    parser.add_argument("--lengths", type=int, nargs="+", default=[16, 128, 512, 1024])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        checkpoint.save(random_model(GPT2_SMALL, 0, torch.float32, deviation=0.05), folder)
        for length in options.lengths:
            last = length == max(options.lengths)
            ways = (*FORWARD, *TRACES) if last else FORWARD
            ways = [name for way in ways for name in (way, way + KEPT)] + [STREAMED] * last
            done = measure(ways, length, options.rounds, options, folder)
            print(f"\n{length} tokens, {options.threads} threads")
            for way, worker in done.items():
                low, middle = min(worker.seconds) * 1e3, statistics.median(worker.seconds) * 1e3
                print(f"  {way:51} {low:7.0f} ms, median {middle:7.0f}, CPU {min(worker.cpu) * 1e3:7.0f} ms, "
                      f"peak {worker.peak:6.0f} MiB")  # fmt: skip
        if options.peers:
            script = [options.peers, str(ROOT / "bench" / "onnx_decoder.py"), str(folder)]
            subprocess.run(script, check=True, capture_output=True, env=os.environ | {"PYTHONPATH": str(ROOT)})
        done = measure(DECODING, WRITTEN, options.rounds, options, folder)
        limit = WRITTEN / min(done[PRODUCTS].seconds)
        print(f"\n{WRITTEN} tokens one by one; the products alone read {limit * WEIGHTS / 1e9:.1f} GB/s")
        for way, worker in done.items():
            best, middle = WRITTEN / min(worker.seconds), WRITTEN / statistics.median(worker.seconds)
            print(f"  {way:51} {best:7.1f} tokens/s, median {middle:7.1f}, {best / limit:4.0%} of the products' speed, "
                  f"CPU {min(worker.cpu) / WRITTEN * 1e3:.0f} ms a token with its share of the prompt, "
                  f"peak {worker.peak:6.0f} MiB")  # fmt: skip


if __name__ == "__main__":
    main()
