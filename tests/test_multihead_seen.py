"""Multi-head attention in steps, with a cache, with dropout, and with somebody who looks: nothing else changes."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnbook.attention.multihead import MultiHeadAttention


@pytest.mark.parametrize("dropout", [0.0, 0.4])
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("rotary", [False, True])
def test_looking_changes_no_bit(causal: bool, rotary: bool, dropout: float) -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(8, 2, dropout=dropout, rotary=rotary)
    x = torch.randn(3, 4, 8)
    mask = (torch.arange(4) < torch.tensor([[4], [2], [0]])).unsqueeze(1)
    outputs, seen = [], list[Tensor]()
    for observer in (None, seen.append):
        ours.observer = observer
        torch.manual_seed(1)
        outputs.append((ours(x, x, x, causal=causal), ours(x, x, x, mask, causal=causal)))
    assert all(torch.equal(a, b) for a, b in zip(*outputs, strict=True)) and len(seen) == 2


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("rotary", [False, True])
def test_what_is_seen_is_what_was_used(causal: bool, rotary: bool) -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(8, 2, rotary=rotary)
    x = torch.randn(3, 4, 8)
    seen: list[Tensor] = []
    ours.observer = seen.append
    output = ours(x, x, x, causal=causal)
    values = ours.W_v(x).view(3, 4, 2, 4)
    torch.testing.assert_close(ours.W_o(torch.einsum("bhqk,bkhd->bqhd", seen[0], values).reshape(3, 4, 8)), output)
    assert not seen[0].requires_grad and seen[0].shape == (3, 2, 4, 4)
    assert bool(seen[0].triu(1).any()) != causal


@given(cuts=st.lists(st.integers(1, 3), min_size=1, max_size=5), rotary=st.booleans(), padded=st.booleans())
@settings(deadline=None, max_examples=40)
def test_a_cache_gives_what_the_whole_sequence_gives(cuts: list[int], rotary: bool, padded: bool) -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(8, 2, rotary=rotary).double()
    length = sum(cuts)
    x = torch.randn(2, length, 8, dtype=torch.float64)
    mask = None
    if padded:
        mask = (torch.arange(length) < torch.tensor([[length], [max(1, length - 2)]])).unsqueeze(1)
    whole = ours(x, x, x, mask, causal=True)
    cached, pieces, end = None, [], 0
    for piece in x.split(cuts, 1):
        cached = ours.project_key_value(piece, piece, cached)
        end += piece.shape[1]
        pieces.append(ours.attend(piece, cached, None if mask is None else mask[..., :end], causal=True))
    torch.testing.assert_close(torch.cat(pieces, 1), whole)


def test_keys_projected_before_are_seen_by_all_queries_unless_told_otherwise() -> None:
    layer, x = MultiHeadAttention(8, 2), torch.randn(2, 4, 8)
    projected = layer.project_key_value(x, x)
    torch.testing.assert_close(layer.attend(x, projected), layer(x, x, x))
    torch.testing.assert_close(layer.attend(x, projected, causal=True), layer(x, x, x, causal=True))


def test_another_softmax_is_used_with_dropout_and_without_a_gradient_that_nobody_wants() -> None:
    layer, x, graded = MultiHeadAttention(8, 2, dropout=0.5), torch.randn(1, 3, 8), []

    def mean(scores: Tensor, mask: Tensor | None) -> Tensor:
        graded.append(torch.is_grad_enabled())
        return torch.full_like(scores, 1 / 3)

    layer.softmax = mean  # type: ignore[method-assign]
    value = layer.project_key_value(x, x)[1]
    for dropout in (0.5, 0.0):
        layer.train(dropout > 0)
        torch.manual_seed(0)
        weights = F.dropout(torch.full((1, 2, 3, 3), 1 / 3), dropout)
        torch.manual_seed(0)
        torch.testing.assert_close(layer(x, x, x), layer.W_o((weights @ value).transpose(1, 2).flatten(2)))
    with torch.no_grad():
        layer(x, x, x)
    assert graded == [True, True, False]


def test_queries_turn_from_the_first_position_where_nothing_is_causal() -> None:
    ours, x = MultiHeadAttention(8, 2, rotary=True), torch.randn(2, 4, 8)
    torch.testing.assert_close(ours(x[:, :2], x, x), ours(x, x, x)[:, :2])
    torch.testing.assert_close(ours(x, x, x)[:, -1], ours(x, x, x, causal=True)[:, -1])  # the last query sees all keys


def test_weights_of_16_bits_are_computed_in_fp32_and_shown_in_16() -> None:
    ours = MultiHeadAttention(16, 2).to(torch.bfloat16)
    x = 8 * torch.randn(2, 5, 16).to(torch.bfloat16)
    seen: list[Tensor] = []
    ours.observer = seen.append
    ours(x, x, x)
    query, key = (part.float() for part in (ours.split(ours.W_q(x)), ours.project_key_value(x, x)[0]))
    expected = (query @ key.transpose(-2, -1) / 8**0.5).softmax(-1)
    assert seen[0].equal(expected.to(torch.bfloat16))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_dropout_acts_in_training_alone(dtype: torch.dtype) -> None:
    torch.manual_seed(0)
    ours = MultiHeadAttention(8, 2, dropout=0.5).to(dtype)
    x = torch.randn(2, 5, 8).to(dtype)
    seen: list[Tensor] = []
    ours.observer = seen.append
    dropped = ours(x, x, x), ours(x, x, x)
    assert not torch.equal(*dropped)
    assert torch.equal(seen[0], seen[1]), "weights are shown before dropout"
    ours.eval()
    assert torch.equal(ours(x, x, x), ours(x, x, x))


def test_any_length_can_be_compiled_at_once() -> None:
    """Of two lengths that a compiler traces, ``bool`` made a symbol that torch's fused function does not take."""
    attention, x = MultiHeadAttention(8, 2).eval(), torch.randn(1, 5, 8)
    compiled = torch.compile(attention, backend="eager", fullgraph=True, dynamic=True)
    for length in (5, 3):
        part = x[:, :length]
        torch.testing.assert_close(compiled(part, part, part, causal=True), attention(part, part, part, causal=True))
