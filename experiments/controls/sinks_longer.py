"""The models of `sinks`, trained four times as long."""

from __future__ import annotations

from typing import Any

from experiments.controls import sinks

QUESTION = "Do small models put their spare weight on the first token if they are trained four times as long?"
STEPS = 4 * sinks.STEPS


def cases() -> list[dict[str, Any]]:
    return [{"steps": STEPS, "seed": seed} for seed in range(3)]


def measure(steps: int, seed: int) -> dict[str, Any]:
    return sinks.judge(sinks.fit(seed, steps))
