"""Record the CPU time of a run in a file next to its checkpoint, so that its budget survives interruptions."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from attnbook._internal.files import atomic_write
from attnbook.training.optim import Schedule


@dataclass
class Ledger:
    """CPU seconds and tokens up to each step, and the learning curve.

    Args:
        path: file of the ledger.
        spent: cumulative CPU seconds after each step.
        tokens: cumulative number of real target tokens after each step.
        curve: points of the learning curve, each a dict with the key "step".
    """

    path: Path
    spent: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    curve: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def open(cls, path: Path, steps: int) -> Ledger:
        """Read the ledger as it was after a number of steps.

        An interruption between a step and its entry loses the entry; such a last step counts as zero seconds.

        Raises:
            ValueError: more than the last entry is missing.
        """
        ledger = cls(path)
        if path.exists():
            data = json.loads(path.read_text(encoding="utf-8"))
            ledger = cls(path, data["spent"][:steps], data["tokens"][:steps])
            ledger.curve = [point for point in data["curve"] if point["step"] <= steps]
        if len(ledger.spent) == steps - 1:
            ledger.add(0.0, 0)
        if len(ledger.spent) != steps:
            raise ValueError(f"{path} must have {steps} steps, like the checkpoint next to it, got {len(ledger.spent)}")
        return ledger

    @property
    def seconds(self) -> float:
        """CPU seconds of all steps."""
        return self.spent[-1] if self.spent else 0.0

    def add(self, seconds: float, tokens: int) -> None:
        """Add an entry for one more step."""
        self.spent.append(round(self.seconds + seconds, 4))
        self.tokens.append((self.tokens[-1] if self.tokens else 0) + tokens)

    def decay(self, peak: float, *, warmup: int, budget: float) -> Schedule:
        """A learning rate that rises over ``warmup`` steps, and falls linearly to zero as the budget is spent.

        It depends on recorded times only, so that a resumed run gets the same rates for its past steps.
        """

        def schedule(step: int) -> float:
            before = self.spent[step - 2] if step > 1 else 0.0
            return peak * min(1.0, step / max(1, warmup)) * max(0.0, 1 - before / budget)

        return schedule

    def save(self) -> None:
        """Write the file, atomically."""
        content = {"spent": self.spent, "tokens": self.tokens, "curve": self.curve}
        atomic_write(self.path, json.dumps(content))
