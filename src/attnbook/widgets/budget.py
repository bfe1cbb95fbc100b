"""When to spend time on looking."""

from __future__ import annotations

import time
from collections.abc import Callable


class TimeBudget:
    """Allows something again once what it cost has become a small share of the time since.

    After a cost of c seconds the next time is ``max(least, c / (0.75 share))`` later. The quarter that is kept back
    pays for what cannot be measured from here, such as caches that have to be filled again.

    Args:
        share: the share of time that may be spent, above 0 and up to 1.
        least: shortest pause in seconds.
        clock: gives the time in seconds.

    Raises:
        ValueError: ``share`` is outside its range.
    """

    def __init__(self, share: float, *, least: float, clock: Callable[[], float] = time.perf_counter) -> None:
        if not 0 < share <= 1:
            raise ValueError(f"share must be > 0 and <= 1, got {share}")
        self.share = share
        self.least = least
        self._clock = clock
        self._next = clock()

    def due(self) -> bool:
        """Whether it is time."""
        return self._clock() >= self._next

    def spent(self, cost: float) -> None:
        """Note what it cost, in seconds."""
        self._next = self._clock() + max(self.least, cost / (0.75 * self.share))
