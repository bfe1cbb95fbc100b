"""What training makes small."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.checks import check_range
from attnbook.encoder_decoder import check_id_type, check_id_values

_IGNORED = -100


def cross_entropy(
    logits: Tensor,
    target: Tensor,
    mask: Tensor | None = None,
    *,
    label_smoothing: float = 0.0,
    reduction: str = "mean",
) -> Tensor:
    r"""Cross-entropy in nats over the real tokens only.

    .. math:: -\sum_v q_v \log p_v, \qquad q_v = (1 - \epsilon)\,[v = y] + \epsilon / V

    for each real token, with :math:`p = \mathrm{softmax}(\mathrm{logits})`, in fp32 whatever the logits' precision.
    Label smoothing :math:`\epsilon` is that of Szegedy et al. 2016, 7, as used in Vaswani et al. 2017, 5.4.

    Args:
        logits: ``(..., vocab_size)``.
        target: ``(...)`` ids.
        mask: ``(...)`` bool, True = a real token; None: all are.
        label_smoothing: 0 <= epsilon < 1.
        reduction: "mean" over the real tokens (0 if there is none), or "sum".

    Returns:
        a scalar.

    Raises:
        ValueError: shapes disagree, a real token's id is outside the vocabulary, or an option is unknown.
        TypeError: ``mask`` is not boolean, or ``target`` are not integers.
    """
    check_id_type("target", target)
    if logits.shape[:-1] != target.shape:
        raise ValueError(
            f"target has shape {tuple(target.shape)}: wanted that of logits without the vocabulary, "
            f"{tuple(logits.shape[:-1])}"
        )
    if mask is not None and mask.dtype != torch.bool:
        raise TypeError(f"mask has dtype {mask.dtype}: wanted torch.bool, True = a real token")
    if mask is not None and mask.shape != target.shape:
        raise ValueError(f"mask has shape {tuple(mask.shape)}: wanted that of target, {tuple(target.shape)}")
    check_range("label_smoothing", label_smoothing, 0 <= label_smoothing < 1, "0 <= label_smoothing < 1")
    check_range("reduction", reduction, reduction in ("mean", "sum"), "'mean' or 'sum'")
    vocab_size = logits.shape[-1]
    if not torch.compiler.is_compiling():
        check_id_values("target", target if mask is None else target.masked_fill(~mask, 0), vocab_size)
    total = F.cross_entropy(
        logits.reshape(-1, vocab_size).float(),
        (target if mask is None else target.masked_fill(~mask, _IGNORED)).flatten().long(),
        ignore_index=_IGNORED,
        label_smoothing=label_smoothing,
        reduction="sum",
    )
    if reduction == "sum":
        return total
    return total / (max(target.numel(), 1) if mask is None else mask.sum().clamp(min=1))
