"""The one training loop: AdamW on next-token prediction, seeded, interruptible at any moment.

A step's batch depends on the seed and the step alone, and the state written aside from time to
time holds everything else, so a run that was killed ends with the figures of one that was not.
"""

import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Generator, Tensor

from toymodel.parameters import Parameters
from trained.data import Data, Pairs
from trained.errors import TrainedError
from trained.files import read_tensors, write_tensors
from trained.kernels import mean_cross_entropy, total_cross_entropy
from trained.weights import Shapes, Tensors, assembled, drawn, output_matrix

POINTS = 60  # of a curve, or a few more
GLANCE = 8192  # held-out tokens that a point of the curve is judged by
STATE_EVERY = 30.0  # seconds
BETAS = (0.9, 0.999)


@dataclass(frozen=True)
class Settings:
    """What a run is trained with; the optimiser is AdamW, PyTorch's defaults but for these."""

    width: int = 128
    context: int = 128
    batch: int = 64
    steps: int = 3000
    learning_rate: float = 1e-3
    warmup: int = 0  # steps over which the learning rate rises in a line
    weight_decay: float = 0.01

    def rate_at(self, step: int) -> float:
        """The learning rate of a step, counted from 0."""
        return self.learning_rate * min(1, (step + 1) / (self.warmup or 1))


@dataclass(frozen=True)
class Row:
    """One model of an experiment: its settings, its parameters, and the way from ids to the last vectors.

    `stream(tokens, parameters)`: ids (..., t) -> (..., t, d), what the output matrix reads.
    A model without context computes each token of the vocabulary once (`by_token`). While it
    learns, a model may go another way, `learning(tokens, parameters, generator)`, with draws of
    its own.
    """

    settings: Settings
    shapes: Shapes
    stream: Callable[[Tensor, Parameters], Tensor]
    by_token: bool = False
    learning: Callable[[Tensor, Parameters, Generator], Tensor] | None = None

    def loss(self, pairs: Pairs, parameters: Parameters, generator: Generator) -> Tensor:
        """The batch's mean loss in nats."""
        inputs, targets = pairs
        if self.learning:
            stream = self.learning(inputs, parameters, generator)
            return mean_cross_entropy(stream, output_matrix(parameters), targets)
        if not self.by_token:
            return mean_cross_entropy(self.stream(inputs, parameters), output_matrix(parameters), targets)
        every = torch.arange(len(parameters.E), device=inputs.device)
        log_p = (self.stream(every, parameters) @ parameters.W_U).log_softmax(-1)  # v, v
        return -log_p[inputs, targets].mean()


@dataclass
class Run:
    """A training under way: where it stands, and the curve so far."""

    step: int
    tensors: Tensors
    moments: Tensors
    steps: list[int]
    train_loss: list[float]
    held_out_perplexity: list[float]
    sum_of_losses: float = 0.0
    seconds: float = 0.0


def perplexity(row: Row, parameters: Parameters, pairs: Pairs) -> float:
    """exp of the mean loss over windows, 64 at a time."""
    inputs, targets = pairs
    total = 0.0
    with torch.no_grad():
        for some, following in zip(inputs.split(64), targets.split(64), strict=True):
            total += total_cross_entropy(row.stream(some, parameters), output_matrix(parameters), following)
    return math.exp(total / targets.numel())


