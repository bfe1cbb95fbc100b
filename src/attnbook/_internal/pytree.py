"""Dataclasses as nodes of torch's trees, so that they go into and out of ``torch.export``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from torch.utils._pytree import MappingKey, register_pytree_node  # torch.export.register_dataclass: see below


@dataclass(frozen=True)
class _Rest:
    """The fields that are no leaves. They make no difference to a tree: an exported model takes any batch."""

    values: dict[str, Any] = field(compare=False)


def register_tree(kind: type, leaves: Sequence[str], rest: Mapping[str, Any] | None = None) -> None:
    """Make a dataclass a node of torch's trees.

    ``register_dataclass`` takes all fields for leaves, and an exported module whose input has a field
    ``memory`` and another ``memory_mask`` cannot be called: its guards take the one name for a part of the other.

    Args:
        kind: the dataclass.
        leaves: the fields that are tensors, numbers or trees of them.
        rest: the other fields, and what they are where an exported module comes from a file.
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
