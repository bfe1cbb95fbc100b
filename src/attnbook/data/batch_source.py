"""Random access to batches by position, across epochs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from attnbook._internal.validate import check_range
from attnbook.data.batching import Batch


class BatchSource(Protocol):
    """The interface that training needs; ``Batches`` implements it.

    A position counts batches from 0 across all epochs. With several processes, each makes only its own batches but
    needs the number of target tokens of the others.
    """

    @property
    def digest(self) -> str:
        """A digest of all batches and their order."""

    def __len__(self) -> int: ...

    def batch_at(self, position: int) -> Batch: ...

    def num_tokens(self, position: int) -> int: ...


REQUIRED = ("batch_at", "num_tokens", "digest", "__len__")


class BatchList:
    """A sequence of batches, in the same order in every epoch."""

    def __init__(self, batches: Sequence[Batch]) -> None:
        self.batches = batches

    def __len__(self) -> int:
        return len(self.batches)

    def batch_at(self, position: int) -> Batch:
        return self.batches[position % len(self)]

    def num_tokens(self, position: int) -> int:
        return self.batch_at(position).num_tokens

    @cached_property
    def digest(self) -> str:
        digest = hashlib.sha256()
        for batch in self.batches:
            for ids in (batch.source, batch.source_mask, batch.target_in, batch.target_out, batch.target_mask):
                digest.update(repr(ids.shape).encode() + ids.cpu().numpy().tobytes())
        return digest.hexdigest()


def check_batch(name: str, batch: Batch, num_tokens: int) -> None:
    """Check that a batch counts its target tokens correctly, and that no source is empty.

    Raises:
        TypeError: it is not a ``Batch``.
        ValueError: ``num_tokens`` differs from ``target_mask``, there is no target token, or a source has no token.
    """
    if not isinstance(batch, Batch):
        raise TypeError(f"{name} must be a Batch, got {type(batch).__name__}")
    tokens = int(batch.target_mask.sum())
    if not tokens:
        raise ValueError(f"{name}.target_mask must have at least one real token, got none")
    check_range(f"{name}.num_tokens", num_tokens, num_tokens == tokens, f"the number of real target tokens, {tokens}")
    lengths = batch.source_mask.sum(dim=1)
    shortest = int(lengths.argmin())
    if not int(lengths[shortest]):
        raise ValueError(f"{name}.source_mask must have a real token in every row, got none in row {shortest}")


def as_batch_source(batches: BatchSource | Sequence[Batch]) -> BatchSource:
    """Convert a sequence of batches to a ``BatchSource``; a ``BatchSource`` is returned unchanged.

    Raises:
        TypeError: ``batches`` is neither.
        ValueError: there is no batch, or a batch is invalid (``check_batch``).
    """
    if isinstance(batches, Sequence) and all(isinstance(batch, Batch) for batch in batches):
        for i, batch in enumerate(batches):
            check_batch(f"batches[{i}]", batch, batch.num_tokens)
        found: BatchSource = BatchList(batches)
    elif isinstance(batches, Sequence) or not all(hasattr(batches, name) for name in REQUIRED):
        raise TypeError(
            f"batches must be a sequence of Batch, or have {', '.join(REQUIRED)}, got {type(batches).__name__}"
        )
    else:
        found = batches
    check_range("len(batches)", len(found), len(found) > 0, ">= 1")
    return found
