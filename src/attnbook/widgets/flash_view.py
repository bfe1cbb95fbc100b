"""Flash attention, tile by tile: what is in the fast memory at each moment."""

from __future__ import annotations

from typing import Any

import torch
import traitlets
from torch import Tensor

from attnbook._internal.validate import check_integer, check_tensors
from attnbook.widgets.shown import ShownWidget, bundle

SIZE = 8  # queries, and keys
TILES = (1, 2, 4, 8)


class FlashView(ShownWidget):
    """A sweep of tiles over a square of scores, with one query's running maximum, sum and weighted sum.

    Args:
        scores: ``(8, 8)``, queries by keys.
        values: ``(8,)``, one number a key.
        tile: how many queries and keys a tile has: 1, 2, 4 or 8.
        done: tiles that have been worked off.
        query: the query whose numbers are shown, counted from 0.

    Raises:
        ValueError: another shape, a non-finite number, or a choice out of its range.
        TypeError: ``scores`` or ``values`` is not a Tensor.
    """

    _esm = bundle("flash_view")
    scores = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    values = traitlets.List(traitlets.Float()).tag(sync=True)
    tile = traitlets.Int().tag(sync=True)
    done = traitlets.Int().tag(sync=True)
    query = traitlets.Int().tag(sync=True)

    def __init__(self, scores: Tensor, values: Tensor, *, tile: int = 2, done: int = 2, query: int = 1) -> None:
        check_tensors(scores=scores, values=values)
        if scores.shape != (SIZE, SIZE):
            raise ValueError(f"scores must have shape {(SIZE, SIZE)}, got {tuple(scores.shape)}")
        if values.shape != (SIZE,):
            raise ValueError(f"values must have shape {(SIZE,)}, got {tuple(values.shape)}")
        if not (torch.isfinite(scores).all() and torch.isfinite(values).all()):
            raise ValueError("scores and values must be finite")
        if tile not in TILES:
            raise ValueError(f"tile must be one of {TILES}, got {tile}")
        tiles = (SIZE // tile) ** 2
        check_integer("done", done, 0, tiles)
        check_integer("query", query, 0, SIZE - 1)
        super().__init__(
            scores=[[round(score, 3) for score in row] for row in scores.tolist()],
            values=[round(value, 3) for value in values.tolist()],
            tile=tile,
            done=done,
            query=query,
            alt=(
                f"A square of {SIZE} by {SIZE} scores, of which only the tile in work is there, {tile} by {tile}, and "
                "the largest score, the sum of exponentials and the weighted sum so far of one query."
            ),
        )

    def draw(self, axes: Any) -> None:
        shown = torch.full((SIZE, SIZE), torch.nan)
        if self.done:
            rows, columns = divmod(self.done - 1, SIZE // self.tile)
            down, right = (slice(start * self.tile, (start + 1) * self.tile) for start in (rows, columns))
            shown[down, right] = torch.tensor(self.scores)[down, right]
        axes.imshow(shown.numpy())
        axes.set_xlabel("keys")
        axes.set_ylabel("queries")
