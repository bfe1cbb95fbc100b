"""Rotary positions as clocks, each with a hand for the query and one for the key."""

from __future__ import annotations

from typing import Any

import torch
import traitlets
from torch import Tensor

from attnbook._internal.validate import check_finite, check_range, check_tensors, is_integer
from attnbook.attention.positional import RotaryPositions
from attnbook.widgets.base import BaseWidget, bundle

LAST = 40  # last position; the first is 0
BASES = (10, 100, 1_000, 10_000)


class RotaryView(BaseWidget):
    """Two pairs of entries of a query and a key, rotated by their positions, and the score by distance.

    Args:
        query: ``(4,)``, the query at position 0.
        key: ``(4,)``, the key at position 0.
        positions: initial positions of the query and of the key.
        base: initial base; the two pairs rotate by 1 and by ``1 / sqrt(base)`` radians per position.

    Raises:
        ValueError: a shape is different, a number is non-finite, or the view does not offer a position or the base.
        TypeError: ``query`` or ``key`` is not a Tensor.
    """

    _esm = bundle("rotary_view")
    query = traitlets.List(traitlets.Float()).tag(sync=True)
    key = traitlets.List(traitlets.Float()).tag(sync=True)
    i = traitlets.Int().tag(sync=True)
    k = traitlets.Int().tag(sync=True)
    base = traitlets.Int().tag(sync=True)

    def __init__(self, query: Tensor, key: Tensor, *, positions: tuple[int, int] = (12, 8), base: int = 100) -> None:
        check_tensors(query=query, key=key)
        for name, vector in (("query", query), ("key", key)):
            check_range(name, tuple(vector.shape), vector.shape == (4,), "of shape (4,), two pairs")
        check_finite(query=query, key=key)
        fits = len(positions) == 2 and all(is_integer(p) and 0 <= p <= LAST for p in positions)
        check_range("positions", positions, fits, f"two integers between 0 and {LAST}")
        check_range("base", base, base in BASES, f"one of {BASES}")
        i, k = positions
        alt = (
            f"Two clocks, each with a hand for a query at position {i} and one for a key at position {k}, and below "
            "them a curve of their score over the distance."
        )
        super().__init__(query=query.tolist(), key=key.tolist(), i=i, k=k, base=base, alt=alt)

    def scores(self) -> Tensor:
        """The scores of the curve, ``(2 * LAST + 1,)``, for distances ``i - k`` from ``-LAST`` to ``LAST``."""
        rotary = RotaryPositions(4, base=self.base)
        query = rotary(torch.tensor([self.query] * (2 * LAST + 1), dtype=torch.float64))  # at 0 to 2 LAST
        key = rotary(torch.tensor([self.key], dtype=torch.float64), offset=LAST)
        scores: Tensor = query @ key[0]
        return scores

    def draw(self, axes: Any) -> None:
        axes.plot(range(-LAST, LAST + 1), self.scores().tolist())
        axes.axvline(self.i - self.k, linestyle="--")
        axes.set(xlabel="distance i - k", ylabel="score")
