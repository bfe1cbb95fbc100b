"""Run jobs in parallel: worker processes with one thread each, and a time limit."""

from __future__ import annotations

import importlib
import multiprocessing
import os
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from experiments.compare.declare import Comparison

THREADS = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


@dataclass(frozen=True)
class Job:
    """One run: a contestant of a task at one learning rate with one seed."""

    name: str  # name of the comparison
    task: str
    contestant: str
    rate: float
    seed: int

    @property
    def case(self) -> dict[str, Any]:
        return {"task": self.task, "contestant": self.contestant, "rate": self.rate, "seed": self.seed}


def load(name: str, changes: dict[str, Any]) -> Comparison:
    """Import the comparison of a module, named in full or within ``experiments.controls``, and replace some fields."""
    module = importlib.import_module(name if "." in name else f"experiments.controls.{name}")
    comparison: Comparison = module.COMPARISON
    return replace(comparison, **changes)


def _end_with_parent() -> None:
    """Wait until the parent process is gone, however it ended, and end this one."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _work(pipe: Connection, changes: dict[str, Any]) -> None:
    """The loop of a worker process: receive a job, train the run, send back the result."""
    import torch

    from experiments.compare.training import train_run

    threading.Thread(target=_end_with_parent, daemon=True).start()
    torch.set_num_threads(1)
    while (job := pipe.recv()) is not None:
        try:
            result = train_run(load(job.name, changes), job.task, job.contestant, job.rate, job.seed)
            pipe.send((job, result, None))
        except Exception:
            pipe.send((job, None, traceback.format_exc()))


@dataclass
class Worker:
    process: BaseProcess
    pipe: Connection
    job: Job | None = None
    since: float = 0.0


class Pool:
    """Worker processes that train runs until none is left or the time is up.

    Args:
        workers: number of processes.
        changes: fields to replace in every comparison.
        deadline: a time of :func:`time.monotonic`, or None. A run starts only if it is expected to end by then, judged
            by the longest finished run of its comparison and task. A run that is not finished by then is discarded.
    """

    def __init__(self, workers: int, changes: dict[str, Any], deadline: float | None) -> None:
        self.changes, self.deadline = changes, deadline
        self.longest: dict[tuple[str, str], float] = {}  # seconds of the longest run, by comparison and task
        os.environ.update(dict.fromkeys(THREADS, "1"))  # read by torch when a worker imports it
        self.context = multiprocessing.get_context("spawn")
        self.workers = [self._start() for _ in range(workers)]

    def _start(self) -> Worker:
        here, there = self.context.Pipe()
        process = self.context.Process(target=_work, args=(there, self.changes), daemon=True)
        process.start()
        there.close()
        return Worker(process, here)

    def run(
        self,
        next_job: Callable[[Callable[[Job], bool]], Job | None],
        finished: Callable[[Job, dict[str, Any]], None],
        failed: Callable[[Job, str], None],
        tick: Callable[[], None],
    ) -> None:
        """Train until there is nothing left to do.

        Args:
            next_job: returns the next run that passes the given test, or None if there is none now.
            finished: receives the result of a run.
            failed: receives the traceback of a run that raised.
            tick: called after each wait, at least once per second.
        """
        try:
            while True:
                for worker in self.workers:
                    if worker.job is None and (job := next_job(self._ends_in_time)) is not None:
                        worker.job, worker.since = job, time.monotonic()
                        worker.pipe.send(job)
                busy = [worker for worker in self.workers if worker.job is not None]
                if not busy or (self.deadline is not None and time.monotonic() >= self.deadline):
                    return
                ready = wait([worker.pipe for worker in busy], timeout=1.0)
                for worker in busy:
                    if worker.pipe in ready:
                        self._receive(worker, finished, failed)
                tick()
        finally:
            for worker in self.workers:
                worker.process.kill()

    def _receive(
        self, worker: Worker, finished: Callable[[Job, dict[str, Any]], None], failed: Callable[[Job, str], None]
    ) -> None:
        asked, worker.job = worker.job, None
        assert asked is not None
        try:
            job, result, error = worker.pipe.recv()
        except EOFError:  # the process died, for example out of memory
            failed(asked, "the worker process ended without a result")
            self.workers[self.workers.index(worker)] = self._start()
            return
        if error is not None:
            failed(job, error)
        else:
            key = (job.name, job.task)
            self.longest[key] = max(self.longest.get(key, 0.0), time.monotonic() - worker.since)
            finished(job, result)

    def _ends_in_time(self, job: Job) -> bool:
        if self.deadline is None:
            return True
        return time.monotonic() + 1.1 * self.longest.get((job.name, job.task), 0.0) < self.deadline