def fit(
    row: Row,
    data: Data,
    seed: int,
    state: Path,
    device: str = "cpu",
    report: Callable[[int, float], None] = lambda step, loss: None,
) -> Run:
    """Train to the end, from `state` if it is there; the state is left there, complete.

    `report(step, loss)` hears of every step. Raises TrainedError for a state of other settings
    or a damaged one, and for a loss that is not finite. An interrupted run goes on from the last
    state saved: a step is never half in it.
    """
    settings = row.settings
    began = {"settings": asdict(settings), "seed": seed, "data": data.about["sha256"]}
    run = resumed(state, began) if state.exists() else started(row, seed)
    tensors = {name: tensor.to(device).requires_grad_() for name, tensor in run.tensors.items()}
    optimizer = optimizer_of(tensors, run, settings)
    context = settings.context
    glance = tuple(part[: max(1, GLANCE // context)].to(device) for part in data.part("held_out", context))
    every = max(1, settings.steps // POINTS)
    clock, saved = time.monotonic() - run.seconds, time.monotonic()

    def save() -> None:
        run.tensors, run.seconds = tensors, time.monotonic() - clock
        run.moments = moments_of(tensors, optimizer)
        write_state(state, run, began)

    while run.step < settings.steps:
        optimizer.param_groups[0]["lr"] = settings.rate_at(run.step)
        generator = batch_generator(seed, run.step)
        pairs = data.batch(settings.batch, context, generator)
        loss = row.loss(tuple(part.to(device) for part in pairs), assembled(tensors), generator)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        value = loss.item()
        if not math.isfinite(value):
            raise TrainedError(f"step {run.step + 1}: the loss is {value}; the run cannot go on")
        run.step, run.sum_of_losses = run.step + 1, run.sum_of_losses + value
        report(run.step, value)
        if run.step % every == 0:
            run.steps.append(run.step)
            run.train_loss.append(run.sum_of_losses / every)
            run.held_out_perplexity.append(perplexity(row, assembled(tensors), glance))
            run.sum_of_losses = 0.0
        if time.monotonic() - saved > STATE_EVERY:
            save()
            saved = time.monotonic()
    save()
    run.tensors = {name: tensor.detach().cpu() for name, tensor in tensors.items()}
    return run


def batch_generator(seed: int, step: int) -> Generator:
    """What draws a step's batch and all else in it: the seed and the step say all, so nothing of it need be kept."""
    return Generator().manual_seed(seed * 1_000_003 + step)


def started(row: Row, seed: int) -> Run:
    return Run(0, drawn(row.shapes, seed), {}, [], [], [])


def optimizer_of(tensors: Tensors, run: Run, settings: Settings) -> torch.optim.AdamW:
    """AdamW with the moments that the run has gathered."""
    optimizer = torch.optim.AdamW(
        tensors.values(), lr=settings.learning_rate, betas=BETAS, weight_decay=settings.weight_decay, fused=True
    )
    if run.moments:
        for name, tensor in tensors.items():
            optimizer.state[tensor] = {
                "step": torch.tensor(float(run.step), device=tensor.device),
                "exp_avg": run.moments[f"exp_avg/{name}"].to(tensor.device),
                "exp_avg_sq": run.moments[f"exp_avg_sq/{name}"].to(tensor.device),
            }
    return optimizer


def moments_of(tensors: Tensors, optimizer: torch.optim.AdamW) -> Tensors:
    return {
        f"{which}/{name}": optimizer.state[tensor][which]
        for name, tensor in tensors.items()
        if tensor in optimizer.state
        for which in ("exp_avg", "exp_avg_sq")
    }


CURVE = ("steps", "train_loss", "held_out_perplexity", "sum_of_losses", "seconds", "step")


def write_state(path: Path, run: Run, began: dict) -> None:
    parameters = {f"parameter/{name}": tensor for name, tensor in run.tensors.items()}
    write_tensors(path, parameters | run.moments, began | {"run": {name: getattr(run, name) for name in CURVE}})


def resumed(path: Path, began: dict) -> Run:
    """The run as it stood. TrainedError if it was begun with other settings, seed or data."""
    tensors, about = read_tensors(path)
    for what, expected in began.items():
        if about.get(what) != expected:
            raise TrainedError(
                f"{path}: begun with other {what}: expected {expected}, got {about.get(what)}; "
                "move the file away to begin again"
            )
    parts = {"parameter": {}, "exp_avg": {}, "exp_avg_sq": {}}
    for name, tensor in tensors.items():
        kind, _, short = name.partition("/")
        parts[kind][short] = tensor
    moments = {name: tensor for name, tensor in tensors.items() if not name.startswith("parameter/")}
    return Run(tensors=parts["parameter"], moments=moments, **about["run"])
