"""The declaration of a comparison: its question, contestants, budget and data."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

BUDGETS = {"1/4": -4, "1": 0, "4": 4}  # times the base number of steps, as half powers of two
FIRST, LAST = -6, 4  # points of a learning curve, as half powers of two: 1/8 to 4 times the base
VALID, TEST = "valid", "test"


def generator(seed: int, step: int) -> torch.Generator:
    """The random generator for the batch of a step, the same for every contestant with this seed."""
    return torch.Generator().manual_seed(1_000_003 * (seed + 1) + step)


@dataclass
class Trial:
    """One model to train, with its loss and its metrics.

    Args:
        model: the model before its first step.
        loss: maps the number of a step, from 0, to the loss on its batch. The batch must depend only on the seed and on
            the step.
        measure: maps "valid" or "test" to the metrics on that data. The model is in eval mode, without gradients.
        factors: maps a prefix of parameter names to the factor by which their learning rate differs from the
            contestant's.
        warmup: steps over which the learning rate rises; None: as declared by the comparison.
    """

    model: nn.Module
    loss: Callable[[int], Tensor]
    measure: Callable[[str], dict[str, float]]
    factors: Mapping[str, float] = field(default_factory=dict)
    warmup: int | None = None


@dataclass(frozen=True)
class Comparison:
    """A question about trained models, and the runs that answer it.

    Args:
        question: the question, as a sentence.
        contestants: name -> description in one phrase.
        differs: what differs between the contestants.
        same: what is the same for all of them.
        refuted_by: the outcome that would refute what the book says.
        split: descriptions of "train", "valid" and "test".
        metric: the metric that chooses learning rates (on validation data) and ranks contestants (on test data).
        unit: unit of the metric.
        steps: the base budget, in steps of the optimizer; a mapping where tasks need different ones.
        rates: at least four ascending learning rates, each 2 to 3.5 times the one before.
        build: maps task, contestant and seed to a :class:`Trial`. The global random state is seeded before the call.
        tasks: name -> description. Rates are chosen and contestants compared within each task.
        entries: task -> its contestants, if not every contestant takes part in every task.
        higher_is_better: whether larger values of the metric are better.
        seeds: number of seeds; at least three in a stored comparison, fewer to try one out.
        warmup: steps over which the learning rate rises; a twentieth of the base budget by default.
        tolerance: a rate at the edge must be better than all others by more than this before the sweep is extended.
        clip_norm: maximum norm of the gradient.
    """

    question: str
    contestants: Mapping[str, str]
    differs: str
    same: str
    refuted_by: str
    split: Mapping[str, str]
    metric: str
    unit: str
    steps: int | Mapping[str, int]
    rates: Sequence[float]
    build: Callable[[str, str, int], Trial]
    tasks: Mapping[str, str] = field(default_factory=lambda: {"": ""})
    entries: Mapping[str, Sequence[str]] | None = None
    higher_is_better: bool = True
    seeds: int = 3
    warmup: int | None = None
    tolerance: float = 0.0
    clip_norm: float = 1.0

    def __post_init__(self) -> None:
        rates = list(self.rates)
        ratios = [high / low for low, high in itertools.pairwise(rates)]
        if len(rates) < 4 or not all(1.99 <= ratio <= 3.5 for ratio in ratios):
            raise ValueError(f"rates must be >= 4 ascending numbers, a factor of 2 to 3.5 apart, got {rates}")
        if set(self.split) != {"train", VALID, TEST}:
            raise ValueError(f"split must name train, valid and test, got {sorted(self.split)}")
        for task in self.tasks:
            unknown = set(self.entrants(task)) - set(self.contestants)
            if unknown:
                raise ValueError(f"entries must name contestants, got {sorted(unknown)}")

    def entrants(self, task: str) -> list[str]:
        """The contestants of a task."""
        return list(self.contestants if self.entries is None else self.entries[task])

    def base(self, task: str) -> int:
        """The base budget of a task, in steps."""
        return self.steps if isinstance(self.steps, int) else self.steps[task]

    def warmup_of(self, task: str) -> int:
        return max(1, self.base(task) // 20) if self.warmup is None else self.warmup

    def points(self, task: str) -> list[int]:
        """The budgets of a learning curve, in steps: 1/8 to 4 times the base, each sqrt(2) times the one before."""
        return [round(self.base(task) * 2 ** (power / 2)) for power in range(FIRST, LAST + 1)]

    def budget_points(self) -> dict[str, int]:
        """Indices into the points of a curve of a quarter, one and four times the base budget."""
        return {name: power - FIRST for name, power in BUDGETS.items()}

    def factor(self) -> float:
        """The mean ratio of neighboring learning rates."""
        return math.exp(math.log(self.rates[-1] / self.rates[0]) / (len(self.rates) - 1))
