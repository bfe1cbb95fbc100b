"""Attention masks. One convention everywhere: True = may attend."""

from __future__ import annotations

import torch
from torch import Tensor

from attnbook._internal.tracing import can_read
from attnbook._internal.validate import check_floating, check_range, check_tensors, is_integer, is_whole


def lengths_to_mask(lengths: Tensor, max_length: int | None = None) -> Tensor:
    """Mark the real tokens of padded sequences: ``mask[b, i] = i < lengths[b]``.

    Args:
        lengths: integers of any shape ``(...)``, in tokens, each >= 0.
        max_length: width of the mask; the longest length if None.

    Returns:
        bool, ``(..., max_length)``; True = a real token.

    Raises:
        TypeError: ``lengths`` is not an integer tensor.
        ValueError: a length is negative or exceeds ``max_length``, or ``max_length`` is not an integer.

    Example:
        >>> lengths_to_mask(torch.tensor([1, 3]))
        tensor([[ True, False, False],
                [ True,  True,  True]])
    """
    check_tensors(lengths=lengths)
    if lengths.is_floating_point() or lengths.is_complex() or lengths.dtype == torch.bool:
        raise TypeError(f"lengths must be integers, got {lengths.dtype}")
    longest = int(lengths.max()) if lengths.numel() else 0
    shortest = int(lengths.min()) if lengths.numel() else 0
    check_range("lengths", shortest, shortest >= 0, ">= 0")
    if max_length is None:
        max_length = longest
    check_range("max_length", max_length, is_integer(max_length), "an integer or None")
    check_range("lengths", longest, longest <= max_length, f"<= max_length={max_length}")
    return torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(-1)  # (..., max_length)


def causal_mask(queries: int, keys: int | None = None, *, device: torch.device | None = None) -> Tensor:
    """Let position ``i`` attend to positions up to and including ``i`` (Vaswani et al. 2017, 3.2.3).

    If there are fewer queries than keys, the queries are the last positions, as in step-by-step decoding with a
    cache: ``mask[i, j] = j <= i + keys - queries``.

    Args:
        queries: number of queries.
        keys: number of keys; ``queries`` if None.
        device: device of the mask.

    Returns:
        bool, ``(queries, keys)``; True = may attend.

    Raises:
        ValueError: ``queries`` or ``keys`` is not an integer, or not ``0 <= queries <= keys``.

    Example:
        >>> causal_mask(3)
        tensor([[ True, False, False],
                [ True,  True, False],
                [ True,  True,  True]])
    """
    keys = queries if keys is None else keys
    for name, count in (("queries", queries), ("keys", keys)):
        check_range(name, count, is_whole(count), "an integer")
    if not 0 <= queries <= keys:  # no check_range: formatting a symbolic size would fix it under torch.compile
        raise ValueError(f"queries must be between 0 and keys={keys}, got {queries}")
    return torch.ones(queries, keys, dtype=torch.bool, device=device).tril(keys - queries)


def combine_masks(*masks: Tensor | None) -> Tensor | None:
    """Allow what every mask allows. None means "no restriction".

    Args:
        masks: bool tensors whose shapes broadcast, or None.

    Returns:
        bool, the broadcast shape; None if every mask is None.

    Raises:
        TypeError: a mask is not boolean.
        ValueError: the shapes do not broadcast.

    Example:
        >>> padding = lengths_to_mask(torch.tensor([2, 3]))  # (batch, keys)
        >>> combine_masks(padding[:, None, :], causal_mask(3)).shape
        torch.Size([2, 3, 3])
    """
    combined: Tensor | None = None
    for mask in masks:
        if mask is None:
            continue
        _check_boolean("masks", mask)
        try:
            combined = mask if combined is None else combined & mask
        except RuntimeError as error:
            shapes = [tuple(m.shape) for m in masks if m is not None]
            raise ValueError(f"masks must have shapes that broadcast, got {shapes}") from error
    return combined


def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    r"""Softmax over the last axis, restricted to the allowed keys.

    .. math:: \alpha_{ij} = \frac{m_{ij} \exp(a_{ij})}{\sum_k m_{ik} \exp(a_{ik})}

    A row without an allowed key becomes zeros, and its gradient is zero. ``scores`` is not modified.

    Args:
        scores: ``(..., keys)``, floating point of any precision.
        mask: bool, broadcastable to the shape of ``scores``; True = may attend.

    Returns:
        weights with the shape and dtype of ``scores``; a row sums to 1, or to 0 if fully masked.

    Raises:
        TypeError: ``mask`` is not boolean, or ``scores`` is not floating point.
        ValueError: ``mask`` cannot be broadcast to the shape of ``scores``.

    Example:
        >>> masked_softmax(torch.tensor([[1.0, 1.0, 9.0]]), torch.tensor([[True, True, False]]))
        tensor([[0.5000, 0.5000, 0.0000]])
    """
    check_floating(scores=scores)
    if mask is None:
        return scores.softmax(-1)
    check_mask(mask, scores.shape)
    any_allowed = mask.any(-1, keepdim=True)  # (..., 1)
    # -inf in a whole row would give 0/0, in the gradient too; such a row gets 0 here and is zeroed below.
    excluded = scores.new_zeros(()).masked_fill(any_allowed, -torch.inf)
    return torch.where(mask, scores, excluded).softmax(-1).masked_fill(~any_allowed, 0)


def check_right_padded(name: str, mask: Tensor, *, wait: bool = False) -> None:
    """Raise a ValueError if a real token follows padding in a ``(..., length)`` mask, if its values can be read.

    Args:
        name: name of the argument.
        mask: bool ``(..., length)``, True = a real token.
        wait: read the values even if the CPU has to wait for a GPU.
    """
    if can_read(mask, wait=wait) and bool((mask[..., 1:] > mask[..., :-1]).any()):
        raise ValueError(f"{name} must have padding on the right only, got padding before a real token")


def check_attention_mask(mask: Tensor | None, shape: torch.Size) -> None:
    """Check a mask against the ``shape`` of the scores. The ranks must agree, so that no axis is mistaken for another.

    Raises:
        TypeError: the mask is not a boolean tensor.
        ValueError: the rank differs, or the sizes do not broadcast.
    """
    if mask is None:
        return
    check_tensors(mask=mask)
    if mask.dim() != len(shape):
        raise ValueError(
            f"mask must have {len(shape)} axes and broadcast to {tuple(shape)}, got {tuple(mask.shape)}; "
            "pass a padding mask as mask[:, None, :], a causal mask as mask[None]"
        )
    check_mask(mask, shape)


def check_mask(mask: Tensor, shape: torch.Size | tuple[int, ...]) -> None:
    """Check that ``mask`` is boolean and broadcasts to the ``shape`` of the scores.

    Raises:
        TypeError: ``mask`` is not a boolean tensor.
        ValueError: ``mask`` cannot be broadcast to ``shape``.
    """
    _check_boolean("mask", mask)
    sizes = zip(reversed(mask.shape), reversed(shape), strict=False)
    if mask.dim() > len(shape) or not all(m in (1, s) for m, s in sizes):
        raise ValueError(f"mask must broadcast to {tuple(shape)}, got {tuple(mask.shape)}")


def _check_boolean(name: str, mask: Tensor) -> None:
    check_tensors(**{name: mask})
    if mask.dtype != torch.bool:
        raise TypeError(f"{name} must be torch.bool (True = may attend), got {mask.dtype}")
