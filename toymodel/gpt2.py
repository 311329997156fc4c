"""`python -m toymodel.gpt2`: GPT-2 small, or any checkpoint of its layout, through the toy's model.

    fetch                                     get the published weights (548 MB), once
    trace "The cat climbed onto the"          every value of one run, summed up
    trace "The cat climbed onto the" --out D  written to D/trace.safetensors as it is made
    generate "The cat climbed onto the"       write on
    lab                                       what the laboratory's pages show of it

Without --weights the published weights are taken from the local Hugging Face cache.
"""

import argparse
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text
from torch import Tensor

from toymodel import byte_level, checkpoint, fetch, lab_result
from toymodel.byte_level import ByteLevel
from toymodel.generate import write
from toymodel.lab import passes
from toymodel.lean import LeanTrace
from toymodel.memory import keep_freed_memory
from toymodel.model import Model, logits
from toymodel.names import find
from toymodel.ops import softmax
from toymodel.options import add_sampling, sampling
from toymodel.selection import RECORDED, Selection, select
from toymodel.stream import write_trace
from toymodel.terminal import WIDTH, table
from toymodel.trace import wants

TRACE = "trace.safetensors"
LIKELIEST = 5


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="python -m toymodel.gpt2", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = made.add_subparsers(dest="command", required=True)
    commands.add_parser("fetch", help="download GPT-2 small's weights, or go on with a broken download")

    trace = commands.add_parser("trace", help="run once and record the values")
    trace.add_argument("--out", type=Path, metavar="DIR", help=f"stream them to DIR/{TRACE}; else sum them up")
    trace.add_argument("--values", default="*", metavar="NAMES", help='names or patterns, as "q,k,*_mean"')
    trace.add_argument("--blocks", metavar="NUMBERS", help="only these blocks, as 1-3,12")

    generate = commands.add_parser(
        "generate", help="write on", epilog="Without --seed the likeliest token is taken each time."
    )
    generate.add_argument("--steps", type=int, default=20, help="tokens to generate (default 20)")
    generate.add_argument("--stream", action="store_true", help="show each token as soon as it is there")
    add_sampling(generate)

    lab = commands.add_parser("lab", help="compute the laboratory's figures, one thread, float64")
    lab.add_argument(
        "--out", type=Path, metavar="FILE",
        help=f"default: {lab_result.PUBLISHED}, with --weights {lab_result.OWN}",
    )  # fmt: skip

    for command in (trace, generate):
        command.add_argument("prompt")
        command.add_argument("--threads", type=int, help="default: as many as there are cores")
    for command in (trace, generate, lab):
        command.add_argument("--weights", type=Path, metavar="PATH", help="a safetensors file, or its folder")
    return made


class Watched:
    """A recorder that also says when a block is done."""

    def __init__(self, record, done: Callable[[], None]):
        self._record, self._done = record, done

    def __call__(self, name: str, value: Tensor, block: int | None = None) -> Tensor:
        if name == "y":
            self._done()
        return self._record(name, value, block)

    def wants(self, name: str, block: int | None) -> bool:
        return wants(partial(self._record, block=block), name)


def load(weights: Path | None, dtype: torch.dtype = torch.float32) -> tuple[Model, ByteLevel, Path]:
    """Model, vocabulary and where they came from. Raises WeightsError or PromptError."""
    path = fetch.cached() if weights is None else weights
    model = checkpoint.load(path, dtype)
    folder = path if path.is_dir() else path.parent
    config = model.config
    return model, byte_level.load(folder, config.vocabulary_size, config.context_length), path


def trace(options: argparse.Namespace, model: Model, vocabulary: ByteLevel, path: Path) -> None:
    ids = vocabulary.ids(options.prompt)
    selection = select(options.values, options.blocks, model.config.blocks)
    about = {
        "prompt": options.prompt, "ids": json.dumps(ids),
        "tokens": json.dumps([vocabulary.readable(i) for i in ids], ensure_ascii=False), "weights": path.name,
    }  # fmt: skip
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("blocks", total=model.config.blocks)
        watched = partial(Watched, done=partial(progress.advance, task))
        if options.out:
            file = options.out / TRACE
            write_trace(torch.tensor(ids), model, file, selection, about, watched)
        else:
            kept = LeanTrace(model.config)
            z = logits(torch.tensor(ids), model, watched(kept))
    console = Console(width=WIDTH, highlight=False)
    if options.out:
        console.print(Text(f"{file}: {file.stat().st_size / 1e6:.1f} MB"))
    else:
        console.print(summary(kept, selection))
        console.print(likeliest(z[-1], vocabulary))


def summary(kept: LeanTrace, selection: Selection) -> Table:
    """One row for each name: its axes, its shape in one block, and how large its entries are."""
    made = table("value", "axes", "shape", "blocks", "smallest", "mean", "largest")
    for name in filter(kept.__contains__, RECORDED):
        blocks = [block for block in kept.blocks(name) if selection(name, block)]
        if not blocks:
            continue
        values = (kept[name, block] for block in blocks)
        lows, means, highs, shapes = zip(*((v.min().item(), v.mean().item(), v.max().item(), v.shape) for v in values))
        shape = " × ".join(map(str, shapes[0]))
        figures = (f"{value:.3g}" for value in (min(lows), sum(means) / len(means), max(highs)))
        made.add_row(name, " ".join(find(name).axes), shape, str(len(blocks)) if blocks[0] else "", *figures)
    return made


def likeliest(z_row: Tensor, vocabulary: ByteLevel) -> Table:
    """The likeliest next tokens with logit and probability, from one row of logits (v)."""
    made = table("next token", "id", "z", "p")
    p = softmax(z_row)
    for i in p.argsort(descending=True, stable=True)[:LIKELIEST].tolist():
        made.add_row(Text(vocabulary.readable(i)), str(i), f"{z_row[i]:.3f}", f"{p[i]:.4f}")
    return made


def generate(options: argparse.Namespace, model: Model, vocabulary: ByteLevel, path: Path) -> None:
    how = sampling(options)
    ids = vocabulary.ids(options.prompt)
    written = (step.id for step in write(model, ids, options.steps, end=vocabulary.end, **how))
    if options.stream:
        print(options.prompt, end="", flush=True)
        for text in vocabulary.texts(written):
            print(text, end="", flush=True)
        print()
    else:
        print(options.prompt + vocabulary.text(written))


def lab(options: argparse.Namespace, model: Model, vocabulary: ByteLevel, path: Path) -> None:
    file = lab_result.place(options.weights, options.out)
    command = lab_result.command(options.weights, options.out)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("forward passes", total=passes(model.config))
        advance = partial(progress.advance, task)
        content = lab_result.result(file.stem, command, model, vocabulary, path, advance)
    lab_result.write(content, file)
    print(file)


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code: 2 for weights, a prompt or options that cannot be used."""
    options = parser().parse_args(arguments)
    keep_freed_memory()
    try:
        if options.command == "fetch":
            print(fetch.fetch())
            return 0
        exact = options.command == "lab"
        threads = 1 if exact else options.threads
        if threads:
            torch.set_num_threads(threads)
        run = {"trace": trace, "generate": generate, "lab": lab}[options.command]
        with torch.inference_mode():
            run(options, *load(options.weights, torch.float64 if exact else torch.float32))
    except (ValueError, OSError) as error:
        print(f"toymodel.gpt2: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
