"""Batches: padding, counting, and an order that can be resumed at any batch."""

import itertools
import random
from collections import Counter
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnbook.data import BOS, EOS, PAD, Batch, Batches, Corpus, Pair, Subwords, Vocabulary, collate, pad
from attnbook.data.batch_source import as_batch_source

tokens = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=9).map(tuple)
many_pairs = st.lists(st.builds(Pair, tokens, tokens), min_size=1, max_size=40)
VOCABULARY = Vocabulary(tuple("abcdef"))  # g and h are unknown


def make_pairs(count: int, seed: int = 0) -> list[Pair]:
    rng = random.Random(seed)
    sentence = lambda: tuple(rng.choices("abcdefgh", k=rng.randint(1, 12)))  # noqa: E731
    return [Pair(sentence(), sentence(), phenomena=frozenset({str(i)})) for i in range(count)]


def same(one: Batch, other: Batch) -> bool:
    return one.pairs == other.pairs and all(
        torch.equal(getattr(one, name), getattr(other, name))
        for name in ("source", "source_mask", "target_in", "target_out", "target_mask")
    )


def test_collate_gives_padded_ids_and_counts():
    batch = collate([Pair(("a",), ("b", "c")), Pair(("d", "e", "z"), ("f",))], VOCABULARY, VOCABULARY)
    assert batch.source.tolist() == [[4, PAD, PAD], [7, 8, 3]]
    assert batch.source_mask.tolist() == [[True, False, False], [True, True, True]]
    assert batch.target_in.tolist() == [[BOS, 5, 6], [BOS, 9, PAD]]
    assert batch.target_out.tolist() == [[5, 6, EOS], [9, EOS, PAD]]
    assert batch.target_mask.tolist() == [[True, True, True], [True, True, False]]
    assert batch.num_tokens == 5
    assert len(batch) == 2


@given(many_pairs)
def test_collate_masks_padding(pairs):
    batch = collate(pairs, VOCABULARY, VOCABULARY)
    assert batch.pairs == tuple(pairs)
    for name in ("source", "target_in", "target_out"):
        assert getattr(batch, name).dtype == torch.int64
    assert torch.equal(batch.source_mask, batch.source != PAD)
    assert torch.equal(batch.target_mask, batch.target_out != PAD)
    assert torch.equal(batch.target_mask, batch.target_in != PAD)
    assert type(batch.num_tokens) is int
    assert batch.num_tokens == sum(len(pair.target) + 1 for pair in pairs) == int(batch.target_mask.sum())
    assert batch.source.shape == (len(pairs), max(len(pair.source) for pair in pairs))
    assert batch.target_out.shape == (len(pairs), max(len(pair.target) for pair in pairs) + 1)
    for row, pair in enumerate(pairs):
        expected = [word if word in VOCABULARY else "<unk>" for word in pair.source]
        assert VOCABULARY.decode(batch.source[row]) == expected
        assert batch.target_in[row, 1:][batch.target_mask[row, 1:]].tolist() == VOCABULARY.encode(pair.target)
        assert batch.target_out[row][batch.target_mask[row]].tolist() == [*VOCABULARY.encode(pair.target), EOS]


def test_collate_accepts_subwords():
    pairs = make_pairs(20)
    subwords = Subwords.build([pair.target for pair in pairs], size=280)
    batch = collate(pairs, VOCABULARY, subwords)
    assert [tuple(subwords.decode(row)) for row in batch.target_out] == [pair.target for pair in pairs]
    assert batch.num_tokens == int(batch.target_mask.sum())


def test_batch_to_moves_every_tensor(monkeypatch):
    batch = collate(make_pairs(3), VOCABULARY, VOCABULARY)
    moved = batch.to("meta")
    assert moved.source.device.type == moved.target_mask.device.type == "meta"
    assert moved.pairs == batch.pairs and moved.num_tokens == batch.num_tokens
    asked = []
    monkeypatch.setattr(torch.Tensor, "to", lambda tensor, _, non_blocking: asked.append(non_blocking) or tensor)
    batch.to("cpu").to("cpu", non_blocking=True)
    assert asked == [False] * 5 + [True] * 5  # five tensors per batch


