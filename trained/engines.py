"""Where runs are carried out: here, in a pool of one-thread processes, or wherever Dask reaches.

Both are handed the same jobs and leave the same files in the work folder.
"""

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from pathlib import Path
from queue import Empty

import torch

from toymodel.files import replacing
from trained.errors import TrainedError
from trained.outcome import Job, Report, carried_out
from trained.registry import find

Progress = Callable[[Job, int, float], None]
LOOK_EVERY = 0.2  # seconds
SPEAK_EVERY = 10  # steps
RETRIES = 3


def one_thread() -> None:
    """Runs are deterministic, and two of one thread are faster than one of two."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)


def stop_when_told() -> None:
    """Ctrl-C, a background job's too, and a polite kill both raise KeyboardInterrupt."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)


def one_job(job: Job, corpus: Path | None, work: Path, report: Report) -> Path:
    """Carry out a job in this process; the folder with its outcome."""
    training = find(job.experiment)
    return carried_out(job, training, training.data(corpus), work, report)


def local(jobs: Sequence[Job], options, progress: Progress) -> Iterator[Job]:
    """Yield each job as it ends. Interrupted, it ends its processes; what they saved stays.

    Raises TrainedError if a process was killed.
    """
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager:
        reports = manager.Queue()
        with ProcessPoolExecutor(options.processes or os.cpu_count(), context, begin) as pool:
            others = set(multiprocessing.active_children())
            futures = {pool.submit(in_pool, job, options.corpus, options.work, reports): job for job in jobs}
            try:
                for future in finished(futures, reports, progress):
                    future.result()
                    yield futures[future]
            except BrokenProcessPool:
                raise TrainedError("a process was killed; the same command goes on from what was saved") from None
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                for process in set(multiprocessing.active_children()) - others:
                    process.terminate()
                raise


def begin() -> None:
    """A process of the pool: it stops when its parent says so, and not by Ctrl-C as well."""
    one_thread()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def in_pool(job: Job, corpus: Path | None, work: Path, reports) -> Path:
    """One job, its progress told to `reports`; it ends with its parent."""

    def report(step: int, loss: float) -> None:
        if step % SPEAK_EVERY == 0:
            if not multiprocessing.parent_process().is_alive():
                raise KeyboardInterrupt
            reports.put((job, step, loss))

    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return one_job(job, corpus, work, report)
    except KeyboardInterrupt:
        os._exit(130)  # or this process would take the next job
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # told while it waits, it goes without a word


def finished(futures: dict[Future, Job], reports, progress: Progress) -> Iterator[Future]:
    """Futures as they end; meanwhile the processes' reports are passed on."""
    waiting = set(futures)
    while waiting:
        for future in [one for one in waiting if one.done()]:
            waiting.remove(future)
            yield future
        try:
            while True:
                progress(*reports.get(timeout=LOOK_EVERY))
        except Empty:
            pass


def dask(jobs: Sequence[Job], options, progress: Progress) -> Iterator[Job]:
    """The same over Dask distributed: at `options.scheduler`, or on a cluster of this machine's cores.

    A job whose worker dies is done again elsewhere, from its saved state where the workers
    share a folder. The outcome comes back as bytes, so the workers need not share one.
    """
    try:
        from distributed import Client, LocalCluster, as_completed
    except ImportError:
        raise TrainedError('Dask distributed is not installed: pip install -e ".[dask]"') from None
    processes = options.processes or os.cpu_count()
    with ExitStack() as stack:
        cluster = options.scheduler or stack.enter_context(
            LocalCluster(n_workers=processes, threads_per_worker=1, dashboard_address=None)
        )
        client = stack.enter_context(Client(cluster))
        client.subscribe_topic("progress", lambda event: progress(Job(**event[1]["job"]), *event[1]["at"]))
        futures = {
            client.submit(on_worker, job, options.corpus, options.work, retries=RETRIES, pure=False): job
            for job in jobs
        }
        for future in as_completed(futures):
            job = futures[future]
            for name, content in future.result().items():
                with replacing(options.work / job.name / name) as aside:
                    aside.write_bytes(content)
            yield job


def on_worker(job: Job, corpus: Path | None, work: Path) -> dict[str, bytes]:
    """One job on a Dask worker: the files of its outcome."""
    from distributed import get_worker

    one_thread()
    worker = get_worker()

    def report(step: int, loss: float) -> None:
        if step % SPEAK_EVERY == 0:
            worker.log_event("progress", {"job": vars(job), "at": (step, loss)})

    folder = one_job(job, corpus, work, report)
    return {name: (folder / name).read_bytes() for name in ("weights.safetensors", "outcome.json")}


ENGINES = {"local": local, "dask": dask}
