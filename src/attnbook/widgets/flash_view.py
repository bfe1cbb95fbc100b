"""FlashAttention on a few tokens, phase by phase: what fast memory holds at each moment."""

from __future__ import annotations

import math
from typing import Any

import torch
import traitlets
from torch import Tensor

from attnbook._internal.validate import check_finite, check_integer, check_tensors
from attnbook.widgets.base import BaseWidget, bundle

TOKENS = 6
TILES = (1, 2, 3, 6)
PHASES = ("load", "score", "rescale", "add")


class FlashView(BaseWidget):
    """Blocks of queries, keys and values that pass through fast memory, in a head of size 1.

    Each block takes four phases: it is loaded, its scores are computed, the running sums are rescaled to the new
    maximum, and the block is added to them. A counter compares how many numbers this and standard attention move.

    Args:
        query: ``(6,)``, one number per token, rounded to one digit like the key and value.
        key: ``(6,)``.
        value: ``(6,)``.
        tile: number of queries and of keys in a block: 1, 2, 3 or 6.
        step: number of phases done; 0 is before the first block is loaded.

    Raises:
        ValueError: a shape is different, a number is non-finite, or a choice is out of range.
        TypeError: ``query``, ``key`` or ``value`` is not a Tensor.
    """

    _esm = bundle("flash_view")
    query = traitlets.List(traitlets.Float()).tag(sync=True)
    key = traitlets.List(traitlets.Float()).tag(sync=True)
    value = traitlets.List(traitlets.Float()).tag(sync=True)
    tile = traitlets.Int().tag(sync=True)
    step = traitlets.Int().tag(sync=True)

    def __init__(self, query: Tensor, key: Tensor, value: Tensor, *, tile: int = 2, step: int = 6) -> None:
        tensors = {"query": query, "key": key, "value": value}
        check_tensors(**tensors)
        for name, tensor in tensors.items():
            if tensor.shape != (TOKENS,):
                raise ValueError(f"{name} must have shape {(TOKENS,)}, got {tuple(tensor.shape)}")
        check_finite(**tensors)
        if tile not in TILES:
            raise ValueError(f"tile must be one of {TILES}, got {tile}")
        check_integer("step", step, 0, len(PHASES) * (TOKENS // tile) ** 2)
        super().__init__(
            **{name: [round(number, 1) for number in tensor.tolist()] for name, tensor in tensors.items()},
            tile=tile,
            step=step,
            alt=(
                f"A grid of {TOKENS} by {TOKENS} scores. Only the scores of one block exist, {tile} by {tile}. To the "
                "left are the queries, above the keys and values, to the right the running maximum, sum of "
                "exponentials and weighted sum of each query in fast memory."
            ),
        )

    def draw(self, axes: Any) -> None:
        block, phase = divmod(max(self.step - 1, 0), len(PHASES))
        down, right = (self.tile * place for place in divmod(block, TOKENS // self.tile))
        rows, columns = range(down, down + self.tile), range(right, right + self.tile)
        seen = right + self.tile * (phase == PHASES.index("add"))
        for i, query in enumerate(self.query):
            _number(axes, -1.3, i, query, "C0" if i in rows else "0.6")
            scores = torch.tensor([query * key for key in self.key])
            if i in rows and seen:
                largest = scores[:seen].max()
                shares = (scores[:seen] - largest).exp()
                running = (largest, shares.sum(), shares @ torch.tensor(self.value[:seen]))
                for place, number in enumerate(running):
                    _number(axes, TOKENS + 0.3 + place, i, number.item(), "black")
            for j in columns if i in rows else ():
                _number(axes, j, i, float(scores[j]), "C0")
        for j, (key, value) in enumerate(zip(self.key, self.value, strict=True)):
            color = "C0" if j in columns else "0.6"
            _number(axes, j, -2.3, key, color)
            _number(axes, j, -1.3, value, color)
        names = ((-1.3, -2.3, "key"), (-1.3, -1.3, "value"), (TOKENS / 2 - 0.5, -3.2, "in blue: in fast memory"))
        for x, y, text in (*names, *((TOKENS + 0.3 + i, -0.9, name) for i, name in enumerate(("m", "ℓ", "o")))):
            axes.text(x, y, text, ha="center", va="center")
        axes.add_patch(_frame(-0.5, -0.5, TOKENS, "0.6"))
        axes.add_patch(_frame(right - 0.5, down - 0.5, self.tile, "C0"))
        axes.set(xlim=(-2, TOKENS + 3), ylim=(TOKENS - 0.4, -3.7))
        axes.set_axis_off()


def _number(axes: Any, x: float, y: float, number: float, color: str) -> None:
    digits = 1 if math.isclose(number, round(number, 1)) else 2
    axes.text(x, y, f"{number:.{digits}f}", ha="center", va="center", color=color)


def _frame(x: float, y: float, size: float, color: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x, y), size, size, fill=False, edgecolor=color, linewidth=1.5)
