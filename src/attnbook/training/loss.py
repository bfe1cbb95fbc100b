"""The cross-entropy that the models are trained with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook._internal.tracing import can_read, innermost
from attnbook._internal.validate import check_floating, check_range, check_tensors, is_number
from attnbook.models.base import check_id_type, check_id_values

# Rows of logits that are processed together, in fp32: small enough for a CPU cache.
LOSS_BLOCK_BYTES = 1 << 20

_IGNORED = -100


def cross_entropy(
    logits: Tensor,
    target: Tensor,
    mask: Tensor | None = None,
    *,
    label_smoothing: float = 0.0,
    reduction: Literal["mean", "sum"] = "mean",
) -> Tensor:
    r"""Cross-entropy in nats over the real tokens only.

    .. math:: -\sum_v q_v \log p_v, \qquad q_v = (1 - \epsilon)\,[v = y] + \epsilon / V

    for each real token, with :math:`p = \mathrm{softmax}(\mathrm{logits})`, in fp32, or in fp64 if the logits are.
    Label smoothing :math:`\epsilon` is that of Szegedy et al. 2016, 7, as used in Vaswani et al. 2017, 5.4.

    On a CPU, both passes read large logits in blocks that fit in the cache, and no other tensor of their size is
    stored between them.

    Args:
        logits: ``(..., vocab_size)``.
        target: ``(...)`` ids.
        mask: ``(...)`` bool, True = a real token; None: all tokens are real.
        label_smoothing: 0 <= epsilon < 1.
        reduction: "mean" over the real tokens (0 if there are none), or "sum".

    Returns:
        a scalar.

    Raises:
        ValueError: shapes disagree, the id of a real token is outside the vocabulary (on a GPU and in compiled code,
            torch raises another error), or an option is invalid.
        TypeError: an argument is not a tensor, ``logits`` are not floating point, ``mask`` is not boolean, or
            ``target`` is not integer.

    Example:
        >>> logits, target = torch.zeros(1, 3, 5), torch.tensor([[4, 2, 0]])
        >>> cross_entropy(logits, target, mask=torch.tensor([[True, True, False]]))  # ln 5
        tensor(1.6094)
    """
    check_floating(logits=logits)
    check_tensors(target=target, **({} if mask is None else {"mask": mask}))
    check_id_type("target", target)
    if logits.shape[:-1] != target.shape:
        raise ValueError(
            f"target must have the shape of logits without the last dimension, {tuple(logits.shape[:-1])}, "
            f"got {tuple(target.shape)}"
        )
    if mask is not None and mask.dtype != torch.bool:
        raise TypeError(f"mask must be torch.bool (True = a real token), got {mask.dtype}")
    if mask is not None and mask.shape != target.shape:
        raise ValueError(f"mask must have the shape of target, {tuple(target.shape)}, got {tuple(mask.shape)}")
    smooths = is_number(label_smoothing) and 0 <= label_smoothing < 1
    check_range("label_smoothing", label_smoothing, smooths, ">= 0 and < 1")
    check_range("reduction", reduction, reduction in ("mean", "sum"), "'mean' or 'sum'")
    vocab_size = logits.shape[-1]
    if not torch.compiler.is_compiling():
        check_id_values("target", target if mask is None else target.masked_fill(~mask, 0), vocab_size)
    rows, ids = logits.reshape(-1, vocab_size), target.flatten().long()  # (tokens, vocab_size), (tokens,)
    real = None if mask is None else mask.flatten()  # (tokens,)
    compute = _in_blocks if _is_large(logits) else _at_once
    total = compute(rows, ids, real, label_smoothing)
    if reduction == "sum":
        return total
    return total / (max(target.numel(), 1) if mask is None else mask.sum().clamp(min=1))


def _is_large(logits: Tensor) -> bool:
    """Whether the logits exceed the cache of a CPU, and no compiler or transform of ``torch.func`` is active."""
    if not can_read(logits) or innermost(logits) is not logits:
        return False
    return logits.numel() * logits.element_size() > LOSS_BLOCK_BYTES


def _at_once(logits: Tensor, target: Tensor, real: Tensor | None, label_smoothing: float) -> Tensor:
    target = target.where(target >= 0, logits.shape[1])  # only padding is ignored: torch rejects this id
    return F.cross_entropy(
        logits.to(torch.promote_types(logits.dtype, torch.float32)),
        target if real is None else target.masked_fill(~real, _IGNORED),
        ignore_index=_IGNORED,
        label_smoothing=label_smoothing,
        reduction="sum",
    )


def _in_blocks(logits: Tensor, target: Tensor, real: Tensor | None, label_smoothing: float) -> Tensor:
    real = torch.ones_like(target, dtype=torch.bool) if real is None else real
    total: Tensor = _BlockwiseCrossEntropy.apply(logits, target.masked_fill(~real, 0), real, label_smoothing)
    return total


class _BlockwiseCrossEntropy(torch.autograd.Function):
    r"""The summed loss of the real rows; its gradient is :math:`p - q` in each of them."""

    @staticmethod
    def forward(ctx, logits: Tensor, target: Tensor, real: Tensor, label_smoothing: float) -> Tensor:  # type: ignore[no-untyped-def]
        dtype = torch.promote_types(logits.dtype, torch.float32)
        log_sums = torch.empty(len(logits), 1, dtype=dtype)  # log of the softmax's denominator
        losses = torch.empty(len(logits), 1, dtype=dtype)
        for rows in _blocks(logits):
            x = logits[rows].to(dtype)
            log_sums[rows] = x.logsumexp(1, keepdim=True)
            expected = x.gather(1, target[rows].unsqueeze(1))  # sum_v q_v x_v
            if label_smoothing:
                expected = (1 - label_smoothing) * expected + label_smoothing * x.mean(1, keepdim=True)
            losses[rows] = log_sums[rows] - expected
        ctx.save_for_backward(logits, target, real, log_sums)
        ctx.label_smoothing = label_smoothing
        return losses.squeeze(1).where(real, 0).sum()

    @staticmethod
    def backward(ctx, upstream: Tensor) -> tuple[Tensor, None, None, None]:  # type: ignore[no-untyped-def]
        logits, target, real, log_sums = ctx.saved_tensors
        if torch.is_grad_enabled():  # create_graph=True: the gradient will be differentiated again
            total = _at_once(logits, target, real, ctx.label_smoothing)
            return *torch.autograd.grad(total, logits, upstream, create_graph=True), None, None, None
        grad = torch.empty_like(logits)
        scale = (upstream * real).unsqueeze(1)  # (tokens, 1)
        for rows in _blocks(logits):
            difference = (logits[rows].to(log_sums.dtype) - log_sums[rows]).exp_()  # p - q
            if ctx.label_smoothing:
                difference -= ctx.label_smoothing / logits.shape[1]
            gold = target[rows].unsqueeze(1)  # (tokens, 1)
            difference.scatter_add_(1, gold, difference.new_full(gold.shape, ctx.label_smoothing - 1))
            grad[rows] = difference.mul_(scale[rows])
        return grad, None, None, None


def _blocks(logits: Tensor) -> Iterator[slice]:
    step = max(1, LOSS_BLOCK_BYTES // (logits.shape[1] * 4))
    for start in range(0, len(logits), step):
        yield slice(start, start + step)
