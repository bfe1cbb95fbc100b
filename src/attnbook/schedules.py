"""The learning rate as a function of the step's number, which counts from 1."""

from __future__ import annotations

import math
from collections.abc import Callable

from attnbook.checks import check_range

Schedule = Callable[[int], float]


def constant(peak: float, *, warmup: int = 0) -> Schedule:
    r"""A learning rate that rises linearly, ``peak * step / warmup``, and then stays.

    Raises:
        ValueError: ``peak`` is not above 0 or not finite, or ``warmup`` is negative.
    """
    _check_peak(peak, warmup)
    return lambda step: peak * min(1.0, step / max(1, warmup))


def inverse_square_root(*, d_model: int, warmup: int, factor: float = 1.0) -> Schedule:
    r"""The schedule of Vaswani et al. 2017, 5.3, times a factor.

    .. math:: d_\mathrm{model}^{-0.5} \min(\mathrm{step}^{-0.5}, \mathrm{step} \cdot \mathrm{warmup}^{-1.5})

    Args:
        d_model: size of the model.
        warmup: the step with the highest rate.
        factor: 1 in the paper.

    Raises:
        ValueError: an argument is not above 0.
    """
    for name, value in (("d_model", d_model), ("warmup", warmup), ("factor", factor)):
        check_range(name, value, value > 0, f"{name} > 0")
    scale = factor * d_model**-0.5
    return lambda step: scale * min(step**-0.5, step * warmup**-1.5)


def linear_decay(peak: float, *, total: int, warmup: int = 0) -> Schedule:
    """Rises linearly to ``peak`` at step ``warmup``, then falls linearly to zero at step ``total + 1``.

    Raises:
        ValueError: ``peak`` is not above 0 or not finite, or not 0 <= warmup < total.
    """
    return _decay(peak, total, warmup, lambda done: 1 - done)


def cosine_decay(peak: float, *, total: int, warmup: int = 0) -> Schedule:
    """Rises linearly to ``peak`` at step ``warmup``, then falls to zero at step ``total + 1`` along half a cosine.

    Loshchilov and Hutter 2017, without restarts.

    Raises:
        ValueError: ``peak`` is not above 0 or not finite, or not 0 <= warmup < total.
    """
    return _decay(peak, total, warmup, lambda done: 0.5 * (1 + math.cos(math.pi * done)))


def _decay(peak: float, total: int, warmup: int, shape: Callable[[float], float]) -> Schedule:
    _check_peak(peak, warmup)
    check_range("total", total, total > warmup, f"more than warmup = {warmup}")

    def schedule(step: int) -> float:
        if step < warmup:
            return peak * step / warmup
        return peak * shape(min(1.0, (step - warmup) / (total + 1 - warmup)))

    return schedule


def _check_peak(peak: float, warmup: int) -> None:
    check_range("peak", peak, 0 < peak < math.inf, "above 0, and finite")
    check_range("warmup", warmup, warmup >= 0, "0 or more")
