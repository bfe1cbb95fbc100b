"""Padded tensors from sentence pairs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnbook.checks import check_sizes
from attnbook.data.pairs import Pair
from attnbook.data.vocabulary import BOS, EOS, PAD, Codec
from attnbook.masks import lengths_to_mask

Ids = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Batch:
    """Sentence pairs as padded tensors, and the pairs themselves.

    Args:
        source: ``(batch, source_len)`` ids, padded on the right.
        source_mask: ``(batch, source_len)`` bool, True = a real token.
        target_in: ``(batch, target_len)`` ids ``<bos> y1 .. yn``, padded on the right.
        target_out: ``(batch, target_len)`` ids ``y1 .. yn <eos>``, padded on the right.
        target_mask: ``(batch, target_len)`` bool, True = a real token of ``target_out``.
        num_tokens: real target tokens, ``<eos>`` included; padding never counts.
        pairs: the pairs in the order of the rows.
    """

    source: Tensor
    source_mask: Tensor
    target_in: Tensor
    target_out: Tensor
    target_mask: Tensor
    num_tokens: int
    pairs: tuple[Pair, ...]

    def to(self, device: torch.device | str, *, non_blocking: bool = False) -> Batch:
        """The same batch on another device."""
        tensors: dict[str, Any] = {
            name: value.to(device, non_blocking=non_blocking)
            for name, value in vars(self).items()
            if isinstance(value, Tensor)
        }
        return replace(self, **tensors)

    def __len__(self) -> int:
        return self.source.shape[0]


def pad(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Put sentences of different lengths into one tensor, filled with PAD on the right.

    Args:
        rows: the ids of each sentence.

    Returns:
        ids ``(rows, longest)`` and their mask, bool of the same shape, True = a real token.

    Raises:
        ValueError: there is no row, or a row is empty.
    """
    if len(rows) == 0 or any(len(row) == 0 for row in rows):
        raise ValueError(f"rows is {rows!r}: wanted at least one, and none of them empty")
    lengths = [len(row) for row in rows]
    longest = max(lengths)
    ids = torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows], dtype=torch.int64)
    return ids, lengths_to_mask(torch.tensor(lengths), longest)


def collate(pairs: Sequence[Pair], source_vocabulary: Codec, target_vocabulary: Codec) -> Batch:
    """One batch of the given pairs, in their order.

    Raises:
        TypeError: an item is not a :class:`Pair`.
        ValueError: there is no pair.
    """
    check_pairs(pairs)
    return _batch(pairs, [_encode(pair, source_vocabulary, target_vocabulary) for pair in pairs])


