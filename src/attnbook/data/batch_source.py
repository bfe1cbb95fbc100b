"""What training wants of batches: any of them, from any epoch, without the ones before it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

from attnbook._internal.validate import check_range
from attnbook.data.batching import Batch


class BatchSource(Protocol):
    """Batches of epoch after epoch, each by its position, as ``Batches`` gives them.

    A position counts from 0 and goes on from epoch to epoch. A process makes the batches of its share alone, and must
    know of the others how many real target tokens they have.
    """

    @property
    def digest(self) -> str:
        """What tells these batches, all of them and their order, from others."""

    def __len__(self) -> int: ...

    def batch_at(self, position: int) -> Batch: ...

    def num_tokens(self, position: int) -> int: ...


REQUIRED = ("batch_at", "num_tokens", "digest", "__len__")


class BatchList:
    """A sequence of batches that every epoch goes through in its order."""

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


def as_batch_source(batches: BatchSource | Sequence[Batch]) -> BatchSource:
    """Batches as ``BatchSource``.

    Raises:
        TypeError: they are no batches.
        ValueError: there is none.
    """
    if isinstance(batches, Sequence) and all(isinstance(batch, Batch) for batch in batches):
        found: BatchSource = BatchList(batches)
    elif isinstance(batches, Sequence) or not all(hasattr(batches, name) for name in REQUIRED):
        raise TypeError(
            f"batches must be a sequence of Batch, or have {', '.join(REQUIRED)}, got {type(batches).__name__}"
        )
    else:
        found = batches
    check_range("len(batches)", len(found), len(found) > 0, ">= 1")
    return found
