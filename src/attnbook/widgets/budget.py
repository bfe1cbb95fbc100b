"""A limit on the proportion of time that repeated work may take."""

from __future__ import annotations

import time
from collections.abc import Callable

# A look also slows down the steps after it, because caches have to be filled again: `benchmarks.overhead` measured half
# of the look's own time in addition.
MEASURED_PART = 0.6


class TimeBudget:
    """Limit repeated work to a proportion of the total time.

    After work of c seconds the next work is due ``max(least, c / (MEASURED_PART * share))`` seconds later. The rest of
    ``share`` is reserved for costs that cannot be measured here.

    Args:
        share: the proportion of time that the work may take, above 0 and up to 1.
        least: shortest pause in seconds.
        clock: returns the time in seconds.

    Raises:
        ValueError: ``share`` is out of range.
    """

    def __init__(self, share: float, *, least: float, clock: Callable[[], float] = time.perf_counter) -> None:
        if not 0 < share <= 1:
            raise ValueError(f"share must be > 0 and <= 1, got {share}")
        self.share = share
        self.least = least
        self._clock = clock
        self._next = clock()

    def due(self) -> bool:
        """Return whether enough time has passed."""
        return self._clock() >= self._next

    def spent(self, cost: float) -> None:
        """Record the cost in seconds."""
        self._next = self._clock() + max(self.least, cost / (MEASURED_PART * self.share))
