"""Batches of padded tensors from sentence pairs."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence, Sized
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnbook._internal.pytree import register_tree
from attnbook._internal.tracing import can_read
from attnbook._internal.validate import check_type
from attnbook.attention.masks import check_right_padded, lengths_to_mask
from attnbook.data.batch_sampler import BatchSampler
from attnbook.data.pairs import Pair
from attnbook.data.vocabulary import BOS, EOS, PAD, TokenizerLike, check_tokenizer

Ids = tuple[list[int], list[int]]


@dataclass(frozen=True)
class Batch:
    """Sentence pairs as padded tensors, and the pairs themselves. A pytree node with five leaves.

    Args:
        source: ``(batch, source_len)`` ids, padded on the right.
        source_mask: ``(batch, source_len)`` bool, True = a real token.
        target_in: ``(batch, target_len)`` ids ``<bos> y1 .. yn``, padded on the right.
        target_out: ``(batch, target_len)`` ids ``y1 .. yn <eos>``, padded on the right.
        target_mask: ``(batch, target_len)`` bool, True = a real token of ``target_out``.
        num_tokens: number of real target tokens, including ``<eos>``.
        pairs: the pairs in the order of the rows.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> batch = collate(pairs, letters, letters)
        >>> batch.source.shape, batch.target_out.shape, batch.num_tokens
        (torch.Size([2, 3]), torch.Size([2, 4]), 7)
    """

    source: Tensor
    source_mask: Tensor
    target_in: Tensor
    target_out: Tensor
    target_mask: Tensor
    num_tokens: int
    pairs: tuple[Pair, ...]
    is_checked: bool = field(default=False, init=False, repr=False, compare=False)

    def check(self) -> None:
        """Check, once for each batch, that the source is padded on the right.

        A batch is checked before it is moved, so that training never waits for a GPU.

        Raises:
            ValueError: a real source token follows padding.
        """
        if not self.is_checked and can_read(self.source_mask, wait=True):
            check_right_padded("source_mask", self.source_mask, wait=True)
            object.__setattr__(self, "is_checked", True)

    def to(self, device: torch.device | str, *, non_blocking: bool = False) -> Batch:
        """Return the batch on another device.

        Raises:
            TypeError, RuntimeError: ``device`` is not a device.
            ValueError: see ``check``.
        """
        self.check()
        device = torch.device(device)  # rejects a dtype, which ``Tensor.to`` would convert the ids to
        tensors: dict[str, Any] = {
            name: value.to(device, non_blocking=non_blocking)
            for name, value in vars(self).items()
            if isinstance(value, Tensor)
        }
        moved = replace(self, **tensors)
        object.__setattr__(moved, "is_checked", self.is_checked)
        return moved

    def __len__(self) -> int:
        return self.source.shape[0]


register_tree(
    Batch,
    ("source", "source_mask", "target_in", "target_out", "target_mask"),
    rest={"num_tokens": 0, "pairs": ()},
)


def pad(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Pad sentences on the right with PAD to one tensor.

    Args:
        rows: the ids of each sentence.

    Returns:
        ids ``(rows, longest)`` and a bool mask of the same shape, True = a real token.

    Raises:
        ValueError: there is no row, or a row is empty.
        TypeError: an id is not an integer of 64 bits, or ``rows`` is not a sequence of sequences.
    """
    if not isinstance(rows, Sized):
        raise TypeError(f"rows must be a sequence with the ids of each sentence, got {type(rows).__name__}")
    for i, row in enumerate(rows):
        check_type(f"rows[{i}]", row, isinstance(row, Sized) and not isinstance(row, str), "a sequence of ids")
    if len(rows) == 0 or any(len(row) == 0 for row in rows):
        raise ValueError(f"rows must hold at least one sentence and no empty one, got {rows!r}")
    lengths = [len(row) for row in rows]
    longest = max(lengths)
    try:
        ids = torch.tensor([[*row, *[PAD] * (longest - len(row))] for row in rows])
    except (RuntimeError, ValueError) as error:
        raise TypeError(f"rows must hold integers of 64 bits ({error})") from error
    if ids.is_floating_point() or ids.is_complex() or ids.dtype == torch.bool:
        raise TypeError(f"rows must hold integers, got {ids.dtype}")
    return ids.long(), lengths_to_mask(torch.tensor(lengths))


def collate(pairs: Sequence[Pair], source_vocabulary: TokenizerLike, target_vocabulary: TokenizerLike) -> Batch:
    """Make one batch of the given pairs, in their order.

    Args:
        pairs: at least one.
        source_vocabulary: the source vocabulary.
        target_vocabulary: the target vocabulary.

    Returns:
        the batch, as wide as its longest source and its longest target with ``<eos>``.

    Raises:
        TypeError: an item is not a ``Pair``, or a vocabulary has the wrong type.
        ValueError: there is no pair.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> collate(pairs, letters, letters).source_mask
        tensor([[ True,  True,  True],
                [ True,  True, False]])
    """
    check_pairs(pairs)
    _check_tokenizers(source_vocabulary, target_vocabulary)
    return _batch(pairs, [_encode(pair, source_vocabulary, target_vocabulary) for pair in pairs])