class Batches:
    """Sentence pairs in batches of similar length, epoch after epoch.

    The order of an epoch depends on ``seed`` and the epoch's number alone, so that a run can be taken up again at
    any batch. Every pair is in exactly one batch of an epoch, and every epoch has the same number of batches: the
    pairs are sorted by the length of the target and then by that of the source, equal ones in random order, cut into
    batches, and the batches are shuffled. A sentence is encoded once, here.

    Args:
        pairs: the sentence pairs.
        source_vocabulary: ids of the source tokens.
        target_vocabulary: ids of the target tokens.
        batch_size: pairs in a batch; the last one may be smaller.
        max_tokens: largest size of a batch, padding included: its rows times its longest row, where the length of
            a pair is that of its source or of its target with ``<eos>``, whichever is longer. Give this or
            ``batch_size``.
        seed: of the shuffling, 0 or more.
        shuffle: False keeps the order of ``pairs``, the same in every epoch.

    Raises:
        TypeError: an item is not a :class:`Pair`.
        ValueError: there is no pair, both or neither of ``batch_size`` and ``max_tokens`` are given, one of them is
            below 1, ``seed`` is negative, or a pair alone is longer than ``max_tokens``.
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        source_vocabulary: Codec,
        target_vocabulary: Codec,
        *,
        batch_size: int | None = None,
        max_tokens: int | None = None,
        seed: int = 0,
        shuffle: bool = True,
    ) -> None:
        check_pairs(pairs)
        if (batch_size is None) == (max_tokens is None):
            raise ValueError(
                f"batch_size is {batch_size} and max_tokens is {max_tokens}: wanted one of them, the other None"
            )
        check_sizes(batch_size=batch_size, max_tokens=max_tokens)
        if seed < 0:
            raise ValueError(f"seed is {seed}: wanted 0 or more")
        self.pairs = tuple(pairs)
        self.seed = seed
        self.shuffle = shuffle
        self._ids = [_encode(pair, source_vocabulary, target_vocabulary) for pair in self.pairs]
        self._lengths = np.array([(len(source), len(target) + 1) for source, target in self._ids])
        longer = self._lengths.max(1)
        if max_tokens is not None and int(longer.max()) > max_tokens:
            worst = int(longer.argmax())
            raise ValueError(
                f"max_tokens is {max_tokens}: wanted at least {longer[worst]}, "
                f"the length of pair {worst}, {' '.join(self.pairs[worst].source)!r}"
            )
        self._epoch: tuple[int, list[list[int]]] = (-1, [])  # the one that was asked for last
        rows = np.arange(len(self.pairs))
        self._cuts = _cuts(longer[self._sorted(rows) if shuffle else rows], batch_size, max_tokens)

    def __len__(self) -> int:
        """Number of batches in an epoch."""
        return len(self._cuts) - 1

    def epoch(self, number: int, *, start: int = 0) -> Iterator[Batch]:
        """The batches of one epoch.

        Args:
            number: which epoch, 0 or more.
            start: index of the first batch to give; ``len(self)`` gives none.

        Raises:
            ValueError: ``number`` is negative, or ``start`` is outside the epoch.
        """
        if number < 0:
            raise ValueError(f"number is {number}: wanted 0 or more")
        if not 0 <= start <= len(self):
            raise ValueError(f"start is {start}: wanted 0 <= start <= {len(self)}, the batches of an epoch")
        return (
            _batch([self.pairs[i] for i in rows], [self._ids[i] for i in rows]) for rows in self._order(number)[start:]
        )

    def at(self, position: int) -> Batch:
        """The batch at a position, from 0, in all epochs one after another."""
        rows = self._rows(position)
        return _batch([self.pairs[i] for i in rows], [self._ids[i] for i in rows])

    def num_tokens(self, position: int) -> int:
        """Real target tokens of that batch, ``<eos>`` included; the batch is not made."""
        return int(self._lengths[self._rows(position), 1].sum())

    @cached_property
    def digest(self) -> str:
        """Of all ids, and of what decides their order in every epoch."""
        digest = hashlib.sha256(repr((self.seed, self.shuffle, self._order(0))).encode())
        ids = np.fromiter(chain.from_iterable(chain.from_iterable(self._ids)), np.int64)
        digest.update(self._lengths.tobytes() + ids.tobytes())
        return digest.hexdigest()

    def _rows(self, position: int) -> list[int]:
        number, index = divmod(position, len(self))
        if self._epoch[0] != number:
            self._epoch = number, self._order(number)
        return self._epoch[1][index]

    def _order(self, number: int) -> list[list[int]]:
        """The rows of ``pairs`` that make each batch of an epoch."""
        rows = np.arange(len(self.pairs))
        if not self.shuffle:
            return self._split(rows)
        random = np.random.default_rng([self.seed, number])
        batches = self._split(self._sorted(random.permutation(rows)))
        return [batches[i] for i in random.permutation(len(batches))]

    def _sorted(self, rows: np.ndarray) -> np.ndarray:
        """By target length, then source length; where both are equal, in the given order."""
        source, target = self._lengths[rows].T
        return rows[np.lexsort((source, target))]

    def _split(self, rows: np.ndarray) -> list[list[int]]:
        return [part.tolist() for part in np.split(rows, self._cuts[1:-1])]


def check_pairs(pairs: Sequence[Pair]) -> None:
    """Check that there is a pair, and nothing but pairs.

    Raises:
        TypeError: an item is not a :class:`Pair`.
        ValueError: there is no pair.
    """
    if len(pairs) == 0:
        raise ValueError("pairs is empty: wanted at least one Pair")
    for i, pair in enumerate(pairs):
        if not isinstance(pair, Pair):
            raise TypeError(f"pairs[{i}] is of type {type(pair).__name__}: wanted Pair")


def _cuts(lengths: np.ndarray, batch_size: int | None, max_tokens: int | None) -> list[int]:
    """Where batches begin in a sequence of pairs of these lengths, and where the last one ends."""
    if batch_size is not None:
        return [*range(0, len(lengths), batch_size), len(lengths)]
    assert max_tokens is not None
    cuts, longest = [0], 0
    for row, length in enumerate(lengths.tolist()):
        longest = max(longest, length)
        if (row - cuts[-1] + 1) * longest > max_tokens:
            cuts.append(row)
            longest = length
    return [*cuts, len(lengths)]


def _encode(pair: Pair, source_vocabulary: Codec, target_vocabulary: Codec) -> Ids:
    return source_vocabulary.encode(pair.source), target_vocabulary.encode(pair.target)


def _batch(pairs: Sequence[Pair], ids: Sequence[Ids]) -> Batch:
    source, source_mask = pad([source for source, _ in ids])
    target_in, _ = pad([[BOS, *target] for _, target in ids])
    target_out, target_mask = pad([[*target, EOS] for _, target in ids])
    return Batch(
        source=source,
        source_mask=source_mask,
        target_in=target_in,
        target_out=target_out,
        target_mask=target_mask,
        num_tokens=sum(len(target) + 1 for _, target in ids),
        pairs=tuple(pairs),
    )
