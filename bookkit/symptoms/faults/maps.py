"""Planted faults: reading attention maps."""

from __future__ import annotations

import matplotlib
import torch
from torch import Tensor, nn

from attnbook import DotProductAttention, MultiHeadAttention, record_attention
from bookkit.symptoms.faults.core import Names, planted


@planted
def all_rows_are_uniform(cause: str | None) -> Names:
    query, key = torch.randn(5, 16), torch.randn(8, 16)
    if cause == "equal keys":
        key = key[:1].expand(8, 16)
    if cause == "tiny projections":
        query, key = 0.05 * query, 0.05 * key
    scores = query @ key.mT / (16 * 16 if cause == "divided too much" else 16**0.5)
    if cause == "whole row hidden":
        scores = scores.masked_fill(torch.ones(5, 8, dtype=torch.bool), -1e9)
    weights = scores.softmax(-1)
    return locals()


@planted
def one_column_is_dark(cause: str | None) -> Names:
    query, key, value = torch.rand(6, 16), torch.rand(8, 16), torch.randn(8, 16)
    query, key = 3 * query / query.norm(dim=-1, keepdim=True), 3 * key / key.norm(dim=-1, keepdim=True)
    if cause == "long key":
        key = torch.cat([6 * key[:1], key[1:]])
    if cause == "queries are equal":
        query, key = 8 * query[:1].expand(6, 16), torch.cat([query[:1], key[1:]])
    if cause == "sink":  # all queries share a direction in which the first key points, and its value is nearly zero
        direction = 3 * nn.functional.one_hot(torch.tensor(0), 16)
        query, key = query + 4 * direction, torch.cat([direction[None], key[1:]])
        value = torch.cat([0.01 * value[:1], value[1:]])
    weights = (query @ key.mT / 4).softmax(-1)
    column = int(weights.mean(0).argmax())
    return locals()


@planted
def only_the_diagonal_is_dark(cause: str | None) -> Names:
    x, project_query, project_key = torch.randn(6, 32), nn.Linear(32, 32), nn.Linear(32, 32)
    query, key = 3 * project_query(x), 3 * project_key(x)
    if cause == "one projection":
        key = query
    allowed = torch.ones(6, 6, dtype=torch.bool)
    if cause == "mask":
        allowed = torch.eye(6, dtype=torch.bool)
    weights = (query @ key.mT / 32**0.5).masked_fill(~allowed, float("-inf")).softmax(-1)
    return locals()


@planted
def map_looks_transposed(cause: str | None) -> Names:
    scores = torch.randn(6, 6)  # (queries, keys)
    weights = scores.softmax(0 if cause == "softmax over queries" else 1)
    shown = weights.mT if cause == "drawn transposed" else weights  # rows of the picture: queries
    return locals()


@planted
def map_is_shifted_by_one_row(cause: str | None) -> Names:
    words = ["le", "chat", "dort", ".", "<eos>"]
    gold = torch.tensor([0, 1, 2, 3, 4])  # source position of each written word
    labels = ["<bos>", *words[:-1]] if cause == "labels of the input" else words
    weights = torch.eye(5)[gold]
    if cause == "row of another step":
        weights = weights.roll(1, 0)  # the weights of step t are stored under step t + 1
    position = {word: i for i, word in enumerate(words)}
    darkest = {label: int(row.argmax()) for label, row in zip(labels, weights, strict=True)}
    return locals()


@planted
def two_maps_cannot_be_compared(cause: str | None) -> Names:
    sharp, flat = torch.tensor([[0.9, 0.1], [0.1, 0.9]]), torch.tensor([[0.51, 0.49], [0.49, 0.51]])
    norms = [matplotlib.colors.Normalize(0, 1) for _ in range(2)]
    if cause == "own ranges":  # what imshow does without vmin and vmax
        norms = [matplotlib.colors.Normalize(float(w.min()), float(w.max())) for w in (sharp, flat)]
    colors = [matplotlib.colormaps["Blues"](norm(w.numpy())) for norm, w in zip(norms, (sharp, flat), strict=True)]
    return locals()


@planted
def average_map_shows_nothing(cause: str | None) -> Names:
    attention, x = nn.MultiheadAttention(32, 8, batch_first=True), torch.randn(1, 6, 32)
    with torch.no_grad():
        attention.in_proj_weight.mul_(4)  # heads that look at one key each
    each = attention(x, x, x, average_attn_weights=False)[1]  # (batch, heads, queries, keys)
    weights = attention(x, x, x)[1] if cause == "mean over heads" else each
    return locals()


@planted
def right_word_wrong_output(cause: str | None) -> Names:
    key, value = 6 * torch.eye(5, 16), torch.eye(5, 16)
    if cause == "word not learned":
        value[2] = torch.eye(16)[3]  # it is read as word 3
    if cause == "value is nearly zero":
        value = value * torch.tensor([1, 1, 0.01, 1, 1])[:, None]
    query, state = key[2:3], torch.zeros(1, 16)
    state[0, 4] = 0.5  # what the model would say without looking
    weights = (query @ key.mT / 4).softmax(-1)
    context = (weights @ value).requires_grad_()
    read_out = torch.eye(16)[:, :5]
    logits = (state + (0 * context if cause == "context not used" else context)) @ read_out
    return locals()


@planted
def all_heads_look_alike(cause: str | None) -> Names:
    attention, x = nn.MultiheadAttention(32, 4, batch_first=True, bias=False), torch.randn(1, 6, 32)
    with torch.no_grad():
        if cause == "heads start equal":
            for part in attention.in_proj_weight.view(3, 4, 8, 32):
                part.copy_(part[:1].expand(4, 8, 32))
    maps = attention(x, x, x, average_attn_weights=False)[1]
    if cause == "mean shown":
        maps = attention(x, x, x)[1][:, None].expand(1, 4, 6, 6)
    projections = attention.in_proj_weight.view(3, 4, 8, 32)
    return locals()


@planted
def map_changes_on_every_look(cause: str | None) -> Names:
    attention, x = nn.MultiheadAttention(32, 4, dropout=0.3, batch_first=True), torch.randn(1, 6, 32)
    attention.train(cause == "training mode")

    def look() -> Tensor:
        weights: Tensor = attention(x, x, x)[1]
        return weights

    return locals()


@planted
def weights_do_not_give_the_output(cause: str | None) -> Names:
    query, key, value = torch.randn(1, 3, 16), torch.randn(1, 8, 16), torch.randn(1, 8, 16)
    attention: nn.Module = DotProductAttention(dropout=0.5)
    if cause == "projections":
        attention = MultiHeadAttention(16, 1)
    attention.train(cause == "dropout")
    with record_attention(attention) as record:
        output = attention(query, key, value)
    weights = next(iter(record.values()))
    if cause == "rounded":
        weights = (10 * weights).round() / 10
    return locals()


@planted
def map_of_padding_rows(cause: str | None) -> Names:
    mask = torch.tensor([[True, True, True, False, False]])  # (batch, tokens)
    weights = torch.randn(1, 5, 5).masked_fill(~mask[:, None, :], float("-inf")).softmax(-1)
    weights[:, 3:] = torch.tensor([0.34, 0.33, 0.33, 0, 0])  # what padding queries see means nothing
    weights[:, :3] = torch.eye(5)[:3]
    sharpest = weights.amax(-1)  # of each query
    average = sharpest.mean() if cause == "padding queries" else sharpest[mask].mean()
    return locals()
