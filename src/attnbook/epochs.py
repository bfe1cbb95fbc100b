"""Batches, epoch after epoch, from any place on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Protocol

from attnbook.checks import check_range
from attnbook.data import Batch


class Epochs(Protocol):
    """Batches that can be given again from any place, as :class:`attnbook.data.Batches` does."""

    def __len__(self) -> int: ...

    def epoch(self, number: int, *, start: int = 0) -> Iterator[Batch]: ...


def stream_from(batches: Epochs | Sequence[Batch], position: int) -> Iterator[Batch]:
    """All batches of all epochs, from a position on."""
    epoch, start = divmod(position, len(batches))
    while True:
        count = start
        given = iter(batches[start:]) if isinstance(batches, Sequence) else batches.epoch(epoch, start=start)
        for batch in given:
            count += 1
            yield batch
        check_range(f"batches in epoch {epoch}", count, count == len(batches), f"len(batches) = {len(batches)}")
        epoch, start = epoch + 1, 0


def digest_of(batches: Epochs | Sequence[Batch]) -> str:
    """What tells one set of batches from another: how many there are, and the ids of the first."""
    first = next(stream_from(batches, 0))
    digest = hashlib.sha256(str((len(batches), first.source.shape, first.target_out.shape)).encode())
    for ids in (first.source, first.target_out):
        digest.update(ids.cpu().numpy().tobytes())
    return digest.hexdigest()