class SampledBatches(ABC):
    """Batches of the pairs that a ``BatchSampler`` chooses, epoch after epoch; a subclass makes them from its pairs.

    ``for batch in batches`` is one epoch. As with a ``DataLoader``, each loop reshuffles: the first is epoch 0, the
    next epoch 1. ``epoch`` returns a chosen one.

    Args:
        sampler: chooses the pairs of each batch.
    """

    def __init__(self, sampler: BatchSampler) -> None:
        self._sampler = sampler
        self._iterated = 0  # number of epochs that iter() has started

    @property
    @abstractmethod
    def digest(self) -> str:
        """Digest of all ids and of the settings that determine their order."""

    def __len__(self) -> int:
        """Number of batches per epoch."""
        return len(self._sampler)

    def __iter__(self) -> Iterator[Batch]:
        """Iterate over the batches of the next epoch."""
        self._iterated += 1
        return self.epoch(self._iterated - 1)

    def epoch(self, number: int, *, start: int = 0) -> Iterator[Batch]:
        """Iterate over the batches of one epoch.

        Args:
            number: number of the epoch, >= 0.
            start: index of the first batch to return; ``len(self)`` returns none.

        Raises:
            ValueError: ``number`` is negative, or ``start`` is outside the epoch.
        """
        return map(self._batch, self._sampler.epoch(number, start=start))

    def batch_at(self, position: int) -> Batch:
        """Return the batch at a position, counted from 0 across all epochs.

        Raises:
            ValueError: ``position`` is not an integer >= 0.
        """
        return self._batch(self._sampler.batch_at(position))

    def num_tokens(self, position: int) -> int:
        """Number of real target tokens of that batch, including ``<eos>``, without making the batch."""
        return self._sampler.num_tokens(position)

    @abstractmethod
    def _batch(self, rows: np.ndarray) -> Batch:
        """Make a batch of the pairs with these indices."""


class Batches(SampledBatches):
    """Sentence pairs in batches of similar length, epoch after epoch.

    ``for batch in batches`` is one epoch. As with a ``DataLoader``, each loop reshuffles: the first is epoch 0, the
    next epoch 1. ``epoch`` returns a chosen one.

    The order of an epoch depends only on ``seed`` and the number of the epoch, so that training can resume at any
    batch; see ``BatchSampler``. Each sentence is encoded once, in the constructor.

    Args:
        pairs: the sentence pairs.
        source_vocabulary: the source vocabulary.
        target_vocabulary: the target vocabulary.
        batch_size: pairs per batch; one batch of an epoch may be smaller; without ``shuffle``, the last.
        max_tokens: largest size of a batch including padding: its rows times its longest row. The length of a pair is
            that of its source or of its target with ``<eos>``, whichever is longer. Pass either this or ``batch_size``.
        seed: seed of the shuffling, >= 0.
        shuffle: False keeps the order of ``pairs`` in every epoch.

    Raises:
        TypeError: an item is not a ``Pair``, or a vocabulary has the wrong type.
        ValueError: there is no pair, or see ``BatchSampler``.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> batches = Batches(pairs * 10, letters, letters, batch_size=8)
        >>> len(batches), [len(batch.source) for batch in batches]
        (3, [4, 8, 8])
    """

    def __init__(
        self,
        pairs: Sequence[Pair],
        source_vocabulary: TokenizerLike,
        target_vocabulary: TokenizerLike,
        *,
        batch_size: int | None = None,
        max_tokens: int | None = None,
        seed: int = 0,
        shuffle: bool = True,
    ) -> None:
        check_pairs(pairs)
        _check_tokenizers(source_vocabulary, target_vocabulary)
        self.pairs = tuple(pairs)
        self._ids = [_encode(pair, source_vocabulary, target_vocabulary) for pair in self.pairs]
        super().__init__(
            BatchSampler(
                np.array([len(source) for source, _ in self._ids]),
                np.array([len(target) + 1 for _, target in self._ids]),
                batch_size=batch_size,
                max_tokens=max_tokens,
                seed=seed,
                shuffle=shuffle,
            )
        )

    @cached_property
    def digest(self) -> str:
        digest = hashlib.sha256(self._sampler.digest.encode())
        ids = np.fromiter(chain.from_iterable(chain.from_iterable(self._ids)), np.int64)
        digest.update(ids.tobytes())
        return digest.hexdigest()

    def _batch(self, rows: np.ndarray) -> Batch:
        return _batch([self.pairs[i] for i in rows], [self._ids[i] for i in rows])


def check_pairs(pairs: Sequence[Pair]) -> None:
    """Check that ``pairs`` is a non-empty sequence of ``Pair``.

    Raises:
        TypeError: an item is not a ``Pair``, or ``pairs`` is not a sequence.
        ValueError: there is no pair.
    """
    if not isinstance(pairs, Sized):
        raise TypeError(f"pairs must be a sequence of Pair, got {type(pairs).__name__}")
    if len(pairs) == 0:
        raise ValueError("pairs must contain at least one pair, got none")
    for i, pair in enumerate(pairs):
        if not isinstance(pair, Pair):
            raise TypeError(f"pairs[{i}] must be a Pair, got {type(pair).__name__}")


def _check_tokenizers(source_vocabulary: TokenizerLike, target_vocabulary: TokenizerLike) -> None:
    check_tokenizer("source_vocabulary", source_vocabulary)
    check_tokenizer("target_vocabulary", target_vocabulary)


def _encode(pair: Pair, source_vocabulary: TokenizerLike, target_vocabulary: TokenizerLike) -> Ids:
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
