"""Train the missing runs of comparisons in parallel."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from experiments.compare.pool import Job, Pool, load
from experiments.compare.store import Store, origin
from experiments.compare.training import steps_of_run


def plan(stores: Sequence[Store]) -> str:
    """A summary of the runs and steps that are left, without those that an extended sweep may add."""
    lines = []
    for store in stores:
        left = store.missing()
        steps = sum(steps_of_run(store.comparison.points(case["task"])) for case in left)
        done = [run["seconds"] / steps_of_run(store.comparison.points(run["task"])) for run in store.runs]
        minutes = f", about {steps * sum(done) / len(done) / 60:.0f} CPU minutes" if done else ""
        lines.append(f"{store.name}: {len(store.runs)} runs done, {len(left)} left, {steps:,} steps{minutes}")
    return "\n".join(lines)


def train_missing(stores: Sequence[Store], *, workers: int, changes: dict[str, Any], minutes: float | None) -> bool:
    """Train the missing runs; return whether all runs are done.

    Args:
        stores: the stores of the comparisons, in the order in which their runs start.
        workers: number of processes.
        changes: fields that are replaced in every comparison.
        minutes: time limit; runs that cannot end in time are left for the next call.
    """
    by_name = {store.name: store for store in stores}
    running: set[tuple[str, tuple[Any, ...]]] = set()
    broken: set[tuple[str, tuple[Any, ...]]] = set()
    pool = Pool(workers, changes, None if minutes is None else time.monotonic() + 60 * minutes)
    for store in stores:
        for run in store.runs:
            key = (store.name, run["task"])
            pool.longest[key] = max(pool.longest.get(key, 0.0), run["seconds"])
    progress = Progress(stores)

    def next_job(ends_in_time: Callable[[Job], bool]) -> Job | None:
        for store in stores:
            for case in store.missing():
                key, job = (store.name, store.key(case)), Job(store.name, **case)
                if key not in running and key not in broken and ends_in_time(job):
                    running.add(key)
                    return job
        return None

    def finished(job: Job, result: dict[str, Any]) -> None:
        running.discard((job.name, Store.key(job.case)))
        by_name[job.name].add(job.case, result)
        progress.update(job, len(running))

    def failed(job: Job, error: str) -> None:
        running.discard((job.name, Store.key(job.case)))
        broken.add((job.name, Store.key(job.case)))
        tqdm.write(f"{job} failed:\n{error}", file=sys.stderr)

    pool.run(next_job, finished, failed, progress.tick)
    progress.close()
    return not any(store.missing() for store in stores)


class Progress:
    """A progress bar on a terminal; otherwise a line every half minute."""

    def __init__(self, stores: Sequence[Store]) -> None:
        self.stores = stores
        self.bar = tqdm(total=self._total(), initial=self._done(), unit="run", disable=None, file=sys.stderr)
        self.last_report = time.monotonic()

    def _done(self) -> int:
        return sum(len(store.runs) for store in self.stores)

    def _total(self) -> int:
        return self._done() + sum(len(store.missing()) for store in self.stores)

    def update(self, job: Job, running: int) -> None:
        self.bar.total = self._total()
        self.bar.set_postfix_str(f"{job.name} {job.contestant}", refresh=False)
        self.bar.update()
        if self.bar.disable and time.monotonic() - self.last_report > 30:
            self.last_report = time.monotonic()
            print(f"{self._done()} of {self._total()} runs done, {running} running", file=sys.stderr, flush=True)

    def tick(self) -> None:
        self.bar.refresh()

    def close(self) -> None:
        self.bar.close()
        if self.bar.disable:
            print(f"{self._done()} of {self._total()} runs done", file=sys.stderr, flush=True)


def open_store(name: str, folder: Path, changes: dict[str, Any], command: str, commit: str | None) -> Store:
    """Open the store of a comparison, with its finished runs if there are any."""
    return Store(folder / f"{name}.json", name, load(name, changes), origin(commit), command)
