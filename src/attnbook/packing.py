"""Without padding: the real tokens of a batch in one row after another."""

from __future__ import annotations

from torch import Tensor


class Packing:
    """Where the real tokens of a padded batch are, to compute what is position-wise for them alone.

    A projection or a feed-forward network treats every token by itself, so it can skip padding; attention relates the
    tokens of a sentence, so it needs the padded layout. :meth:`pack` and :meth:`unpack` go from one to the other.

    Args:
        mask: ``(batch, length)`` bool, True = a real token.
    """

    def __init__(self, mask: Tensor) -> None:
        self.shape = mask.shape
        self.rows = mask.flatten().nonzero().squeeze(1)  # (tokens,)

    def pack(self, x: Tensor) -> Tensor:
        """``(batch, length, size)`` -> ``(tokens, size)``"""
        return x.flatten(0, 1).index_select(0, self.rows)

    def unpack(self, x: Tensor) -> Tensor:
        """``(tokens, size)`` -> ``(batch, length, size)``, zeros at padding."""
        padded = x.new_zeros(self.shape.numel(), x.shape[-1]).index_copy(0, self.rows, x)
        return padded.view(*self.shape, -1)