@given(many_pairs, st.integers(1, 12), st.booleans(), st.integers(0, 3), st.integers(0, 2**31))
def test_epoch_contains_every_pair_once(pairs, batch_size, shuffle, number, seed):
    batches = Batches(pairs, VOCABULARY, VOCABULARY, batch_size=batch_size, shuffle=shuffle, seed=seed)
    epoch = list(batches.epoch(number))
    assert len(epoch) == len(batches) == -(-len(pairs) // batch_size)
    assert Counter(pair for batch in epoch for pair in batch.pairs) == Counter(pairs)
    assert all(len(batch) <= batch_size for batch in epoch)
    assert sum(batch.num_tokens for batch in epoch) == sum(len(pair.target) + 1 for pair in pairs)


@given(many_pairs, st.integers(10, 60), st.booleans(), st.integers(0, 3))
def test_max_tokens_bounds_batches_including_padding(pairs, max_tokens, shuffle, number):
    batches = Batches(pairs, VOCABULARY, VOCABULARY, max_tokens=max_tokens, shuffle=shuffle)
    epoch = list(batches.epoch(number))
    assert len(epoch) == len(batches)
    assert Counter(pair for batch in epoch for pair in batch.pairs) == Counter(pairs)
    assert all(max(batch.source.numel(), batch.target_out.numel()) <= max_tokens for batch in epoch)


def test_max_tokens_fills_each_batch_as_its_own_longest_row_allows():
    lengths = [9, 1, 1, 1, 1, 1, 1, 4, 4]  # with <eos> one more
    pairs = [Pair(("a",), ("b",) * length) for length in lengths]
    batches = Batches(pairs, VOCABULARY, VOCABULARY, max_tokens=10, shuffle=False)
    assert [len(batch) for batch in batches] == [1, 5, 2, 1]


@given(st.integers(0, 5), st.data())
@settings(max_examples=40)
def test_epoch_resumes_at_any_batch(number, data):
    how = data.draw(st.sampled_from([{"batch_size": 7}, {"max_tokens": 50}]))
    whole = list(Batches(make_pairs(60), VOCABULARY, VOCABULARY, seed=3, **how).epoch(number))
    start = data.draw(st.integers(0, len(whole)))
    fresh = Batches(make_pairs(60), VOCABULARY, VOCABULARY, seed=3, **how)
    for _ in itertools.islice(fresh.epoch(number + 1), 2):  # batches read before must not matter
        pass
    rest = list(fresh.epoch(number, start=start))
    assert len(rest) == len(whole) - start
    assert all(same(one, other) for one, other in zip(rest, whole[start:], strict=True))


def test_epoch_order_depends_on_number_and_seed():
    def order(seed: int, number: int) -> list[Pair]:
        batches = Batches(make_pairs(200), VOCABULARY, VOCABULARY, batch_size=16, seed=seed)
        return [pair for batch in batches.epoch(number) for pair in batch.pairs]

    orders = [order(seed, number) for seed in range(3) for number in range(3)]
    assert orders == [order(seed, number) for seed in range(3) for number in range(3)]
    assert all(one != other for one, other in itertools.combinations(orders, 2))


def test_batches_leave_global_random_state_alone():
    batches = Batches(make_pairs(50), VOCABULARY, VOCABULARY, batch_size=8)
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = list(batches.epoch(0))
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(2)
    assert all(same(one, other) for one, other in zip(first, batches.epoch(0), strict=True))


def test_batches_without_shuffle_keep_order():
    pairs = make_pairs(50)
    batches = Batches(pairs, VOCABULARY, VOCABULARY, batch_size=8, shuffle=False)
    for number in (0, 1):
        assert [pair for batch in batches.epoch(number) for pair in batch.pairs] == pairs


def test_sorting_by_length_saves_padding():
    """Ten pairs of each combination of lengths: batches of ten need no padding on either side."""
    pairs = [Pair(("a",) * m, ("b",) * n) for m in range(1, 8) for n in range(1, 8) for _ in range(10)]
    random.Random(0).shuffle(pairs)

    def padded(shuffle: bool) -> tuple[int, int]:
        batches = Batches(pairs, VOCABULARY, VOCABULARY, batch_size=10, shuffle=shuffle)
        found = list(batches.epoch(0))
        return tuple(sum(int((~getattr(b, name)).sum()) for b in found) for name in ("source_mask", "target_mask"))

    assert padded(shuffle=True) == (0, 0)
    assert min(padded(shuffle=False)) > 0


def test_epoch_regroups_pairs_of_equal_length():
    pairs = [Pair((str(i), "a"), ("b",)) for i in range(16)]
    batches = Batches(pairs, VOCABULARY, VOCABULARY, batch_size=4)
    first, second = ({batch.pairs for batch in batches.epoch(number)} for number in (0, 1))
    assert {frozenset(rows) for rows in first} != {frozenset(rows) for rows in second}


def test_batches_encode_each_sentence_once():
    class Counting:
        def __init__(self) -> None:
            self.calls = 0

        def encode(self, sentence):
            self.calls += 1
            return VOCABULARY.encode(sentence)

    source, target = Counting(), Counting()
    batches = Batches(make_pairs(30), source, target, batch_size=4)
    for number in range(3):
        list(batches.epoch(number))
    assert source.calls == target.calls == 30


@pytest.mark.parametrize("how", [{}, {"batch_size": 4, "max_tokens": 40}])
def test_batches_require_exactly_one_size(how):
    with pytest.raises(ValueError, match="batch_size"):
        Batches(make_pairs(3), VOCABULARY, VOCABULARY, **how)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"batch_size": 0}, "batch_size"),
        ({"max_tokens": -1}, "max_tokens"),
        ({"batch_size": 4, "seed": -1}, "seed"),
        ({"max_tokens": 3}, "max_tokens"),
    ],
)
def test_batches_refuse_sizes_out_of_range(how, message):
    with pytest.raises(ValueError, match=message):
        Batches([Pair(("a",), ("b",)), Pair(("c",), ("d", "e", "f"))], VOCABULARY, VOCABULARY, **how)


