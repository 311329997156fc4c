"""The result files: an experiment's figures over all rows and seeds, one JSON each.

README.md describes them. A file is written when every row of every seed asked for is there.
"""

from collections.abc import Sequence
from pathlib import Path

from trained.errors import TrainedError
from trained.experiment import Computation, Training
from trained.files import digest, read_json, write_json
from trained.outcome import Job, surroundings, weights_of

HERE = Path(__file__).parent
RESULTS = HERE / "results"
CHECKPOINTS = HERE / "checkpoints"


def gathered(
    training: Training, jobs: Sequence[Job], work: Path, results: Path, checkpoints: Path, corpus: Path | None = None
) -> Path:
    """One result file out of the runs' outcomes, with the first seed's weights beside it."""
    outcomes = {(job.row, job.seed): read_json(work / job.name / "outcome.json") for job in jobs}
    seeds = sorted({seed for _, seed in outcomes})
    rows = [row for row in training.rows if (row, seeds[0]) in outcomes]
    if missing := [f"{row}-seed{seed}" for row in rows for seed in seeds if (row, seed) not in outcomes]:
        raise TrainedError(f"{training.name}: not every row has every seed: {', '.join(missing)} missing")
    first = outcomes[rows[0], seeds[0]]
    figures = {
        "parameters": axed(("row",), [outcomes[row, seeds[0]]["parameters"] for row in rows]),
        "seconds": axed(("row", "seed"), over(outcomes, rows, seeds, lambda outcome: outcome["seconds"])),
    }
    labels = {"row": rows, "seed": seeds} | first["labels"]
    for name, figure in first["figures"].items():
        values = over(outcomes, rows, seeds, lambda outcome, name=name: outcome["figures"][name]["values"])
        figures[name] = axed(("row", "seed", *figure["axes"]), values)
    for name in ("train_loss", "held_out_perplexity"):
        values = over(outcomes, rows, seeds, lambda outcome, name=name: outcome["curve"][name])
        figures[f"{name}_curve"] = axed(("row", "seed", "point"), values)
    points = [outcomes[row, seeds[0]]["curve"]["steps"] for row in rows]
    figures["curve_step"] = axed(("row", "point"), points)
    labels["point"] = list(range(1, len(points[0]) + 1))
    kept = {}
    for row in rows:
        job = next(job for job in jobs if (job.row, job.seed) == (row, seeds[0]))
        weights = weights_of(work / job.name / "weights.safetensors")
        target = training.storage.write(weights, checkpoints, job.name, corpus)
        kept[row] = {"file": str(target.relative_to(checkpoints)), "seed": seeds[0], "sha256": digest(target)}
    path = results / f"{training.name}.json"
    content = {
        "experiment": training.name,
        "about": training.about,
        "command": f"python -m trained run {training.name} --seeds {len(seeds)}",
        "optimizer": "AdamW",
        "settings": {row: outcomes[row, seeds[0]]["settings"] for row in rows},
        "data": first["data"],
        "made_with": first["made_with"],
        "labels": labels,
        "figures": figures,
        "checkpoints": kept,
    }
    training.storage.describe(content, checkpoints)
    write_json(path, content)
    return path


def computed(computation: Computation, corpus: Path | None, results: Path) -> Path:
    """The result file of an experiment without training."""
    found = computation.compute(corpus)
    path = results / f"{computation.name}.json"
    write_json(
        path,
        {
            "experiment": computation.name,
            "about": computation.about,
            "command": f"python -m trained run {computation.name}",
            "made_with": surroundings("cpu"),
            "labels": found.labels,
            "figures": found.written(),
        },
    )
    return path


def axed(axes: Sequence[str], values: object) -> dict:
    return {"axes": list(axes), "values": values}


def over(outcomes: dict, rows: list, seeds: list, value) -> list:
    return [[value(outcomes[row, seed]) for seed in seeds] for row in rows]


def read_result(name: str, results: Path = RESULTS) -> dict:
    """A result file, checked against its own labels. TrainedError if anything does not fit."""
    path = results / f"{name}.json"
    content = read_json(path)
    for key in ("experiment", "about", "command", "made_with", "labels", "figures"):
        if key not in content:
            raise TrainedError(f"{path}: no {key!r}; the file is not a result, or not all of one")
    for figure, entry in content["figures"].items():
        check_shape(f"{path}: {figure}", entry["values"], [len(content["labels"][axis]) for axis in entry["axes"]])
    return content


def check_shape(what: str, values: object, lengths: list[int]) -> None:
    if not lengths:
        if isinstance(values, list):
            raise TrainedError(f"{what}: deeper than its axes")
    elif not isinstance(values, list) or len(values) != lengths[0]:
        raise TrainedError(f"{what}: expected a list of {lengths[0]}, got {values!r:.60}")
    else:
        for one in values:
            check_shape(what, one, lengths[1:])
