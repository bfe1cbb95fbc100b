"""Errors for bad input: each names the argument, what it got, and what it wanted."""

from __future__ import annotations

from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from torch import Tensor


def check_range(name: str, value: object, allowed: bool, wanted: str) -> None:
    """Raise a ValueError that names an argument, its value and what was wanted, unless it is allowed."""
    if not allowed:
        raise ValueError(f"{name} is {value!r}: wanted {wanted}")


def is_number(value: Any) -> bool:
    """Whether a value is one real number, of Python, of NumPy or in a tensor; True and False are none."""
    if isinstance(value, Real):
        return not isinstance(value, bool)
    from torch import Tensor  # here: the command line checks its options before it waits for torch

    return isinstance(value, Tensor) and value.numel() == 1 and not value.is_complex()


def is_integer(value: object) -> TypeGuard[int]:
    """Whether a value is a whole number, of Python or of NumPy; True and False are none."""
    return type(value) is int or (isinstance(value, Integral) and not isinstance(value, bool))


def is_whole(value: object) -> bool:
    """As ``is_integer``; one in a tensor is a whole number too, and so is a size that torch traces."""
    from torch import SymInt, Tensor

    if isinstance(value, Tensor):
        return value.numel() == 1 and not value.is_floating_point() and not value.is_complex()
    return is_integer(value) or isinstance(value, SymInt)


def check_tensors(**values: object) -> None:
    """Raise a TypeError that names the first value that is no tensor."""
    from torch import Tensor

    for name, value in values.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"{name} is of type {type(value).__name__}: wanted a Tensor")


def check_sizes(**sizes: int | None) -> None:
    """Raise a ValueError that names the first size below 1; one that is None was not given."""
    check_counts(**{name: size for name, size in sizes.items() if size is not None})


def check_counts(**counts: object) -> None:
    """Raise a ValueError that names the first value that is no whole number above 0."""
    for name, count in counts.items():
        check_range(name, count, is_integer(count) and int(count) >= 1, "1 or more, a whole number")


def check_heads(d_model: int, num_heads: int, *, parts: int = 1) -> None:
    """Raise a ValueError unless the heads share a vector out, and the size of each can be cut into so many parts."""
    check_counts(d_model=d_model, num_heads=num_heads)
    even = f" into sizes that {parts} divides" if parts > 1 else ""
    check_range("num_heads", num_heads, d_model % (num_heads * parts) == 0, f"a divisor of d_model = {d_model}{even}")


def check_two(name: str, value: object) -> None:
    """Raise a TypeError unless a value is one for the source and one for the target."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise TypeError(f"{name} is of type {type(value).__name__}: wanted two, of source and target")


def check_dropout(**probabilities: float) -> None:
    """Raise a ValueError that names the first value that is no probability; NaN is none."""
    for name, value in probabilities.items():
        fits = isinstance(value, Real) and is_number(value) and 0 <= value <= 1
        check_range(name, value, fits, "a probability, 0 <= p <= 1")


def check_attention_inputs(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    query_size: int | None = None,
    key_size: int | None = None,
    value_size: int | None = None,
) -> None:
    """Check that query, key and value are batches that belong together. A size of None is any size.

    Raises:
        ValueError: one is not of rank 3 or has another size, the batch sizes differ, or there are not as many keys
            as values.
        TypeError: one is not floating point, or they are of different precision.
    """
    import torch

    check_tensors(query=query, key=key, value=value)
    for name, tensor, size in (("query", query, query_size), ("key", key, key_size), ("value", value, value_size)):
        if tensor.dim() != 3:
            raise ValueError(f"{name} has shape {tuple(tensor.shape)}: wanted (batch, length, size)")
        if not tensor.is_floating_point():
            raise TypeError(f"{name} has dtype {tensor.dtype}: wanted floating point")
        # What reaches attention under autocast may differ.
        if tensor.dtype != query.dtype and (query.is_meta or not torch.is_autocast_enabled(query.device.type)):
            raise TypeError(f"{name} has dtype {tensor.dtype}: wanted that of query, {query.dtype}")
        if tensor.shape[0] != query.shape[0]:
            raise ValueError(f"{name} has batch size {tensor.shape[0]}: wanted that of query, {query.shape[0]}")
        if size is not None and tensor.shape[2] != size:
            raise ValueError(f"{name} has size {tensor.shape[2]}: wanted {name}_size = {size}")
    if key.shape[1] != value.shape[1]:
        raise ValueError(f"value has length {value.shape[1]}: wanted one value a key, {key.shape[1]}")
