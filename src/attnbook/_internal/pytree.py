"""Register dataclasses as pytree nodes, so that ``torch.export`` accepts and returns them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch.utils._pytree import MappingKey, register_pytree_node  # instead of register_dataclass: see register_tree


@dataclass(frozen=True)
class _Rest:
    """The fields that are not leaves. They are ignored in comparisons, so an exported model accepts any batch."""

    values: dict[str, Any] = field(compare=False)


def register_tree(kind: type, leaves: Sequence[str], rest: Mapping[str, Any] | None = None) -> None:
    """Register a dataclass as a pytree node.

    ``torch.export.register_dataclass`` would make every field a leaf. Besides, a module exported with it could not be
    called with the fields ``memory`` and ``memory_mask``, because its guards confuse the two names.

    Args:
        kind: the dataclass.
        leaves: names of the fields that are tensors, numbers or pytrees of them.
        rest: the other fields, with the values they get when an exported module is loaded from a file.
    """
    default = dict(rest or {})

    def rest_of(node: Any) -> _Rest:
        return _Rest({name: getattr(node, name) for name in default})

    register_pytree_node(
        kind,
        lambda node: ([getattr(node, name) for name in leaves], rest_of(node)),
        lambda values, other: kind(**dict(zip(leaves, values, strict=True)), **other.values),
        serialized_type_name=f"{kind.__module__}.{kind.__qualname__}",
        to_dumpable_context=lambda other: None,
        from_dumpable_context=lambda dumped: _Rest(default),
        flatten_with_keys_fn=lambda node: ([(MappingKey(name), getattr(node, name)) for name in leaves], rest_of(node)),
    )
