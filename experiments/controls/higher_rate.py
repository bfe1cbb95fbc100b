"""The models of ``sharing`` with multi-head and differential attention, at four times their learning rate."""

from __future__ import annotations

from typing import Any

from experiments.controls import sharing

QUESTION = "Does differential attention have a lower loss than multi-head attention at four times the learning rate?"
KINDS, RATE = ("multi-head", "differential"), 2e-2


def cases() -> list[dict[str, Any]]:
    return [{"model": kind, "lr": RATE, "seed": seed} for kind in KINDS for seed in range(3)]


def measure(model: str, lr: float, seed: int) -> dict[str, Any]:
    return sharing.measure(model, seed, lr)
