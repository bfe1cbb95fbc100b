"""Measure a toolkit from inside its training loop: pass on the batches, and record CPU time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, TextIO, TypeVar

from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_pre_hook

from benchmarks.toolkits.setting import Setting

Item = TypeVar("Item")


@dataclass
class Turn:
    """The work of one turn.

    Args:
        step: CPU seconds of the steps.
        loading: CPU seconds of making batches.
        tokens: real target tokens, including <eos>.
        positions: positions of source and target, including padding.
        real: positions without padding.
        steps: steps of the optimizer.
    """

    step: float = 0.0
    loading: float = 0.0
    tokens: int = 0
    positions: int = 0
    real: int = 0
    steps: int = 0


class Meter:
    """Pass on batches until the budget is spent, one turn at a time, and set the learning rate of every step.

    It reports ``ready`` with the first batch, so that reading the corpus counts for no contestant. An input line starts
    a turn; a report of the turn is written as JSON.

    Args:
        setting: settings of the comparison.
        orders: input stream with a line for each turn.
        reports: output stream for the reports.
        clock: CPU seconds of this process.
    """

    def __init__(
        self, setting: Setting, orders: TextIO, reports: TextIO, clock: Callable[[], float] = time.process_time
    ) -> None:
        self.setting = setting
        self.orders = orders
        self.reports = reports
        self.clock = clock
        self.turn = Turn()
        self.seconds = 0.0
        self.steps = 0
        self.turns = 0
        self._mark = 0.0
        self._ready = False
        self.hook = register_optimizer_step_pre_hook(self._set_rate)  # of every optimizer that this process has

    @property
    def over(self) -> bool:
        """Whether the budget is spent."""
        return self.seconds >= self.setting.budget

    def watch(self, batches: Iterable[Item], count: Callable[[Item], tuple[int, int, int]]) -> Iterator[Item]:
        """Yield the batches until the budget is spent.

        Args:
            batches: the toolkit's batches, one per step of the optimizer.
            count: returns real target tokens, real positions and all positions of a batch.
        """
        if self.over:
            return
        for batch in batches:
            tokens, real, positions = count(batch)
            if self._ready:
                self.turn.loading += self._passed()
            else:
                self._ready = True
                self._wait("ready")
            yield batch
            self.turn.step += self._passed()
            self.turn.tokens += tokens
            self.turn.real += real
            self.turn.positions += positions
            self.turn.steps += 1
            self.steps += 1
            if self.over or self.seconds >= self.setting.turn * (self.turns + 1):
                done, self.turn, self.turns = self.turn, Turn(), self.turns + 1
                self._wait(json.dumps(asdict(done)))
            if self.over:
                return

    def _passed(self) -> float:
        now = self.clock()
        passed, self._mark = now - self._mark, now
        self.seconds += passed
        return passed

    def _wait(self, report: str) -> None:
        print(report, file=self.reports, flush=True)
        if not self.orders.readline():
            raise SystemExit("standard input ended: no program gives turns")
        self._mark = self.clock()

    def rate(self) -> float:
        """The learning rate of the next step, as in ``Ledger.decay``."""
        left = max(0.0, 1 - self.seconds / self.setting.budget)
        return self.setting.lr * min(1.0, (self.steps + 1) / self.setting.warmup) * left

    def _set_rate(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        for group in optimizer.param_groups:
            group["lr"] = self.rate()
