"""Load stored results: JSON files in the book's ``results`` folder."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


def load_result(name: str, *, start: Path | str | None = None) -> dict[str, Any] | None:
    """Load the committed results of one run.

    The folder ``results`` is searched for next to the page and above it, since a page may be run from anywhere in a
    copy of the book.

    Args:
        name: path below ``results``, without ``.json``.
        start: where to begin; the current folder if None.

    Returns:
        the content of the file; None if there is no copy of the book, for example next to a downloaded notebook.

    Raises:
        FileNotFoundError: the folder exists but has no such file.
    """
    folder = results_folder(start)
    if folder is None:
        return None
    path = folder / f"{name}.json"
    if not path.is_file():
        raise FileNotFoundError(f"name must be one of {_names(folder)}, got {name!r}")
    result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return result


def results_folder(start: Path | str | None = None) -> Path | None:
    """Find the folder ``results`` of the copy of the book around ``start`` (default: the current folder), or None."""
    start = Path.cwd() if start is None else Path(start)
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / "results").is_dir() and (folder / "_toc.yml").is_file():
            return folder / "results"
    return None


def _names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.json"))


@dataclass(frozen=True)
class Comparison:
    """A comparison that changes one thing, over several seeds, made by ``python -m experiments.controls``.

    Args:
        rows: one per case and seed: the case, its seed and its measurements.
    """

    rows: tuple[dict[str, Any], ...]

    def values(self, figure: str, **case: Any) -> list[float]:
        """Return a figure (a measurement) of a case, seed by seed.

        Raises:
            KeyError: no row belongs to that case, or its rows have no such figure.
        """
        found = [row for row in self.rows if case.items() <= row.items()]
        if not found or figure not in found[0]:
            raise KeyError(f"figure must be one that was measured for {case}, got {figure!r}")
        return [float(row[figure]) for row in found]

    def mean(self, figure: str, **case: Any) -> float:
        return statistics.fmean(self.values(figure, **case))

    def spread(self, figure: str, **case: Any) -> float:
        """The standard deviation between seeds."""
        return statistics.stdev(self.values(figure, **case))

    def formatted(self, figure: str, spec: str, **case: Any) -> str:
        """Mean and spread, as ``12.3 ± 0.4``."""
        return f"{self.mean(figure, **case):{spec}} ± {self.spread(figure, **case):{spec}}"

    def differences(self, figure: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> list[float]:
        """``one`` minus ``other``, seed by seed."""
        pairs = zip(self.values(figure, **one), self.values(figure, **other), strict=True)
        return [left - right for left, right in pairs]


def load_comparison(name: str) -> Comparison | None:
    """Load a committed comparison by its name; None if there is no copy of the book, see ``load_result``."""
    result = load_result(f"controls/{name}")
    return None if result is None else Comparison(tuple(result["rows"]))


@dataclass(frozen=True)
class Sweep:
    """A comparison over learning rates, seeds and budgets, made by ``python -m experiments.controls``.

    Figures are measured on test data, at the learning rate that is best on validation data for each budget.

    Args:
        content: content of the result file.
    """

    content: dict[str, Any]

    def has(self, contestant: str, *, task: str = "") -> bool:
        """Whether all seeds of a contestant have been trained."""
        return any((row["task"], row["contestant"]) == (task, contestant) for row in self.content["summary"])

    def _row(self, contestant: str, task: str, budget: str) -> dict[str, Any]:
        for row in self.content["summary"]:
            if (row["task"], row["contestant"], row["budget"]) == (task, contestant, budget):
                found: dict[str, Any] = row
                return found
        raise KeyError(f"contestant must have runs on {task!r} with {budget} times the budget, got {contestant!r}")

    def values(self, figure: str, contestant: str, *, task: str = "", budget: str = "1") -> list[float]:
        """Return a figure of a contestant, seed by seed.

        Args:
            figure: name of a metric.
            contestant: name of a contestant.
            task: name of a task.
            budget: "1/4", "1" or "4" times the base budget.

        Raises:
            KeyError: the figure has not been measured.
        """
        return [float(value) for value in self._row(contestant, task, budget)["test"][figure]]

    def mean(self, figure: str, contestant: str, *, task: str = "", budget: str = "1") -> float:
        return statistics.fmean(self.values(figure, contestant, task=task, budget=budget))

    def formatted(self, figure: str, spec: str, contestant: str, *, task: str = "", budget: str = "1") -> str:
        """Mean and standard deviation over seeds, as ``12.3 ± 0.4``."""
        values = self.values(figure, contestant, task=task, budget=budget)
        return f"{statistics.fmean(values):{spec}} ± {statistics.stdev(values):{spec}}"

    def differences(self, figure: str, one: str, other: str, *, task: str = "", budget: str = "1") -> list[float]:
        """``one`` minus ``other``, seed by seed."""
        pairs = (self.values(figure, name, task=task, budget=budget) for name in (one, other))
        return [left - right for left, right in zip(*pairs, strict=True)]

    def interval(self, one: str, other: str, *, task: str = "", budget: str = "1") -> tuple[float, float]:
        """Return the 95 % interval of the mean paired difference, ``one`` minus ``other``, in the chosen metric.

        Raises:
            KeyError: ``one`` and ``other`` have not been compared.
        """
        for row in self.content["differences"]:
            if (row["budget"], row["task"]) == (budget, task) and {row["one"], row["other"]} == {one, other}:
                low, high = row["interval"]
                return (low, high) if row["one"] == one else (-high, -low)
        raise KeyError(
            f"one and other must be compared on {task!r} with {budget} times the budget, got {one!r} and {other!r}"
        )

    def ranking(self, *, task: str = "", budget: str = "1") -> list[str]:
        """Sort the contestants by their mean in the chosen metric, best first."""
        protocol = self.content["protocol"]
        rows = [row for row in self.content["summary"] if (row["budget"], row["task"]) == (budget, task)]
        means = {str(row["contestant"]): statistics.fmean(row["test"][protocol["metric"]]) for row in rows}
        return sorted(means, key=lambda name: means[name], reverse=bool(protocol["higher_is_better"]))

    def curves_of(self, figure: str, *, unit: str, task: str = "") -> dict[str, Any]:
        """Return the content with one task, whose learning curves show another figure at the same learning rates.

        Args:
            figure: name of a metric.
            unit: its unit.
            task: name of a task.

        Raises:
            KeyError: the figure has not been measured in that task.
        """
        runs = sorted((run for run in self.content["runs"] if run["task"] == task), key=lambda run: int(run["seed"]))
        if not any(figure in run["valid"] for run in runs):  # a run that diverged at once has no figures
            raise KeyError(f"figure must be one that was measured on {task!r}, got {figure!r}")

        def values(contestant: str, rate: float | None, point: int) -> list[float | None]:
            chosen = [run for run in runs if (run["contestant"], run["rate"]) == (contestant, rate)]
            return [run["valid"][figure][point] if figure in run["valid"] else None for run in chosen]

        curves = [
            {**row, "valid": [values(row["contestant"], rate, point) for point, rate in enumerate(row["rates"])]}
            for row in self.content["curves"]
            if row["task"] == task
        ]
        protocol = self.content["protocol"]
        shown = {**protocol, "metric": figure, "unit": unit, "tasks": {task: protocol["tasks"][task]}}
        return {**self.content, "protocol": shown, "curves": curves}

    def steps(self, budget: str, *, task: str = "") -> int:
        """Return the number of steps of a budget."""
        steps: int = self.content["protocol"]["budgets"][task][budget]
        return steps


def load_sweep(name: str) -> Sweep | None:
    """Load a committed comparison by its name; None if there is no copy of the book, see ``load_result``."""
    result = load_result(f"controls/{name}")
    return None if result is None else Sweep(result)
