"""Compare programs: they take turns in shuffled order, and every result records hardware, versions and settings."""

from __future__ import annotations

import json
import os
import platform
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from attnbook._internal.files import atomic_write
from bookkit import ROOT
from bookkit.provenance import commit, cpu, today, versions

RESULTS = ROOT / "results" / "benchmarks"
OURS = "attnbook"
PACKAGES = ("attnbook", "torch", "d2l", "transformers", "x-transformers", "numpy")

# A result is the median over rounds; its spread is the range between these two quantiles.
LOW, HIGH = 0.1, 0.9


@dataclass(frozen=True)
class Settings:
    """Options of one run of the benchmarks.

    Args:
        quick: run only a few rounds, to check that everything runs.
        device: "cpu" or "cuda".
        dtype: torch.float32, or torch.bfloat16: training in autocast, everything else with weights of that dtype.
        compile: train every contestant with ``torch.compile``.
        threads: number of torch's threads, for all contestants.
        seed: seed of weights, data and the order of turns.
    """

    quick: bool = False
    device: str = "cpu"
    dtype: torch.dtype = torch.float32
    compile: bool = False
    threads: int = field(default_factory=torch.get_num_threads)
    seed: int = 0

    def rounds(self, full: int) -> int:
        """The number of rounds to run, given that of a full run."""
        return 2 if self.quick else full

    def autocast(self) -> torch.autocast:
        """The autocast context in which all contestants train."""
        return torch.autocast(self.device, torch.bfloat16, enabled=self.dtype == torch.bfloat16)

    def suffix(self) -> str:
        """The suffix of result files: empty for fp32 on the CPU."""
        parts = [
            "" if self.device == "cpu" else self.device,
            "" if self.dtype == torch.float32 else str(self.dtype).removeprefix("torch."),
            "compiled" if self.compile else "",
            "quick" if self.quick else "",
        ]
        return "".join(f"-{part}" for part in parts if part)


def contest(
    contestants: Mapping[str, Callable[[], object]],
    settings: Settings,
    *,
    rounds: int,
    warmup: int = 2,
    at_least: float = 0.0,
) -> dict[str, list[float]]:
    """Let every contestant take a turn in every round, in a new random order each time.

    Args:
        contestants: a function for one turn, by name.
        settings: see ``Settings``.
        rounds: number of measured rounds.
        warmup: number of rounds before them that are not measured.
        at_least: minimum seconds per turn; a turn repeats a shorter call, as often as found while warming up.

    Returns:
        seconds per call, for every contestant and round.
    """
    order = random.Random(settings.seed)
    calls = dict.fromkeys(contestants, 1)
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for number in range(warmup + rounds):
        names = list(contestants)
        order.shuffle(names)
        for name in names:
            taken = _time(contestants[name], calls[name], settings.device)
            if number >= warmup:
                seconds[name].append(taken / calls[name])
            else:
                calls[name] = max(1, round(at_least * calls[name] / taken))
    return seconds


def _time(call: Callable[[], object], times: int, device: str) -> float:
    _wait(device)
    started = time.perf_counter()
    for _ in range(times):
        call()
    _wait(device)
    return time.perf_counter() - started


def _wait(device: str) -> None:
    if device == "cuda":
        torch.cuda.synchronize()


def spread(values: Sequence[float]) -> dict[str, float]:
    """The median and the two quantiles of the spread."""
    ordered = torch.tensor(sorted(values), dtype=torch.float64)
    low, median, high = ordered.quantile(torch.tensor([LOW, 0.5, HIGH], dtype=torch.float64)).tolist()
    return {"median": median, "low": low, "high": high}


def compare(
    work: str,
    seconds: Mapping[str, Sequence[float]],
    *,
    reach: Mapping[str, float],
    amounts: Mapping[str, float] | float = 1.0,
    unit: str = "turns/s",
) -> dict[str, Any]:
    """One row of results: the rate of each contestant, and our speedup over each rival.

    Args:
        work: description of the work.
        seconds: result of ``contest``.
        reach: the goal for the speedup, by rival.
        amounts: units of work per turn; by contestant if they differ.
        unit: unit of the rate, such as "tokens/s".
    """
    each = dict.fromkeys(seconds, amounts) if isinstance(amounts, (int, float)) else dict(amounts)
    rates = {name: [each[name] / s for s in taken] for name, taken in seconds.items()}
    contestants: dict[str, Any] = {}
    for name, values in rates.items():
        contestants[name] = {"seconds": spread(seconds[name]), "rate": spread(values)}
        if name != OURS:
            ratios = [ours / rival for ours, rival in zip(rates[OURS], values, strict=True)]
            contestants[name]["ours_is_times_faster"] = spread(ratios)
    reached = {name: contestants[name]["ours_is_times_faster"]["median"] >= goal for name, goal in reach.items()}
    return {
        "work": work,
        "unit": unit,
        "rounds": len(next(iter(seconds.values()))),
        "reach": dict(reach),
        "reached": reached,
        "contestants": contestants,
    }


def matmul(settings: Settings, size: int = 2048) -> tuple[Callable[[], object], float]:
    """A square matrix product as a contestant, and its floating-point operations; it shows the practical peak."""
    a, b = (torch.randn(size, size, device=settings.device, dtype=settings.dtype) for _ in range(2))
    return lambda: a @ b, 2.0 * size**3


@contextmanager
def threads(number: int) -> Iterator[None]:
    """Set the number of torch's threads inside the block."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def write(
    name: str, settings: Settings, rows: Sequence[Mapping[str, Any]], *, folder: Path = RESULTS, **more: Any
) -> Path:
    """Write the results of one benchmark with hardware, versions and settings, atomically.

    Args:
        name: name of the benchmark.
        settings: its settings.
        rows: from ``compare``, or rows of another shape.
        folder: output folder.
        more: further content of the file, such as sizes and notes.
    """
    content = {
        "benchmark": name,
        "command": command(),
        "date": today(),
        "commit": commit("src", "benchmarks"),
        "machine": machine(settings),
        "versions": versions(*PACKAGES),
        "settings": {"dtype": str(settings.dtype), "compile": settings.compile, "seed": settings.seed},
        "spread": f"median; low and high are the {LOW:.0%} and {HIGH:.0%} quantiles over the rounds",
        **more,
        "rows": list(rows),
    }
    path = folder / f"{name}{settings.suffix()}.json"
    return atomic_write(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")


def command() -> str:
    """The command that repeats this run."""
    return " ".join(["python -m benchmarks", *sys.argv[1:]])


def machine(settings: Settings) -> dict[str, Any]:
    """Hardware, versions, and the load of the machine."""
    about: dict[str, Any] = {
        "cpu": cpu(),
        "cores": os.cpu_count(),
        "threads": settings.threads,
        "system": platform.system(),
        "device": settings.device,
        "load_average_5_minutes": round(os.getloadavg()[1], 2) if hasattr(os, "getloadavg") else None,
    }
    if settings.device == "cuda":
        about["gpu"] = torch.cuda.get_device_name()
    return about
