"""Batches of ids on disk equal those of the same pairs in memory."""

import numpy as np
import pytest
import torch

from attnbook.data import Batches, Corpus, grammar
from attnbook.data.batch_sampler import BatchSampler
from attnbook.data.memmap import Column, MemmapBatches, PairWriter

PAIRS = grammar.sample(300, seed=1)
VOCABULARIES = Corpus(PAIRS, {}).vocabularies()
TENSORS = ("source", "source_mask", "target_in", "target_out", "target_mask")


def write(folder, pairs=PAIRS) -> str:
    folder.mkdir(exist_ok=True)
    writer = PairWriter(folder, (len(VOCABULARIES[0]), len(VOCABULARIES[1])))
    for pair in pairs:
        writer.add(VOCABULARIES[0].encode(pair.source), VOCABULARIES[1].encode(pair.target))
    assert (writer.pairs, writer.tokens) == (len(pairs), sum(len(pair.target) + 1 for pair in pairs))
    return writer.close()


@pytest.mark.parametrize("sizes", [{"batch_size": 16}, {"max_tokens": 120}, {"batch_size": 7, "shuffle": False}])
def test_memmap_batches_equal_batches_in_memory(sizes, tmp_path):
    stored = MemmapBatches(tmp_path, write(tmp_path), seed=3, **sizes)
    memory = Batches(PAIRS, *VOCABULARIES, seed=3, **sizes)
    assert len(stored) == len(memory)
    for epoch, start in ((0, 0), (1, 0), (2, 5)):
        for found, expected in zip(stored.epoch(epoch, start=start), memory.epoch(epoch, start=start), strict=True):
            assert all(torch.equal(getattr(found, name), getattr(expected, name)) for name in TENSORS)
            assert all(getattr(found, name).dtype == getattr(expected, name).dtype for name in TENSORS)
            assert found.num_tokens == expected.num_tokens


def test_memmap_batches_iterate_one_epoch_per_loop(tmp_path):
    stored = MemmapBatches(tmp_path, write(tmp_path), batch_size=16)
    loops = [torch.cat([batch.source.flatten() for batch in stored]) for _ in range(2)]
    expected = [torch.cat([batch.source.flatten() for batch in stored.epoch(number)]) for number in range(2)]
    assert all(map(torch.equal, loops, expected)) and not torch.equal(*loops)
    positions = (2, len(stored) + 3)
    assert all(
        torch.equal(stored.batch_at(p).source, [*stored.epoch(p // len(stored))][p % len(stored)].source)
        for p in positions
    )
    assert all(stored.num_tokens(p) == stored.batch_at(p).num_tokens for p in positions)


def test_digest_depends_on_ids_and_order(tmp_path):
    digest = write(tmp_path / "a")
    batches = MemmapBatches(tmp_path / "a", digest, batch_size=16, seed=3)
    again = MemmapBatches(tmp_path / "a", write(tmp_path / "a"), batch_size=16, seed=3)
    assert again.digest == batches.digest
    swapped, last = [PAIRS[1], PAIRS[0], *PAIRS[2:]], [*PAIRS[:-1], PAIRS[0]]
    others = [
        MemmapBatches(tmp_path / name, write(tmp_path / name, pairs), batch_size=16, seed=3)
        for name, pairs in (("b", swapped), ("c", last))
    ]
    for options in ({"batch_size": 16, "seed": 4}, {"batch_size": 8, "seed": 3}):
        others.append(MemmapBatches(tmp_path / "a", digest, **options))
    assert len({batches.digest, *(other.digest for other in others)}) == 5


def test_memmap_batches_refuse_files_of_another_corpus(tmp_path):
    digest = write(tmp_path / "a")
    write(tmp_path / "b", PAIRS[:10])
    (tmp_path / "a" / "target.npy").write_bytes((tmp_path / "b" / "target.npy").read_bytes())
    with pytest.raises(ValueError, match="damaged"):
        MemmapBatches(tmp_path / "a", digest, batch_size=4)


@pytest.mark.parametrize("name", ["source.npy", "target.npy", "source_starts.npy", "target_starts.npy"])
def test_memmap_batches_notice_every_changed_byte(name, tmp_path):
    """In the numbers, and in their byte order and count in the header."""
    digest = write(tmp_path)
    file = tmp_path / name
    whole = file.read_bytes()
    places = [0, 8, whole.index(b"<"), whole.index(b"shape") + 9, *range(128, len(whole), 501), len(whole) - 1]
    for place in places:
        file.write_bytes(whole[:place] + bytes([whole[place] ^ 2]) + whole[place + 1 :])
        with pytest.raises(ValueError, match="damaged"):
            MemmapBatches(tmp_path, digest, batch_size=4)
    file.write_bytes(whole[:-8])
    with pytest.raises(ValueError, match="damaged"):
        MemmapBatches(tmp_path, digest, batch_size=4)
    file.write_bytes(whole)
    MemmapBatches(tmp_path, digest, batch_size=4)


@pytest.mark.parametrize(("kind", "dtype"), [("H", np.uint16), ("I", np.uint32), ("Q", np.uint64)])
def test_column_writes_numpy_files_of_any_length(kind, dtype, tmp_path):
    for numbers in ([], [7], list(range(300_000 if kind != "H" else 60_000)) * 2):
        column = Column(tmp_path / "c.npy", kind)
        for start in range(0, len(numbers), 1000):
            column.extend(numbers[start : start + 1000])
        column.close()
        found = np.load(tmp_path / "c.npy")
        assert found.dtype == dtype and found.tolist() == numbers


def order(**options) -> BatchSampler:
    random = np.random.default_rng(0)
    return BatchSampler(random.integers(1, 30, 1000), random.integers(2, 30, 1000), **options)


def test_batch_sampler_uses_every_pair_once_per_epoch():
    batches = order(batch_size=32, seed=1)
    epochs = [np.concatenate(list(batches.epoch(number))) for number in range(3)]
    assert all(sorted(rows) == list(range(1000)) for rows in epochs)
    assert not np.array_equal(epochs[0], epochs[1]) and not np.array_equal(epochs[1], epochs[2])
    assert np.array_equal(epochs[1], np.concatenate(list(order(batch_size=32, seed=1).epoch(1))))
    assert [rows.tolist() for rows in batches.epoch(2, start=20)] == [rows.tolist() for rows in batches.epoch(2)][20:]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "batch_size"),
        ({"batch_size": 2, "max_tokens": 2}, "batch_size"),
        ({"batch_size": 0}, "batch_size"),
        ({"max_tokens": 20}, "max_tokens"),
        ({"batch_size": 2, "seed": -1}, "seed"),
    ],
)
def test_batch_sampler_names_invalid_options(options, message):
    with pytest.raises(ValueError, match=message):
        order(**options)
    with pytest.raises(ValueError, match="start"):
        order(batch_size=32).epoch(0, start=33)
    with pytest.raises(ValueError, match="number"):
        order(batch_size=32).epoch(-1)
