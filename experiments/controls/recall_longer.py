"""What changes in the lists of `recall` if softmax attention has a sense of order, and with eight times the steps?"""

from __future__ import annotations

from typing import Any

from experiments.controls.recall import LENGTHS, LONGEST, NAMES, STEPS, Reader, fit, right
from experiments.controls.recalling import FadingReader

QUESTION = "What do softmax attention with a learned slope, and linear attention with eight times the steps, recall?"
LONGER = 8 * STEPS


def cases() -> list[dict[str, Any]]:
    chosen = [("again", "softmax with slope", STEPS), ("once", "softmax with slope", STEPS)]
    chosen += [("once", kind, LONGER) for kind in ("linear", "linear, larger")]
    return [
        {"task": task, "kind": kind, "steps": steps, "seed": seed} for task, kind, steps in chosen for seed in range(3)
    ]


def measure(task: str, kind: str, steps: int, seed: int) -> dict[str, Any]:
    names = NAMES[task]
    model = fit(lambda: FadingReader(names) if kind == "softmax with slope" else Reader(kind, names), task, seed, steps)
    return {f"right of {items}": right(model, task, items) for items in (*LENGTHS, LONGEST)}
