"""Find the tokens and kinds of attention of models that are not part of this package."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor

from attnbook.observe.recorder import Record
from attnbook.widgets.layout import Kind, Sentence, heads_of, token_lists

MOST_CELLS = 1 << 20  # most weights in a frame
# Parts of names by which libraries tell cross-attention from self-attention.
CROSS = ("cross", "encoder_attn", "encdecattention", "multihead_attn")
# The axis for each name of ids in a tokenizer's output, which is also a Hugging Face model's input.
ID_NAMES = {"input_ids": "source", "decoder_input_ids": "target_in"}
Axes = dict[str, list[list[str]]]
Reducer = Callable[[Mapping[str, Tensor]], dict[str, Tensor]]


def arguments(probe: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Split a probe (a mapping, a tuple, or a single argument) into positional and named arguments."""
    if isinstance(probe, Mapping):
        return (), dict(probe)
    return (probe if isinstance(probe, tuple) else (probe,)), {}


def run_probe(record: Record, probe: Any) -> tuple[Any, dict[str, Tensor]]:
    """Call the model with a probe, and return its output and its attention weights."""
    inputs, keywords = arguments(probe)
    return record.probe_with_output(*inputs, **keywords)


def token_axes(tokens: Any, probe: Any) -> Axes:
    """Return the tokens along each axis, one list per sentence.

    Args:
        tokens: a list of strings for one sentence, or a list of such lists for a batch; a mapping ``{"source": ...,
            "target": ...}`` of these for a model with two sequences; a tokenizer with ``convert_ids_to_tokens``, for a
            probe with ``input_ids``; or a function that returns one of these for the probe.
        probe: the arguments that the model is called with.

    Raises:
        TypeError: ``tokens`` has another type.
        ValueError: the sequences have different numbers of sentences, or the probe has no ids for a tokenizer.
    """
    if hasattr(tokens, "convert_ids_to_tokens"):
        tokens = _by_tokenizer(tokens, probe)
    elif callable(tokens):
        tokens = tokens(probe)
    sides = tokens if isinstance(tokens, Mapping) else {"tokens": tokens}
    if set(sides) not in ({"tokens"}, {"source", "target"}):
        raise ValueError(f"tokens must have the keys 'source' and 'target', got {sorted(sides)}")
    axes = {"target_in" if side == "target" else side: token_lists(side, value)[0] for side, value in sides.items()}
    if len({len(sentences) for sentences in axes.values()}) > 1:
        raise ValueError(f"tokens must have as many sources as targets, got {[len(each) for each in axes.values()]}")
    return axes


def sentences_of(axes: Axes) -> tuple[Sentence, ...]:
    """Return one sentence for each row of the batch."""
    rows = [dict(zip(axes, row, strict=True)) for row in zip(*axes.values(), strict=True)]
    return tuple(
        Sentence(" ".join(next(iter(row.values()))), {axis: tuple(tokens) for axis, tokens in row.items()})
        for row in rows
    )


def kinds_of_any_model(weights: Mapping[str, Tensor], sentences: Sequence[Sentence]) -> tuple[Kind, ...]:
    """Sort attention modules into self- and cross-attention, by shape and, where shapes are ambiguous, by name.

    Args:
        weights: ``(batch, heads, queries, keys)`` by module name.
        sentences: with their tokens along each axis; all have the same axes.

    Raises:
        ValueError: a module's batch size is not the number of sentences, it has fewer rows or columns than there are
            tokens or a weight > 0 after the last token, or the layers of a kind differ in their number of heads.
    """
    if "tokens" in sentences[0].axes:
        described = {"self-attention": ("tokens", "tokens")}
    else:
        described = {
            "cross-attention": ("target_in", "source"),
            "encoder self-attention": ("source", "source"),
            "decoder self-attention": ("target_in", "target_in"),
        }
    longest = {axis: max(len(sentence.axes[axis]) for sentence in sentences) for axis in sentences[0].axes}
    found: dict[str, list[str]] = {label: [] for label in described}
    for name, each in weights.items():
        rows, columns = each.shape[2:]
        if each.shape[0] != len(sentences):
            raise ValueError(
                f"{name} must have a batch of {len(sentences)}, one row per sentence of tokens, got {each.shape[0]}"
            )
        exact = [label for label, (q, k) in described.items() if (longest[q], longest[k]) == (rows, columns)]
        fits = exact or [label for label, (q, k) in described.items() if longest[q] <= rows and longest[k] <= columns]
        if not fits:
            shapes = " or ".join(f"{longest[q]} x {longest[k]}" for q, k in described.values())
            raise ValueError(f"{name} must have {shapes} queries and keys, as many as tokens, got {rows} x {columns}")
        label = fits[0] if len(fits) == 1 else _by_name(name, fits)
        for sentence, heads in zip(sentences, each, strict=True):
            _check_padding(name, heads, *(len(sentence.axes[axis]) for axis in described[label]))
        found[label].append(name)
    return tuple(
        Kind(label, query, key, tuple(found[label]), heads_of(found[label], weights))
        for label, (query, key) in described.items()
        if found[label]
    )


