"""The one loop: every experiment runs; a run that was killed ends like one that was not."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
import torch
from small_text import short, small_text

from trained import training
from trained.corpus import corpus
from trained.errors import TrainedError
from trained.experiment import Training
from trained.files import read_tensors, write_tensors
from trained.outcome import judged
from trained.referent import FAIR, ROWS, cheatable
from trained.registry import EXPERIMENTS
from trained.training import fit
from trained.weights import assembled, drawn

TRAININGS = [experiment for experiment in EXPERIMENTS.values() if isinstance(experiment, Training)]
ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.parametrize("experiment, name", [(one, name) for one in TRAININGS for name in one.rows])
def test_five_steps_of_every_row(experiment, name, tmp_path):
    """The loss is that of a beginner, falls or moves, and the row is judged to the last figure."""
    row = short(experiment.rows[name])
    data = small_text() if experiment.data is corpus else experiment.data(None)
    losses = []
    run = fit(row, data, 0, tmp_path / "state", report=lambda step, loss: losses.append(loss))
    assert (run.step, run.steps) == (5, [1, 2, 3, 4, 5])
    assert losses == run.train_loss and len(set(losses)) == 5
    start = drawn(row.shapes, 0)
    assert all(not torch.equal(run.tensors[one], start[one]) for one in {"E", "W_U"} & start.keys())
    found = judged(experiment, row, {one: tensor.half() for one, tensor in run.tensors.items()}, data, 0)
    assert {"held_out_perplexity", "train_perplexity"} <= found.figures.keys()
    for axes, values in found.figures.values():
        lengths = torch.tensor(values).shape
        assert list(lengths) == [len(found.labels[axis]) for axis in axes]
        assert torch.tensor(values).isfinite().all()


def test_a_model_of_the_right_size_learns(tmp_path):
    """Not only do the numbers move: the task that a bag of words can solve is solved."""
    row = short(ROWS["one_block"], steps=250, batch=64)
    run = fit(row, cheatable(), 0, tmp_path / "state")
    assert run.train_loss[0] > 3 and run.train_loss[-1] < 0.6
    assert FAIR.judge(row, assembled(run.tensors), cheatable(), 0).figures["train_accuracy"][1] > 0.9


def test_a_seed_says_all(tmp_path):
    row, states = short(ROWS["one_block"]), [tmp_path / name for name in "abc"]
    runs = [fit(row, cheatable(), seed, state) for seed, state in zip((0, 0, 1), states, strict=True)]
    assert all(torch.equal(runs[0].tensors[name], runs[1].tensors[name]) for name in runs[0].tensors)
    assert not torch.equal(runs[0].tensors["E"], runs[2].tensors["E"])


def test_an_interrupted_run_goes_on_to_the_same_end(tmp_path, monkeypatch):
    """Wherever the interruption falls, the state is that of a whole step."""
    row = short(ROWS["one_block"], steps=20)
    whole = fit(row, cheatable(), 0, tmp_path / "whole")
    monkeypatch.setattr(training, "STATE_EVERY", -1.0)
    for owner, name in ((torch.optim.AdamW, "step"), (training, "perplexity"), (training, "assembled")):
        go_on = partial(fit, row, cheatable(), 0, tmp_path / name)
        interrupted_at(7, monkeypatch, owner, name, go_on)
        assert 0 < read_tensors(tmp_path / name)[1]["run"]["step"] < 20
        assert_same(go_on(), whole)


def interrupted_at(call, monkeypatch, owner, name, work):
    """Raise KeyboardInterrupt just after the so-manieth call of a function."""
    original, calls = getattr(owner, name), []

    def interrupting(*arguments, **options):
        result = original(*arguments, **options)
        calls.append(name)
        if len(calls) == call:
            raise KeyboardInterrupt
        return result

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(owner, name, interrupting)
        work()


KILLED = """
import sys, torch
from pathlib import Path
sys.path[:0] = ["tests"]
from small_text import short
from trained import training
from trained.referent import ROWS, cheatable
torch.set_num_threads(1)
training.STATE_EVERY = 0.05
training.fit(short(ROWS["one_block"], steps=150), cheatable(), 0, Path(sys.argv[1]))
"""


def test_a_killed_run_ends_like_one_that_was_not(tmp_path):
    """SIGKILL at some moment after the first state; nothing half-written is left in the state's place."""
    state = tmp_path / "state"
    environment = os.environ | {"PYTHONPATH": "."}
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(state)], cwd=ROOT, env=environment)
    try:
        waited = time.monotonic() + 60
        while not state.exists() and time.monotonic() < waited:
            time.sleep(0.01)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    step = read_tensors(state)[1]["run"]["step"]
    assert 0 < step < 150
    row = short(ROWS["one_block"], steps=150)
    assert_same(fit(row, cheatable(), 0, state), fit(row, cheatable(), 0, tmp_path / "whole"))


def assert_same(one, other):
    assert one.tensors.keys() == other.tensors.keys()
    assert all(torch.equal(one.tensors[name], other.tensors[name]) for name in one.tensors)
    for curve in ("steps", "train_loss", "held_out_perplexity"):
        assert getattr(one, curve) == getattr(other, curve)


def test_a_warm_up_changes_the_first_steps(tmp_path):
    rows = [short(ROWS["one_block"], warmup=steps) for steps in (0, 100)]
    plain, warm = (fit(row, cheatable(), 0, tmp_path / f"{row.settings.warmup}") for row in rows)
    start = drawn(ROWS["one_block"].shapes, 0)["E"]
    assert (warm.tensors["E"] - start).norm() < 0.1 * (plain.tensors["E"] - start).norm()


def test_a_state_of_another_run_is_refused(tmp_path):
    state = tmp_path / "state"
    fit(short(ROWS["one_block"]), cheatable(), 0, state)
    before = state.read_bytes()
    with pytest.raises(TrainedError, match=r"other settings.*'steps': 9"):
        fit(short(ROWS["one_block"], steps=9), cheatable(), 0, state)
    with pytest.raises(TrainedError, match="other seed: expected 1, got 0"):
        fit(short(ROWS["one_block"]), cheatable(), 1, state)
    assert state.read_bytes() == before


def test_a_damaged_state_is_refused_and_left_alone(tmp_path):
    state = tmp_path / "state"
    fit(short(ROWS["one_block"]), cheatable(), 0, state)
    for damaged in (state.read_bytes()[:-100], state.read_bytes()[:50], b""):
        state.write_bytes(damaged)
        with pytest.raises(TrainedError, match="damaged or cut short"):
            fit(short(ROWS["one_block"]), cheatable(), 0, state)
        assert state.read_bytes() == damaged


def test_a_loss_that_is_not_finite_ends_the_run(tmp_path):
    tensors = drawn(ROWS["one_block"].shapes, 0)
    tensors["W_U"][0, 0] = float("nan")
    row = short(ROWS["one_block"])
    fit(row, cheatable(), 0, tmp_path / "state")
    kept, about = read_tensors(tmp_path / "state")
    about["run"]["step"] = 2
    write_tensors(tmp_path / "state", kept | {"parameter/W_U": tensors["W_U"]}, about)
    with pytest.raises(TrainedError, match="step 3: the loss is nan"):
        fit(row, cheatable(), 0, tmp_path / "state")
