"""Switch the heads of a layer on and off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import traitlets
from torch import Tensor

from attnbook._internal.validate import check_finite, check_integer, check_range, check_tensors
from attnbook.widgets.base import BaseWidget, bundle, plain
from attnbook.widgets.layout import encodable

MOST_HEADS = 8  # 256 scores per layer


@dataclass(frozen=True)
class HeadLayer:
    """One attention layer: its heads' weights for a sentence, and the model's score for every set of heads.

    Args:
        weights: ``(num_heads, queries, keys)``.
        scores: ``(2 ** num_heads,)``; bit ``i`` of the index says whether head ``i`` is on.
        query: the token of each query.
        key: the token of each key.

    Raises:
        ValueError: shapes do not fit each other, there are more than `MOST_HEADS` heads, or a number is not finite.
        TypeError: ``weights`` or ``scores`` is not a Tensor.
    """

    weights: Tensor
    scores: Tensor
    query: Sequence[str]
    key: Sequence[str]

    def __post_init__(self) -> None:
        check_tensors(weights=self.weights, scores=self.scores)
        shape = tuple(self.weights.shape)
        if len(shape) != 3 or shape[1:] != (len(self.query), len(self.key)) or 0 in shape:
            raise ValueError(f"weights must have shape (heads, {len(self.query)}, {len(self.key)}), got {shape}")
        if shape[0] > MOST_HEADS:
            raise ValueError(f"weights must have at most {MOST_HEADS} heads, got {shape[0]}")
        if self.scores.shape != (2 ** shape[0],):
            raise ValueError(
                f"scores must have one number per set of heads, {(2 ** shape[0],)}, got {tuple(self.scores.shape)}"
            )
        check_finite(weights=self.weights, scores=self.scores)


class HeadsView(BaseWidget):
    """All heads of a layer for one query at a time, and the score of the model with some of them switched off.

    Args:
        layers: by name, see `HeadLayer`.
        score_name: name of the scores, which are from 0 to 100.
        layer: name of the initial layer; the first one if None.
        query: index of the initial row.

    Raises:
        ValueError: there is no layer, ``layer`` is unknown, ``query`` is out of range, or a score is not in [0, 100].
    """

    _esm = bundle("heads_view")
    layers = traitlets.Dict().tag(sync=True)
    score_name = traitlets.Unicode().tag(sync=True)
    layer = traitlets.Unicode().tag(sync=True)
    query = traitlets.Int().tag(sync=True)
    on = traitlets.Int().tag(sync=True)

    def __init__(
        self, layers: Mapping[str, HeadLayer], *, score_name: str = "BLEU", layer: str | None = None, query: int = 0
    ) -> None:
        if not layers:
            raise ValueError("layers must have at least one layer, got none")
        layer = next(iter(layers)) if layer is None else layer
        if layer not in layers:
            raise ValueError(f"layer must be one of {tuple(layers)}, got {layer!r}")
        check_integer("query", query, 0, len(layers[layer].query) - 1)
        for name, each in layers.items():
            low, high = (round(float(score), 3) for score in each.scores.aminmax())
            check_range(f"scores of {name!r}", (low, high), low >= 0 and high <= 100, "between 0 and 100")
        score_name, layer = encodable(score_name), encodable(layer)
        layers = {encodable(name): each for name, each in layers.items()}
        shown = layers[layer]
        heads = shown.weights.shape[0]
        token = encodable(shown.query[query])
        alt = (
            f"The weights of {heads} heads of {layer} over {len(shown.key)} tokens, for the query "
            f"{token!r}. With all heads the model's {score_name} is {float(shown.scores[-1]):.1f}."
        )
        packed = {
            name: {
                "weights": [[[round(w, 4) for w in row] for row in head] for head in each.weights.tolist()],
                "scores": [round(score, 3) for score in each.scores.tolist()],
                "query": list(map(encodable, each.query)),
                "key": list(map(encodable, each.key)),
            }
            for name, each in layers.items()
        }
        super().__init__(layers=packed, score_name=score_name, layer=layer, query=query, on=2**heads - 1, alt=alt)

    def draw(self, axes: Any) -> None:
        shown = self.layers[self.layer]
        weights = torch.tensor(shown["weights"])[:, self.query]  # (heads, keys)
        axes.imshow(weights.T.numpy(), cmap="Blues", vmin=0, vmax=1, aspect="auto")
        axes.set_yticks(range(len(shown["key"])), plain(shown["key"]), fontsize=8)
        axes.set_xticks(range(len(weights)), [f"head {i + 1}" for i in range(len(weights))])
        axes.set_title(*plain([f"{self.layer}, query {shown['query'][self.query]!r}"]))