def frame_reducer(weights: Mapping[str, Tensor], *, copies: int = 1) -> Reducer:
    """Return a function that reduces the weights so that a frame has at most ``MOST_CELLS`` numbers.

    The function keeps all heads if they fit, otherwise the mean over the heads of each module. If these are too many,
    it keeps evenly chosen modules of each shape, always with the last one. A warning says what is left out.

    Args:
        weights: ``(batch, heads, queries, keys)`` by module name.
        copies: how many numbers a frame has for each weight: one, and one more for each measure.
    """
    total = copies * sum(each.numel() for each in weights.values())
    if total <= MOST_CELLS:
        return dict
    means = copies * sum(each[:, 0].numel() for each in weights.values())
    share = min(1.0, MOST_CELLS / means)
    by_shape: dict[tuple[int, ...], list[str]] = {}
    for name, each in weights.items():
        by_shape.setdefault((each.shape[0], *each.shape[2:]), []).append(name)
    kept = {name for names in by_shape.values() for name in _evenly(names, max(1, int(share * len(names))))}
    warnings.warn(
        f"the probe has {total} weights, and a view keeps {MOST_CELLS}: it shows the mean over the heads of "
        f"{len(kept)} of {len(weights)} modules; for all of them, use fewer or shorter sentences",
        stacklevel=3,
    )
    return lambda found: {name: found[name].mean(1, keepdim=True) for name in weights if name in kept}


def _evenly(names: Sequence[str], count: int) -> list[str]:
    return [names[(i + 1) * len(names) // count - 1] for i in range(count)]


def _check_padding(name: str, heads: Tensor, rows: int, columns: int) -> None:
    outside = heads[:, :rows, columns:].sum(-1)
    if outside.numel() and float(outside.max()) > 1e-3:
        raise ValueError(
            f"{name} must have no weight after the last of {columns} tokens, got {float(outside.max()):.3g}: "
            "mask the padding, or name a token for every column"
        )


def _by_name(name: str, labels: Sequence[str]) -> str:
    """The kind of attention that a module's name suggests, out of ``labels``."""
    lower = name.lower()
    if any(part in lower for part in CROSS):
        label = "cross-attention"
    else:
        label = "decoder self-attention" if "decoder" in lower else "encoder self-attention"
    return label if label in labels else labels[0]


def _by_tokenizer(tokenizer: Any, probe: Any) -> Any:
    ids = {axis: probe[name] for name, axis in ID_NAMES.items() if isinstance(probe, Mapping) and name in probe}
    if not ids:
        raise ValueError("probe must have input_ids if tokens is a tokenizer")
    padding = getattr(tokenizer, "pad_token_id", None)
    sides = {axis: [_named(tokenizer, row.tolist(), padding) for row in rows] for axis, rows in ids.items()}
    return {"source": sides["source"], "target": sides["target_in"]} if len(sides) == 2 else sides["source"]


def _named(tokenizer: Any, ids: list[int], padding: int | None) -> list[str]:
    while len(ids) > 1 and ids[-1] == padding:
        ids = ids[:-1]
    return [str(token) for token in tokenizer.convert_ids_to_tokens(ids)]
