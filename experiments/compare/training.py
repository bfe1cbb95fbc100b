"""Train one contestant at one learning rate with one seed, and measure it at every budget of its learning curve.

Every budget has a full schedule of its length: a warm-up, a constant learning rate, and a linear decay to zero over the
last fifth of the steps. The warm-up and the constant part are the same for all budgets, so one run trains them once.
For each budget it saves its state, decays the rate, measures the model, and restores the state from before the decay
(Hägele et al. 2024, "Scaling laws and compute-optimal training beyond fixed training durations"). Batches and dropout
depend only on seed and step.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from experiments.compare.declare import TEST, VALID, Comparison, Trial

DECAY = 0.2  # the share of a budget's steps over which the learning rate falls to zero
SCHEDULE = (
    "Adam (betas 0.9 and 0.98). Every budget has a full schedule of its own: linear warm-up, constant learning rate, "
    "linear decay to zero over the last fifth of the steps. Budgets share the warm-up and the constant part, which one "
    "run trains once; each decay starts from a copy."
)


def steps_of_run(points: list[int]) -> int:
    """Optimizer steps of a whole run, including all decays."""
    return _decay_start(points[-1]) + sum(budget - _decay_start(budget) for budget in points)


def train_run(comparison: Comparison, task: str, contestant: str, rate: float, seed: int) -> dict[str, Any]:
    """Train one run and return its learning curve.

    Returns:
        ``valid``: each metric at every point of the curve; ``test``: each metric at the three budgets; None where the
        loss or a metric was not finite. ``parameters`` and ``seconds`` (CPU).
    """
    started = time.process_time()
    torch.manual_seed(seed)
    trial = comparison.build(task, contestant, seed)
    points, budgets = comparison.points(task), set(comparison.budget_points().values())
    warmup = comparison.warmup_of(task) if trial.warmup is None else trial.warmup
    measured = _measure_curve(trial, rate, seed, points, budgets, warmup, comparison.clip_norm)
    valid, test = [], []
    for index, figures in enumerate(measured):
        valid.append(figures.get(VALID))
        if index in budgets:
            test.append(figures.get(TEST))
    names = sorted({name for figures in (*valid, *test) if figures for name in figures})
    return {
        "valid": {name: [figures and figures.get(name) for figures in valid] for name in names},
        "test": {name: [figures and figures.get(name) for figures in test] for name in names},
        "parameters": sum(parameter.numel() for parameter in trial.model.parameters()),
        "seconds": round(time.process_time() - started, 2),
    }


def _measure_curve(
    trial: Trial, rate: float, seed: int, points: list[int], budgets: set[int], warmup: int, clip_norm: float
) -> Iterator[dict[str, dict[str, float]]]:
    """Metrics on validation data (and on test data at the budgets) at each point; empty if one is not finite."""
    stepper = _Stepper(trial, seed, clip_norm)
    done, diverged = 0, False
    for index, budget in enumerate(points):
        decay_start = _decay_start(budget)
        while done < decay_start and not diverged:
            diverged = not stepper.step(done, rate * min(1.0, (done + 1) / warmup))
            done += 1
        if diverged:
            yield {}
            continue
        kept = stepper.state()
        left = range(decay_start, budget)
        if all(stepper.step(step, _decayed(rate, step, decay_start, budget, warmup)) for step in left):
            trial.model.eval()
            with torch.no_grad():
                figures = {
                    split: _rounded(trial.measure(split)) for split in ((VALID, TEST) if index in budgets else (VALID,))
                }
            finite = all(math.isfinite(value) for measured in figures.values() for value in measured.values())
            yield figures if finite else {}
        else:
            yield {}
        stepper.restore(kept)


def _decay_start(budget: int) -> int:
    """The step at which the decay of a budget begins."""
    return budget - max(1, round(DECAY * budget))


def _decayed(rate: float, step: int, decay_start: int, budget: int, warmup: int) -> float:
    return rate * min(1.0, (step + 1) / warmup, (budget - step) / (budget - decay_start + 1))


def _rounded(figures: dict[str, float]) -> dict[str, float]:
    return {name: float(f"{value:.5g}") for name, value in figures.items()}


class _Stepper:
    """Take steps with Adam, with a state that can be saved and restored."""

    def __init__(self, trial: Trial, seed: int, clip_norm: float) -> None:
        self.trial, self.seed, self.clip_norm = trial, seed, clip_norm
        groups: dict[float, list[nn.Parameter]] = {}
        for name, parameter in trial.model.named_parameters():
            if parameter.requires_grad:
                factors = [factor for prefix, factor in trial.factors.items() if name.startswith(prefix)]
                groups.setdefault(math.prod(factors), []).append(parameter)
        self.factors = list(groups)
        self.parameters = [parameter for group in groups.values() for parameter in group]
        self.optimizer = torch.optim.Adam(
            [{"params": group} for group in groups.values()], betas=(0.9, 0.98), eps=1e-9, fused=True
        )

    def step(self, number: int, rate: float) -> bool:
        """Take one step; return False, without a step, if the loss or its gradient is not finite."""
        for factor, group in zip(self.factors, self.optimizer.param_groups, strict=True):
            group["lr"] = factor * rate
        torch.manual_seed(1_000_003 * (self.seed + 1) + number)  # for dropout
        self.trial.model.train()
        loss = self.trial.loss(number)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = nn.utils.clip_grad_norm_(self.parameters, self.clip_norm)
        if not math.isfinite(float(norm)) or not math.isfinite(float(loss.detach())):
            return False
        self.optimizer.step()
        return True

    def state(self) -> tuple[dict[str, Tensor], dict[str, Any]]:
        weights = {name: tensor.clone() for name, tensor in self.trial.model.state_dict().items()}
        return weights, copy.deepcopy(self.optimizer.state_dict())

    def restore(self, state: tuple[dict[str, Tensor], dict[str, Any]]) -> None:
        self.trial.model.load_state_dict(state[0])
        self.optimizer.load_state_dict(state[1])
