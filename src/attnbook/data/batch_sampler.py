"""Choose the sentence pairs of each batch of an epoch."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import numpy as np

from attnbook._internal.validate import check_bools, check_range, check_sizes, is_integer


class BatchSampler:
    """Batches of pairs of similar length, reshuffled in every epoch.

    The order of an epoch depends only on ``seed`` and the number of the epoch. Every pair is in exactly one batch, and
    every epoch has the same number of batches: the pairs are sorted by target length and then by source length, with
    ties in random order, cut into batches, and the batches are shuffled. The sampler stores one number per pair, of at
    most 8 bytes, and 2 if no sentence has more than 200 ids; an epoch needs 4 more, and 20 to 24 while it starts.

    Args:
        source_lengths: ``(pairs,)`` number of ids of each source.
        target_lengths: ``(pairs,)`` number of ids of each target, including ``<eos>``.
        batch_size: pairs per batch; one batch of an epoch may be smaller; without ``shuffle``, the last.
        max_tokens: largest size of a batch including padding: its rows times its longest row. Pass either this or
            ``batch_size``.
        seed: seed of the shuffling, >= 0.
        shuffle: False keeps the given order in every epoch.

    Raises:
        ValueError: not exactly one of ``batch_size`` and ``max_tokens`` is given, it is not an integer >= 1, ``seed``
            is not an integer >= 0, ``shuffle`` is not a bool, or one pair is longer than ``max_tokens``.
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
        check_bools(shuffle=shuffle)
        check_range("seed", seed, is_integer(seed) and seed >= 0, "an integer >= 0")
        self.pairs, self.seed, self.shuffle = len(source_lengths), int(seed), bool(shuffle)
        self._last: tuple[int, np.ndarray, np.ndarray] | None = None  # the epoch of the last call of batch_at()
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
        """Number of batches per epoch."""
        return len(self._cuts) - 1

    def epoch(self, number: int, *, start: int = 0) -> Iterator[np.ndarray]:
        """Iterate over the batches of one epoch, each as the indices of its pairs.

        Args:
            number: number of the epoch, >= 0.
            start: index of the first batch to return; ``len(self)`` returns none.

        Raises:
            ValueError: ``number`` is negative, or ``start`` is outside the epoch.
        """
        check_range("number", number, is_integer(number) and number >= 0, "an integer >= 0")
        inside = is_integer(start) and 0 <= start <= len(self)
        check_range("start", start, inside, f"between 0 and {len(self)}, the number of batches")
        rows, batches = self._shuffled(number)
        return (self._cut(rows, i) for i in batches[start:])

    def batch_at(self, position: int) -> np.ndarray:
        """Return the pair indices of the batch at a position, counted from 0 across all epochs.

        Raises:
            ValueError: ``position`` is not an integer >= 0.
        """
        fits = is_integer(position) and position >= 0
        check_range("position", position, fits, "an integer >= 0")
        number, index = divmod(position, len(self))
        if self._last is None or self._last[0] != number:
            self._last = number, *self._shuffled(number)
        _, rows, batches = self._last
        return self._cut(rows, batches[index])

    def num_tokens(self, position: int) -> int:
        """Number of target ids of that batch, including ``<eos>``."""
        return int((self._keys[self.batch_at(position)] // self._base).sum())

    @property
    def digest(self) -> str:
        """Digest of all lengths and of the settings that determine the order."""
        settings = repr((self.pairs, self.seed, self.shuffle, self._base, list(self._cuts)))
        return hashlib.sha256(settings.encode() + self._keys.tobytes()).hexdigest()

    def _shuffled(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the order of the pairs in an epoch, and the order of its batches."""
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
        """Sort by target length, then by source length; ties keep the given order."""
        return rows[np.argsort(self._keys[rows], kind="stable")]


def _cuts(lengths: np.ndarray, max_tokens: int) -> list[int]:
    """Return the start index of each batch for pairs of these lengths, and the end of the last batch."""
    cuts, longest = [0], 0
    for row, length in enumerate(map(int, lengths)):
        longest = max(longest, length)
        if (row - cuts[-1] + 1) * longest > max_tokens:
            cuts.append(row)
            longest = length
    return [*cuts, len(lengths)]
