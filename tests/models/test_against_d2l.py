"""Compare with D2L's classes and copied weights: equal where D2L is correct; its mistakes are shown where it is not.

D2L 1.0.3 has encoders in its package but decoders only on its pages. Bahdanau's decoder is rebuilt here from the page's
description.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnbook.attention.masks import lengths_to_mask, masked_softmax
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.attention.positional import SinusoidalPositions
from attnbook.attention.scoring import AdditiveAttention, DotProductAttention
from attnbook.models.bahdanau import Bahdanau, BahdanauDecoder
from attnbook.models.transformer import FeedForward
from tests.support.d2l_reference import D_FF, D_MODEL, NUM_HEADS, assert_alike, attentions, copy_weights, d2l
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY, random_batch


# Components
@pytest.mark.parametrize("lengths", [None, [4, 1, 2]])
def test_additive_attention_equals_d2l(lengths: list[int] | None) -> None:
    torch.manual_seed(0)
    ours, theirs = AdditiveAttention(3, 5, 6), d2l.AdditiveAttention(6, dropout=0)
    valid = None if lengths is None else torch.tensor(lengths)
    mask = None if valid is None else lengths_to_mask(valid, 4).unsqueeze(1)
    data = [torch.randn(3, 2, 3), torch.randn(3, 4, 5), torch.randn(3, 4, 7)]
    theirs(*data, valid)  # initializes D2L's lazy layers
    copy_weights({ours.W_q: theirs.W_q, ours.W_k: theirs.W_k, ours.w_v: theirs.w_v})
    found = []
    for attend in (lambda q, k, v: ours(q, k, v, mask), lambda q, k, v: theirs(q, k, v, valid)):
        inputs = [tensor.clone().requires_grad_() for tensor in data]
        answer = attend(*inputs)
        answer.square().sum().backward()
        found.append([answer, *(tensor.grad for tensor in inputs)])
    for mine, other in zip(*found, strict=True):
        assert_alike(mine, other)
    assert_alike(ours.W_q.weight.grad, theirs.W_q.weight.grad)  # type: ignore[arg-type]
    assert_alike(ours.w_v.weight.grad, theirs.w_v.weight.grad)  # type: ignore[arg-type]


@pytest.mark.parametrize("lengths", [None, [4, 1, 2], [[1, 2], [4, 3], [2, 2]]], ids=["none", "a row", "a query"])
def test_dot_product_attention_equals_d2l(lengths: list[Any] | None) -> None:
    torch.manual_seed(0)
    query, key, value = torch.randn(3, 2, 6), torch.randn(3, 4, 6), torch.randn(3, 4, 5)
    valid = None if lengths is None else torch.tensor(lengths)
    mask = None
    if valid is not None:
        mask = lengths_to_mask(valid, 4)
        mask = mask.unsqueeze(1) if valid.dim() == 1 else mask
    theirs = d2l.DotProductAttention(0)
    seen: list[Tensor] = []
    ours = DotProductAttention()
    ours.observer = seen.append
    assert_alike(ours(query, key, value, mask), theirs(query, key, value, valid))
    assert_alike(seen[0][:, 0], theirs.attention_weights)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("lengths", [None, [4, 1, 2], [[1, 2], [4, 3], [2, 2]]], ids=["none", "a row", "a query"])
def test_multi_head_attention_equals_d2l(lengths: list[Any] | None, bias: bool) -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(D_MODEL, NUM_HEADS, query_size=3, key_size=5, value_size=7, bias=bias)
    theirs = d2l.MultiHeadAttention(D_MODEL, NUM_HEADS, 0, bias=bias)
    data = [torch.randn(3, 2, 3), torch.randn(3, 4, 5), torch.randn(3, 4, 7)]
    valid = None if lengths is None else torch.tensor(lengths)
    mask = None
    if valid is not None:
        mask = lengths_to_mask(valid, 4)
        mask = mask.unsqueeze(1) if valid.dim() == 1 else mask
    theirs(*data, valid)
    copy_weights(attentions(ours, theirs))
    assert_alike(ours(*data, mask), theirs(*data, valid))
    upstream = torch.randn(3, 2, D_MODEL)
    (ours(*data, mask) * upstream).sum().backward()
    (theirs(*data, valid) * upstream).sum().backward()
    for mine, other in attentions(ours, theirs).items():
        assert_alike(mine.weight.grad, other.weight.grad)  # type: ignore[arg-type]


def test_positions_and_feed_forward_equal_d2l() -> None:
    torch.manual_seed(0)
    x = torch.randn(2, 900, D_MODEL)
    torch.testing.assert_close(
        SinusoidalPositions(D_MODEL)(x), d2l.PositionalEncoding(D_MODEL, 0)(x), atol=1e-3, rtol=0
    )
    assert_alike(SinusoidalPositions(D_MODEL)(x[:, :20]), d2l.PositionalEncoding(D_MODEL, 0)(x[:, :20]))
    ours, theirs = FeedForward(D_MODEL, D_FF), d2l.PositionWiseFFN(D_FF, D_MODEL)
    theirs(x)
    copy_weights({ours.W_1: theirs.dense1, ours.W_2: theirs.dense2})
    assert_alike(ours(x), theirs(x))


# Bahdanau
class PageBahdanauDecoder(nn.Module):
    """The decoder of D2L's Bahdanau page, with D2L's attention; its only mask is the source lengths."""

    def __init__(self, vocab_size: int, embed_size: int, num_hiddens: int, num_layers: int) -> None:
        super().__init__()
        self.attention = d2l.AdditiveAttention(num_hiddens, dropout=0)
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size + num_hiddens, num_hiddens, num_layers)
        self.dense = nn.Linear(num_hiddens, vocab_size)

    def forward(self, target: Tensor, outputs: Tensor, hidden: Tensor, lengths: Tensor) -> Tensor:
        memory, steps = outputs.transpose(0, 1), []
        for word in self.embedding(target).unbind(1):
            context = self.attention(hidden[-1].unsqueeze(1), memory, memory, lengths).squeeze(1)
            step, hidden = self.rnn(torch.cat((context, word), -1).unsqueeze(0), hidden)
            steps.append(step[0])
        logits: Tensor = self.dense(torch.stack(steps, 1))
        return logits


@pytest.mark.parametrize("num_layers", [1, 2])
def test_bahdanau_equals_d2l_without_padding(num_layers: int) -> None:
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"embed_size": 6, "num_hiddens": 8, "num_layers": num_layers}
    ours = Bahdanau(SOURCE_VOCABULARY, TARGET_VOCABULARY, dropout=0, **sizes)
    mine = ours.decoder
    assert isinstance(mine, BahdanauDecoder)
    encoder = d2l.Seq2SeqEncoder(SOURCE_VOCABULARY, *sizes.values())
    decoder = PageBahdanauDecoder(TARGET_VOCABULARY, *sizes.values())
    batch = random_batch((5, 5, 5), (4, 2, 6))
    lengths = torch.tensor([5, 5, 5])
    decoder(batch.target_in, *encoder(batch.source), lengths)
    copy_weights(
        {
            ours.encoder.embedding: encoder.embedding,
            ours.encoder.rnn: encoder.rnn.rnn,
            mine.embedding: decoder.embedding,
            mine.cross_attention.W_q: decoder.attention.W_q,
            mine.cross_attention.W_k: decoder.attention.W_k,
            mine.cross_attention.w_v: decoder.attention.w_v,
            ours.head: decoder.dense,
        }
    )
    with torch.no_grad():
        for layer, cell in enumerate(mine.stack.cells):
            for name, parameter in cell.named_parameters():
                decoder.rnn.get_parameter(f"{name}_l{layer}").copy_(parameter)
    assert_alike(ours(batch), decoder(batch.target_in, *encoder(batch.source), lengths))


def test_d2l_encoder_reads_padding_unlike_ours() -> None:
    torch.manual_seed(0)
    theirs = d2l.Seq2SeqEncoder(SOURCE_VOCABULARY, 6, 8, 1)
    ours = Bahdanau(SOURCE_VOCABULARY, TARGET_VOCABULARY, embed_size=6, num_hiddens=8, dropout=0).encoder
    source = torch.tensor([[5, 6, 7]])
    wider = torch.tensor([[5, 6, 7, 0, 0]])
    with torch.no_grad():
        assert float((theirs(wider)[1] - theirs(source)[1]).abs().max()) > 0.05
    short, long = lengths_to_mask(torch.tensor([3]), 3), lengths_to_mask(torch.tensor([3]), 5)
    assert_alike(ours(wider, long)[1], ours(source, short)[1])


# Differences in smaller functions
def test_d2l_masked_softmax_attends_in_fully_masked_row_and_modifies_input() -> None:
    scores = torch.randn(1, 1, 4)
    mine, theirs = scores.clone(), scores.clone()
    assert d2l.masked_softmax(theirs, torch.tensor([0])).tolist() == [[[0.25] * 4]]
    assert not torch.equal(theirs, scores), "its argument was overwritten"
    assert not masked_softmax(mine, torch.zeros(1, 1, 4, dtype=torch.bool)).any() and torch.equal(mine, scores)


def test_d2l_masked_softmax_gives_nan_in_fp16_for_fully_masked_row() -> None:
    """D2L's -1e6 is minus infinity in fp16."""
    scores = torch.zeros(1, 1, 4, dtype=torch.float16)
    assert d2l.masked_softmax(scores.clone(), torch.tensor([0])).isnan().all()
    assert not masked_softmax(scores, lengths_to_mask(torch.tensor([[0]]), 4)).any()


def test_d2l_positions_reject_odd_sizes_and_more_than_1000_tokens() -> None:
    with pytest.raises(RuntimeError):
        d2l.PositionalEncoding(7, 0)
    with pytest.raises(RuntimeError):
        d2l.PositionalEncoding(8, 0)(torch.zeros(1, 1001, 8))
    assert SinusoidalPositions(7)(torch.zeros(1, 1001, 7)).shape == (1, 1001, 7)


def test_d2l_attention_keeps_weights_and_graph() -> None:
    query = torch.randn(1, 2, 4, requires_grad=True)
    theirs, ours = d2l.DotProductAttention(0), DotProductAttention()
    theirs(query, query, query)
    ours(query, query, query)
    assert theirs.attention_weights.grad_fn is not None
    assert not any(isinstance(value, Tensor) for value in vars(ours).values())
