"""What the harness for comparisons stores, with figures that are easy to check."""

from __future__ import annotations

from typing import Any

STEPS = [25, 50, 100, 200, 400]
BUDGETS = {"1/4": 25, "1": 100, "4": 400}


def stored() -> dict[str, Any]:
    """Two tasks. On the first, *fast* leads at first, *slow* at last, and *wild* diverges."""
    rising = {"fast": [30.0, 50, 60, 62, 62], "slow": [10.0, 30, 55, 70, 80], "wild": [20.0, 40, None, None, None]}
    falling = {"fast": [20.0, 20, 20, 20, 20], "slow": [15.0, 15, 15, 15, 15]}
    curves, summary = [], []
    for task, contestants in (("reading", rising), ("writing", falling)):
        for name, means in contestants.items():
            valid = [None if mean is None else [mean - 1, mean, mean + 1] for mean in means]
            rates = [None if mean is None else 1e-3 for mean in means]
            curves.append({"task": task, "contestant": name, "steps": STEPS, "rates": rates, "valid": valid})
            for budget, steps in BUDGETS.items():
                mean = means[STEPS.index(steps)]
                if mean is not None:
                    row = {"task": task, "contestant": name, "budget": budget, "steps": steps, "rate": 1e-3}
                    test = {"right": [mean - 1, mean, mean + 2], "loss": [1.0, 1.0, 1.0]}
                    summary.append({**row, "at_edge": False, "test": test})
    protocol = {
        "question": "Who reads better?",
        "tasks": {"reading": "", "writing": ""},
        "budgets": {"reading": BUDGETS, "writing": BUDGETS},
        "metric": "right",
        "unit": "% of words",
        "higher_is_better": True,
    }
    apart = {"task": "reading", "budget": "4", "one": "fast", "other": "slow", "apart": [-18.0, -18.0, -18.0]}
    difference = {**apart, "mean": -18.0, "interval": [-19.0, -17.0]}
    return {"name": "reading", "protocol": protocol, "summary": summary, "curves": curves, "differences": [difference]}
