"""Greedy decoding with torch's functions only: no modules, no checks, no probabilities.

It writes the same tokens as ``attnbook.translation.search.greedy`` with the same weights, with as few calls of torch as
the formulas need. Its time is a bound: code that calls torch once per operation cannot be faster.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.data import BOS
from attnbook.models.transformer import Transformer


def bare_greedy(model: Any, source: list[int], steps: int) -> list[int]:
    """Write ``steps`` tokens for one sentence, also after ``<eos>``.

    Args:
        model: a `Transformer` in post-norm, or a `Bahdanau` that reads in one direction and has no maxout.
        source: source ids.
        steps: number of tokens to write.
    """
    if isinstance(model, Transformer):
        source_ids = torch.tensor([source], device=model.head.weight.device)
        return bare_transformer(model, source_ids, None, steps)[0].tolist()
    return _bahdanau(model, source, steps)


def bare_transformer(model: Any, source: Tensor, mask: Tensor | None, steps: int) -> Tensor:
    """Write ``steps`` tokens for each row of a batch.

    Args:
        model: a `Transformer` in post-norm.
        source: ``(batch, source_len)`` ids.
        mask: ``(batch, source_len)`` bool, True = a real token; None if there is no padding.
        steps: number of tokens to write.

    Returns:
        ``(batch, steps)`` ids.
    """
    heads = model.config["num_heads"]
    with torch.inference_mode():
        seen = None if mask is None else mask[:, None, None]
        x = F.embedding(source, model.source_embedding.weight) * model.scale
        x = x + model.source_positions.table[: x.shape[1]]  # (batch, source_len, d_model)
        for layer in model.encoder:
            query, key, value = (_project(layer.self_attention, name, x, heads) for name in "qkv")
            x = _add_norm(layer.add_norm_1, x, _pool(layer.self_attention, query, key, value, seen))
            x = _add_norm(layer.add_norm_2, x, _feed_forward(layer.feed_forward, x))
        sources = [[_project(layer.cross_attention, name, x, heads) for name in "kv"] for layer in model.decoder]
        targets: list[tuple[Tensor, Tensor] | None] = [None] * len(sources)
        ids = [source.new_full((len(source), 1), BOS)]
        for position in range(steps):
            x = F.embedding(ids[-1], model.target_embedding.weight) * model.scale
            x = x + model.target_positions.table[position]  # (batch, 1, d_model)
            for number, layer in enumerate(model.decoder):
                query, key, value = (_project(layer.self_attention, name, x, heads) for name in "qkv")
                past = targets[number]
                if past is not None:
                    key, value = torch.cat((past[0], key), 2), torch.cat((past[1], value), 2)
                targets[number] = key, value
                x = _add_norm(layer.add_norm_1, x, _pool(layer.self_attention, query, key, value))
                query = _project(layer.cross_attention, "q", x, heads)
                x = _add_norm(layer.add_norm_2, x, _pool(layer.cross_attention, query, *sources[number], seen))
                x = _add_norm(layer.add_norm_3, x, _feed_forward(layer.feed_forward, x))
            ids.append(F.linear(x, model.head.weight, model.head.bias).argmax(-1))
    return torch.cat(ids[1:], 1)


def _bahdanau(model: Any, source: list[int], steps: int) -> list[int]:
    rnn, decoder = model.encoder.rnn, model.decoder
    attention, cells = decoder.cross_attention, decoder.stack.cells
    device = model.head.weight.device
    gates = [(cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh) for cell in cells]
    with torch.inference_mode():
        source_ids = torch.tensor([source], device=device)
        x = F.embedding(source_ids, model.encoder.embedding.weight)  # (1, source_len, embed_size)
        start = x.new_zeros(rnn.num_layers, 1, rnn.hidden_size)
        memory, last = torch.gru(x, start, rnn._flat_weights, True, rnn.num_layers, 0.0, False, False, True)
        memory, hidden = memory[0], list(last)  # (source_len, num_hiddens), and (1, num_hiddens) of every layer
        key = F.linear(memory, attention.W_k.weight)
        ids = [torch.tensor([BOS], device=device)]
        for _ in range(steps):
            hidden_layer = torch.tanh(F.linear(hidden[-1], attention.W_q.weight) + key)  # (source_len, num_hiddens)
            weights = F.linear(hidden_layer, attention.w_v.weight).softmax(0)  # (source_len, 1)
            word = F.embedding(ids[-1], decoder.embedding.weight)
            x = torch.cat((weights.T @ memory, word), -1)  # (1, num_hiddens + embed_size)
            for layer, gate in enumerate(gates):
                hidden[layer] = x = torch.gru_cell(x, hidden[layer], *gate)
            ids.append(F.linear(x, model.head.weight, model.head.bias).argmax(-1))
    return torch.cat(ids[1:]).tolist()


def _project(attention: Any, name: str, x: Tensor, heads: int) -> Tensor:
    linear = getattr(attention, f"W_{name}")
    projected = F.linear(x, linear.weight, linear.bias)
    return projected.view(*x.shape[:2], heads, -1).transpose(1, 2)  # (batch, num_heads, length, head_dim)


def _pool(attention: Any, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
    pooled = F.scaled_dot_product_attention(query, key, value, mask).transpose(1, 2).flatten(2)
    return F.linear(pooled, attention.W_o.weight, attention.W_o.bias)


def _add_norm(add_norm: Any, x: Tensor, change: Tensor) -> Tensor:
    norm = add_norm.norm
    return torch.layer_norm(x + change, norm.normalized_shape, norm.weight, norm.bias, norm.eps)


def _feed_forward(feed_forward: Any, x: Tensor) -> Tensor:
    hidden = F.linear(x, feed_forward.W_1.weight, feed_forward.W_1.bias).relu_()
    return F.linear(hidden, feed_forward.W_2.weight, feed_forward.W_2.bias)
