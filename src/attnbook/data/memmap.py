"""Memory-mapped sentence pairs: arrays of ids on disk, and batches of them."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.lib import format as npy

from attnbook.data.batch_sampler import BatchSampler
from attnbook.data.batching import Batch, SampledBatches
from attnbook.data.vocabulary import BOS, EOS, PAD

SIDES = ("source", "target")
BUFFER = 1 << 18  # number of ids buffered before a write


class Column:
    """Writes a one-dimensional ``.npy`` file of growing length; the file is complete once closed.

    Args:
        path: the file.
        kind: array type code: "H" (2 bytes), "I" (4) or "Q" (8), all unsigned.
    """

    def __init__(self, path: Path, kind: Literal["H", "I", "Q"]) -> None:
        self._file = path.open("wb")
        self._buffer = array(kind)
        self._size = 0
        self.digest = hashlib.sha256()
        self._write_header()
        self._begin = self._file.tell()

    def extend(self, numbers: Sequence[int]) -> None:
        """Append numbers."""
        self._buffer.extend(numbers)
        if len(self._buffer) >= BUFFER:
            self._flush()

    def close(self) -> None:
        """Write the buffer and the final length."""
        self._flush()
        self._file.seek(0)
        self._write_header()
        if self._file.tell() != self._begin:
            raise AssertionError(f"{self._file.name}: the header has grown over the data")
        self._file.close()

    def _flush(self) -> None:
        self._file.write(self._buffer)
        self.digest.update(self._buffer)
        self._size += len(self._buffer)
        del self._buffer[:]

    def _write_header(self) -> None:
        # NumPy pads the header so that the first axis can grow in place.
        descr = npy.dtype_to_descr(np.dtype(self._buffer.typecode))
        npy.write_array_header_1_0(self._file, {"descr": descr, "fortran_order": False, "shape": (self._size,)})


class PairWriter:
    """Writes the ids of sentence pairs into a folder, one pair after another.

    Args:
        folder: an existing folder.
        sizes: sizes of the source and target vocabularies.
    """

    def __init__(self, folder: Path, sizes: tuple[int, int]) -> None:
        kinds: list[Literal["H", "I"]] = ["H" if size <= 2**16 else "I" for size in sizes]
        self._ids = [Column(folder / f"{side}.npy", kind) for side, kind in zip(SIDES, kinds, strict=True)]
        self._starts = [Column(folder / f"{side}_starts.npy", "Q") for side in SIDES]
        self._ends = [0, 0]
        self.pairs = 0
        for starts in self._starts:
            starts.extend([0])

    def add(self, source: Sequence[int], target: Sequence[int]) -> None:
        """Append a pair."""
        for i, ids in enumerate((source, target)):
            self._ids[i].extend(ids)
            self._ends[i] += len(ids)
            self._starts[i].extend([self._ends[i]])
        self.pairs += 1

    @property
    def tokens(self) -> int:
        """Number of target ids so far, including ``<eos>``."""
        return self._ends[1] + self.pairs

    def close(self) -> str:
        """Finish the files.

        Returns:
            a digest of all ids.
        """
        columns = [*self._ids, *self._starts]
        for column in columns:
            column.close()
        return hashlib.sha256("".join(column.digest.hexdigest() for column in columns).encode()).hexdigest()


class MemmapBatches(SampledBatches):
    """Batches of the pairs that a ``PairWriter`` has written.

    The batches equal those of ``Batches`` for the same pairs, except that ``batch.pairs`` is empty. The files are
    memory mapped, so the operating system decides which parts are in memory.

    Args:
        folder: folder of the files.
        digest: digest of the files, from the writer.
        batch_size, max_tokens, seed, shuffle: see ``BatchSampler``.

    Raises:
        ValueError: see ``BatchSampler``, or the files are damaged.
        OSError: a file is missing.
    """

    def __init__(
        self,
        folder: Path,
        digest: str,
        *,
        batch_size: int | None = None,
        max_tokens: int | None = None,
        seed: int = 0,
        shuffle: bool = True,
    ) -> None:
        _check_digest(folder, digest)
        # Plain arrays: indexing an np.memmap is slower.
        self._ids = [np.asarray(np.load(folder / f"{side}.npy", mmap_mode="r")) for side in SIDES]
        self._starts = [np.asarray(np.load(folder / f"{side}_starts.npy", mmap_mode="r")) for side in SIDES]
        for ids, starts in zip(self._ids, self._starts, strict=True):
            if len(starts) != len(self._starts[0]) or len(starts) < 2 or int(starts[-1]) != len(ids):
                raise ValueError(f"{folder} is damaged: its arrays do not fit together")
        source, target = (np.diff(starts).astype(np.int32) for starts in self._starts)
        super().__init__(
            BatchSampler(source, target + 1, batch_size=batch_size, max_tokens=max_tokens, seed=seed, shuffle=shuffle)
        )
        self._settings = (digest, batch_size, max_tokens, seed, shuffle)

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(repr(self._settings).encode()).hexdigest()

    def _batch(self, rows: np.ndarray) -> Batch:
        source, source_mask = _padded(self._ids[0], self._starts[0], rows)
        target, mask = _padded(self._ids[1], self._starts[1], rows)
        lengths = mask.sum(1)
        target_in = np.pad(target, ((0, 0), (1, 0)), constant_values=BOS)
        target_out = np.pad(target, ((0, 0), (0, 1)), constant_values=PAD)
        target_out[np.arange(len(rows)), lengths] = EOS
        target_in[np.arange(target_in.shape[1]) > lengths[:, None]] = PAD
        return Batch(
            source=torch.from_numpy(source),
            source_mask=torch.from_numpy(source_mask),
            target_in=torch.from_numpy(target_in),
            target_out=torch.from_numpy(target_out),
            target_mask=torch.from_numpy(np.pad(mask, ((0, 0), (1, 0)), constant_values=True)),
            num_tokens=int(lengths.sum()) + len(rows),
            pairs=(),
        )


def _check_digest(folder: Path, expected: str) -> None:
    """Raise a ValueError unless the files have the digest that the writer returned."""
    columns, native = [], True
    for path in (folder / f"{side}{part}.npy" for part in ("", "_starts") for side in SIDES):
        digest = hashlib.sha256()
        with path.open("rb") as file:
            try:
                npy.read_magic(file)
                native = native and npy.read_array_header_1_0(file)[2].isnative
            except ValueError as error:
                raise ValueError(f"{path} is damaged ({error})") from error
            while block := file.read(1 << 20):
                digest.update(block)
        columns.append(digest.hexdigest())
    if not native or hashlib.sha256("".join(columns).encode()).hexdigest() != expected:
        raise ValueError(f"{folder} is damaged: its ids do not match their digest")


def _padded(ids: np.ndarray, starts: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the padded ids of some rows and their mask: ``(rows, longest)`` int64 and bool."""
    begins = starts[rows].astype(np.int64)
    lengths = starts[rows + 1].astype(np.int64) - begins
    steps = np.arange(lengths.max())
    mask = steps < lengths[:, None]
    padded = np.full(mask.shape, PAD, dtype=np.int64)
    padded[mask] = ids[(begins[:, None] + steps)[mask]]
    return padded, mask
