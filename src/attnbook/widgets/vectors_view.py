"""Two vectors that can be dragged, and their score."""

from __future__ import annotations

from typing import Any

import torch
import traitlets
from torch import Tensor

from attnbook.attention.scoring import AdditiveAttention, DotProductAttention, GeneralAttention, ScoredAttention
from attnbook.widgets.base import BaseWidget, bundle

REACH = 2.5  # the plane is shown from -REACH to REACH
# Fixed weights, chosen to show how the scores differ: W rotates and stretches, and the additive score has a peak near a
# query in the upper right quadrant.
W = [[0.2, -0.9], [1.3, 0.3]]
W_Q = [[-0.6, 0.0], [-2.2, 0.0], [0.0, -0.6], [0.0, -2.2]]
W_K = [[1.4, 0.0], [1.4, 0.0], [0.0, 1.4], [0.0, 1.4]]
W_V = [3.0, -3.0, 3.0, -3.0]


def score_module(kind: str) -> ScoredAttention:
    """Return the package's attention module that computes a score of the widget.

    Args:
        kind: "dot", "scaled", "general" or "additive".

    Raises:
        ValueError: ``kind`` is unknown.
    """
    if kind in ("dot", "scaled"):
        return DotProductAttention(scaled=kind == "scaled")
    with torch.no_grad():
        if kind == "general":
            general = GeneralAttention(2, 2)
            general.W.weight.copy_(torch.tensor(W))
            return general
        if kind == "additive":
            additive = AdditiveAttention(2, 2, len(W_V))
            for layer, weight in ((additive.W_q, W_Q), (additive.W_k, W_K), (additive.w_v, [W_V])):
                layer.weight.copy_(torch.tensor(weight))
            return additive
    raise ValueError(f"kind must be one of ('dot', 'scaled', 'general', 'additive'), got {kind!r}")


def score_of(kind: str, query: Tensor, key: Tensor) -> Tensor:
    """``(2,)``, ``(keys, 2)`` -> ``(keys,)``"""
    module = score_module(kind)
    with torch.no_grad():
        return module.score(query[None, None], module.project_key(key[None]))[0, 0]


class VectorsView(BaseWidget):
    """A query and a key in the plane that can be dragged, with contour lines of the score for a key at each point.

    Args:
        query, key: initial coordinates, each from -2.5 to 2.5.
        score: initial score, "dot", "scaled", "general" or "additive".

    Raises:
        ValueError: ``score`` is unknown, or a vector is outside the plane.
    """

    _esm = bundle("vectors_view")
    query = traitlets.List(traitlets.Float()).tag(sync=True)
    key = traitlets.List(traitlets.Float()).tag(sync=True)
    score = traitlets.Unicode().tag(sync=True)
    parameters = traitlets.Dict().tag(sync=True)

    def __init__(
        self, *, query: tuple[float, float] = (1.5, 1.0), key: tuple[float, float] = (-0.4, 1.8), score: str = "dot"
    ) -> None:
        score_module(score)
        for name, vector in (("query", query), ("key", key)):
            if len(vector) != 2 or not all(abs(number) <= REACH for number in vector):
                raise ValueError(f"{name} must be two numbers between {-REACH} and {REACH}, got {vector}")
        super().__init__(
            query=list(query),
            key=list(key),
            score=score,
            parameters={"W": W, "W_q": W_Q, "W_k": W_K, "w_v": W_V},
            alt=f"A query and a key as arrows in a plane, with contour lines of the score ({score}) of a key there.",
        )

    def draw(self, axes: Any) -> None:
        line = torch.linspace(-REACH, REACH, 41)
        places = torch.cartesian_prod(line, line)
        heights = score_of(self.score, torch.tensor(self.query), places).reshape(41, 41).T
        lines = axes.contour(line.tolist(), line.tolist(), heights.tolist(), 10)
        axes.clabel(lines)
        for vector, name in ((self.query, "query"), (self.key, "key")):
            axes.annotate("", xy=vector, xytext=(0, 0), arrowprops={"arrowstyle": "->"})
            axes.text(*vector, name)
        axes.set_aspect("equal")
