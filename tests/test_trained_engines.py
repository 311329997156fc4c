"""The same files from every engine, whatever is killed on the way."""

import os
import signal
import subprocess
import sys
import time
from argparse import Namespace
from pathlib import Path

import pytest
import torch

import trained.__main__ as door
from trained.engines import dask, local
from trained.errors import TrainedError
from trained.files import read_json
from trained.outcome import Job, carried_out, weights_of
from trained.referent import CHEATABLE, cheatable

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.usefixtures("one_thread")


def jobs(steps):
    return [Job("referent_cheatable", row, 0, steps) for row in CHEATABLE.rows]


def options(work, **more):
    return Namespace(corpus=None, work=work, processes=2, scheduler=None, **more)


def figures(work, job):
    outcome = read_json(work / job.name / "outcome.json")
    return outcome["figures"], outcome["curve"], outcome["settings"]


def in_this_process(work, steps):
    """The outcomes that every engine must arrive at."""
    for job in jobs(steps):
        carried_out(job, CHEATABLE, cheatable(), work)


def assert_same_outcomes(one, other, steps):
    for job in jobs(steps):
        assert figures(one, job) == figures(other, job)
        ours, theirs = (weights_of(work / job.name / "weights.safetensors") for work in (one, other))
        assert all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_dask_with_a_worker_killed_mid_run(tmp_path):
    """Two workers; the first that reports is killed; its run is done again and nothing is lost."""
    from distributed import Client, LocalCluster

    killed = []
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:

        def kill_the_first(job, step, loss):
            if not killed:
                with Client(cluster, set_as_default=False) as client:
                    busy = next(address for address, keys in client.processing().items() if keys)
                worker = next(one for one in cluster.workers.values() if one.worker_address == busy)
                killed.append(worker.pid)
                os.kill(worker.pid, signal.SIGKILL)

        asked = options(tmp_path / "dask")
        asked.scheduler = cluster.scheduler_address
        done = list(dask(jobs(100), asked, kill_the_first))
    assert killed and sorted(job.row for job in done) == sorted(CHEATABLE.rows)
    in_this_process(tmp_path / "here", 100)
    assert_same_outcomes(tmp_path / "dask", tmp_path / "here", 100)


def test_a_pool_of_processes(tmp_path):
    heard = []
    done = list(local(jobs(20), options(tmp_path / "pool"), lambda job, step, loss: heard.append((job.row, step))))
    assert sorted(job.row for job in done) == sorted(CHEATABLE.rows)
    assert set(heard) <= {(row, step) for row in CHEATABLE.rows for step in (10, 20)} and heard
    in_this_process(tmp_path / "here", 20)
    assert_same_outcomes(tmp_path / "pool", tmp_path / "here", 20)


def command(*arguments, **more):
    return subprocess.Popen(
        [sys.executable, "-m", "trained", *map(str, arguments)], cwd=ROOT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"PYTHONPATH": ".", "COLUMNS": "200"}, **more,
    )  # fmt: skip


def test_the_command_stops_when_told_and_goes_on(tmp_path):
    """A polite kill ends the command and its processes; the same command then finishes the work."""
    arguments = ("run", "referent_cheatable", "--steps", 200, "--work", tmp_path, "--processes", 1)
    process = command(*arguments)
    waited = time.monotonic() + 90
    while not list(tmp_path.glob("*/lock")) and time.monotonic() < waited:
        time.sleep(0.05)
    process.terminate()
    _, complaint = process.communicate(timeout=60)
    assert process.returncode == 130 and "goes on from here" in complaint and "Traceback" not in complaint
    assert not (tmp_path / "results").exists()
    again = command(*arguments)
    told, complaint = again.communicate(timeout=120)
    assert again.returncode == 0, complaint
    result = read_json(tmp_path / "results" / "referent_cheatable.json")
    assert result["settings"]["one_block"]["steps"] == 200 and "referent_cheatable.json" in told


@pytest.mark.parametrize(
    "arguments, sentence",
    [
        (("run", "lader"), "did you mean 'ladder'"),
        (("run",), "name an experiment"),
        (("show", "nothing"), "no experiment 'nothing'"),
        (("run", "ladder", "--seeds", "0"), "--seeds: expected at least 1, got 0"),
    ],
)
def test_mistakes_are_told_in_one_line(arguments, sentence, monkeypatch, capsys):
    for name in ("stop_when_told", "one_thread"):
        monkeypatch.setattr(door, name, lambda: None)
    assert door.main([*arguments]) == 1
    assert sentence in capsys.readouterr().err.replace("\n", " ")


def test_dask_says_when_it_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(TrainedError, match=r'pip install -e "\.\[dask\]"'):
        next(dask(jobs(1), options(tmp_path), print))


def test_a_run_without_its_corpus_ends_with_one_message(tmp_path):
    """Also where processes are waiting for work."""
    told = subprocess.run(
        [sys.executable, "-m", "trained", "run", "ladder", "--steps", "2", "--processes", "2", "--work", tmp_path],
        cwd=ROOT, env=os.environ | {"TRAINED_CORPUS": str(tmp_path / "nowhere.txt")}, capture_output=True, text=True,
    )  # fmt: skip
    assert told.returncode == 1 and "Traceback" not in told.stdout + told.stderr
    assert "nowhere.txt: the corpus is not there; give --corpus PATH" in " ".join(told.stderr.split())