def test_collate_and_batches_refuse_what_is_not_pairs():
    for make in (collate, lambda pairs, *both: Batches(pairs, *both, batch_size=2)):
        with pytest.raises(ValueError, match="pairs"):
            make([], VOCABULARY, VOCABULARY)
        with pytest.raises(TypeError, match=r"pairs\[1\]"):
            make([Pair(("a",), ("b",)), (("a",), ("b",))], VOCABULARY, VOCABULARY)
        for wrong in (Pair(("a",), ("b",)), iter(make_pairs(2))):
            with pytest.raises(TypeError, match="pairs"):
                make(wrong, VOCABULARY, VOCABULARY)


@pytest.mark.parametrize(("number", "start"), [(-1, 0), (0, -1), (0, 4)])
def test_epoch_refuses_number_or_start_out_of_range(number, start):
    batches = Batches(make_pairs(6), VOCABULARY, VOCABULARY, batch_size=2)
    with pytest.raises(ValueError, match="number" if number < 0 else "start"):
        batches.epoch(number, start=start)


@pytest.mark.parametrize("position", [-1, 1.5, None])
def test_batch_at_refuses_a_position_that_is_not_an_index(position):
    batches = Batches(make_pairs(6), VOCABULARY, VOCABULARY, batch_size=2)
    for call in (batches.batch_at, batches.num_tokens):
        with pytest.raises(ValueError, match="position"):
            call(position)
    with pytest.raises(ValueError, match="number"):
        batches.epoch(0.5)


@pytest.mark.parametrize("rows", [[], [[4], []]])
def test_pad_refuses_empty_rows(rows):
    with pytest.raises(ValueError, match="rows"):
        pad(rows)


@pytest.mark.parametrize("rows", [7, None, [[0.5]], [[True]]])
def test_pad_refuses_rows_that_are_not_ids(rows):
    with pytest.raises(TypeError, match=r"^rows"):
        pad(rows)


@pytest.mark.parametrize("name", ["source_vocabulary", "target_vocabulary"])
def test_batches_name_an_invalid_vocabulary(name):
    both = {"source_vocabulary": VOCABULARY, "target_vocabulary": VOCABULARY, name: None}
    with pytest.raises(TypeError, match=f"^{name}"):
        collate(make_pairs(2), **both)


