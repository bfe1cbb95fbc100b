"""The layer of `budget` with the smallest cache, trained four times as long."""

from __future__ import annotations

from typing import Any

from experiments.controls import budget

QUESTION = "How much of a list does the layer with the smallest cache recall after four times the steps?"
KIND, STEPS = "latent, smaller", 4 * budget.STEPS


def cases() -> list[dict[str, Any]]:
    return [{"kind": KIND, "steps": STEPS, "seed": seed} for seed in range(3)]


def measure(kind: str, steps: int, seed: int) -> dict[str, Any]:
    return budget.measure(kind, seed, steps)
