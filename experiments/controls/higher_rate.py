"""The models of `parts` and `sharing` at four times their learning rate: does the order stay?"""

from __future__ import annotations

from typing import Any

from experiments.controls import parts, sharing

QUESTION = "What do replaced parts and differential attention change at four times the learning rate?"
KINDS, PARTS = ("multi-head", "differential"), ("nothing", "SwiGLU", "RMS norm", "rotary", "experts")


def cases() -> list[dict[str, Any]]:
    return [{"model": model, "lr": parts.HIGH, "seed": seed} for model in (*KINDS, *PARTS) for seed in range(3)]


def measure(model: str, lr: float, seed: int) -> dict[str, Any]:
    return sharing.measure(model, seed, lr) if model in KINDS else parts.measure(model, lr, seed)
