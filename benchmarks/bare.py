"""Greedy decoding of a Transformer by torch's functions alone: no modules, no checks, no probabilities, one sentence.

What `attnbook.translation.search.greedy` writes, with the same weights and as few calls of torch as the formulas need.
Its time is a bound: code that calls torch once per operation is not faster.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.data import BOS


def bare_greedy(model: Any, source: list[int], steps: int) -> list[int]:
    """Write ``steps`` tokens for one sentence with a `Transformer` in post-norm; ``<eos>`` does not end it."""
    heads = model.config["num_heads"]
    with torch.inference_mode():
        x = F.embedding(torch.tensor([source]), model.source_embedding.weight) * model.scale
        x = x + model.source_positions.table[: x.shape[1]]  # (1, source_len, d_model)
        for layer in model.encoder:
            query, key, value = (_project(layer.self_attention, name, x, heads) for name in "qkv")
            x = _add_norm(layer.add_norm_1, x, _pool(layer.self_attention, query, key, value))
            x = _add_norm(layer.add_norm_2, x, _feed_forward(layer.feed_forward, x))
        sources = [[_project(layer.cross_attention, name, x, heads) for name in "kv"] for layer in model.decoder]
        targets: list[tuple[Tensor, Tensor] | None] = [None] * len(sources)
        ids = [BOS]
        for position in range(steps):
            x = F.embedding(torch.tensor([[ids[-1]]]), model.target_embedding.weight) * model.scale
            x = x + model.target_positions.table[position]  # (1, 1, d_model)
            for number, layer in enumerate(model.decoder):
                query, key, value = (_project(layer.self_attention, name, x, heads) for name in "qkv")
                past = targets[number]
                if past is not None:
                    key, value = torch.cat((past[0], key), 2), torch.cat((past[1], value), 2)
                targets[number] = key, value
                x = _add_norm(layer.add_norm_1, x, _pool(layer.self_attention, query, key, value))
                query = _project(layer.cross_attention, "q", x, heads)
                x = _add_norm(layer.add_norm_2, x, _pool(layer.cross_attention, query, *sources[number]))
                x = _add_norm(layer.add_norm_3, x, _feed_forward(layer.feed_forward, x))
            ids.append(int(F.linear(x, model.head.weight, model.head.bias).argmax()))
    return ids[1:]


def _project(attention: Any, name: str, x: Tensor, heads: int) -> Tensor:
    linear = getattr(attention, f"W_{name}")
    projected = F.linear(x, linear.weight, linear.bias)
    return projected.view(1, x.shape[1], heads, -1).transpose(1, 2)  # (1, num_heads, length, head_dim)


def _pool(attention: Any, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    pooled = F.scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(2)
    return F.linear(pooled, attention.W_o.weight, attention.W_o.bias)


def _add_norm(add_norm: Any, x: Tensor, change: Tensor) -> Tensor:
    norm = add_norm.norm
    return torch.layer_norm(x + change, norm.normalized_shape, norm.weight, norm.bias, norm.eps)


def _feed_forward(feed_forward: Any, x: Tensor) -> Tensor:
    hidden = F.linear(x, feed_forward.W_1.weight, feed_forward.W_1.bias).relu_()
    return F.linear(hidden, feed_forward.W_2.weight, feed_forward.W_2.bias)
