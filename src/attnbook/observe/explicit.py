"""Recompute the attention weights inside torch's fused functions from the same arguments, without gradients."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.attention.masks import masked_softmax


@torch.no_grad()
def scaled_dot_product_weights(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    r"""Compute the weights of ``F.scaled_dot_product_attention``, before dropout.

    .. math:: \mathrm{softmax}(s\, Q K^\top + M), \quad s = 1 / \sqrt{d} \text{ unless given}

    Args:
        query: ``(..., queries, d)``.
        key: ``(..., keys, d)``; with ``enable_gqa`` each of its heads is shared by several query heads.
        value: unused.
        attn_mask: bool (True = may attend) or numbers added to the scores; broadcasts to ``(..., queries, keys)``.
        dropout_p: unused.
        is_causal: whether query i attends only to keys up to i.
        scale: factor of the scores; 1 / sqrt(d) if None.
        enable_gqa: whether key has fewer heads than query.

    Returns:
        ``(..., queries, keys)``, at least fp32; a row without a key is zero.
    """
    dtype = torch.promote_types(query.dtype, torch.float32)
    with nullcontext() if query.is_meta else torch.autocast(query.device.type, enabled=False):
        query, key = query.to(dtype), key.to(dtype)
        if enable_gqa:
            key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
        scores = query @ key.transpose(-2, -1) * (1 / math.sqrt(max(query.shape[-1], 1)) if scale is None else scale)
        if is_causal:
            attn_mask = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
        elif attn_mask is not None and attn_mask.dtype != torch.bool:
            scores, attn_mask = scores + attn_mask, attn_mask != -torch.inf
        return masked_softmax(scores, attn_mask)


@torch.no_grad()
def flex_attention_weights(
    query: Tensor,
    key: Tensor,
    value: Tensor | None = None,
    score_mod: Callable[..., Tensor] | None = None,
    block_mask: Any = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    **_: Any,
) -> Tensor:
    """Compute the weights of ``torch.nn.attention.flex_attention.flex_attention`` from the arguments of the call.

    Args:
        query: ``(batch, num_heads, queries, d)``.
        key: ``(batch, num_heads, keys, d)``; with ``enable_gqa`` each of its heads is shared by several query heads.
        value: unused.
        score_mod: changes a score, given the score and the indices of batch, head, query and key.
        block_mask: its ``mask_mod`` says which query may attend to which key.
        scale: factor of the scores; 1 / sqrt(d) if None.
        enable_gqa: whether key has fewer heads than query.

    Returns:
        ``(batch, num_heads, queries, keys)``, at least fp32; a row without a key is zero.
    """
    dtype = torch.promote_types(query.dtype, torch.float32)
    query, key = query.to(dtype), key.to(dtype)
    if enable_gqa:
        key = key.repeat_interleave(query.shape[1] // key.shape[1], 1)
    scores = query @ key.mT * (1 / math.sqrt(query.shape[-1]) if scale is None else scale)
    batch, head, row, column = torch.meshgrid(
        *(torch.arange(n, device=scores.device) for n in scores.shape), indexing="ij"
    )
    if score_mod is not None:
        scores = score_mod(scores, batch, head, row, column)
    allowed = scores != -torch.inf
    if block_mask is not None:
        allowed = allowed & block_mask.mask_mod(batch, head, row, column)
    return masked_softmax(scores, allowed)


@torch.no_grad()
def multi_head_weights(*args: Any, **kwargs: Any) -> Tensor:
    """Compute the weights of ``F.multi_head_attention_forward``, before dropout.

    Args:
        args: positional arguments of that function.
        kwargs: keyword arguments of that function.

    Returns:
        ``(batch, num_heads, queries, keys)``; a row without a key is zero.
    """
    given = MULTI_HEAD.bind(*args, **kwargs).arguments
    given |= {"training": False, "need_weights": True, "average_attn_weights": False}
    weights: Any = F.multi_head_attention_forward(**given)[1]
    weights = weights if weights.dim() == 4 else weights.unsqueeze(0)  # a sequence without a batch
    has_key = _has_key(weights, given.get("key_padding_mask"), given.get("attn_mask"))
    zeroed: Tensor = weights.masked_fill(~has_key, 0)
    return zeroed


MULTI_HEAD = inspect.signature(F.multi_head_attention_forward)


def _has_key(weights: Tensor, key_padding_mask: Tensor | None, attn_mask: Tensor | None) -> Tensor:
    """Whether each row has an unmasked key: ``(batch or 1, num_heads or 1, queries or 1, 1)``.

    Torch's softmax gives NaN in fully masked rows. Keys that the module adds (``bias_k``, zeros) are never masked.
    """
    _, heads, queries, keys = weights.shape
    allowed = weights.new_ones(1, 1, 1, keys, dtype=torch.bool)
    if key_padding_mask is not None:
        padding = _allows(key_padding_mask).view(-1, 1, 1, key_padding_mask.shape[-1])
        allowed = allowed & F.pad(padding, (0, keys - padding.shape[-1]), value=True)
    if attn_mask is not None:
        masked = _allows(attn_mask).view(-1, 1 if attn_mask.dim() == 2 else heads, queries, attn_mask.shape[-1])
        allowed = allowed & F.pad(masked, (0, keys - masked.shape[-1]), value=True)
    return allowed.any(-1, keepdim=True)


def _allows(mask: Tensor) -> Tensor:
    """Convert a torch mask (True = masked, or numbers added to the scores) to True = may attend."""
    return ~mask if mask.dtype == torch.bool else mask != -torch.inf
