"""What the terminal shows of experiments and of their results."""

from collections.abc import Mapping
from statistics import mean

from rich.console import Console
from rich.table import Table

from trained.errors import TrainedError
from trained.experiment import Experiment, Training
from trained.results import read_result


def overview(experiments: Mapping[str, Experiment]) -> Table:
    """Every experiment, and whether its result is there."""
    table = Table("experiment", "rows", "result", "what it asks")
    for name, experiment in experiments.items():
        rows = str(len(experiment.rows)) if isinstance(experiment, Training) else "computed"
        table.add_row(name, rows, state(name), experiment.about)
    return table


def state(name: str) -> str:
    try:
        content = read_result(name)
    except TrainedError as error:
        return "damaged" if "damaged" in str(error) else "none"
    seeds = content["labels"].get("seed")
    return f"{len(seeds)} seed{'s' * (len(seeds) > 1)}" if seeds else "there"


def tell(content: dict, console: Console) -> None:
    """A result: what belongs to rows as one table, the mean over seeds; the rest figure by figure."""
    console.print(f"[bold]{content['experiment']}[/bold]: {content['about']}")
    console.print(f"{content['command']}   torch {content['made_with']['torch']}, {content['made_with']['device']}")
    figures, labels = content["figures"], content["labels"]
    rows = (["row"], ["row", "seed"])
    by_row = {name: figure["values"] for name, figure in figures.items() if figure["axes"] in rows}
    if by_row:
        table = Table("row", *by_row)
        for place, row in enumerate(labels["row"]):
            table.add_row(row, *(shown(values[place]) for values in by_row.values()))
        console.print(table)
    for name, figure in figures.items():
        if name not in by_row and "point" not in figure["axes"]:
            axes = ", ".join(figure["axes"])
            console.print(f"{name}({axes}) = {shown_list(figure['values'])}", soft_wrap=True)


def shown(value: object) -> str:
    """A number in four digits; of several seeds the mean, and from where to where they lie."""
    if isinstance(value, list) and len(value) > 1 and all(isinstance(one, (int, float)) for one in value):
        return f"{mean(value):.4g} ({min(value):.4g} to {max(value):.4g})"
    if isinstance(value, list):
        return shown(value[0])
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def shown_list(values: object) -> str:
    if isinstance(values, list):
        return "[" + ", ".join(shown_list(value) for value in values) + "]"
    return shown(values)
