"""The torch functions that compute attention, and how to find the weights among their tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook._internal.tracing import can_read, innermost
from attnbook.observe.explicit import multi_head_weights, scaled_dot_product_weights

# Fused functions do not return their weights, so these are computed a second time.
FUSED: dict[Any, Callable[..., Tensor]] = {
    F.scaled_dot_product_attention: scaled_dot_product_weights,
    F.multi_head_attention_forward: multi_head_weights,
}
# Explicit attention: a softmax over the last axis whose result multiplies the values.
SOFTMAX: set[Any] = {F.softmax, torch.softmax, torch.special.softmax, Tensor.softmax}
PRODUCT: set[Any] = {torch.matmul, torch.linalg.matmul, Tensor.matmul, Tensor.__matmul__, torch.einsum}
PRODUCT |= {torch.mm, Tensor.mm, torch.bmm, Tensor.bmm, torch.baddbmm, Tensor.baddbmm}
DROPOUT: set[Any] = {F.dropout, torch.dropout}
# Kernels of other packages that never materialize their weights.
HIDDEN = ("flash_attn", "flash_attention", "flex_attention", "efficient_attention", "sageattn", "varlen_attn")
OPERATORS = (torch._ops.OpOverload, torch._ops.OpOverloadPacket, torch._ops.HigherOrderOperator)


def refuse_hidden(function: str, module: str) -> None:
    """Raise a RuntimeError if a function computes attention without materializing its weights."""
    if any(hidden in function for hidden in HIDDEN):
        raise RuntimeError(
            f"{module} computes attention with {function}, which never materializes its weights; use "
            "F.scaled_dot_product_attention or an explicit softmax, or in a Hugging Face model "
            "model.set_attn_implementation('sdpa')"
        )


def over_last_axis(result: Tensor, dim: int | None = None, *_: Any, **__: Any) -> bool:
    """Whether a softmax called with these arguments is over the last axis."""
    return dim in (-1, result.dim() - 1)


def drops(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False, train: bool | None = None
) -> bool:
    """Whether dropout called with these arguments sets anything to zero. ``torch.dropout`` calls the flag ``train``."""
    return p > 0 and (training if train is None else train)


def factors(args: Iterable[Any], kwargs: Mapping[str, Any]) -> Iterator[Tensor]:
    """Yield the tensors among the arguments of a product."""
    for arg in (*args, *(value for name, value in kwargs.items() if name != "out")):
        yield from (part for part in (arg if isinstance(arg, list | tuple) else (arg,)) if isinstance(part, Tensor))


def used_weights(weights: Tensor, function: Any, given: Sequence[Tensor], *, compare: bool = True) -> Tensor | None:
    """The factor that may be these weights, with queries in rows, or None.

    Attention is ``weights @ values`` or ``values.mT @ weights.mT``. If shapes allow several readings, the one with the
    most equal values is returned, the first of several. If the first is ``weights @ values``, a GPU is waited for only
    if the last factor is a transposed view.

    Args:
        weights: result of the softmax.
        function: one of ``PRODUCT``.
        given: its ``factors``.
        compare: whether the weights are unchanged since the softmax, so that values can be compared.
    """
    if function is torch.einsum:  # in any order; weights are rarely transposed
        first, readings = given[0], [*given, *(factor.mT for factor in given if _is_transposed(factor))]
    else:
        first, right = given[-2:]  # torch.baddbmm has another tensor before them
        readings = [first, *([right.mT] if right.dim() > 1 else []), right]
    found = [factor for factor in readings if _has_cells_of(weights, factor)]
    if len(found) > 1 and compare:
        wait = found[0] is not first or _is_transposed(given[-1])
        if all(can_read(each, wait=wait) for each in (weights, *found)):
            # A mask after the softmax changes some values, and NaN never equals itself.
            return max(found, key=lambda each: int((each.reshape(weights.shape) == weights.to(each.dtype)).sum()))
    return found[0] if found else None


def _has_cells_of(weights: Tensor, factor: Tensor) -> bool:
    """Whether a factor may be these weights after dropout or a change of dtype or shape."""
    return factor.numel() == weights.numel() and factor.shape[-1:] == weights.shape[-1:]


def _is_transposed(factor: Tensor) -> bool:
    """Whether the strides are those of a view ``x.mT``."""
    return factor.dim() > 1 and factor.stride(-2) == 1 and factor.stride(-1) > 1


def by_head(weights: Tensor) -> Tensor:
    """(..., queries, keys) -> (batch, num_heads, queries, keys), with num_heads=1 if there is no head axis"""
    while weights.dim() < 3:
        weights = weights.unsqueeze(0)
    return weights.unsqueeze(1) if weights.dim() == 3 else weights.flatten(0, -4)


def unwrapped(weights: Tensor, module: str) -> Tensor:
    """Weights without the wrappers of ``torch.func.grad``; inside ``torch.func.vmap`` they are not available."""
    inner = innermost(weights)
    if inner is None:
        raise RuntimeError(
            f"{module} is called inside torch.func.vmap, which hides its batch; call record.pause() first"
        )
    return inner.detach()


def padded(given: dict[str, Any], nested: Sequence[str], mask: str) -> dict[str, Any]:
    """Replace nested tensors among the arguments with padded tensors and a mask."""
    if not nested:
        return given
    lengths = torch.tensor([len(each) for each in given[nested[0]].unbind()])
    padding = torch.arange(int(lengths.max())) >= lengths[:, None]
    plain = {name: given[name].to_padded_tensor(0.0) for name in nested}
    return given | plain | {mask: padding.to(given[nested[0]].device)}
