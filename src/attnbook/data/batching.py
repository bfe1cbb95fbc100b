"""Padded tensors from sentence pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from attnbook.data.pairs import Pair


@dataclass(frozen=True)
class Batch:
    """Sentence pairs as padded tensors, and the pairs themselves.

    Args:
        source: ``(batch, source_len)`` ids, padded on the right.
        source_mask: ``(batch, source_len)`` bool, True = a real token.
        target_in: ``(batch, target_len)`` ids ``<bos> y1 .. yn``, padded on the right.
        target_out: ``(batch, target_len)`` ids ``y1 .. yn <eos>``, padded on the right.
        target_mask: ``(batch, target_len)`` bool, True = a real token of ``target_out``.
        num_tokens: real target tokens, ``<eos>`` included; padding never counts.
        pairs: the pairs in the order of the rows.
    """

    source: Tensor
    source_mask: Tensor
    target_in: Tensor
    target_out: Tensor
    target_mask: Tensor
    num_tokens: int
    pairs: tuple[Pair, ...]

    def to(self, device: torch.device | str, *, non_blocking: bool = False) -> Batch:
        """The same batch on another device."""
        tensors = {
            name: value.to(device, non_blocking=non_blocking)
            for name, value in vars(self).items()
            if isinstance(value, Tensor)
        }
        return replace(self, **tensors)

    def __len__(self) -> int:
        return self.source.shape[0]
