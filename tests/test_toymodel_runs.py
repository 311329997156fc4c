"""Named runs, their export, and the command line."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from reference import RUNS

from toymodel import runs
from toymodel.__main__ import main
from toymodel.config import TOY
from toymodel.facts import counted
from toymodel.names import AXES, NAMES
from toymodel.shapes import axis_lengths
from toymodel.weights import load_toy

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def exported():
    return json.loads(json.dumps(runs.export()))


def test_run():
    toy = runs.run("toy")
    assert toy is runs.run("toy")
    assert (toy.name, toy.prompt) == ("toy", "o gato subiu no")
    assert toy.vocabulary.strings(toy.targets) == ["␣gato", "␣sub", "iu", "␣no", "␣telhado"]
    assert runs.run("toy.tied").model.parameters.W_U is None
    with pytest.raises(KeyError, match=r"no run is called 'toy\.tide'; did you mean toy\.tied"):
        runs.run("toy.tide")


def test_what_the_variants_change():
    toy, no_mask, no_scaling = (runs.run(name).trace for name in ("toy", "toy.no_mask", "toy.no_scaling"))
    assert torch.equal(no_mask["masked_scores"], toy["scaled_scores"])
    assert torch.equal(no_scaling["scaled_scores"], toy["scores"])
    for kept, name in enumerate(("toy.head_1_only", "toy.head_2_only")):
        outputs = runs.run(name).trace["head_outputs"]
        assert torch.equal(outputs[kept], toy["head_outputs"][kept])
        assert not outputs[1 - kept].any()


def test_the_mask_keeps_old_rows_when_tokens_are_appended():
    for name, kept in (("", True), ("_no_mask", False)):
        short = runs.run(f"toy.beginning{name}").trace["p"]
        long = runs.run(f"toy.{name[1:]}" if name else "toy").trace["p"]
        assert torch.allclose(short, long[: len(short)], rtol=0, atol=1e-12) == kept


def test_a_run_of_another_prompt_has_no_loss():
    one = runs.perform("mine", *load_toy(), "o cão")
    assert one.targets == ()
    assert "loss" not in one.trace


def test_one_role_compares_what_attention_reads_with_itself():
    alike, toy = runs.run("toy.one_role").trace, runs.run("toy").trace
    assert alike["a"].equal(toy["a"])
    for scores in alike["scores"]:
        assert scores.equal(toy["a"] @ toy["a"].mT)
    assert not alike["att"].allclose(toy["att"])


def test_export_of_names_axes_and_counts(exported):
    assert list(exported) == ["names", "axes", "runs", "counted", "tokens", "averages"]
    assert list(exported["names"]) == [entry.name for entry in NAMES]
    assert exported["names"]["q"] == {
        "tex": "q",
        "axes": ["head", "t", "c"],
        "family": "query",
        "meaning": "Queries: what each position looks for.",
        "kind": "recorded",
        "per_block": True,
        "models": ["toy", "gpt2_small"],
    }
    assert exported["names"]["W_U"]["models"] == ["toy"]
    assert exported["names"]["gain_f"]["models"] == ["gpt2_small"]
    assert exported["axes"] == AXES
    assert exported["counted"] == counted()


def test_export_of_runs(exported):
    assert list(exported["runs"]) == list(RUNS)
    toy = exported["runs"]["toy"]
    assert toy["prompt"] == "o gato subiu no"
    assert toy["tokens"] == ["o", "␣gato", "␣sub", "iu", "␣no"]
    assert toy["ids"] == [0, 2, 4, 5, 1]
    assert toy["targets"] == ["␣gato", "␣sub", "iu", "␣no", "␣telhado"]
    assert toy["labels"]["t"] == toy["labels"]["s"] == [1, 2, 3, 4, 5]
    assert toy["labels"]["v"][6] == "␣telhado"
    assert set(toy["labels"]) == set(AXES)
    for axis, length in (axis_lengths(TOY) | {"t": 5, "s": 5}).items():
        assert len(toy["labels"][axis]) == length


def test_the_run_with_a_cache_has_one_row_and_looks_at_all(exported):
    cached = exported["runs"]["toy.cached"]
    assert cached["tokens"] == ["o", "␣gato", "␣sub", "iu", "␣no", "␣telhado"]
    assert (cached["labels"]["t"], cached["labels"]["s"]) == ([6], [1, 2, 3, 4, 5, 6])


def shape(data):
    return [len(data), *shape(data[0])] if isinstance(data, list) else []


def test_every_exported_value_has_the_length_of_its_axes_labels(exported):
    for run in exported["runs"].values():
        for name, value in run["values"].items():
            assert value["axes"] == exported["names"][name]["axes"]
            assert shape(value["data"]) == [len(run["labels"][axis]) for axis in value["axes"]]


def test_exported_values_are_exact(exported):
    toy = runs.run("toy")
    values = exported["runs"]["toy"]["values"]
    assert values["z"]["data"] == toy.trace["z"].tolist()
    assert values["masked_scores"]["data"][0][0][1] == float("-inf")
    assert values["W_q"]["data"] == toy.model.parameters.blocks[0].W_q.tolist()
    assert list(values)[-1] == "loss"
    assert "W_U" not in exported["runs"]["toy.tied"]["values"]


def test_export_command_writes_the_same_file_each_time(tmp_path, capsys):
    file = tmp_path / "runs.json"
    command = [sys.executable, "-m", "toymodel.runs", "--out", str(file)]
    subprocess.run(command, check=True, cwd=ROOT)
    runs.main([])
    assert file.read_text(encoding="utf-8") == capsys.readouterr().out
    assert "-Infinity" in file.read_text(encoding="utf-8")


# --- the command line ----------------------------------------------------------------------


def printed(capsys, *arguments):
    assert main([*arguments]) == 0
    return capsys.readouterr().out


def test_the_seven_steps(capsys):
    out = printed(capsys, "o gato subiu no")
    lines = out.splitlines()
    titles = [
        line.split("  ")[1].split(" ─")[0]
        for line in lines
        if line.endswith("───") and line[0].isdigit()
    ]
    assert titles == [
        "Tokens",
        "Embeddings: x = E + P",
        "Queries, keys and values of each head",
        "Attention: who looks at whom",
        "The block: attention adds, then the MLP adds",
        "Output: what comes next",
        "Writing on",
    ]
    assert "␣telhado        2.491  12.069  0.395" in out
    assert "5 ␣no      0.031  0.919  0.003  0.003  0.044" in out
    assert "o gato subiu no telhado.<|endoftext|>" in out
    assert "stopped: end of text" in out
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize("prompt", ["o", "o gato subiu no telhado.<|endoftext|>"])
def test_no_figure_is_cut_off(capsys, prompt):
    out = printed(capsys, prompt)
    assert "…" not in out
    assert max(map(len, out.splitlines())) <= 100
    assert "-0.000" not in out


def test_attention_off(capsys):
    out = printed(capsys, "--attention", "off", "--steps", "1")
    assert ["1", "␣gato", "0.455"] in [line.split() for line in out.splitlines()]


def test_sampling(capsys):
    options = ("--seed", "3", "--temperature", "0.8", "--top-k", "4", "--top-p", "0.9")
    out = printed(capsys, *options)
    assert "drawn: temperature 0.8, top-k 4, top-p 0.9, seed 3" in out
    assert out == printed(capsys, *options)


def test_json(capsys):
    out = json.loads(printed(capsys, "o gato subiu no", "--json"))
    assert out["values"]["p"]["data"] == runs.run("toy").trace["p"].tolist()
    assert out["tokens"] == ["o", "␣gato", "␣sub", "iu", "␣no"]
    assert out["targets"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["o gatto"], 'no token for "gatto" (word 2, character 3 of "o gatto"); near: ␣gato'),
        ([""], 'empty prompt: expected some text, such as "o gato subiu no"'),
        (["--top-k", "2"], "--top-k needs --seed: without it the likeliest token is always taken"),
        (["--seed", "1", "--top-p", "2"], "top_p: expected a share above 0 and up to 1, got 2.0"),
        (["--steps", "-1"], "steps: expected 0 or more, got -1"),
    ],
)
def test_errors_are_one_line_and_code_2(capsys, arguments, message):
    assert main(arguments) == 2
    out, error = capsys.readouterr()
    assert (out, error) == ("", f"toymodel: {message}\n")


def test_the_module_runs_as_a_command():
    done = subprocess.run(
        [sys.executable, "-m", "toymodel", "o gatto"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
