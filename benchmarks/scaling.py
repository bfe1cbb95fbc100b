"""Predicted and measured time of a training step in one, two and three processes: ``python -m benchmarks.scaling``.

One process takes a step of six batches, and two and three processes share it. Its parts are measured separately: loss
and gradient of a batch, the optimizer, the all-reduce at several sizes, and the slowdown of two independent processes.
From these, ``predicted`` computes the time of the shared steps. If there are more processes than cores, they also share
the cores.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist

from attnbook.models.transformer import Transformer
from attnbook.training.loop import train
from benchmarks.harness import RESULTS, Settings, spread, write
from benchmarks.sentences import random_batch

VOCABULARY, ROWS, LENGTH, PADDING = 2000, 32, 16, 0.2
MODEL = {"d_model": 128, "num_heads": 4, "d_ff": 512, "num_layers": 3, "dropout": 0.1}
BATCHES = 6  # in a step: shared equally by one, two or three processes
# Name of an arm: processes, whether they train together, batches in a step.
ARMS = {
    "one process, one batch": (1, False, 1),
    "two processes apart, one batch each": (2, False, 1),
    "one process, six batches": (1, False, BATCHES),
    "two processes together, six batches": (2, True, BATCHES),
    "three processes together, six batches": (3, True, BATCHES),
}
MESSAGES = (1, 10_000, 1_000_000, 8_000_000)  # numbers of four bytes


def allreduce(processes: int, size: float, latency: float, bandwidth: float) -> float:
    """Seconds of an all-reduce of ``size`` bytes in a ring of processes.

    Each sends ``2 (P - 1)`` messages of ``size / P`` bytes (Patarasuk and Yuan 2009).
    """
    return 2 * (processes - 1) * (latency + size / processes / bandwidth)


def predicted(processes: int, batches: int, constants: Mapping[str, float], cores: int) -> float:
    """Predict the seconds of a step: the batches of the busiest process, the optimizer, and the all-reduce.

    Processes without a core of their own take turns, so computing takes ``processes / cores`` times as long.
    """
    share = -(-batches // processes)
    sums = allreduce(processes, constants["bytes"], constants["latency"], constants["bandwidth"])
    return (share * constants["batch"] + constants["optimizer"]) * max(1.0, processes / cores) + sums


def _steps(accumulate: int, steps: int) -> dict[str, float]:
    """Wall and CPU seconds of a step in one process, and seconds spent in all-reduce."""
    torch.manual_seed(0)
    model = Transformer(VOCABULARY, VOCABULARY, **MODEL)
    batch = random_batch(ROWS, LENGTH, PADDING, VOCABULARY, 0)
    spent = 0.0
    add_up = dist.all_reduce

    def timed(*arguments: Any) -> None:
        nonlocal spent
        started = time.perf_counter()
        add_up(*arguments)
        spent += time.perf_counter() - started

    dist.all_reduce = timed
    run = train(model, [batch], steps=steps + 1, lr=1e-4, accumulate=accumulate)
    next(run)  # warm up
    spent, started, processor = 0.0, time.perf_counter(), time.process_time()
    tokens = sum(step.tokens for step in run)
    seconds, processor = time.perf_counter() - started, time.process_time() - processor
    return {
        "seconds": seconds / steps,
        "processor": processor / steps,
        "summing": spent / steps,
        "tokens": tokens / seconds,
    }


def _messages(repeats: int) -> dict[str, float]:
    """Seconds of an all-reduce for messages of several sizes."""
    found = {}
    for size in MESSAGES:
        message = torch.ones(size)
        times = []
        for _ in range(repeats + 1):
            dist.barrier()
            started = time.perf_counter()
            dist.all_reduce(message)
            times.append(time.perf_counter() - started)
        found[str(4 * size)] = statistics.median(times[1:])
    return found


def _in_processes(count: int, together: bool, work: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Run a function in several processes with one thread each; return their results."""
    fork = multiprocessing.get_context("fork")
    results = fork.SimpleQueue()
    ready = fork.Barrier(count)

    def begin(rank: int, store: str) -> None:
        torch.set_num_threads(1)
        if together:
            dist.init_process_group("gloo", f"file://{store}", rank=rank, world_size=count)
        ready.wait()
        results.put(work(*arguments))

    with tempfile.TemporaryDirectory() as folder:
        started = [fork.Process(target=begin, args=(rank, f"{folder}/store")) for rank in range(count)]
        for process in started:
            process.start()
        found = [results.get() for _ in started]
        for process in started:
            process.join()
    return found


def run(settings: Settings) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Measure all arms in turns over several rounds, and the parts of a step."""
    rounds, steps = settings.rounds(9), 1 if settings.quick else 3
    seen: dict[str, list[dict[str, float]]] = {name: [] for name in ARMS}
    messages: list[dict[str, float]] = []
    for _ in range(rounds):
        for name, (count, together, accumulate) in ARMS.items():
            found = _in_processes(count, together, _steps, accumulate, steps)
            seen[name].append(max(found, key=lambda one: one["seconds"]))
        messages.append(_in_processes(2, True, _messages, 2 if settings.quick else 10)[0])
    rows = [
        {
            "work": name,
            "fastest_seconds": min(one["seconds"] for one in found),
            "seconds": spread([one["seconds"] for one in found]),
            "processor_seconds": spread([one["processor"] for one in found]),
            "tokens_a_second": spread([one["tokens"] for one in found]),
            "share_of_time_in_the_sum": spread([one["summing"] / one["seconds"] for one in found]),
        }
        for name, found in seen.items()
    ]
    return rows, _account(rows, messages, os.cpu_count() or 1)


def _account(rows: list[dict[str, Any]], messages: list[dict[str, float]], cores: int) -> dict[str, Any]:
    """The constants of the cost model, and its prediction for each measured step.

    All values are from the fastest round, because other programs can only slow a step down.
    """
    alone, apart, *shared = (row["fastest_seconds"] for row in rows)
    sums = {size: min(found[size] for found in messages) for size in messages[0]}
    sizes = sorted(sums, key=int)
    parameters = sum(p.numel() for p in Transformer(VOCABULARY, VOCABULARY, **MODEL).parameters())
    latency = sums[sizes[0]] / 2
    batch = (shared[0] - alone) / (BATCHES - 1)
    constants = {
        "batch": batch,
        "optimizer": alone - batch,
        "latency": latency,
        "bandwidth": int(sizes[-1]) / (sums[sizes[-1]] - 2 * latency),
        "bytes": 4.0 * (parameters + 1),
    }
    return {
        "sizes": {**MODEL, "vocabulary": VOCABULARY, "rows": ROWS, "length": LENGTH, "parameters": parameters},
        "seconds_of_a_sum": sums,
        "constants": constants,
        "slower_beside_another": apart / alone,
        "steps": [
            {
                "processes": processes,
                "predicted": predicted(processes, BATCHES, constants, cores),
                "measured": seconds,
                "times_as_fast": shared[0] / seconds,
            }
            for processes, seconds in enumerate(shared, start=1)
        ],
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two short rounds, to see that everything runs")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the figures are written")
    options = parser.parse_args()
    settings = Settings(quick=options.quick, threads=1)
    torch.set_num_threads(1)
    rows, more = run(settings)
    command = " ".join(["python -m benchmarks.scaling", *sys.argv[1:]])
    print(write("scaling", settings, rows, folder=options.folder, command=command, **more).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
