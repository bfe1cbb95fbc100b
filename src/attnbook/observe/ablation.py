"""Ablation: run a trained Transformer without some of its parts.

The model was trained with all of its parts. An ablation therefore shows how much *this* model depends on a part, not
what a model trained without the part would learn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from attnbook._internal.validate import check_range, check_type
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.models.base import uncompiled
from attnbook.models.transformer import AddNorm, FeedForward, Transformer
from attnbook.observe.interventions import intervening, replaced

PARTS = (
    "positions",
    "encoder.self_attention",
    "encoder.feed_forward",
    "decoder.self_attention",
    "decoder.cross_attention",
    "decoder.feed_forward",
    "residual",
    "norm",
)


@contextmanager
def switched_off(model: Transformer, parts: Collection[str]) -> Iterator[None]:
    """Switch off parts of a Transformer, in all of its layers, while the context is open.

    An attention that is off has weights of zero, and a feed-forward network that is off returns zeros. Without
    "residual" a sublayer's output replaces its input. Without "norm" the layer normalizations of the sublayers
    are identities; the final ones of a pre-norm model stay.

    Args:
        model: a Transformer with sinusoidal, learned or rotary positions, post-norm or pre-norm.
        parts: names from `PARTS`.

    Raises:
        ValueError: a name is not in `PARTS`.
        TypeError: ``model`` is not a Transformer, or ``parts`` is not a collection.
        RuntimeError: parts of the model are already switched off; name all parts in one call.

    Example:
        >>> model = Transformer(9, 9, d_model=16, num_heads=4, num_layers=1)
        >>> source = torch.tensor([[4, 5, 6]])
        >>> with switched_off(model, ["positions"]):
        ...     state = model.encode(source, torch.ones_like(source, dtype=torch.bool))
    """
    if not isinstance(uncompiled(model), Transformer):
        raise TypeError(f"model must be a Transformer, got {type(uncompiled(model)).__name__}")
    check_type("parts", parts, isinstance(parts, Iterable) and not isinstance(parts, str), "a collection of names")
    parts = tuple(parts)
    for part in parts:
        check_range("part", part, part in PARTS, f"one of {', '.join(PARTS)}")
    inner: Any = uncompiled(model)
    if "switched_off" in vars(inner):
        off = ", ".join(inner.switched_off) or "none"
        raise RuntimeError(f"parts must be named in one call of switched_off, got a call inside another with {off}")
    modules = [(name, module) for name, module in inner.named_modules() if _part(name) in parts]
    heads = [(name, h) for name, it in modules if isinstance(it, MultiHeadAttention) for h in range(it.num_heads)]
    with ExitStack() as stack:
        stack.enter_context(intervening(model, heads=heads, positions="positions" not in parts))
        stack.enter_context(replaced(inner, "switched_off", parts))
        for _, module in modules:
            if isinstance(module, FeedForward):
                stack.enter_context(replaced(module, "forward", torch.zeros_like))
        for module in inner.modules():
            if isinstance(module, AddNorm) and "norm" in parts:
                stack.enter_context(replaced(module, "norm", nn.Identity()))
            if isinstance(module, AddNorm) and "residual" in parts:
                stack.enter_context(replaced(module, "forward", _SublayerOnly(module)))
        yield


def _part(name: str) -> str:
    """Name of the part that a module belongs to: the module name without the layer number."""
    return re.sub(r"\.\d+\.", ".", name)


class _SublayerOnly:
    """Replacement of ``AddNorm.forward`` without the residual connection."""

    def __init__(self, module: AddNorm) -> None:
        self.module = module

    def __call__(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        module = self.module
        output: Tensor = module.dropout(sublayer(module.norm(x) if module.pre_norm else x))
        return output if module.pre_norm else module.norm(output)
