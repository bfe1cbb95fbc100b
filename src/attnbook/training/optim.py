"""What a step of training does: the loss, Adam, the learning rate, and a guard before numbers that are none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim import Optimizer

from attnbook._internal.validate import check_range, check_tensors, is_number
from attnbook.models.base import check_id_type, check_id_values

Schedule = Callable[[int], float]  # the learning rate as a function of the step's number, which counts from 1

# Where looking at a loss makes the device wait, the losses of so many steps are looked at together.
LOOK_EVERY = 50

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

    for each real token, with :math:`p = \mathrm{softmax}(\mathrm{logits})`, in fp32, or in fp64 if the logits are.
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
        TypeError: something is no tensor, ``mask`` is not boolean, or ``target`` are not integers.
    """
    check_tensors(logits=logits, target=target, **({} if mask is None else {"mask": mask}))
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
    smooths = is_number(label_smoothing) and 0 <= label_smoothing < 1
    check_range("label_smoothing", label_smoothing, smooths, "0 <= label_smoothing < 1")
    check_range("reduction", reduction, reduction in ("mean", "sum"), "'mean' or 'sum'")
    vocab_size = logits.shape[-1]
    if not torch.compiler.is_compiling():
        check_id_values("target", target if mask is None else target.masked_fill(~mask, 0), vocab_size)
    total = F.cross_entropy(
        logits.reshape(-1, vocab_size).to(torch.promote_types(logits.dtype, torch.float32)),
        (target if mask is None else target.masked_fill(~mask, _IGNORED)).flatten().long(),
        ignore_index=_IGNORED,
        label_smoothing=label_smoothing,
        reduction="sum",
    )
    if reduction == "sum":
        return total
    return total / (max(target.numel(), 1) if mask is None else mask.sum().clamp(min=1))


def adam(parameters: Sequence[nn.Parameter]) -> Optimizer:
    """Adam as in Vaswani et al. 2017, 5.3: betas 0.9 and 0.98, epsilon 1e-9; in one kernel where torch has it."""
    try:
        return torch.optim.Adam(parameters, betas=(0.9, 0.98), eps=1e-9, fused=True)
    except RuntimeError:
        return torch.optim.Adam(parameters, betas=(0.9, 0.98), eps=1e-9)


class Guard:
    """Lets an optimizer take steps until a loss or gradient is not finite.

    On the CPU it looks before each step. On a GPU each look would make the host wait for the device. There the device
    leaves the weights as they are from the first such step on, and the host looks at ``LOOK_EVERY`` steps together:
    fused optimizers skip their steps, as with ``torch.amp.GradScaler``, here with a scale of 1 that changes no
    gradient; for every other optimizer the weights before the step are kept, and put back.

    Args:
        optimizer: the one to guard.
        device: where its parameters lie.
        late: look late; by default on every device but the CPU.
    """

    def __init__(self, optimizer: Optimizer, device: torch.device, *, late: bool | None = None) -> None:
        self.optimizer = optimizer
        self.skipped = False  # a step was left out that the steps after it count as taken
        self._unseen: list[tuple[int, Tensor]] = []
        self._late = device.type != "cpu" if late is None else late
        self._poison = torch.zeros((), device=device)  # NaN from the first step on that is not finite
        self._scaler: torch.amp.GradScaler | None = None
        if self._late and all(group.get("fused") for group in optimizer.param_groups):
            self._scaler = torch.amp.GradScaler(device.type, init_scale=1.0)
            self._scaler.scale(torch.zeros((), device=device))  # puts the scale on the device

    def note(self, number: int, value: Tensor) -> None:
        """Say what a step would be taken with, before ``step``.

        Args:
            number: of the step.
            value: scalar; not finite if the loss or the norm of the gradient is not.

        Raises:
            FloatingPointError: it is not finite, and this is the place to look.
        """
        self._unseen.append((number, value))
        if not self._late:
            self.look()

    def step(self) -> None:
        """Take the step noted last, unless its value is not finite.

        Raises:
            FloatingPointError: one of the last ``LOOK_EVERY`` values is not finite.
        """
        if not self._late:
            self.optimizer.step()
            return
        _, value = self._unseen[-1]
        self._poison = self._poison + (value - value)
        parameters = [p for group in self.optimizer.param_groups for p in group["params"] if p.grad is not None]
        if self._scaler is not None:
            parameters[0].grad.add_(self._poison)  # where the scaler finds it
            self._scaler.step(self.optimizer)
            self._scaler.update(1.0)
        else:
            before = [parameter.detach().clone() for parameter in parameters]
            self.optimizer.step()
            for parameter, weights in zip(parameters, before, strict=True):
                parameter.detach().copy_(torch.where(self._poison.isnan(), weights, parameter.detach()))
        if len(self._unseen) >= LOOK_EVERY:
            self.look()

    def look(self) -> None:
        """Look at all that has been noted since the last look.

        Raises:
            FloatingPointError: a value is not finite; its step was not taken.
        """
        unseen, self._unseen = self._unseen, []
        if not unseen:
            return
        values = torch.stack([value for _, value in unseen]).tolist()
        for (number, _), value in zip(unseen, values, strict=True):
            if not math.isfinite(value):
                self.skipped = self._late
                raise FloatingPointError(
                    f"loss or gradient of step {number} is {value}: wanted a finite number. That step was not applied: "
                    "the weights are as they were before it. Try a lower lr, a longer warmup or a smaller clip_norm"
                )


def constant(peak: float, *, warmup: int = 0) -> Schedule:
    r"""A learning rate that rises linearly, ``peak * step / warmup``, and then stays.

    Raises:
        ValueError: ``peak`` is not above 0 or not finite, or ``warmup`` is negative.
    """
    _check_peak(peak, warmup)
    return lambda step: peak * min(1.0, step / max(1, warmup))


def linear_decay(peak: float, *, total: int, warmup: int = 0) -> Schedule:
    """Rises linearly to ``peak`` at step ``warmup``, then falls linearly to zero at step ``total + 1``.

    Raises:
        ValueError: ``peak`` is not above 0 or not finite, or not 0 <= warmup < total.
    """
    _check_peak(peak, warmup)
    check_range("total", total, is_number(total) and total > warmup, f"more than warmup = {warmup}")

    def schedule(step: int) -> float:
        if step < warmup:
            return peak * step / warmup
        return peak * max(0.0, 1 - (step - warmup) / (total + 1 - warmup))

    return schedule


def _check_peak(peak: float, warmup: int) -> None:
    check_range("peak", peak, is_number(peak) and 0 < peak < math.inf, "above 0, and finite")
    check_range("warmup", warmup, is_number(warmup) and warmup >= 0, "0 or more")
