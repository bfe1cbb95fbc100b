"""Luong's local attention, with a window that the reader moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch
import traitlets
from torch import Tensor

from attnbook._internal.validate import check_counts, check_finite, check_integer, check_range, check_tensors
from attnbook.attention.masks import masked_softmax
from attnbook.models.luong import WINDOWS, local_gaussian, local_window
from attnbook.widgets.base import BaseWidget, bundle, plain
from attnbook.widgets.layout import encodable


class WindowView(BaseWidget):
    """One translation, step by step, with a model's scores and a window that the reader moves.

    Args:
        scores: ``(target_len, source_len)``, before the softmax.
        centers: ``(target_len,)``, the source positions that local-p predicted, counted from 0.
        source: tokens, one per column of the scores.
        target: tokens, one per row of the scores.
        gold: links ``(source index, target index)``, as in ``Pair``.
        window: initial window, "global", "local-m" or "local-p".
        half_width: initial :math:`D`.
        step: index of the row that is shown first.

    Raises:
        ValueError: ``window`` is unknown, a shape does not fit the tokens, an index is out of range, or a number is
            not finite.
        TypeError: ``scores`` or ``centers`` is not a Tensor.
    """

    _esm = bundle("window_view")
    scores = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    centers = traitlets.List(traitlets.Float()).tag(sync=True)
    source = traitlets.List(traitlets.Unicode()).tag(sync=True)
    target = traitlets.List(traitlets.Unicode()).tag(sync=True)
    gold = traitlets.List(traitlets.List(traitlets.Int())).tag(sync=True)
    window = traitlets.Unicode().tag(sync=True)
    half_width = traitlets.Int().tag(sync=True)
    step = traitlets.Int().tag(sync=True)

    def __init__(
        self,
        scores: Tensor,
        centers: Tensor,
        source: Sequence[str],
        target: Sequence[str],
        *,
        gold: Iterable[tuple[int, int]] = (),
        window: str = "local-p",
        half_width: int = 2,
        step: int = 0,
    ) -> None:
        check_tensors(scores=scores, centers=centers)
        source, target = (list(map(encodable, tokens)) for tokens in (source, target))
        if window not in WINDOWS:
            raise ValueError(f"window must be one of {WINDOWS}, got {window!r}")
        check_counts(half_width=half_width)
        for name, tokens in (("source", source), ("target", target)):
            check_range(name, tokens, len(tokens) > 0, "at least one token")
        if scores.shape != (len(target), len(source)):
            raise ValueError(f"scores must have shape {(len(target), len(source))}, got {tuple(scores.shape)}")
        if centers.shape != (len(target),):
            raise ValueError(f"centers must have shape {(len(target),)}, got {tuple(centers.shape)}")
        check_integer("step", step, 0, len(target) - 1)
        check_finite(scores=scores, centers=centers)
        links = sorted(gold)
        for i, j in links:
            if not (0 <= i < len(source) and 0 <= j < len(target)):
                raise ValueError(
                    f"gold must hold (source index, target index) pairs inside the sentences, got {(i, j)}"
                )
        alt = (
            f"Attention over the {len(source)} tokens of a source sentence while the token {target[step]!r} is "
            f"written: a bar for each source token, and the {window} window that decides which bars may be there."
        )
        super().__init__(
            scores=[[round(score, 4) for score in row] for row in scores.tolist()],
            centers=[round(center, 3) for center in centers.tolist()],
            source=source,
            target=target,
            gold=[list(link) for link in links],
            window=window,
            half_width=half_width,
            step=step,
            alt=alt,
        )

    def weights(self) -> tuple[Tensor, Tensor]:
        """Global and windowed weights of the step shown, each ``(source_len,)``."""
        scores = torch.tensor(self.scores[self.step])
        everywhere = scores.softmax(-1)
        if self.window == "global":
            return everywhere, everywhere
        center = torch.tensor(float(self.step) if self.window == "local-m" else self.centers[self.step])
        weights = masked_softmax(scores, local_window(center, self.half_width, len(scores)))
        if self.window == "local-p":
            weights = weights * local_gaussian(center, self.half_width, len(scores))
        return everywhere, weights

    def draw(self, axes: Any) -> None:
        everywhere, weights = (row.tolist() for row in self.weights())
        rows = range(len(self.source))
        axes.barh(rows, everywhere, fill=False, edgecolor="gray", label="global")
        axes.barh(rows, weights, height=0.5, color="tab:red", label=self.window)
        axes.set_yticks(list(rows), plain(self.source), fontsize=8)
        axes.invert_yaxis()
        axes.set_xlabel(*plain([f"weight while writing {self.target[self.step]!r}"]))
        axes.legend(frameon=False)
