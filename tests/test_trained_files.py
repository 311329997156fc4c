"""What is damaged, cut short or another's is refused with a sentence, and nothing is written over it."""

import io
import json

import pytest
import torch
from small_text import short, small_text

from trained import corpus, files
from trained.errors import TrainedError
from trained.outcome import Job, carried_out, judged, weights_of
from trained.referent import CHEATABLE, cheatable
from trained.registry import find
from trained.results import gathered, read_result

JOBS = [Job("referent_cheatable", row, 0, 5) for row in CHEATABLE.rows]


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """The runs of the smallest experiment, five steps each."""
    work = tmp_path_factory.mktemp("work")
    for job in JOBS:
        carried_out(job, CHEATABLE, cheatable(), work)
    return work


def test_another_text_is_not_the_corpus(tmp_path):
    file = tmp_path / "text.txt"
    file.write_text("First Citizen:\n", encoding="utf-8")
    with pytest.raises(TrainedError, match=r"text\.txt: not tiny Shakespeare: expected SHA-256 86c4.* \(15 bytes\)"):
        corpus.corpus(file)


def test_no_corpus_says_how_to_get_one(tmp_path, monkeypatch):
    monkeypatch.delenv(corpus.VARIABLE, raising=False)
    monkeypatch.setattr(corpus, "CACHE", tmp_path)
    with pytest.raises(TrainedError, match=r"--corpus PATH.*TRAINED_CORPUS.*trained fetch.*raw\.githubusercontent"):
        corpus.corpus()


def test_a_fetched_text_is_checked_before_it_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(corpus, "CACHE", tmp_path)
    monkeypatch.setattr(corpus, "urlopen", lambda address, timeout: io.BytesIO(b"half of it"))
    with pytest.raises(TrainedError, match=r"githubusercontent.*not tiny Shakespeare"):
        corpus.fetch()
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setattr(corpus, "SHA256", corpus.sha256(b"half of it").hexdigest())
    assert corpus.fetch().read_bytes() == b"half of it" and corpus.text(corpus.fetch()) == "half of it"


def test_damaged_json(tmp_path):
    file = tmp_path / "ladder.json"
    for content in ('{"experiment": "lad', "", "\x00\x01"):
        file.write_text(content, encoding="utf-8")
        with pytest.raises(TrainedError, match=r"ladder\.json: damaged or cut short"):
            read_result("ladder", tmp_path)
        assert file.read_text(encoding="utf-8") == content
    file.write_text("[1]", encoding="utf-8")
    with pytest.raises(TrainedError, match="expected an object, got list"):
        read_result("ladder", tmp_path)
    file.write_text("{}", encoding="utf-8")
    with pytest.raises(TrainedError, match="no 'experiment'; the file is not a result"):
        read_result("ladder", tmp_path)
    with pytest.raises(TrainedError, match="there is no such file"):
        read_result("stairs", tmp_path)


def test_a_result_whose_figures_do_not_fit_their_axes(tmp_path):
    content = {key: "" for key in ("experiment", "about", "command", "made_with")}
    for values in ([1, 2, 3], 1, [[1], [2]]):
        figure = {"axes": ["row"], "values": values}
        files.write_json(tmp_path / "x.json", content | {"labels": {"row": ["a", "b"]}, "figures": {"f": figure}})
        with pytest.raises(TrainedError, match=r"x\.json: f"):
            read_result("x", tmp_path)


def test_a_failed_write_leaves_the_old_file(tmp_path):
    file = tmp_path / "a.json"
    files.write_json(file, {"a": 1})
    with pytest.raises(ValueError, match="not JSON compliant"):
        files.write_json(file, {"a": float("nan")})
    with pytest.raises(KeyboardInterrupt), files.replacing(file) as aside:
        aside.write_text("half")
        raise KeyboardInterrupt
    assert json.loads(file.read_text()) == {"a": 1} and list(tmp_path.iterdir()) == [file]


def test_json_is_laid_out_for_people_and_means_the_same():
    content = {"a": [[1, 2], [3, 4]], "b": {"c": [], "d": {}}, "e": "␣", "f": None, "g": [{"h": 0.1}]}
    text = files.laid_out(content)
    assert json.loads(text) == content and "\n  [1, 2],\n" in text and "␣" in text


def test_a_truncated_checkpoint(outcomes, tmp_path):
    whole = (outcomes / JOBS[0].name / "weights.safetensors").read_bytes()
    for cut in (whole[:-1], whole[:20], b""):
        (tmp_path / "cut.safetensors").write_bytes(cut)
        with pytest.raises(TrainedError, match=r"cut\.safetensors: damaged or cut short"):
            weights_of(tmp_path / "cut.safetensors")


def test_the_weights_of_another_row(outcomes):
    stored = weights_of(outcomes / JOBS[0].name / "weights.safetensors")
    with pytest.raises(TrainedError, match=r"not this row's weights: W_1\.1: expected \(64, 256\), got None"):
        judged(CHEATABLE, CHEATABLE.rows["one_block"], stored, cheatable(), 0)


def test_a_finished_run_is_not_done_again_and_not_mistaken(outcomes):
    folder = outcomes / JOBS[0].name
    before = (folder / "outcome.json").read_bytes()
    assert carried_out(JOBS[0], CHEATABLE, cheatable(), outcomes) == folder
    other = Job(JOBS[0].experiment, JOBS[0].row, 0, 6)
    with pytest.raises(TrainedError, match=r"from other settings.*move the folder away"):
        carried_out(other, CHEATABLE, cheatable(), outcomes)
    assert (folder / "outcome.json").read_bytes() == before
    assert {path.name for path in folder.iterdir()} == {"outcome.json", "weights.safetensors", "lock"}


def test_a_result_needs_every_run(outcomes, tmp_path):
    with pytest.raises(TrainedError, match=r"seed1.outcome\.json: there is no such file"):
        gathered(CHEATABLE, [*JOBS, Job("referent_cheatable", "one_block", 1, 5)], outcomes, tmp_path, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_unknown_names():
    with pytest.raises(TrainedError, match="no experiment 'lader'; did you mean 'ladder'"):
        find("lader")
    with pytest.raises(TrainedError, match="no row 'three_blocks'; it has uniform_average, one_block"):
        carried_out(Job("referent_cheatable", "three_blocks", 0), CHEATABLE, cheatable(), None)


def test_the_small_text_of_the_tests_has_the_parts_of_a_text():
    data = small_text(1000)
    assert (data.about["train_tokens"], data.about["held_out_tokens"]) == (900, 100)
    inputs, targets = data.part("held_out", 16)
    assert inputs.shape == targets.shape == (6, 16)
    assert torch.equal(inputs.flatten()[1:], targets.flatten()[:-1])
    some, following = data.batch(3, 16, torch.Generator().manual_seed(0))
    assert torch.equal(some[:, 1:], following[:, :-1]) and short(CHEATABLE.rows["one_block"]).settings.steps == 5