def test_pad_accepts_tensors_as_rows() -> None:
    assert pad([torch.tensor([5, 6], dtype=torch.int32)])[0].dtype == torch.int64  # type: ignore[list-item]
    ids, mask = pad([torch.tensor([5, 6]), torch.tensor([7])])  # type: ignore[list-item]
    assert ids.tolist() == [[5, 6], [7, PAD]] and mask.tolist() == [[True, True], [True, False]]


def test_batches_iterate_one_epoch_per_loop():
    batches = Batches(make_pairs(30), VOCABULARY, VOCABULARY, batch_size=4)
    loops = [[batch.pairs for batch in batches] for _ in range(3)]
    batches = Batches(make_pairs(30), VOCABULARY, VOCABULARY, batch_size=4, seed=0, shuffle=True)
    assert loops == [[batch.pairs for batch in batches.epoch(number)] for number in range(3)]
    assert loops[0] != loops[1] and len(loops[0]) == len(batches)


def test_batch_at_counts_positions_across_epochs():
    batches = Batches(make_pairs(30), VOCABULARY, VOCABULARY, batch_size=8)
    for position, batch in enumerate(batch for number in range(3) for batch in batches.epoch(number)):
        assert same(batches.batch_at(position), batch) and batches.num_tokens(position) == batch.num_tokens


def test_num_tokens_of_long_sources_does_not_overflow():
    """The sampler stores both lengths of a pair in one number, of 8 bits if that is enough."""
    batches = Batches([Pair(("a",) * 99, ("b",))], VOCABULARY, VOCABULARY, batch_size=1)
    assert batches.num_tokens(0) == 2


def test_batch_moves_only_if_its_source_is_padded_on_the_right() -> None:
    batch = collate([Pair(("a",), ("b",)), Pair(("a", "b"), ("c",))], VOCABULARY, VOCABULARY)
    assert not batch.is_checked and batch.to("cpu").is_checked
    with pytest.raises(ValueError, match="source_mask"):
        replace(batch, source_mask=batch.source_mask.flip(1)).to("cpu")


@pytest.mark.parametrize("missing", ["batch_at", "num_tokens", "digest", "__len__"])
def test_as_batch_source_refuses_batches_without_a_required_member(missing):
    members = {"batch_at": lambda self, position: None, "num_tokens": lambda self, position: 1, "digest": "x"}
    members["__len__"] = lambda self: 1
    complete = type("Own", (), members)()
    assert as_batch_source(complete) is complete
    del members[missing]
    with pytest.raises(TypeError, match="batches"):
        as_batch_source(type("Own", (), members)())


@pytest.mark.parametrize("rows", ["ab", [5], ["ab"], [[None]], [[1j]], [[2**70]]])
def test_pad_names_rows_that_hold_no_ids(rows):
    with pytest.raises(TypeError, match=r"^rows"):
        pad(rows)


@pytest.mark.parametrize("max_length", [None, 0, "2", 1.5])
def test_corpus_up_to_refuses_a_length_that_is_not_a_count(max_length):
    with pytest.raises(ValueError, match="max_length"):
        Corpus(make_pairs(2), {}).up_to(max_length)


def test_batches_name_arguments_of_another_type():
    pairs = make_pairs(3)
    batch = collate(pairs, VOCABULARY, VOCABULARY)
    for name, call in (
        ("target_vocabulary", lambda: Batches(pairs, VOCABULARY, None, batch_size=1)),
        ("source_vocabulary", lambda: collate(pairs, "abc", VOCABULARY)),
        ("device", lambda: batch.to(torch.float16)),
    ):
        with pytest.raises(TypeError, match=name):
            call()


def test_batches_refuse_a_shuffle_that_is_not_a_bool():
    with pytest.raises(ValueError, match=r"^shuffle\b"):
        Batches(make_pairs(3), VOCABULARY, VOCABULARY, batch_size=1, shuffle="no")


@pytest.mark.parametrize("value", [None, "1", 1.5])
def test_batches_refuse_a_seed_or_start_that_is_not_an_integer(value):
    with pytest.raises(ValueError, match="seed"):
        Batches(make_pairs(3), VOCABULARY, VOCABULARY, batch_size=1, seed=value)
    with pytest.raises(ValueError, match="start"):
        Batches(make_pairs(3), VOCABULARY, VOCABULARY, batch_size=1).epoch(0, start=value)
