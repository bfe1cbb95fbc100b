"""Learning curves of several contestants, and their ranking at a budget that the reader chooses."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

import traitlets

from attnbook._internal.validate import check_range
from attnbook.widgets.base import BaseWidget, bundle, plain
from attnbook.widgets.layout import encodable

BUDGETS = ("1/4", "1", "4")
NAMED = {"1/4": "a quarter of the base", "1": "the base", "4": "four times the base"}
Seeds = Sequence[float | None] | None


class CurvesView(BaseWidget):
    """Validation figures of contestants over training budgets, with the spread between seeds.

    Each point of a curve is the mean over seeds at the best learning rate for this contestant and budget.

    Args:
        content: a stored result of the harness for comparisons, see ``attnbook.pages.results.load_sweep``.
        task: the task that is shown first; by default the first one.
        chosen: the contestant that is highlighted at first; by default the first one.
        title: heading of the view; views on one page should have different titles.

    Raises:
        ValueError: ``content`` is not a result of the harness or has no finished runs, or ``task`` or ``chosen`` is
            unknown.
    """

    _esm = bundle("curves_view")
    title = traitlets.Unicode().tag(sync=True)
    tasks = traitlets.Dict().tag(sync=True)
    metric = traitlets.Unicode().tag(sync=True)
    unit = traitlets.Unicode().tag(sync=True)
    higher_is_better = traitlets.Bool().tag(sync=True)
    task = traitlets.Unicode().tag(sync=True)
    point = traitlets.Int().tag(sync=True)
    chosen = traitlets.Unicode().tag(sync=True)

    def __init__(
        self,
        content: Mapping[str, Any],
        *,
        task: str | None = None,
        chosen: str | None = None,
        title: str = "Learning curves, and who leads when",
    ) -> None:
        needed = {"protocol", "curves"}
        check_range("content", sorted(content), needed <= content.keys(), "a result of the harness for comparisons")
        protocol = content["protocol"]
        tasks = {name: one for name in protocol["tasks"] if (one := _task(content, name))["curves"]}
        check_range("content", content.get("name"), bool(tasks), "the result of a comparison with finished runs")
        task = next(iter(tasks)) if task is None else task
        check_range("task", task, task in tasks, f"one of {list(tasks)}")
        names = [curve["name"] for curve in tasks[task]["curves"]]
        chosen = names[0] if chosen is None else encodable(chosen)
        check_range("chosen", chosen, chosen in names, f"one of {names}")
        super().__init__(
            title=encodable(title),
            tasks={encodable(name): one for name, one in tasks.items()},
            metric=encodable({"bleu": "BLEU"}.get(protocol["metric"], protocol["metric"])),
            unit=encodable(protocol["unit"]),
            higher_is_better=bool(protocol["higher_is_better"]),
            task=encodable(task),
            point=tasks[task]["budgets"]["1"],
            chosen=chosen,
            alt=encodable(_alt_text(tasks[task], protocol)),
        )

    def draw(self, axes: Any) -> None:
        """Draw the ranking at the base budget."""
        self.draw_budget(axes, "1")

    def draw_figure(self, figure: Any) -> None:
        """Draw the rankings at a quarter of the base budget, at the base budget and at four times it."""
        panels = figure.subplots(1, len(BUDGETS), sharex=True, sharey=True)
        for budget, axes in zip(BUDGETS, panels, strict=True):
            self.draw_budget(axes, budget)

    def draw_budget(self, axes: Any, budget: str) -> None:
        """Draw a row for each contestant: a dot at the mean, and a line from the lowest to the highest seed."""
        task = self.tasks[self.task]
        point = task["budgets"][budget]
        leaders = _ranked(task, point, self.higher_is_better)[:1]
        for row, curve in enumerate(task["curves"]):
            values = curve["values"][point]
            if values is None:
                continue
            mean = statistics.fmean(values)
            spread = [[mean - min(values)], [max(values) - mean]]
            filled = "C0" if curve["name"] in leaders else "white"
            axes.errorbar([mean], [row], xerr=spread, fmt="o", mfc=filled, color="C0")
        axes.set_yticks(range(len(task["curves"])), plain(curve["name"] for curve in task["curves"]))
        axes.set_ylim(len(task["curves"]) - 0.5, -0.5)
        axes.set_title(f"{task['steps'][point]:,} steps", fontsize="medium")
        axes.set_xlabel(*plain([self.unit]))


def _task(content: Mapping[str, Any], name: str) -> dict[str, Any]:
    """The curves of one task, and the points of the three budgets on them."""
    rows = [row for row in content["curves"] if row["task"] == name]
    steps = list(rows[0]["steps"]) if rows else []
    budgets = content["protocol"]["budgets"][name]
    return {
        "steps": steps,
        "budgets": {budget: steps.index(budgets[budget]) for budget in BUDGETS if steps},
        "curves": [
            {
                "name": encodable(row["contestant"]),
                "values": [_finite(seeds) for seeds in row["valid"]],
                "rates": list(row["rates"]),
            }
            for row in rows
            if any(_finite(seeds) for seeds in row["valid"])
        ],
    }


def _finite(seeds: Seeds) -> list[float] | None:
    """The figures of all seeds; None if a run has diverged or is missing."""
    if not seeds or None in seeds:
        return None
    return [float(value) for value in seeds if value is not None]


def _ranked(task: Mapping[str, Any], point: int, higher_is_better: bool) -> list[str]:
    means = {
        curve["name"]: statistics.fmean(curve["values"][point]) for curve in task["curves"] if curve["values"][point]
    }
    return sorted(means, key=lambda name: means[name], reverse=higher_is_better)


def _alt_text(task: Mapping[str, Any], protocol: Mapping[str, Any]) -> str:
    """Name the best contestant at each of the three budgets."""
    parts = []
    for budget in BUDGETS:
        point = task["budgets"][budget]
        if names := _ranked(task, point, bool(protocol["higher_is_better"])):
            values = next(curve["values"][point] for curve in task["curves"] if curve["name"] == names[0])
            parts.append(
                f"after {task['steps'][point]:,} steps ({NAMED[budget]}) {names[0]} with {statistics.fmean(values):.3g}"
            )
    measured = f"{protocol['metric']} in {protocol['unit']}"
    return f"Learning curves of {len(task['curves'])} contestants, {measured}. First is {'; '.join(parts)}."
