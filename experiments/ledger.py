"""CPU time that a run has spent, in a file next to its checkpoint, so that a budget holds across interruptions."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attnbook._internal.files import atomic_write
from attnbook.training.optim import Schedule


@dataclass
class Ledger:
    """CPU seconds after each step, and the curve.

    Args:
        path: file of the ledger.
        spent: CPU seconds of all steps up to each, the first step's first.
        tokens: real target tokens of all steps.
        curve: what was noted now and then: each a dict with the key "step".
    """

    path: Path
    spent: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    curve: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def open(cls, path: Path, steps: int) -> Ledger:
        """The ledger as it was after so many steps.

        An interruption may hit between a step and its entry; such a last step counts as free.

        Raises:
            ValueError: the file lacks more than the last step.
        """
        ledger = cls(path)
        if path.exists():
            data = json.loads(path.read_text(encoding="utf-8"))
            ledger = cls(path, data["spent"][:steps], data["tokens"][:steps])
            ledger.curve = [point for point in data["curve"] if point["step"] <= steps]
        if len(ledger.spent) == steps - 1:
            ledger.add(0.0, 0)
        if len(ledger.spent) != steps:
            raise ValueError(f"{path} must have {steps} steps, as the checkpoint next to it, got {len(ledger.spent)}")
        return ledger

    @property
    def seconds(self) -> float:
        """CPU seconds spent on all steps."""
        return self.spent[-1] if self.spent else 0.0

    def add(self, seconds: float, tokens: int) -> None:
        """Note one more step."""
        self.spent.append(round(self.seconds + seconds, 4))
        self.tokens.append((self.tokens[-1] if self.tokens else 0) + tokens)

    def decay(self, peak: float, *, warmup: int, budget: float) -> Schedule:
        """A learning rate that rises over ``warmup`` steps and falls linearly, to zero when the budget is spent.

        What was paid for a step is noted, so that the rate of a past step stays what it was.
        """

        def schedule(step: int) -> float:
            before = self.spent[step - 2] if step > 1 else 0.0
            return peak * min(1.0, step / max(1, warmup)) * max(0.0, 1 - before / budget)

        return schedule

    def save(self) -> None:
        """Write the file, atomically."""
        content = {"spent": self.spent, "tokens": self.tokens, "curve": self.curve}
        atomic_write(self.path, json.dumps(content))
