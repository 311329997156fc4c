"""The committed results: complete, well-formed, and what their checkpoints still say."""

import json
import shutil

import pytest
from small_text import WITHOUT_CORPUS, corpus_path

from trained import cost, referent, tokens
from trained.corpus import corpus
from trained.errors import TrainedError
from trained.experiment import Computation, Training
from trained.registry import EXPERIMENTS
from trained.results import CHECKPOINTS, RESULTS, gathered, read_result
from trained.show import overview, tell
from trained.verify import verified

pytestmark = pytest.mark.usefixtures("one_thread")
THERE = [name for name in EXPERIMENTS if (RESULTS / f"{name}.json").exists()]
NEEDS_CORPUS = {
    name for name, one in EXPERIMENTS.items() if getattr(one, "data", None) is corpus or one is tokens.EXPERIMENT
}


def test_every_file_belongs_to_an_experiment():
    """But for the laboratory's, which say what weights they look into."""
    stems = {path.stem for path in RESULTS.glob("*.json") if "weights" not in read_result(path.stem)}
    assert stems == set(THERE)
    kept = [one["file"] for name in THERE for one in read_result(name).get("checkpoints", {}).values()]
    assert sorted(kept) == sorted(str(path.relative_to(CHECKPOINTS)) for path in CHECKPOINTS.rglob("*.safetensors"))


@pytest.mark.parametrize("name", THERE)
def test_a_result_is_what_its_experiment_finds(name):
    content, experiment = read_result(name), EXPERIMENTS[name]
    assert content["experiment"] == name and content["about"] == experiment.about
    assert content["made_with"].keys() >= {"python", "torch", "device", "threads", "dtype"}
    if isinstance(experiment, Training):
        assert content["labels"]["row"] == list(experiment.rows)
        assert content["settings"] == {row: vars(one.settings) for row, one in experiment.rows.items()}
        assert content["command"].endswith(f"--seeds {len(content['labels']['seed'])}")
        assert 60 <= len(content["labels"]["point"]) < 70 and content["data"]["sha256"]
        steps = dict(zip(content["labels"]["row"], content["figures"]["curve_step"]["values"], strict=True))
        for row, points in steps.items():
            last = experiment.rows[row].settings.steps
            assert last - (points[1] - points[0]) < points[-1] <= last


@pytest.mark.parametrize("name", [name for name in THERE if name not in NEEDS_CORPUS])
def test_checkpoints_and_exact_figures_come_out_again(name):
    checked = dict(verified(EXPERIMENTS[name]))
    assert bool(checked) == (name != cost.EXPERIMENT.name)


@pytest.mark.skipif(not corpus_path(), reason=WITHOUT_CORPUS)
@pytest.mark.parametrize("name", [name for name in THERE if name in NEEDS_CORPUS])
def test_checkpoints_of_the_corpus_come_out_again(name):
    experiment = EXPERIMENTS[name]
    checked = dict(verified(experiment))
    assert len(checked) == (1 if isinstance(experiment, Computation) else len(experiment.rows))


@pytest.fixture
def copies(tmp_path):
    """Results and checkpoints that a test may spoil."""
    return shutil.copytree(RESULTS, tmp_path / "results"), shutil.copytree(CHECKPOINTS, tmp_path / "checkpoints")


def verify(copies, experiment=referent.CHEATABLE):
    return dict(verified(experiment, None, *copies))


def test_verify_finds_a_wrong_figure(copies):
    assert max(verify(copies).values()) < 1e-3
    path = copies[0] / "referent_cheatable.json"
    content = json.loads(path.read_text())
    content["figures"]["held_out_accuracy"]["values"][1][0] = 0.75
    path.write_text(json.dumps(content))
    with pytest.raises(TrainedError, match=r"one_block: held_out_accuracy: the result says 0\.75, computed again"):
        verify(copies)


def test_verify_finds_other_weights(copies):
    one, two = (copies[1] / f"referent_{kind}-one_block-seed0.safetensors" for kind in ("cheatable", "fair"))
    shutil.copyfile(two, one)
    with pytest.raises(TrainedError, match="not the checkpoint of the result"):
        verify(copies)
    one.write_bytes(two.read_bytes()[:-8])
    with pytest.raises(TrainedError, match="damaged or cut short"):
        verify(copies)
    one.unlink()
    with pytest.raises(TrainedError, match="there is no such file"):
        verify(copies)


def test_verify_finds_other_data(copies):
    path = copies[0] / "referent_cheatable.json"
    content = json.loads(path.read_text())
    content["data"]["sha256"] = "0"
    path.write_text(json.dumps(content))
    with pytest.raises(TrainedError, match="the result is of other data"):
        verify(copies)


def test_a_rows_seeds_are_complete_or_refused(tmp_path):
    from trained.outcome import Job, carried_out

    jobs = [Job("referent_fair", "uniform_average", seed, 5) for seed in (0, 1)]
    for job in jobs:
        carried_out(job, referent.FAIR, referent.fair(), tmp_path / "work")
    path = gathered(referent.FAIR, jobs, tmp_path / "work", tmp_path, tmp_path / "checkpoints")
    content = read_result("referent_fair", tmp_path)
    assert path.stem == "referent_fair" and content["labels"]["seed"] == [0, 1]
    one, other = content["figures"]["held_out_perplexity"]["values"][0]
    assert one != other
    assert [file.name for file in (tmp_path / "checkpoints").iterdir()] == [f"{jobs[0].name}.safetensors"]
    more = Job("referent_fair", "one_block", 0, 5)
    carried_out(more, referent.FAIR, referent.fair(), tmp_path / "work")
    with pytest.raises(TrainedError, match="one_block-seed1 missing"):
        gathered(referent.FAIR, [*jobs, more], tmp_path / "work", tmp_path, tmp_path)


def test_results_can_be_read_in_a_terminal(capsys):
    from rich.console import Console

    console = Console(width=200)
    console.print(overview(EXPERIMENTS))
    for name in THERE:
        tell(read_result(name), console)
    told = capsys.readouterr().out
    assert all(name in told for name in EXPERIMENTS) and "two_blocks" in told
