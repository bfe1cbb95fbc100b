"""Which sentence pairs make each batch of an epoch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from attnbook._internal.validate import check_range, check_sizes, is_integer


class BatchSampler:
    """Batches of pairs of similar length, shuffled anew in every epoch.

    The order of an epoch depends on ``seed`` and the epoch's number alone. Every pair is in exactly one batch of an
    epoch, and every epoch has the same number of batches: the pairs are sorted by the length of the target and then by
    that of the source, equal ones in random order, cut into batches, and the batches are shuffled. What is kept is one
    number a pair, of at most 8 bytes and mostly 4; an epoch takes as much again, and 12 bytes while it begins.

    Args:
        source_lengths: ``(pairs,)`` ids in each source.
        target_lengths: ``(pairs,)`` ids in each target, ``<eos>`` included.
        batch_size: pairs in a batch; the last one may be smaller.
        max_tokens: largest size of a batch, padding included: its rows times its longest row, source or target. Give
            this or ``batch_size``.
        seed: of the shuffling, 0 or more.
        shuffle: False keeps the given order, the same in every epoch.

    Raises:
        ValueError: both or neither of ``batch_size`` and ``max_tokens`` are given, one of them is below 1, ``seed`` is
            no whole number above -1, or a pair alone is longer than ``max_tokens``.
    """

    def __init__(
        self,
        source_lengths: np.ndarray,
        target_lengths: np.ndarray,
        *,
        batch_size: int | None = None,
        max_tokens: int | None = None,
        seed: int = 0,
        shuffle: bool = True,
    ) -> None:
        if (batch_size is None) == (max_tokens is None):
            raise ValueError(
                "exactly one of batch_size and max_tokens must be given, got "
                f"batch_size={batch_size}, max_tokens={max_tokens}"
            )
        check_sizes(batch_size=batch_size, max_tokens=max_tokens)
        check_range("seed", seed, is_integer(seed) and seed >= 0, "an integer >= 0")
        self.pairs, self.seed, self.shuffle = len(source_lengths), int(seed), bool(shuffle)
        self._last: tuple[int, np.ndarray, np.ndarray] | None = None  # the epoch that batch_at() was asked for last
        self._base = int(source_lengths.max()) + 1
        kind = np.min_scalar_type((int(target_lengths.max()) + 1) * self._base)
        self._keys = target_lengths.astype(kind) * kind.type(self._base) + source_lengths.astype(kind)
        if batch_size is not None:
            self._cuts: range | list[int] = range(0, self.pairs + batch_size, batch_size)
        else:
            longer = np.maximum(source_lengths, target_lengths)
            worst = int(longer.argmax())
            fits = int(longer[worst]) <= (max_tokens or 0)
            check_range("max_tokens", max_tokens, fits, f">= {longer[worst]}, the length of pair {worst}")
            self._cuts = _cuts(longer[self._sorted(self._rows())] if shuffle else longer, max_tokens or 0)

    def __len__(self) -> int:
        """Number of batches in an epoch."""
        return len(self._cuts) - 1

    def epoch(self, number: int, *, start: int = 0) -> Iterator[np.ndarray]:
        """The pairs of each batch of one epoch, as indices.

        Args:
            number: which epoch, 0 or more.
            start: index of the first batch to give; ``len(self)`` gives none.

        Raises:
            ValueError: ``number`` is negative, or ``start`` is outside the epoch.
        """
        check_range("number", number, is_integer(number) and number >= 0, "an integer >= 0")
        inside = is_integer(start) and 0 <= start <= len(self)
        check_range("start", start, inside, f"between 0 and {len(self)}, the number of batches")
        rows, batches = self._shuffled(number)
        return (self._cut(rows, i) for i in batches[start:])

    def batch_at(self, position: int) -> np.ndarray:
        """The pairs of the batch at a position, from 0, in all epochs one after another.

        Raises:
            ValueError: ``position`` is no whole number above -1.
        """
        fits = is_integer(position) and position >= 0
        check_range("position", position, fits, "an integer >= 0")
        number, index = divmod(position, len(self))
        if self._last is None or self._last[0] != number:
            self._last = number, *self._shuffled(number)
        _, rows, batches = self._last
        return self._cut(rows, batches[index])

    def num_tokens(self, position: int) -> int:
        """Target ids of that batch, ``<eos>`` included."""
        return int((self._keys[self.batch_at(position)] // self._base).sum())

    @property
    def digest(self) -> str:
        """Of all lengths, and of what decides the order of every epoch."""
        settings = repr((self.pairs, self.seed, self.shuffle, self._base, list(self._cuts)))
        return hashlib.sha256(settings.encode() + self._keys.tobytes()).hexdigest()

    def _shuffled(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """The pairs and the batches of an epoch in their order."""
        rows, batches = self._rows(), np.arange(len(self))
        if not self.shuffle:
            return rows, batches
        random = np.random.default_rng([self.seed, number])
        return self._sorted(random.permutation(rows)), random.permutation(batches)

    def _cut(self, rows: np.ndarray, batch: int) -> np.ndarray:
        return rows[self._cuts[batch] : self._cuts[batch + 1]]

    def _rows(self) -> np.ndarray:
        return np.arange(self.pairs, dtype=np.int32 if self.pairs < 2**31 else np.int64)

    def _sorted(self, rows: np.ndarray) -> np.ndarray:
        """By target length, then source length; where both are equal, in the given order."""
        return rows[np.argsort(self._keys[rows], kind="stable")]


def _cuts(lengths: np.ndarray, max_tokens: int) -> list[int]:
    """Where batches begin in a sequence of pairs of these lengths, and where the last one ends."""
    cuts, longest = [0], 0
    for row, length in enumerate(map(int, lengths)):
        longest = max(longest, length)
        if (row - cuts[-1] + 1) * longest > max_tokens:
            cuts.append(row)
            longest = length
    return [*cuts, len(lengths)]
