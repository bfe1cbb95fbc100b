"""Adam, learning-rate schedules, and a guard against non-finite values."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from attnbook._internal.validate import check_range, is_finite

Schedule = Callable[[int], float]  # the learning rate as a function of the step, from 1

# Reading a value from a GPU waits for the device, so the losses of this many steps are read together.
CHECK_EVERY = 50


def adam(parameters: Sequence[nn.Parameter]) -> Optimizer:
    """Adam with the settings of Vaswani et al. 2017, 5.3: betas 0.9 and 0.98, epsilon 1e-9; fused if possible."""
    try:
        return torch.optim.Adam(parameters, betas=(0.9, 0.98), eps=1e-9, fused=True)
    except RuntimeError:
        return torch.optim.Adam(parameters, betas=(0.9, 0.98), eps=1e-9)


class FiniteGuard:
    """Lets an optimizer take steps until a loss or gradient is not finite.

    On the CPU every step is checked before it is taken. On a GPU every check would wait for the device. There the
    device itself leaves the weights unchanged from the first non-finite step on, and the host checks ``CHECK_EVERY``
    steps together. A fused optimizer skips those steps, as with ``torch.amp.GradScaler``, here with a scale of 1, which
    changes no gradient. For any other optimizer the weights before the step are kept and restored.

    Args:
        optimizer: the optimizer to guard.
        device: device of its parameters.
        late: whether to check many steps together; None: on every device except the CPU.
    """

    def __init__(self, optimizer: Optimizer, device: torch.device, *, late: bool | None = None) -> None:
        self.optimizer = optimizer
        self.skipped = False  # a step was skipped that the caller has counted
        self._unchecked: list[tuple[int, Tensor]] = []
        self._late = device.type != "cpu" if late is None else late
        self._poison = torch.zeros((), device=device)  # NaN from the first non-finite step on
        self._scaler: torch.amp.GradScaler | None = None
        if self._late and all(group.get("fused") for group in optimizer.param_groups):
            self._scaler = torch.amp.GradScaler(device.type, init_scale=1.0)
            self._scaler.scale(torch.zeros((), device=device))  # creates the scale on the device

    def observe(self, number: int, value: Tensor) -> None:
        """Give the guard the loss and gradient norm of a step, before ``step``.

        Args:
            number: number of the step.
            value: scalar that is finite only if the loss and the norm of the gradient are.

        Raises:
            FloatingPointError: ``value`` is not finite, and steps are checked one by one.
        """
        self._unchecked.append((number, value))
        if not self._late:
            self.check()

    def step(self) -> None:
        """Take the last observed step if it and all earlier steps are finite.

        Raises:
            FloatingPointError: one of the last ``CHECK_EVERY`` values is not finite.
        """
        if not self._late:
            self.optimizer.step()
            return
        _, value = self._unchecked[-1]
        self._poison = self._poison + (value - value)
        parameters = [p for group in self.optimizer.param_groups for p in group["params"] if p.grad is not None]
        if self._scaler is not None:
            parameters[0].grad.add_(self._poison)  # the scaler finds it there
            self._scaler.step(self.optimizer)
            self._scaler.update(1.0)
        else:
            before = [parameter.detach().clone() for parameter in parameters]
            self.optimizer.step()
            for parameter, weights in zip(parameters, before, strict=True):
                parameter.detach().copy_(torch.where(self._poison.isnan(), weights, parameter.detach()))
        if len(self._unchecked) >= CHECK_EVERY:
            self.check()

    def check(self) -> None:
        """Check all values observed since the last check.

        Raises:
            FloatingPointError: a value is not finite; its step was not taken.
        """
        unchecked, self._unchecked = self._unchecked, []
        if not unchecked:
            return
        values = torch.stack([value for _, value in unchecked]).tolist()
        for (number, _), value in zip(unchecked, values, strict=True):
            if not math.isfinite(value):
                self.skipped = self._late
                raise FloatingPointError(
                    f"loss and gradient must be finite, got {value} at step {number}; the step was not applied. Try a "
                    "lower lr, a longer warmup or a smaller clip_norm"
                )


def constant(peak: float, *, warmup: int = 0) -> Schedule:
    r"""A learning rate that increases linearly, ``peak * step / warmup``, and then stays constant.

    Args:
        peak: the largest learning rate.
        warmup: steps until the peak; 0 starts there.

    Returns:
        a function from the step, counted from 1, to the learning rate.

    Raises:
        ValueError: ``peak`` is not positive and finite, or ``warmup`` is negative or not finite.
    """
    _check_peak(peak, warmup)
    return lambda step: peak * min(1.0, step / max(1, warmup))


def linear_decay(peak: float, *, total: int, warmup: int = 0) -> Schedule:
    r"""A learning rate that increases linearly to ``peak`` at step ``warmup``, then decreases linearly.

    .. math::
        \mathrm{peak} \cdot \frac{t}{w} \text{ for } t < w, \qquad
        \mathrm{peak} \cdot \frac{T + 1 - t}{T + 1 - w} \text{ for } t \ge w

    at step :math:`t`, with :math:`w` = ``warmup`` and :math:`T` = ``total``; zero after step :math:`T`.

    Args:
        peak: the largest learning rate.
        total: number of steps.
        warmup: steps until the peak; 0 starts just below it.

    Returns:
        a function from the step, counted from 1, to the learning rate.

    Raises:
        ValueError: ``peak`` is not positive and finite, or not 0 <= warmup < total, both finite.

    Example:
        >>> schedule = linear_decay(1e-3, warmup=10, total=100)
        >>> schedule(5), schedule(10)
        (0.0005, 0.001)
    """
    _check_peak(peak, warmup)
    check_range("total", total, is_finite(total) and total > warmup, f"finite and > warmup, {warmup}")

    def schedule(step: int) -> float:
        if step < warmup:
            return peak * step / warmup
        return peak * max(0.0, 1 - (step - warmup) / (total + 1 - warmup))

    return schedule


def _check_peak(peak: float, warmup: int) -> None:
    check_range("peak", peak, is_finite(peak) and peak > 0, "> 0 and finite")
    check_range("warmup", warmup, is_finite(warmup) and warmup >= 0, ">= 0 and finite")
