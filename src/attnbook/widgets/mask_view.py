"""An interactive mask: the fill value of masked scores, the precision, and the resulting softmax."""

from __future__ import annotations

from typing import Any

import torch
import traitlets
from torch import Tensor

from attnbook.widgets.base import BaseWidget, bundle

PRECISIONS = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}
FILLS = {"-1e6": -1e6, "-1e9": -1e9, "-inf": -torch.inf, "lowest": None}
SCORES = {"ordinary": [1.0, 2.0, 3.0, 4.0], "very low": [-1e6, -2e6, -3e6, -4e6]}


def float_range(dtype: torch.dtype) -> dict[str, float]:
    """Return the lowest finite number of a dtype, and the smallest number that it rounds to infinity."""
    info = torch.finfo(dtype)
    power = info.max / (2 - info.eps)  # the largest power of two
    return {"lowest": info.min, "overflow": info.max + power * info.eps / 2}


def filled_weights(
    scores: Tensor, allowed: Tensor, *, fill: str = "-1e6", precision: str = "float32", after: bool = False
) -> Tensor:
    """Compute the softmax of scores whose masked entries are overwritten by assignment, as is common in code.

    Args:
        scores: ``(keys,)``.
        allowed: bool ``(keys,)``, True = may attend.
        fill: one of ``FILLS``; "lowest" is the lowest finite number of the precision.
        precision: one of ``PRECISIONS``. A number out of its range becomes infinite, as in an assignment.
        after: whether to multiply by the mask after the softmax.

    Returns:
        ``(keys,)`` of that precision.
    """
    dtype = PRECISIONS[precision]
    number = FILLS[fill]
    over = torch.tensor(torch.finfo(dtype).min if number is None else number).to(dtype)
    weights = torch.where(allowed, scores.to(dtype), over).softmax(-1)
    return weights * allowed if after else weights


class MaskView(BaseWidget):
    """Four keys that the reader can mask, with a choice of fill value, precision and multiplication by the mask."""

    _esm = bundle("mask_view")
    scores = traitlets.Unicode("ordinary").tag(sync=True)
    allowed = traitlets.List(traitlets.Bool(), [True, True, False, False]).tag(sync=True)
    fill = traitlets.Unicode("-1e6").tag(sync=True)
    precision = traitlets.Unicode("float32").tag(sync=True)
    after = traitlets.Bool(False).tag(sync=True)
    score_sets = traitlets.Dict(SCORES).tag(sync=True)
    precisions = traitlets.Dict({name: float_range(dtype) for name, dtype in PRECISIONS.items()}).tag(sync=True)

    def __init__(self) -> None:
        super().__init__(
            alt="Four keys with scores, of which two are masked: their scores are overwritten, and their weights are 0."
        )

    def weights(self) -> Tensor:
        """The weights shown at first, ``(keys,)``."""
        scores, allowed = torch.tensor(SCORES[self.scores]), torch.tensor(self.allowed)
        return filled_weights(scores, allowed, fill=self.fill, precision=self.precision, after=self.after)

    def draw(self, axes: Any) -> None:
        axes.bar([f"key {i + 1}" for i in range(4)], self.weights().tolist())
        axes.set(ylim=(0, 1), ylabel="attention weight")
