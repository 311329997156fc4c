"""`python -m trained list | run NAME… | run --all | show NAME | verify | fetch`."""

import argparse
import sys
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from trained.corpus import fetch
from trained.engines import ENGINES, one_thread, stop_when_told
from trained.errors import TrainedError
from trained.experiment import Training
from trained.outcome import Job, row_of
from trained.registry import EXPERIMENTS, find
from trained.results import HERE, RESULTS, computed, gathered, read_result
from trained.show import overview, tell
from trained.verify import verified

console = Console()


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    stop_when_told()
    one_thread()
    try:
        return options.do(options)
    except TrainedError as error:
        Console(stderr=True).print(f"[red]{error}", soft_wrap=True)
        return 1
    except KeyboardInterrupt:
        Console(stderr=True).print("Stopped; the same command goes on from here.")
        return 130


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser("python -m trained", description=__doc__)
    commands = made.add_subparsers(required=True)
    run = commands.add_parser("run", help="carry out experiments and write their result files")
    run.add_argument("names", nargs="*", metavar="NAME", help="an experiment, or experiment/row")
    run.add_argument("--all", action="store_true", help="every experiment")
    run.add_argument("--seeds", type=int, default=1, help="how many seeds, from 0 (default 1)")
    run.add_argument("--steps", type=int, help="fewer steps than stated: a rehearsal, whose results stay in --work")
    run.add_argument("--engine", choices=ENGINES, default="local", help="a pool of processes here, or Dask distributed")
    run.add_argument("--scheduler", metavar="ADDRESS", help="of a running Dask cluster (default: one made here)")
    run.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    run.add_argument("--processes", type=int, help="of one thread each (default: one a core)")
    run.add_argument("--corpus", type=Path, help="tiny Shakespeare, if it is not in the cache")
    run.add_argument("--work", type=Path, default=HERE / "runs", help="where runs keep their state")
    run.set_defaults(do=do_run)
    show = commands.add_parser("show", help="print results")
    show.add_argument("names", nargs="+", metavar="NAME")
    show.set_defaults(do=do_show)
    verify = commands.add_parser("verify", help="compute committed checkpoints and exact figures again, and compare")
    verify.add_argument("names", nargs="*", metavar="NAME", help="(default: all that have a result)")
    verify.add_argument("--corpus", type=Path, help="tiny Shakespeare, if it is not in the cache")
    verify.set_defaults(do=do_verify)
    commands.add_parser("list", help="every experiment").set_defaults(do=do_list)
    commands.add_parser("fetch", help="bring the corpus from its public address").set_defaults(do=do_fetch)
    return made


def do_list(options) -> int:
    console.print(overview(EXPERIMENTS))
    return 0


def do_show(options) -> int:
    for name in options.names:
        tell(read_result(find(name).name), console)
    return 0


def do_fetch(options) -> int:
    console.print(str(fetch()), soft_wrap=True)
    return 0


def do_verify(options) -> int:
    """Fails after the last one, so that every one is tried."""
    names = options.names or [name for name in EXPERIMENTS if (RESULTS / f"{name}.json").exists()]
    failures = 0
    for name in names:
        try:
            for what, difference in verified(find(name), options.corpus):
                console.print(f"{what}: the same (largest relative difference {difference:.1e})", soft_wrap=True)
        except TrainedError as error:
            console.print(f"[red]{name}: {error}", soft_wrap=True)
            failures += 1
    return min(failures, 1)


def do_run(options) -> int:
    """All runs of all experiments named share the processes; a result file is written as soon as it can be."""
    names = list(EXPERIMENTS) if options.all else options.names
    if not names:
        raise TrainedError("name an experiment (see `python -m trained list`), or give --all")
    for name in ("seeds", "steps", "processes"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise TrainedError(f"--{name}: expected at least 1, got {value}")
    rehearsal = options.steps is not None
    home = options.work if rehearsal else HERE
    waiting: dict[str, list[Job]] = {}
    for experiment in map(find, names):
        if isinstance(experiment, Training):
            waiting[experiment.name] = jobs_of(experiment, options)
        else:
            say(computed(experiment, options.corpus, home / "results"))
    missing = {name: set(jobs) for name, jobs in waiting.items()}
    with shown() as progress:
        everything = [job for jobs in waiting.values() for job in jobs]
        for job in ENGINES[options.engine](everything, options, progress):
            name = job.experiment
            missing[name].discard(job)
            if not missing[name]:
                folders = options.work, home / "results", home / "checkpoints"
                say(gathered(find(name), waiting[name], *folders, options.corpus))
    return 0


def jobs_of(experiment: Training, options) -> list[Job]:
    return [
        Job(experiment.name, row, seed, options.steps, options.device)
        for seed in range(options.seeds)
        for row in experiment.rows
    ]


@contextmanager
def shown():
    """A bar for every run, with its loss and the time left; yields what hears of progress."""
    columns = (
        TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
        TextColumn("loss {task.fields[loss]:.3f}"), TimeRemainingColumn(),
    )  # fmt: skip
    bars = {}
    with Progress(*columns, console=console) as display:

        def progress(job: Job, step: int, loss: float) -> None:
            steps = row_of(job, find(job.experiment)).settings.steps
            if job not in bars:
                bars[job] = display.add_task(job.name, total=steps, loss=loss)
            display.update(bars[job], completed=step, loss=loss, visible=step < steps)

        yield progress


def say(path: Path) -> None:
    console.print(f"{path.stem}: {path}", soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
