"""The result file of a comparison: runs, summary and protocol."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from attnbook._internal.files import atomic_write
from bookkit.provenance import commit, cpu
from experiments.compare import choice
from experiments.compare.declare import Comparison
from experiments.compare.training import SCHEDULE

Run = dict[str, Any]
CASE = ("task", "contestant", "rate", "seed")


class Store:
    """The runs of one comparison, in one file that is rewritten after each run.

    Args:
        path: the file; runs that it already has are kept.
        name: name of the comparison.
        comparison: the comparison.
        origin: commit and hardware of new runs, see :func:`origin`.
        command: the command that repeats the comparison.

    Raises:
        ValueError: the file has runs with another budget, or was not written by the harness.
    """

    def __init__(self, path: Path, name: str, comparison: Comparison, origin: dict[str, Any], command: str) -> None:
        self.path, self.name, self.comparison, self.origin, self.command = path, name, comparison, origin, command
        self.runs: list[Run] = []
        self.origins: list[dict[str, Any]] = []
        if path.exists():
            self.merge(path)

    def merge(self, path: Path) -> int:
        """Add the runs of another file that are missing here; return their number."""
        content = json.loads(path.read_text(encoding="utf-8"))
        points = {task: self.comparison.points(task) for task in self.comparison.tasks}
        if "runs" not in content or content["points"] != points:
            raise ValueError(f"{path} must have runs of {self.name} with points={points}; move it away to start over")
        known, added = {self.key(run) for run in self.runs}, 0
        for run in content["runs"]:
            if self.key(run) not in known and run["contestant"] in self.comparison.entrants(run["task"]):
                self.runs.append({**run, "origin": self._origin(content["origins"][run["origin"]])})
                added += 1
        return added

    @staticmethod
    def key(case: Mapping[str, Any]) -> tuple[Any, ...]:
        return tuple(case[name] for name in CASE)

    def has(self, case: Mapping[str, Any]) -> bool:
        return self.key(case) in {self.key(run) for run in self.runs}

    def add(self, case: dict[str, Any], result: dict[str, Any]) -> None:
        """Add a finished run, and write the file."""
        self.runs.append({**case, **result, "origin": self._origin(self.origin)})
        self.write()

    def _origin(self, origin: dict[str, Any]) -> int:
        if origin not in self.origins:
            self.origins.append(origin)
        return self.origins.index(origin)

    def sweep(self, task: str, contestant: str) -> list[Run]:
        return [run for run in self.runs if run["task"] == task and run["contestant"] == contestant]

    def missing(self) -> list[dict[str, Any]]:
        """The runs to do now: those at the declared rates, then, for each finished sweep, those beyond its edges."""
        found, known = [], {self.key(run) for run in self.runs}
        for task in self.comparison.tasks:
            for contestant in self.comparison.entrants(task):
                own = self.sweep(task, contestant)
                rates = sorted({*self.comparison.rates, *(run["rate"] for run in own)})
                cases = [
                    {"task": task, "contestant": contestant, "rate": rate, "seed": seed}
                    for seed in range(self.comparison.seeds)
                    for rate in rates
                ]
                left = [case for case in cases if self.key(case) not in known]
                if not left:
                    left = [
                        {"task": task, "contestant": contestant, "rate": rate, "seed": seed}
                        for seed in range(self.comparison.seeds)
                        for rate in choice.new_rates(self.comparison, own)
                    ]
                found += left
        return found

    def write(self) -> None:
        """Write the file atomically."""
        self.runs.sort(key=self.key)
        rows = choice.summary(self.comparison, self.runs)
        content = {
            "name": self.name,
            "protocol": self.protocol(rows),
            "points": {task: self.comparison.points(task) for task in self.comparison.tasks},
            "summary": rows,
            "differences": choice.differences(self.comparison, rows),
            "curves": choice.curves(self.comparison, self.runs),
            "origins": self.origins,
            "runs": self.runs,
        }
        atomic_write(self.path, dump(content))

    def protocol(self, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """What a reader needs to judge or repeat the comparison."""
        comparison = self.comparison
        sweeps = [(task, contestant) for task in comparison.tasks for contestant in comparison.entrants(task)]
        return {
            "question": comparison.question,
            "tasks": dict(comparison.tasks),
            "contestants": dict(comparison.contestants),
            "differs": comparison.differs,
            "same": comparison.same,
            "refuted_by": comparison.refuted_by,
            "schedule": SCHEDULE,
            "rates": [
                {
                    "task": task,
                    "contestant": contestant,
                    "tried": sorted({run["rate"] for run in self.sweep(task, contestant)}),
                    "chosen": {
                        r["budget"]: r["rate"] for r in rows if (r["task"], r["contestant"]) == (task, contestant)
                    },
                    "at_edge": [
                        r["budget"] for r in rows if (r["task"], r["contestant"]) == (task, contestant) and r["at_edge"]
                    ],
                }
                for task, contestant in sweeps
            ],
            "chosen_by": f"the mean of {comparison.metric} over seeds on validation data, at each budget",
            "budgets": {
                task: {name: comparison.points(task)[point] for name, point in comparison.budget_points().items()}
                for task in comparison.tasks
            },
            "warmup": {task: comparison.warmup_of(task) for task in comparison.tasks},
            "seeds": list(range(comparison.seeds)),
            "split": dict(comparison.split),
            "metric": comparison.metric,
            "unit": comparison.unit,
            "higher_is_better": comparison.higher_is_better,
            "interval": "paired by seed, 95 %, Student's t",
            "command": self.command,
            "commits": sorted({origin["commit"] for origin in self.origins}),
            "processors": sorted({origin["processor"] for origin in self.origins}),
            "torch": sorted({origin["torch"] for origin in self.origins}),
            "dates": sorted({origin["date"] for origin in self.origins}),
            "runs": len(self.runs),
            "missing": len(self.missing()),
            "minutes": round(sum(run["seconds"] for run in self.runs) / 60, 1),
        }


def origin(commit_given: str | None) -> dict[str, Any]:
    """Commit, processor and versions of the runs.

    Args:
        commit_given: the commit, for a copy of the code that is not a git checkout.
    """
    return {
        "commit": commit_given or commit("src", "experiments"),
        "processor": cpu(),
        "python": platform.python_version(),
        "torch": torch.__version__.partition("+")[0],
        "date": datetime.now(UTC).date().isoformat(),
    }


def dump(content: Mapping[str, Any]) -> str:
    """JSON with one line per run and row, for short files and readable diffs."""
    parts = []
    for key, value in content.items():
        if isinstance(value, list) and value:
            rows = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in value)
            parts.append(f' "{key}": [\n{rows}\n ]')
        else:
            indent = 1 if key == "protocol" else None
            parts.append(f' "{key}": ' + json.dumps(value, ensure_ascii=False, indent=indent))
    return "{\n" + ",\n".join(parts) + "\n}\n"
