"""CUDA's rules for operators: which devices may be mixed, and which operators make the host wait."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

import torch
from torch import Tensor

# Elementwise operators that torch does not tag as such: a 0-dimensional CPU tensor may be combined with GPU tensors.
SCALARS_MEET = {
    "aten::where", "aten::masked_fill", "aten::masked_fill_", "aten::fill", "aten::fill_", "aten::lerp", "aten::lerp_",
    "aten::index_put", "aten::index_put_", "aten::index_fill", "aten::index_fill_",
}  # fmt: skip

# Indices of a GPU tensor may be on the CPU.
INDEXED = {"aten::index", "aten::index_put", "aten::index_put_", "aten::_unsafe_index", "aten::_unsafe_index_put"}

# The lengths of packed sequences are always on the CPU.
PACKED = {"aten::_pack_padded_sequence", "aten::_pack_padded_sequence_backward"}

# Operators whose result, or its shape, depends on values: the host waits for them.
WAITS = {
    "aten::_local_scalar_dense": "item",
    "aten::equal": "equal",
    "aten::nonzero": "nonzero",
    "aten::masked_select": "masked_select",
    "aten::_unique2": "unique",
    "aten::unique_dim": "unique",
    "aten::unique_consecutive": "unique",
    "aten::bincount": "bincount",
    "aten::repeat_interleave": "repeat_interleave",
}


def tensors_in(*values: Any) -> list[Tensor]:
    """All tensors among arguments, in lists and mappings too."""
    found: list[Tensor] = []
    _collect(values, found)
    return found


def _collect(values: Iterable[Any], found: list[Tensor]) -> None:
    for value in values:
        if isinstance(value, Tensor):
            found.append(value)
        elif isinstance(value, (list, tuple)):  # faster than a union, for every operator
            if value:
                _collect(value, found)
        elif isinstance(value, dict) and value:
            _collect(value.values(), found)


@cache
def operator_name(func: Any) -> str:
    """``aten::add`` for all of its overloads."""
    name: str = func._schema.name
    return name


@cache
def is_composed(func: Any) -> bool:
    """Whether C++ composes the operator of others."""
    composed: bool = torch._C._dispatch_has_kernel_for_dispatch_key(func.name(), "CompositeImplicitAutograd")
    return composed


@cache
def is_random(func: Any) -> bool:
    """Whether the operator draws random numbers."""
    return torch.Tag.nondeterministic_seeded in func.tags


def stranger(
    func: Any, args: Sequence[Any], tensors: Sequence[Tensor], is_cuda: Callable[[Tensor], bool]
) -> Tensor | None:
    """The first CPU tensor that an operator may not combine with its GPU tensors, or None."""
    if all(map(is_cuda, tensors)) or not any(map(is_cuda, tensors)):
        return None
    name = operator_name(func)
    if name == "aten::copy_":
        return None
    allowed: list[Tensor] = []
    if name in INDEXED and is_cuda(args[0]):
        allowed += [index for index in args[1] if index is not None]
    if name in PACKED:
        allowed += [x for x in tensors if x.dtype == torch.int64 and not is_cuda(x)]
    if torch.Tag.pointwise in func.tags or name in SCALARS_MEET or name.startswith("aten::_foreach_"):
        written = [args[i] for i, a in enumerate(func._schema.arguments) if i < len(args) and is_written(a)]
        allowed += [x for x in tensors if x.dim() == 0 and not any(x is y for y in tensors_in(written))]
    return next((x for x in tensors if not is_cuda(x) and not any(x is y for y in allowed)), None)


def is_written(argument: Any) -> bool:
    return argument.alias_info is not None and argument.alias_info.is_write


def why_wait(func: Any, args: Sequence[Any], is_cuda: Callable[[Tensor], bool]) -> str | None:
    """Why the host waits in an operator on GPU tensors, or None if it does not."""
    name = operator_name(func)
    if name == "aten::repeat_interleave" and func._overloadname == "self_int":
        return None
    if name in INDEXED:
        masks = [i for i in args[1] if isinstance(i, Tensor) and i.dtype in (torch.bool, torch.uint8)]
        return "index by a mask" if any(map(is_cuda, masks)) else None
    return WAITS.get(name)
