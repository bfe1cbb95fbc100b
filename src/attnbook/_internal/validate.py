"""Checks of arguments; messages have one pattern: ``num_heads must divide d_model, got num_heads=3, d_model=64``."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from torch import Tensor


def check_range(name: str, value: object, allowed: bool, requirement: str) -> None:
    """Raise a ValueError, ``"{name} must be {requirement}, got {value}"``, unless the value is allowed."""
    if not allowed:
        raise ValueError(f"{name} must be {requirement}, got {value!r}")


def is_number(value: Any) -> bool:
    """Whether a value is one real number, of Python, NumPy or a one-element tensor. A bool does not count."""
    if isinstance(value, Real):
        return not isinstance(value, bool)
    from torch import Tensor  # here, so that the command line can check its options before it imports torch

    return isinstance(value, Tensor) and value.numel() == 1 and not value.is_complex()


def is_finite(value: Any) -> bool:
    """Like ``is_number``, but neither NaN nor infinite."""
    return is_number(value) and bool(-math.inf < value < math.inf)  # math.isfinite rejects torch.compile's numbers


def scalar(value: Any) -> float:
    """Return the number; a one-element tensor loses its axes, so that it can be combined with tensors on any device."""
    from torch import Tensor

    number: Any = value.reshape(()) if isinstance(value, Tensor) else value
    return number  # type: ignore[no-any-return]


def is_integer(value: object) -> TypeGuard[int]:
    """Whether a value is an integer of Python or NumPy. A bool does not count."""
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def is_whole(value: object) -> bool:
    """Like ``is_integer``, but also accepts a one-element integer tensor and a symbolic size."""
    from torch import SymInt, Tensor

    if isinstance(value, Tensor):
        return value.numel() == 1 and not value.is_floating_point() and not value.is_complex()
    return is_integer(value) or isinstance(value, SymInt)


def check_type(name: str, value: object, allowed: bool, requirement: str) -> None:
    """Raise a TypeError, ``"{name} must be {requirement}, got {type of value}"``, unless the value is allowed."""
    if not allowed:
        raise TypeError(f"{name} must be {requirement}, got {type(value).__name__}")


def check_tensors(**values: object) -> None:
    """Raise a TypeError that names the first value that is not a dense tensor."""
    from torch import Tensor

    for name, value in values.items():
        check_type(name, value, isinstance(value, Tensor), "a Tensor")
        if isinstance(value, Tensor) and value.is_sparse:
            raise TypeError(f"{name} must be a dense Tensor, got {value.layout}")


def check_floating(**values: object) -> None:
    """Raise a TypeError that names the first value that is not a dense floating-point tensor."""
    check_tensors(**values)
    for name, value in values.items():
        if not value.is_floating_point():  # type: ignore[attr-defined]
            raise TypeError(f"{name} must be floating point, got {value.dtype}")  # type: ignore[attr-defined]


def check_finite(**tensors: Tensor) -> None:
    """Raise a ValueError that names the first tensor with a NaN or an infinity."""
    for name, tensor in tensors.items():
        wrong = tensor[~tensor.isfinite()]
        if wrong.numel():
            raise ValueError(f"{name} must be finite, got {wrong[0].item()}")


def check_sizes(**sizes: int | None) -> None:
    """Raise a ValueError that names the first size below 1. None means "not given"."""
    check_counts(**{name: size for name, size in sizes.items() if size is not None})


def check_counts(**counts: object) -> None:
    """Raise a ValueError that names the first value that is not an integer >= 1."""
    for name, count in counts.items():
        check_range(name, count, is_integer(count) and int(count) >= 1, "an integer >= 1")


def check_integer(name: str, value: object, low: int, high: int) -> None:
    """Raise a ValueError unless the value is an integer from ``low`` to ``high``."""
    check_range(name, value, is_integer(value) and low <= value <= high, f"an integer from {low} to {high}")


def check_bools(**flags: object) -> None:
    """Raise a ValueError that names the first value that is not a bool of Python or NumPy."""
    from numpy import bool_

    for name, flag in flags.items():
        check_range(name, flag, isinstance(flag, bool | bool_), "a bool")


def check_heads(d_model: int, num_heads: int, *, parts: int = 1) -> None:
    """Raise a ValueError unless num_heads divides d_model and each head can be cut into ``parts`` equal parts."""
    check_counts(d_model=d_model, num_heads=num_heads)
    if d_model % (num_heads * parts):
        even = f" into head sizes divisible by {parts}" if parts > 1 else ""
        raise ValueError(f"num_heads must divide d_model{even}, got num_heads={num_heads}, d_model={d_model}")


def check_two(name: str, value: object) -> None:
    """Raise a TypeError unless a value is a (source, target) pair."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(f"{name} must be a (source, target) pair, got {type(value).__name__}")


def check_dropout(**probabilities: float) -> None:
    """Raise a ValueError that names the first value that is not a probability. NaN is not one."""
    for name, value in probabilities.items():
        fits = isinstance(value, Real) and is_number(value) and 0 <= value <= 1
        check_range(name, value, fits, "a probability between 0 and 1")


def check_attention_inputs(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    query_size: int | None = None,
    key_size: int | None = None,
    value_size: int | None = None,
) -> None:
    """Check that query, key and value fit together. A size of None accepts any size.

    Raises:
        ValueError: a tensor is not of rank 3 or has another size, the batch sizes differ, or the numbers of keys and
            values differ.
        TypeError: a tensor is not floating point, or the dtypes differ.
    """
    import torch

    check_tensors(query=query, key=key, value=value)
    for name, tensor, size in (("query", query, query_size), ("key", key, key_size), ("value", value, value_size)):
        if tensor.dim() != 3:
            raise ValueError(f"{name} must have shape (batch, length, size), got {tuple(tensor.shape)}")
        if not tensor.is_floating_point():
            raise TypeError(f"{name} must be floating point, got {tensor.dtype}")
        # Under autocast, the dtypes that reach attention may differ.
        if tensor.dtype != query.dtype and (query.is_meta or not torch.is_autocast_enabled(query.device.type)):
            raise TypeError(f"{name} must have the dtype of query, {query.dtype}, got {tensor.dtype}")
        check_batch_size(query, **{name: tensor})
        if size is not None and tensor.shape[2] != size:
            raise ValueError(f"{name} must have size {name}_size={size}, got {tensor.shape[2]}")
    if key.shape[1] != value.shape[1]:
        raise ValueError(f"value must have one row per key, {key.shape[1]}, got {value.shape[1]}")


def check_batch_size(query: Tensor, /, **tensors: Tensor) -> None:
    """Raise a ValueError that names the first tensor whose batch size differs: torch would broadcast a batch of 1."""
    for name, tensor in tensors.items():
        if tensor.shape[0] != query.shape[0]:
            raise ValueError(f"{name} must have the batch size of query, {query.shape[0]}, got {tensor.shape[0]}")
