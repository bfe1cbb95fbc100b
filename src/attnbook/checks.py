"""Errors for bad input: each names the argument, what it got, and what it wanted."""

from __future__ import annotations

from numbers import Integral, Real


def check_range(name: str, value: object, allowed: bool, wanted: str) -> None:
    """Raise a ValueError that names an argument, its value and what was wanted, unless it is allowed."""
    if not allowed:
        raise ValueError(f"{name} is {value!r}: wanted {wanted}")


def check_tensors(**values: object) -> None:
    """Raise a TypeError that names the first value that is no tensor."""
    from torch import Tensor  # here: the command line checks its options before it waits for torch

    for name, value in values.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"{name} is of type {type(value).__name__}: wanted a Tensor")


def check_sizes(**sizes: int | None) -> None:
    """Raise a ValueError that names the first size below 1; one that is None was not given."""
    for name, size in sizes.items():
        check_range(name, size, size is None or (isinstance(size, Integral) and size >= 1), "1 or more, a whole number")


def check_dropout(**probabilities: float) -> None:
    """Raise a ValueError that names the first value that is no probability; NaN is none."""
    for name, value in probabilities.items():
        check_range(name, value, isinstance(value, Real) and 0 <= value <= 1, "a probability, 0 <= p <= 1")
