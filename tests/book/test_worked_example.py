"""The notes' worked examples: steps that fit together, and known numbers judged as they must be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import yaml

STEPS: list[dict[str, Any]] = [
    step
    for example in yaml.safe_load((Path(__file__).parents[2] / "book" / "worked_example.yml").read_text())["examples"]
    for step in example["steps"]
]
BY_ID = {step["id"]: step for step in STEPS}


def test_step_names_are_unique() -> None:
    assert len(BY_ID) == len(STEPS)


@pytest.mark.parametrize("step", STEPS, ids=BY_ID)
def test_step_continues_from_printed_numbers(step: dict[str, Any]) -> None:
    before = list(BY_ID)[: list(BY_ID).index(step["id"])]
    for name, earlier in step.get("chain", {}).items():
        assert earlier in before
        assert step["inputs"][name] == BY_ID[earlier]["printed"]
    for name in step.get("exact", {}):
        assert name in step["inputs"]
    torch.tensor(step["printed"])  # rectangular


def test_known_numbers_are_wrong_and_right() -> None:
    """By hand: 0.2 * 0.1 + 0.4 * 0.4 + 0.6 * 0.7 = 0.60, and the notes have 0.62."""
    step = BY_ID["attention.q"]
    x, w = (torch.tensor(value, dtype=torch.float64) for value in step["inputs"].values())
    assert float((x @ w)[0, 0]) == pytest.approx(0.60)
    assert step["printed"][0][0] == 0.62
    weights = torch.tensor(BY_ID["multi-head.weights"]["printed"])
    assert float(weights.sum(-1).min()) == pytest.approx(0.86)
