"""Choose learning rates on validation data, extend the sweep at its edges, and compare contestants pair by pair."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from experiments.compare.declare import TEST, VALID, Comparison

MAX_EXTENSIONS = 3  # new rates at each end of a sweep
Run = dict[str, Any]


def best_rate(comparison: Comparison, runs: Sequence[Run], point: int) -> float | None:
    """The rate with the best mean over seeds on validation data, at a point of the curve.

    Args:
        comparison: has the metric, its direction and the number of seeds.
        runs: all runs of one contestant on one task.
        point: index into the curve.

    Returns:
        the rate; None if no rate has finite values for every seed.
    """
    means = _means(comparison, runs, point)
    if not means:
        return None
    best = max(means.values()) if comparison.higher_is_better else min(means.values())
    equal = [rate for rate, mean in means.items() if mean == best]
    return equal[len(equal) // 2]


def _means(comparison: Comparison, runs: Sequence[Run], point: int) -> dict[float, float]:
    means = {}
    for rate in sorted({run["rate"] for run in runs}):
        values = [run[VALID][comparison.metric][point] for run in runs if run["rate"] == rate and run[VALID]]
        if len(values) >= comparison.seeds and None not in values:
            means[rate] = statistics.fmean(values)
    return means


def new_rates(comparison: Comparison, runs: Sequence[Run]) -> list[float]:
    """The rates to add to a finished sweep, because the best rate at one of the three budgets is at an edge."""
    tried = sorted({run["rate"] for run in runs})
    factor, found = comparison.factor(), set()
    for point in comparison.budget_points().values():
        edge = edge_rate(comparison, runs, point)
        if edge is None:
            continue
        if edge == tried[-1] and edge < comparison.rates[-1] * factor ** (MAX_EXTENSIONS - 0.5):
            found.add(edge * factor)
        if edge == tried[0] and edge > comparison.rates[0] / factor ** (MAX_EXTENSIONS - 0.5):
            found.add(edge / factor)
    return sorted(float(f"{rate:.3g}") for rate in found)


def edge_rate(comparison: Comparison, runs: Sequence[Run], point: int) -> float | None:
    """The best rate, if it is the lowest or highest one tried and leads by more than the tolerance; otherwise None."""
    means, best = _means(comparison, runs, point), best_rate(comparison, runs, point)
    if best is None or best not in (min(run["rate"] for run in runs), max(run["rate"] for run in runs)):
        return None
    leads = [abs(means[best] - mean) for rate, mean in means.items() if rate != best]
    return best if leads and min(leads) > comparison.tolerance else None


def curves(comparison: Comparison, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """For every contestant: the validation metric at each budget of the curve, at the best rate for that budget."""
    found = []
    for task in comparison.tasks:
        for contestant in comparison.entrants(task):
            own = _of(comparison, runs, task, contestant)
            rates = [best_rate(comparison, own, point) for point in range(len(comparison.points(task)))]
            values = [_seeds(own, VALID, comparison.metric, rate, point) for point, rate in enumerate(rates)]
            found.append(
                {
                    "task": task,
                    "contestant": contestant,
                    "steps": comparison.points(task),
                    "rates": rates,
                    "valid": values,
                }
            )
    return found


def summary(comparison: Comparison, runs: Sequence[Run]) -> list[dict[str, Any]]:
    """For every contestant and each of the three budgets: the rate chosen on validation data, and its metrics."""
    found = []
    for task in comparison.tasks:
        for index, (budget, point) in enumerate(comparison.budget_points().items()):
            for contestant in comparison.entrants(task):
                own = _of(comparison, runs, task, contestant)
                rate = best_rate(comparison, own, point)
                if rate is None:
                    continue
                names = next(run[TEST] for run in own if run["rate"] == rate)
                found.append(
                    {
                        "task": task,
                        "contestant": contestant,
                        "budget": budget,
                        "steps": comparison.points(task)[point],
                        "rate": rate,
                        "at_edge": edge_rate(comparison, own, point) is not None,
                        "valid": _seeds(own, VALID, comparison.metric, rate, point),
                        "test": {name: _seeds(own, TEST, name, rate, index) for name in names},
                        "parameters": own[0]["parameters"],
                    }
                )
    return found


def differences(comparison: Comparison, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """For every pair of contestants of a task: differences on test data by seed, their mean and 95 % interval."""
    found = []
    for task in comparison.tasks:
        for budget in comparison.budget_points():
            values = {
                r["contestant"]: r["test"][comparison.metric]
                for r in rows
                if (r["task"], r["budget"]) == (task, budget)
            }
            for one, other in combinations(values, 2):
                differences = [round(a - b, 5) for a, b in zip(values[one], values[other], strict=True)]
                pair = {"task": task, "budget": budget, "one": one, "other": other}
                found.append({**pair, "apart": differences, **interval(differences)})
    return found


def interval(values: Sequence[float]) -> dict[str, Any]:
    """The mean of paired differences and its 95 % interval by Student's t; no interval for a single seed."""
    mean = statistics.fmean(values)
    if len(values) < 2:
        return {"mean": round(mean, 5), "interval": None}
    half = t_quantile(len(values) - 1) * statistics.stdev(values) / math.sqrt(len(values))
    return {"mean": round(mean, 5), "interval": [round(mean - half, 5), round(mean + half, 5)]}


def t_quantile(degrees: int, share: float = 0.975) -> float:
    """The quantile of Student's t distribution, by bisection of its distribution function."""
    low, high = 0.0, 1000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_below(middle, degrees) < share else (low, middle)
    return low


def _t_below(t: float, degrees: int) -> float:
    """P(T <= t) for t >= 0, with t = sqrt(degrees) tan(angle): the density becomes a power of the cosine (Simpson)."""
    end, parts = math.atan(t / math.sqrt(degrees)), 200
    heights = [math.cos(end * i / parts) ** (degrees - 1) for i in range(parts + 1)]
    area = sum(h * (1 if i in (0, parts) else 4 if i % 2 else 2) for i, h in enumerate(heights)) * end / parts / 3
    scale = math.exp(math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2)) / math.sqrt(math.pi)
    return 0.5 + scale * area


def _of(comparison: Comparison, runs: Sequence[Run], task: str, contestant: str) -> list[Run]:
    """The runs of a contestant on a task, without the additional seeds of an earlier call with more ``--seeds``."""
    own = [run for run in runs if run["task"] == task and run["contestant"] == contestant]
    return [run for run in own if run["seed"] < comparison.seeds]


def _seeds(runs: Sequence[Run], split: str, name: str, rate: float | None, index: int) -> list[float] | None:
    """The values of a metric at one rate, in the order of the seeds."""
    chosen = sorted((run for run in runs if run["rate"] == rate), key=lambda run: run["seed"])
    return [run[split][name][index] for run in chosen] or None
