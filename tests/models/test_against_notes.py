"""Compare with multi-head attention, position codes and layer normalization in three study notes.

The three versions of attention differ in their masks: none; a mask whose zeros are hidden by -1e9; and lengths, hidden
by -1e6 with all heads in one batch. They are rewritten here from their descriptions.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from attnbook.attention.masks import causal_mask, lengths_to_mask
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.attention.positional import sinusoidal_table

BATCH, LENGTH, D_MODEL, NUM_HEADS = 3, 5, 8, 2
HEAD_DIM = D_MODEL // NUM_HEADS

Attend = Callable[[MultiHeadAttention, Tensor, Tensor, Tensor | None], Tensor]


def without_mask(ours: MultiHeadAttention, query: Tensor, key: Tensor, mask: Tensor | None) -> Tensor:
    """Self-attention only, without a mask: one matrix for each head, outputs concatenated."""
    assert mask is None
    heads = []
    for i in range(NUM_HEADS):
        rows = slice(i * HEAD_DIM, (i + 1) * HEAD_DIM)
        q = query @ ours.W_q.weight[rows].T + ours.W_q.bias[rows]
        k = key @ ours.W_k.weight[rows].T + ours.W_k.bias[rows]
        v = key @ ours.W_v.weight[rows].T + ours.W_v.bias[rows]
        heads.append((q @ k.mT / math.sqrt(HEAD_DIM)).softmax(-1) @ v)
    output: Tensor = ours.W_o(torch.cat(heads, -1))
    return output


def with_zeros_hidden(ours: MultiHeadAttention, query: Tensor, key: Tensor, mask: Tensor | None) -> Tensor:
    """The mask is 0 where a key is hidden, and gets an axis for the heads; hidden scores become -1e9."""

    def four_axes(x: Tensor) -> Tensor:
        return x.reshape(BATCH, -1, NUM_HEADS, HEAD_DIM).permute(0, 2, 1, 3)

    q, k, v = four_axes(ours.W_q(query)), four_axes(ours.W_k(key)), four_axes(ours.W_v(key))
    scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / HEAD_DIM**0.5
    if mask is not None:
        scores = torch.where(mask.unsqueeze(1) == 0, torch.tensor(-1e9, dtype=scores.dtype), scores)
    mixed = scores.softmax(-1) @ v
    output: Tensor = ours.W_o(mixed.permute(0, 2, 1, 3).reshape(BATCH, -1, D_MODEL))
    return output


def with_lengths(ours: MultiHeadAttention, query: Tensor, key: Tensor, lengths: Tensor | None) -> Tensor:
    """Every head becomes a row of the batch; lengths, one per row or one per query, are repeated for the heads."""

    def rows(x: Tensor) -> Tensor:
        return torch.cat([part for row in x for part in row.split(HEAD_DIM, -1)]).view(-1, x.shape[1], HEAD_DIM)

    q, k, v = rows(ours.W_q(query)), rows(ours.W_k(key)), rows(ours.W_v(key))
    scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(HEAD_DIM)
    if lengths is not None:
        each = lengths.repeat_interleave(NUM_HEADS, 0)
        each = each.unsqueeze(1).expand(-1, q.shape[1]) if each.dim() == 1 else each
        beyond = torch.arange(k.shape[1]) >= each.unsqueeze(-1)
        scores = scores.masked_fill(beyond, -1e6)
    mixed = torch.bmm(scores.softmax(-1), v).view(BATCH, NUM_HEADS, -1, HEAD_DIM)
    output: Tensor = ours.W_o(torch.cat(mixed.unbind(1), -1))
    return output


@pytest.fixture
def ours() -> MultiHeadAttention:
    torch.manual_seed(0)
    module = MultiHeadAttention(D_MODEL, NUM_HEADS).double()
    for parameter in module.parameters():
        nn.init.normal_(parameter)
    return module


def assert_equals_notes(
    ours: MultiHeadAttention, notes: Attend, theirs: Tensor | None, mask: Tensor | None, keys: int
) -> None:
    """Compare outputs and all gradients."""
    found = []
    for attend in (lambda q, k: ours(q, k, k, mask), lambda q, k: notes(ours, q, k, theirs)):
        torch.manual_seed(1)
        query = torch.randn(BATCH, LENGTH, D_MODEL, dtype=torch.float64, requires_grad=True)
        key = torch.randn(BATCH, keys, D_MODEL, dtype=torch.float64, requires_grad=True)
        ours.zero_grad()
        output = attend(query, key)
        output.square().sum().backward()
        found.append([output, query.grad, key.grad, *(parameter.grad for parameter in ours.parameters())])
    torch.testing.assert_close(found[0], found[1])


def test_multi_head_attention_equals_notes_without_mask(ours: MultiHeadAttention) -> None:
    assert_equals_notes(ours, without_mask, None, None, LENGTH)


@pytest.mark.parametrize("kind", ["open", "padding", "padding and future"])
def test_multi_head_attention_equals_notes_with_zeros_hidden(ours: MultiHeadAttention, kind: str) -> None:
    padding = lengths_to_mask(torch.tensor([5, 1, 3]), LENGTH).unsqueeze(1)
    mask = {"open": None, "padding": padding, "padding and future": padding & causal_mask(LENGTH)}[kind]
    assert_equals_notes(ours, with_zeros_hidden, None if mask is None else mask.long(), mask, LENGTH)


@pytest.mark.parametrize("kind", ["open", "one per row", "one per query", "causal"])
def test_multi_head_attention_equals_notes_with_lengths(ours: MultiHeadAttention, kind: str) -> None:
    lengths = {
        "open": None,
        "one per row": torch.tensor([4, 1, 2]),
        "one per query": torch.tensor([[1, 4, 2, 3, 1], [4, 4, 4, 4, 4], [2, 1, 2, 1, 2]]),
        "causal": torch.arange(1, LENGTH + 1).expand(BATCH, LENGTH),
    }[kind]
    keys = LENGTH if kind == "causal" else 4
    mask = None
    if lengths is not None:
        mask = lengths_to_mask(lengths, keys)
        mask = mask.unsqueeze(1) if lengths.dim() == 1 else mask
    assert_equals_notes(ours, with_lengths, lengths, mask, keys)


@pytest.mark.parametrize("notes", [with_zeros_hidden, with_lengths])
def test_notes_average_values_in_fully_masked_row_unlike_ours(ours: MultiHeadAttention, notes: Attend) -> None:
    torch.manual_seed(1)
    x = torch.randn(BATCH, LENGTH, D_MODEL, dtype=torch.float64)
    theirs = torch.zeros(BATCH, 1, LENGTH) if notes is with_zeros_hidden else torch.zeros(BATCH)
    average = ours.W_o(ours.W_v(x).mean(1, keepdim=True)).expand_as(x)
    torch.testing.assert_close(notes(ours, x, x, theirs), average)
    nothing = ours(x, x, x, torch.zeros(BATCH, 1, LENGTH, dtype=torch.bool))
    torch.testing.assert_close(nothing, ours.W_o.bias.expand_as(x))


def test_mask_value_of_notes_overflows_in_fp16() -> None:
    scores = torch.zeros(1, 3, dtype=torch.float16)
    with pytest.raises(RuntimeError, match="overflow"):
        scores.masked_fill(torch.tensor([[True, False, False]]), -1e9)


@pytest.mark.parametrize("d_model", [8, 7])
def test_sinusoidal_table_equals_formula_of_notes(d_model: int) -> None:
    """Sine in even columns and cosine in odd ones; both of a pair have the frequency of the even column."""
    table = torch.zeros(80, d_model, dtype=torch.float64)
    for position in range(80):
        for i in range(0, d_model, 2):
            angle = position / 10000 ** (i / d_model)
            table[position, i] = math.sin(angle)
            if i + 1 < d_model:
                table[position, i + 1] = math.cos(angle)
    torch.testing.assert_close(sinusoidal_table(80, d_model).double(), table, atol=1e-7, rtol=0)


def test_layer_norm_of_notes_uses_unbiased_deviation() -> None:
    """And epsilon outside the root: the result is that of the library times sqrt((d - 1) / d)."""
    x = torch.randn(4, D_MODEL, dtype=torch.float64)
    notes = (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6)
    library = nn.functional.layer_norm(x, (D_MODEL,), eps=0)
    assert not torch.allclose(notes, library, rtol=0.05)
    torch.testing.assert_close(notes, library * math.sqrt((D_MODEL - 1) / D_MODEL), rtol=1e-4, atol=0)
