"""Show attention weights of any model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import index
from typing import Any

import numpy as np
import torch
from torch import Tensor

from attnbook.observe.recorder import join_calls
from attnbook.widgets.attention_map import AttentionMap
from attnbook.widgets.encoding import Frame, quantize
from attnbook.widgets.head_metrics import HeadMetrics
from attnbook.widgets.layout import Kind, Layout, Links, Sentence, token_lists

# Hugging Face's names of attention weights: the kind, and the axes of its rows and columns.
KINDS = {
    "cross_attentions": ("cross-attention", "query", "key"),
    "encoder_attentions": ("encoder self-attention", "key", "key"),
    "decoder_attentions": ("decoder self-attention", "query", "query"),
    "attentions": ("self-attention", "query", "query"),
}
Tokens = Sequence[str] | Sequence[Sequence[str]]


def attention_view(
    weights: Any,
    query_tokens: Tokens,
    key_tokens: Tokens | None = None,
    *,
    others: Mapping[str, Any] | None = None,
    gold: Iterable[tuple[int, int]] | Sequence[Iterable[tuple[int, int]]] | None = None,
    title: str = "Attention",
) -> AttentionMap:
    """Show attention weights of any model.

    The tokens decide whether there is a batch: a list of strings is one sentence, a list of lists is a batch.

    Args:
        weights: probabilities as tensors or arrays:

            - of one sentence ``(queries, keys)``, ``(heads, queries, keys)`` or ``(layers, heads, queries, keys)``;
            - of a batch ``(batch, queries, keys)``, ``(batch, heads, queries, keys)`` or
              ``(layers, batch, heads, queries, keys)``;
            - a list or tuple of layers, each ``(heads, queries, keys)`` or ``(batch, heads, queries, keys)``, as
              Hugging Face models return; from ``generate()``, a tuple of steps, each a tuple of layers;
            - a mapping, or a model's output, that has them as ``encoder_attentions``, ``decoder_attentions``,
              ``cross_attentions`` or ``attentions``.

        query_tokens: labels of the rows; with a mapping, the decoder's tokens.
        key_tokens: labels of the columns; with a mapping, the encoder's tokens; ``query_tokens`` if None.
        others: weights of other models for the same tokens, by model name, in a form of ``weights``. Each is another
            kind of attention to choose, and the difference of two can be shown.
        gold: gold links ``(key index, query index)`` for cross-attention, or for the only kind; for a batch, one
            collection per sentence.
        title: heading.

    Returns:
        the widget. In a batch each sentence is cut to its own tokens.

    Raises:
        TypeError: weights are sparse or not floating point, tokens or title are not strings, ``others`` is not a
            mapping, or a gold link is not a pair of indices.
        ValueError: there are no weights, a shape does not fit the tokens, or a row is neither a distribution nor
            all zeros.

    Example:
        >>> view = attention_view(torch.eye(3), ["a", "b", "c"], title="Identity")
        >>> view.title
        'Identity'
    """
    queries, keys, batched = _axis_tokens(query_tokens, key_tokens)
    links = _gold(gold, queries, keys, batched)
    own = _parts("weights", weights, "")
    axes = {"query": queries, "key": keys}
    tensors: dict[str, Tensor] = {}
    kinds = []
    for name, label, query, key, value in own + _other_models(others):
        layers = _checked(name, value, axes[query], axes[key], batched)
        names = [f"{label}, layer {i + 1}" for i in range(len(layers))]
        tensors |= dict(zip(names, layers, strict=True))
        with_gold = links is not None and (label.startswith("cross-attention") or len(own) == 1)
        kinds.append(Kind(label, query, key, tuple(names), layers[0].shape[1], with_gold))
    layout = Layout(tuple(kinds), _described(queries, keys, links))
    view = AttentionMap(layout, title=title)
    view.frame_log.add(Frame(0, quantize(layout.pack(tensors)).numpy(), HeadMetrics(layout)(tensors).numpy()))
    view.flush({}, final=True)
    return view


def _parts(name: str, weights: Any, model: str) -> list[tuple[str, str, str, str, Any]]:
    """The kinds of attention of one model: name in errors, label, axis of the rows, axis of the columns, weights."""
    if not isinstance(weights, Mapping):
        return [(name, f"attention{model}", "query", "key", weights)]
    found = [kind for kind in KINDS if weights.get(kind) is not None]
    if not found:
        raise ValueError(f"{name} must have one of {', '.join(KINDS)}, got {sorted(weights)}")
    described = ((kind, *KINDS[kind]) for kind in found)
    return [(f"{name}[{kind!r}]", label + model, query, key, weights[kind]) for kind, label, query, key in described]


def _other_models(others: Mapping[str, Any] | None) -> list[tuple[str, str, str, str, Any]]:
    """The kinds of attention of the other models."""
    if not isinstance(others, Mapping | None):
        raise TypeError(f"others must be a mapping from names to weights, got {type(others).__name__}")
    each = [_parts(f"others[{name!r}]", value, f": {name}") for name, value in (others or {}).items()]
    return [part for parts in each for part in parts]


def _axis_tokens(query_tokens: Tokens, key_tokens: Tokens | None) -> tuple[list[list[str]], list[list[str]], bool]:
    """The row tokens and column tokens of every sentence, and whether they were given as a batch."""
    queries, batched = token_lists("query_tokens", query_tokens)
    keys, keys_batched = (queries, batched) if key_tokens is None else token_lists("key_tokens", key_tokens)
    if batched != keys_batched or len(queries) != len(keys):
        raise ValueError(f"key_tokens must have as many sentences as query_tokens, {len(queries)}, got {len(keys)}")
    return queries, keys, batched


def _described(queries: list[list[str]], keys: list[list[str]], links: list[Links] | None) -> tuple[Sentence, ...]:
    return tuple(
        Sentence(" ".join(columns), {"query": tuple(rows), "key": tuple(columns)}, links[i] if links else None)
        for i, (rows, columns) in enumerate(zip(queries, keys, strict=True))
    )


def _gold(gold: Any, queries: list[list[str]], keys: list[list[str]], batched: bool) -> list[Links] | None:
    if gold is None:
        return None
    each = [_links(links) for links in (gold if batched else [gold])]
    if len(each) != len(queries):
        raise ValueError(f"gold must have one set of links per sentence, {len(queries)}, got {len(each)}")
    for links, rows, columns in zip(each, queries, keys, strict=True):
        for column, row in links:
            if not (0 <= row < len(rows) and 0 <= column < len(columns)):
                raise ValueError(
                    f"gold must hold key indices below {len(columns)} and query indices below {len(rows)}, "
                    f"got {(column, row)}"
                )
    return each


def _links(links: Any) -> Links:
    try:
        return frozenset((index(column), index(row)) for column, row in links)
    except (TypeError, ValueError) as error:
        raise TypeError(f"gold must hold links (key index, query index), got {links!r}") from error


def _checked(name: str, value: Any, queries: list[list[str]], keys: list[list[str]], batched: bool) -> list[Tensor]:
    """Convert every layer to ``(batch, heads, queries, keys)``, and check the number of heads and probabilities."""
    layers = _layers(name, value, batched)
    if not layers:
        raise ValueError(f"{name} must have at least one layer, got none")
    for i, layer in enumerate(layers):
        _check(name if len(layers) == 1 else f"{name}[{i}]", layer, queries, keys, batched)
    heads = {layer.shape[1] for layer in layers}
    if len(heads) > 1:
        raise ValueError(f"{name} must have the same number of heads in each layer, got {sorted(heads)}")
    return layers


def _layers(name: str, value: Any, batched: bool) -> list[Tensor]:
    """Convert every layer to ``(batch, heads, queries, keys)``."""
    if isinstance(value, list | tuple):
        if not value:
            raise ValueError(f"{name} must have one array per layer, got none")
        if isinstance(value[0], list | tuple):  # generate(): steps of layers
            counts = {len(step) for step in value}
            if len(counts) > 1:
                raise ValueError(f"{name} must have the same number of layers in each step, got {sorted(counts)}")
            return [
                join_calls([_one_layer(name, step[layer], batched) for step in value], name)
                for layer in range(counts.pop())
            ]
        return [_one_layer(f"{name}[{i}]", layer, batched) for i, layer in enumerate(value)]
    tensor = _tensor(name, value)
    if tensor.dim() == (5 if batched else 4):
        return [_one_layer(name, layer, batched) for layer in tensor]
    return [_one_layer(name, tensor, batched)]


def _one_layer(name: str, value: Any, batched: bool) -> Tensor:
    tensor = _tensor(name, value)
    if tensor.dim() == 4 and (batched or tensor.shape[0] == 1):
        return tensor
    if tensor.dim() == 3:
        return tensor.unsqueeze(1) if batched else tensor.unsqueeze(0)
    if tensor.dim() == 2 and not batched:
        return tensor[None, None]
    shape = "(batch, heads, queries, keys)" if batched else "(heads, queries, keys)"
    raise ValueError(f"{name} must have shape {shape}, after a first axis for layers if any, got {tuple(tensor.shape)}")


def _tensor(name: str, value: Any) -> Tensor:
    if value is None:
        raise TypeError(
            f"{name} must be an array, got None; a Hugging Face model returns its weights with output_attentions=True "
            "and attn_implementation='eager'"
        )
    if isinstance(value, int | float):
        raise TypeError(f"{name} must hold arrays, got the number {value}; numpy.array() converts nested lists")
    array = value if isinstance(value, Tensor) else np.asarray(value)
    if isinstance(array, Tensor) and array.layout != torch.strided:
        raise TypeError(f"{name} must be dense (see to_dense()), got the layout {array.layout}")
    floating = array.is_floating_point() if isinstance(array, Tensor) else array.dtype.kind == "f"
    if not floating:
        raise TypeError(f"{name} must be floating point, got {array.dtype}")
    if isinstance(array, Tensor):
        return array.detach().cpu()
    # Torch accepts only the machine's own byte order, no negative strides, and at most 64 bits per number.
    dtype = np.float64 if array.dtype.itemsize > 8 else array.dtype.newbyteorder("=")
    return torch.from_numpy(np.array(array, dtype=dtype, order="C"))


def _check(name: str, layer: Tensor, queries: list[list[str]], keys: list[list[str]], batched: bool) -> None:
    """Check that every row of every sentence is a distribution over its own keys, or all zeros."""
    if layer.shape[1] == 0:
        raise ValueError(f"{name} must have at least one head, got the shape {tuple(layer.shape)}")
    if layer.shape[0] != len(queries):
        raise ValueError(f"{name} must have a batch of {len(queries)}, one row per sentence, got {layer.shape[0]}")
    tolerance = max(1e-4, 4 * torch.finfo(layer.dtype).eps)
    exact = layer.double()
    for i, (rows, columns) in enumerate(zip(queries, keys, strict=True)):
        shape = tuple(layer.shape[-2:])
        fits = all(
            tokens <= size if batched else tokens == size
            for tokens, size in zip((len(rows), len(columns)), shape, strict=True)
        )
        if not fits:
            raise ValueError(
                f"{name} must have {len(rows)} queries and {len(columns)} keys, as the tokens of "
                f"{' '.join(columns)!r}, got {shape[0]} and {shape[1]}"
            )
        real = exact[i, :, : len(rows)]
        if not torch.isfinite(real).all():
            raise ValueError(f"{name} must hold probabilities, got NaN or infinity")
        if float(real.min()) < -tolerance:
            raise ValueError(f"{name} must hold weights >= 0, got {float(real.min()):.3g} (scores need a softmax)")
        sums = real.sum(-1)
        wrong = (sums - 1).abs().minimum(sums.abs()) > tolerance
        if wrong.any():
            raise ValueError(
                f"{name} must have rows that sum to 1, or to 0 without keys, got {float(sums[wrong][0]):.4g} "
                "(scores need a softmax; a model in train mode drops weights)"
            )
        outside = real[..., len(columns) :].sum(-1)
        if outside.numel() and float(outside.max()) > tolerance:
            raise ValueError(
                f"{name} must have no weight on padding, after the last of {len(columns)} keys, "
                f"got {float(outside.max()):.3g}"
            )
