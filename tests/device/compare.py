"""Compare a computation on the GPU with the same one on the CPU, value by value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

# Relative and absolute tolerances. A GPU adds in a different order than a CPU; bytes are weights in steps of 1/255.
TOLERANCES = {
    torch.float64: (1e-7, 1e-9),
    torch.float32: (1e-4, 2e-5),
    torch.bfloat16: (5e-2, 5e-2),
    torch.uint8: (0.0, 1.0),
}


def compare(compute: Callable[[str], Iterable[Any]]) -> list[Any]:
    """Check that ``compute`` yields the same values on the GPU and on the CPU, and tensors on its own device.

    Returns:
        the values on the CPU, flattened.
    """
    torch.manual_seed(0)
    expected = list(flat(compute("cpu")))
    torch.manual_seed(0)
    found = list(flat(compute("cuda")))
    assert len(found) == len(expected) > 0
    for place, (mine, theirs) in enumerate(zip(found, expected, strict=True)):
        assert_same(mine, theirs, f"value {place} of {len(expected)}")
    return expected


def flat(value: Any) -> Iterator[Any]:
    """The leaves of nested lists, mappings and dataclasses, in order."""
    if is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        for name, item in value.items():
            yield name
            yield from flat(item)
    elif isinstance(value, str | bytes | Tensor | np.ndarray) or not isinstance(value, Iterable):
        yield value
    else:
        for item in sorted(value) if isinstance(value, set | frozenset) else value:
            yield from flat(item)


def assert_same(found: Any, expected: Any, where: str) -> None:
    if isinstance(expected, np.ndarray):
        found, expected = torch.from_numpy(np.array(found)), torch.from_numpy(np.array(expected))
    if isinstance(expected, Tensor):
        assert isinstance(found, Tensor) and found.dtype == expected.dtype, where
        rtol, atol = TOLERANCES.get(expected.dtype, (0.0, 0.0))
        found, expected = found.detach().cpu(), expected.detach()
        torch.testing.assert_close(found, expected, rtol=rtol, atol=atol, equal_nan=True, msg=lambda m: f"{where}: {m}")
    elif isinstance(expected, float):
        assert math.isclose(found, expected, rel_tol=1e-5, abs_tol=1e-6), (where, found, expected)
    else:
        assert found == expected, (where, found, expected)


def numbers(*shape: int, seed: int = 0, dtype: torch.dtype = torch.float32) -> Tensor:
    """Random numbers on the CPU, the same for the same shape and seed."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def gradients(output: Tensor, of: Iterable[Tensor]) -> list[Tensor | None]:
    """The gradients of a number that depends on all of the output."""
    weights = torch.linspace(0.5, 1.5, output.numel(), dtype=output.dtype, device=output.device).view_as(output)
    return list(torch.autograd.grad((output * weights).sum(), list(of), allow_unused=True))
