"""Word alignment from attention weights, and its error rate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch

from attnbook.data import Pair, Subwords, Vocabulary, collate
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer
from attnbook.observe.recorder import record_attention
from attnbook.translation.alignment import alignment_error_rate, alignment_error_rates, links_from_weights


def test_alignment_error_rate_by_hand() -> None:
    gold = {(0, 0), (1, 1)}
    assert alignment_error_rate([gold], [gold]) == 0
    assert alignment_error_rate([{(0, 1)}], [gold]) == 1
    assert alignment_error_rate([{(0, 0), (2, 1)}], [gold]) == pytest.approx(1 - (1 + 1) / 4)
    # links are summed over the corpus before dividing
    pooled = alignment_error_rate([gold, {(0, 0)}], [gold, {(1, 0), (1, 1)}])
    assert pooled == pytest.approx(1 - (2 + 2 + 0) / (2 + 2 + 1 + 2))
    assert alignment_error_rate([[(0, 0), (0, 0)]], [[(0, 0)]]) == 0
    assert alignment_error_rate([iter([[0, 0]])], [[[0, 0]]]) == 0  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"found\[0\]"):
        alignment_error_rate([(0, 0)], [[(0, 0)]])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"gold\[0\]"):
        alignment_error_rate([gold], [None])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="found"):
        alignment_error_rate([gold], [gold, gold])
    with pytest.raises(ValueError, match=r"^found and gold"):
        alignment_error_rate([set()], [set()])
    for name, both in (("found", (iter([gold]), [gold])), ("gold", ([gold], iter([gold])))):
        with pytest.raises(TypeError, match=f"^{name}"):
            alignment_error_rate(*both)  # type: ignore[arg-type]


def test_links_from_weights_takes_the_largest_weight() -> None:
    weights = torch.tensor([[0.1, 0.9, 0.0], [0.6, 0.3, 0.1], [0.0, 0.0, 0.0]])
    assert links_from_weights(weights) == {(1, 0), (0, 1)}
    heads = torch.stack([weights, torch.tensor([[0.9, 0.0, 0.1], [0.2, 0.8, 0.0], [0.0, 0.0, 1.0]])])
    assert links_from_weights(heads) == {(0, 0), (1, 1), (2, 2)}
    assert links_from_weights(heads.bfloat16()) == {(0, 0), (1, 1), (2, 2)}
    assert links_from_weights(torch.ones(0, 3)) == links_from_weights(torch.ones(2, 0, 3)) == set()
    for shape in ((3,), (2, 0), (0, 2, 3), (2, 3, 0), (1, 2, 2, 3)):
        with pytest.raises(ValueError, match="weights"):
            links_from_weights(torch.ones(shape))
    halves = torch.tensor([[[1.0, 1.0]], [[1.0, 1.0078125]]]).bfloat16()  # their mean needs more bits
    assert links_from_weights(halves) == {(1, 0)}
    nearly = torch.tensor([[0.5, 0.5 + 2**-40]], dtype=torch.float64)  # the same in fp32
    assert links_from_weights(nearly) == {(1, 0)}
    with pytest.raises(TypeError, match="weights"):
        links_from_weights(weights.tolist())
    with pytest.raises(ValueError, match="weights"):
        links_from_weights(torch.tensor([[math.nan, 0.5]]))


@pytest.mark.parametrize("family", ["bahdanau", "transformer"])
def test_alignment_error_rates_use_teacher_forcing(family: str) -> None:
    links = [{(0, 0), (1, 1)}, {(0, 2), (1, 0), (2, 1)}, {(0, 0)}]
    pairs = [
        Pair(("a", "b"), ("x", "y"), frozenset(links[0])),
        Pair(("c", "b", "a"), ("y", "z", "x"), frozenset(links[1])),
        Pair(("c",), ("x", "z"), frozenset(links[2])),
    ]
    source, target = (Vocabulary.build([getattr(p, side) for p in pairs]) for side in ("source", "target"))
    torch.manual_seed(0)
    model: EncoderDecoder = Bahdanau(len(source), len(target), embed_size=8, num_hiddens=8)
    if family == "transformer":
        model = Transformer(len(source), len(target), d_model=8, num_heads=2, d_ff=16)
    found = alignment_error_rates(model, pairs, source, target, batch_size=2, heads=True)
    names = [n for n, _ in model.named_modules() if n.endswith("cross_attention")]
    several = [f"{name}[{head}]" for name in names for head in (0, 1) if family == "transformer"]
    assert sorted(found) == sorted(names + several)
    assert sorted(alignment_error_rates(model, pairs, source, target)) == sorted(names)
    for name in names:
        made: list[list[Any]] = [[], [], []]  # links of the mean over heads, and of each head
        for pair in pairs:  # one by one, recorded
            batch = collate([pair], source, target)
            with record_attention(model.eval()) as record, torch.no_grad():
                model(batch)
            words = record[name][0, :, : len(pair.target)]
            for links_made, weights in zip(made, [words, *words], strict=False):
                links_made.append(links_from_weights(weights))
        model.train()
        for asked, links_made in zip((name, f"{name}[0]", f"{name}[1]"), made, strict=True):
            if asked in found:
                assert found[asked] == pytest.approx(alignment_error_rate(links_made, links))
    assert alignment_error_rates(Seq2Seq(len(source), len(target), embed_size=4), pairs, source, target) == {}


def test_alignment_error_rates_refuse_pairs_without_gold() -> None:
    vocabulary = Vocabulary(("a",))
    model = Bahdanau(len(vocabulary), len(vocabulary), embed_size=4, num_hiddens=4)
    with pytest.raises(ValueError, match="pairs"):
        alignment_error_rates(model, [], vocabulary, vocabulary)
    with pytest.raises(ValueError, match="pairs"):
        alignment_error_rates(model, [Pair(("a", "a"), ("a",))], vocabulary, vocabulary)
    with pytest.raises(TypeError, match=r"pairs\[0\]"):
        alignment_error_rates(model, ["a"], vocabulary, vocabulary)  # type: ignore[list-item]
    gold = Pair(("a",), ("a",), frozenset({(0, 0)}))
    with pytest.raises(ValueError, match="batch_size"):
        alignment_error_rates(model, [gold], vocabulary, vocabulary, batch_size=-1)
    with pytest.raises(ValueError, match="target_vocabulary"):
        alignment_error_rates(model, [gold], vocabulary, Vocabulary(("a", "b")))
    pieces = Subwords.build([["ab", "abc"]], size=300)
    wide = Bahdanau(len(pieces), len(pieces), embed_size=4, num_hiddens=4)
    with pytest.raises(ValueError, match=r"pairs .*'xyz ab'"):
        alignment_error_rates(wide, [Pair(("xyz", "ab"), ("xyz",), frozenset({(0, 0)}))], pieces, pieces)


@pytest.mark.parametrize("weights", [torch.eye(2).to_sparse(), torch.eye(2, dtype=torch.complex64)])
def test_links_from_weights_refuses_sparse_and_complex_tensors(weights: torch.Tensor) -> None:
    with pytest.raises(TypeError, match="weights"):
        links_from_weights(weights)


@pytest.mark.parametrize("link", [("0", "1"), (0.5, 1), (torch.tensor(0), torch.tensor(1)), (None, 1), "01"])
def test_alignment_error_rate_refuses_links_that_are_not_pairs_of_indices(link: object) -> None:
    for found, gold, name in (([[link]], [[(0, 1)]], "found"), ([[(0, 1)]], [[link]], "gold")):
        with pytest.raises(TypeError, match=rf"{name}\[0\]"):
            alignment_error_rate(found, gold)  # type: ignore[arg-type]
    assert alignment_error_rate([[(np.int64(0), np.int32(1))]], [[(0, 1)]]) == 0  # type: ignore[list-item]
    with pytest.raises(TypeError, match="found"):
        alignment_error_rate(None, [])  # type: ignore[arg-type]


def test_links_from_weights_compares_weights_in_their_own_precision() -> None:
    weights = torch.tensor([[0.5, 0.5 + 1e-9], [0.0, 1e-60]], dtype=torch.float64)
    assert links_from_weights(weights) == {(1, 0), (1, 1)}


def test_links_from_weights_refuses_zero_heads() -> None:
    with pytest.raises(ValueError, match="weights"):
        links_from_weights(torch.zeros(0, 2, 3))
