"""What a call does with an argument that is none: it names the argument, what it got, and what it wanted."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attnbook.data import Batches, Example, Pair, Subwords, Vocabulary, collate, pad
from attnbook.models.transformer import Transformer
from attnbook.observe.ablation import switched_off
from attnbook.observe.interventions import Cell, intervening
from attnbook.training.loop import train
from attnbook.training.optim import constant
from attnbook.translation.alignment import alignment_error_rate, links_from_weights
from attnbook.translation.metrics import bleu_d2l, corpus_bleu, perplexity
from attnbook.translation.search import beam_search, cross_attention, greedy
from attnbook.translation.translate import translate

WORDS = Vocabulary(("a", "b", "c"))
PAIRS = [Pair(("a", "b"), ("b", "a")), Pair(("c",), ("c",))]
BATCH = collate(PAIRS, WORDS, WORDS)
X = torch.zeros(2, 3, 4)


def small() -> Transformer:
    torch.manual_seed(0)
    return Transformer(len(WORDS), len(WORDS), d_model=8, num_heads=2, d_ff=8, num_layers=1).eval()


MODEL = small()


@pytest.mark.parametrize("value", ["1", None, [1], math.nan, True, 1 + 0j])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("peak", lambda v: constant(v)),
        ("warmup", lambda v: constant(1.0, warmup=v)),
        ("label_smoothing", lambda v: train(small(), [BATCH], steps=1, label_smoothing=v)),
        ("lr", lambda v: train(small(), [BATCH], steps=1, lr=v)),
        ("lr at step 1", lambda v: next(train(small(), [BATCH], steps=1, lr=lambda step: v))),
        ("length_penalty", lambda v: translate(MODEL, [["a"]], WORDS, WORDS, length_penalty=v)),
        ("temperatures", lambda v: intervening(MODEL, temperatures={"decoder.0.cross_attention": v}).__enter__()),
    ],
)
def test_a_number_is_one(name: str, call: Callable[[object], object], value: object) -> None:
    with pytest.raises(ValueError, match=rf"{name}\b"):
        call(value)


@pytest.mark.parametrize("value", ["1", 1.5, np.float32(1), [1], True, -1, torch.tensor(1.0)])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("k", lambda v: bleu_d2l("a b", "a b", v)),
        ("min_count", lambda v: Vocabulary.build([["a"]], min_count=v)),
        ("steps", lambda v: train(small(), [BATCH], steps=v)),
        ("start", lambda v: Batches(PAIRS, WORDS, WORDS, batch_size=2).epoch(0, start=v)),
        ("beam_size", lambda v: beam_search(MODEL, BATCH.source, BATCH.source_mask, beam_size=v)),
    ],
)
def test_a_count_is_whole_and_true_is_none(name: str, call: Callable[[object], object], value: object) -> None:
    with pytest.raises(ValueError, match=name):
        call(value)


@pytest.mark.parametrize("thing", [nn.Linear(2, 2), None, [BATCH]])
@pytest.mark.parametrize(
    "call",
    [
        lambda m: translate(m, [["a"]], WORDS, WORDS),
        lambda m: greedy(m, BATCH.source, BATCH.source_mask),
        lambda m: beam_search(m, BATCH.source, BATCH.source_mask),
        lambda m: perplexity(m, [BATCH]),
        lambda m: train(m, [BATCH], steps=1),
    ],
)
def test_a_model_translates(call: Callable[[object], object], thing: object) -> None:
    with pytest.raises(TypeError, match="model"):
        call(thing)


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (TypeError, "sentences", lambda: translate(MODEL, 5, WORDS, WORDS)),
        (TypeError, "source_vocabulary", lambda: translate(MODEL, [["a"]], None, WORDS)),
        (TypeError, "target_vocabulary", lambda: translate(MODEL, [["a"]], WORDS, ["a"] * 7)),
        (TypeError, "target_vocabulary", lambda: Batches(PAIRS, WORDS, None, batch_size=1)),
        (TypeError, "source_vocabulary", lambda: collate(PAIRS, "abc", WORDS)),
        (TypeError, "y", lambda: train(small(), [BATCH], steps=1, vocabularies=(None, WORDS))),
        (TypeError, "optimizer", lambda: train(small(), [BATCH], steps=1, optimizer=lambda p: None)),
        (TypeError, "batches", lambda: perplexity(MODEL, BATCH)),
        (
            ValueError,
            r"len\(hypotheses\)",
            lambda: cross_attention(MODEL, BATCH.source, BATCH.source_mask, []),
        ),
        (TypeError, "source", lambda: cross_attention(MODEL, [[4]], BATCH.source_mask, [])),  # type: ignore[arg-type]
        (TypeError, "found", lambda: alignment_error_rate(None, [])),
        (ValueError, "weights", lambda: links_from_weights(torch.zeros(0, 2, 3))),
        (TypeError, "hypotheses", lambda: corpus_bleu({"a"}, [["a"]])),
        (TypeError, r"references\[0\]", lambda: corpus_bleu(["a"], [{"a"}])),
        (ValueError, "tokenize", lambda: corpus_bleu(["a"], [["a"]], tokenize="")),
        (ValueError, "tokenize", lambda: corpus_bleu(["a"], [["a"]], tokenize=[])),
        (TypeError, "rows", lambda: pad([[4.5]])),
        (TypeError, "rows", lambda: pad(None)),
        (TypeError, "sentences", lambda: Vocabulary.build(5)),
        (TypeError, "ids", lambda: WORDS.decode(4)),
        (TypeError, "device", lambda: BATCH.to(torch.float16)),
        (TypeError, "source", lambda: Pair("ab", ("c",))),
        (TypeError, "target", lambda: Pair(("a",), (1,))),
        (TypeError, "alignment", lambda: Pair(("a",), ("b",), {(0, 0, 0)})),
        (TypeError, "alignment", lambda: Pair(("a",), ("b",), "ab")),
        (TypeError, "phenomena", lambda: Pair(("a",), ("b",), None, "x")),
        (ValueError, "column", lambda: Cell("decoder.0.cross_attention", True)),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(error: type[Exception], message: str, call: Callable[[], object]) -> None:
    with pytest.raises(error, match=message):
        call()


def test_what_may_be_gone_through_once_is_not_lost() -> None:
    """Cells, heads and parts of a generator were checked, and then gone: the model computed as ever."""

    def changed(context: object) -> Tensor:
        with context:  # type: ignore[attr-defined]
            return MODEL(BATCH)

    name = "decoder.0.cross_attention"
    for several in (list, iter):
        for context in (
            intervening(MODEL, cells=several([Cell(name, 0)])),
            intervening(MODEL, heads=several([(name, 0)])),
            switched_off(MODEL, several(["norm"])),
        ):
            assert not changed(context).allclose(MODEL(BATCH), atol=1e-3)


def test_links_are_those_of_the_weights_in_their_own_precision() -> None:
    weights = torch.tensor([[0.5, 0.5 + 1e-9], [0.0, 1e-60]], dtype=torch.float64)
    assert links_from_weights(weights) == {(1, 0), (1, 1)}


def test_a_pair_of_lists_is_that_of_tuples() -> None:
    pair = Pair(["a", "b"], ["b"], [[0, 0], (1, 0)], ["x"])  # type: ignore[arg-type]
    same = Pair(("a", "b"), ("b",), frozenset({(0, 0), (1, 0)}), frozenset({"x"}))
    assert pair == same and hash(pair) == hash(same)
    example = Example([pair])  # type: ignore[arg-type]
    assert example == Example((same,)) and hash(example) == hash(Example((same,)))
    assert Example(each for each in (pair,)) == example  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="pairs"):
        Example(5)  # type: ignore[arg-type]


def test_more_pieces_than_there_can_be_take_no_memory() -> None:
    """The library made room for as many as it was asked for, and ended the process where it found none."""
    assert len(Subwords.build([["abab"]], size=2**40)) == len(Subwords.build([["abab"]], size=1000)) < 270
