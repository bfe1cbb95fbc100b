"""Who may attend to what. One meaning everywhere: True = may attend."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor

from attnbook._internal.validate import check_range, check_tensors, is_integer, is_whole


def lengths_to_mask(lengths: Tensor, max_length: int | None = None) -> Tensor:
    """Mark the real tokens of padded sequences: ``mask[b, i] = i < lengths[b]``.

    Args:
        lengths: integers of any shape ``(...)``, in tokens, each at least 0.
        max_length: width of the mask; the longest length if None.

    Returns:
        bool, ``(..., max_length)``; True = a real token.

    Raises:
        TypeError: ``lengths`` are not integers.
        ValueError: a length is negative or exceeds ``max_length``, or that is no whole number.
    """
    check_tensors(lengths=lengths)
    if lengths.is_floating_point() or lengths.is_complex() or lengths.dtype == torch.bool:
        raise TypeError(f"lengths has dtype {lengths.dtype}: wanted integers")
    longest = int(lengths.max()) if lengths.numel() else 0
    if lengths.numel() and int(lengths.min()) < 0:
        raise ValueError(f"lengths has the value {int(lengths.min())}: wanted 0 or more")
    if max_length is None:
        max_length = longest
    check_range("max_length", max_length, is_integer(max_length), "a whole number, or None")
    if longest > max_length:
        raise ValueError(f"lengths has the value {longest}: wanted at most max_length = {max_length}")
    return torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(-1)


def causal_mask(queries: int, keys: int | None = None, *, device: torch.device | None = None) -> Tensor:
    """Let position ``i`` see positions up to and including itself (Vaswani et al. 2017, 3.2.3).

    With fewer queries than keys the queries are the last ones, as in step-by-step decoding with a cache:
    ``mask[i, j] = j <= i + keys - queries``.

    Args:
        queries: number of queries.
        keys: number of keys; as many as queries if None.
        device: where the mask is made.

    Returns:
        bool, ``(queries, keys)``; True = may attend.

    Raises:
        ValueError: there are more queries than keys, less than none, or a part of one.
    """
    keys = queries if keys is None else keys
    for name, count in (("queries", queries), ("keys", keys)):
        check_range(name, count, is_whole(count), "a whole number")
    if not 0 <= queries <= keys:
        raise ValueError(f"queries is {queries}: wanted 0 <= queries <= keys = {keys}")
    return torch.ones(queries, keys, dtype=torch.bool, device=device).tril(keys - queries)


def has_numbers(tensor: Tensor) -> bool:
    """Whether it has any: not while a model is exported or computes shapes alone."""
    return not (tensor.is_meta or torch.compiler.is_exporting() or isinstance(tensor, FakeTensor))


def can_look(tensor: Tensor, *, wait: bool = False) -> bool:
    """Whether its numbers are there to be looked at: not while a model is compiled or computes shapes alone, not inside
    ``torch.func.vmap``, and not on a device, unless the host may wait for it."""
    if tensor.device.type != "cpu" and not (wait and has_numbers(tensor)):
        return False
    if torch.compiler.is_compiling() or isinstance(tensor, FakeTensor):
        return False
    return innermost(tensor) is not None


def innermost(tensor: Tensor) -> Tensor | None:
    """What ``torch.func.grad`` wraps, or None where ``torch.func.vmap`` hides a batch."""
    while torch._C._functorch.is_gradtrackingtensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return None if torch._C._functorch.is_batchedtensor(tensor) else tensor


def check_right_padded(name: str, mask: Tensor, *, wait: bool = False) -> None:
    """Raise a ValueError if a real token stands behind padding.

    The mask is looked at where ``can_look`` says so.

    Args:
        name: of the argument.
        mask: bool ``(..., length)``, True = a real token.
        wait: whether the host may wait for a GPU.
    """
    if can_look(mask, wait=wait) and bool((mask[..., 1:] > mask[..., :-1]).any()):
        raise ValueError(f"{name} has padding before a real token: wanted padding on the right only")


def combine_masks(*masks: Tensor | None) -> Tensor | None:
    """Allow what every mask allows. None stands for no restriction.

    Args:
        masks: bool tensors whose shapes broadcast, or None.

    Returns:
        bool, the broadcast shape; None if every mask is None.

    Raises:
        TypeError: a mask is not boolean.
        ValueError: shapes do not broadcast.
    """
    combined: Tensor | None = None
    for mask in masks:
        if mask is None:
            continue
        _check_boolean(mask)
        if combined is None:
            combined = mask
            continue
        try:
            torch.broadcast_shapes(combined.shape, mask.shape)
        except RuntimeError as error:
            raise ValueError(
                f"masks have shapes {tuple(combined.shape)} and {tuple(mask.shape)}: wanted shapes that broadcast"
            ) from error
        combined = combined & mask
    return combined


def masked_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    r"""Softmax over the last axis, among the allowed keys only.

    .. math:: \alpha_{ij} = \frac{m_{ij} \exp(a_{ij})}{\sum_k m_{ik} \exp(a_{ik})}

    A row with no allowed key gives zeros, and passes zero gradient back. ``scores`` are not changed.

    Args:
        scores: ``(..., keys)``, floating point of any precision.
        mask: bool, broadcastable to the shape of ``scores``; True = may attend.

    Returns:
        weights of the shape and dtype of ``scores``; a row sums to one, or to zero if fully masked.

    Raises:
        TypeError: ``mask`` is not boolean, or ``scores`` are not floating point.
        ValueError: ``mask`` cannot be broadcast to ``scores``.
    """
    check_tensors(scores=scores)
    if not scores.is_floating_point():
        raise TypeError(f"scores has dtype {scores.dtype}: wanted floating point")
    if mask is None:
        return scores.softmax(-1)
    check_mask(mask, scores.shape)
    some = mask.any(-1, keepdim=True)
    excluded = scores.new_zeros(()).masked_fill(some, -torch.inf)  # a whole row of -inf would be 0/0, its gradient too
    return torch.where(mask, scores, excluded).softmax(-1).masked_fill(~some, 0)


def check_mask(mask: Tensor, shape: torch.Size | tuple[int, ...]) -> None:
    """Check that ``mask`` is boolean and broadcasts to the scores' ``shape``.

    Raises:
        TypeError: ``mask`` is not boolean.
        ValueError: ``mask`` cannot be broadcast to ``shape``.
    """
    _check_boolean(mask)
    fits = mask.dim() <= len(shape) and all(
        m in (1, s) for m, s in zip(reversed(mask.shape), reversed(shape), strict=False)
    )
    if not fits:
        raise ValueError(f"mask has shape {tuple(mask.shape)}: wanted one that broadcasts to {tuple(shape)}")


def _check_boolean(mask: Tensor) -> None:
    check_tensors(mask=mask)
    if mask.dtype != torch.bool:
        raise TypeError(f"mask has dtype {mask.dtype}: wanted torch.bool, where True = may attend")
