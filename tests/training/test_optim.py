"""The settings of Adam, and the learning-rate schedules."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
import torch

from attnbook.training.optim import adam, constant, linear_decay


def test_adam_has_the_settings_of_the_paper() -> None:
    options = adam([torch.nn.Parameter(torch.zeros(1))]).param_groups[0]
    assert (options["betas"], options["eps"], options["weight_decay"]) == ((0.9, 0.98), 1e-9, 0)


def test_schedules_have_documented_values() -> None:
    assert [constant(2.0)(s) for s in (1, 5, 10**6)] == [2.0] * 3
    assert [constant(2.0, warmup=4)(s) for s in (1, 2, 4, 5)] == [0.5, 1.0, 2.0, 2.0]
    rate = linear_decay(1.0, warmup=4, total=13)
    assert [rate(s) for s in (1, 2, 3, 4)] == [0.25, 0.5, 0.75, 1.0]
    falling = [rate(s) for s in range(4, 15)]
    assert all(a > b for a, b in pairwise(falling)) and falling[-1] == pytest.approx(0)
    assert rate(9) == pytest.approx(0.5) and rate(100) == 0
    assert linear_decay(1.0, total=4)(1) == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: constant(0), "peak"),
        (lambda: constant(1, warmup=-1), "warmup"),
        (lambda: linear_decay(1, warmup=5, total=5), "total"),
        (lambda: linear_decay(1, total=0), "total"),
    ],
)
def test_schedules_name_invalid_argument(call: Any, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        call()


@pytest.mark.parametrize("value", ["1", None, [1], math.nan, math.inf, True, 1 + 0j])
def test_schedules_refuse_values_that_are_not_finite_numbers(value: Any) -> None:
    with pytest.raises(ValueError, match="peak"):
        constant(value)
    with pytest.raises(ValueError, match="warmup"):
        constant(1.0, warmup=value)
