"""Is attention an explanation? Weights that the reader shuffles, and the prediction that follows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import traitlets

from attnbook._internal.validate import check_range, is_finite
from attnbook.widgets.base import BaseWidget, bundle, plain
from attnbook.widgets.layout import encodable


@dataclass(frozen=True)
class Weighed:
    r"""A sentence that was classified by :math:`\sigma(\sum_i \alpha_i z_i + b)`.

    Args:
        tokens: its words.
        weights: :math:`\alpha_i`.
        pieces: :math:`z_i`, the contribution of each word's state.
    """

    tokens: Sequence[str]
    weights: Sequence[float]
    pieces: Sequence[float]


class WeightsView(BaseWidget):
    """Sentences whose attention weights can be shuffled or made equal, and the classifier's prediction.

    Args:
        sentences: by name in the picker.
        bias: :math:`b`.
        question: the question that the prediction answers.

    Raises:
        ValueError: there is no sentence, a sentence does not have one weight and one piece per token, or a number is
            not finite.
    """

    _esm = bundle("weights_view")
    sentences = traitlets.List(traitlets.Dict()).tag(sync=True)
    bias = traitlets.Float().tag(sync=True)
    question = traitlets.Unicode().tag(sync=True)
    chosen = traitlets.Int(0).tag(sync=True)
    shares = traitlets.List(traitlets.Float()).tag(sync=True)

    def __init__(self, sentences: dict[str, Weighed], *, bias: float, question: str) -> None:
        if not sentences:
            raise ValueError("sentences must have at least one sentence, got none")
        for name, one in sentences.items():
            counts = len(one.weights), len(one.pieces)
            if counts != (len(one.tokens),) * 2 or not one.tokens:
                raise ValueError(f"sentences[{name!r}] must have {len(one.tokens)} weights and pieces, got {counts}")
            numbers = [float(number) for number in (*one.weights, *one.pieces)]
            check_range(f"sentences[{name!r}]", numbers, all(map(math.isfinite, numbers)), "finite")
        check_range("bias", bias, is_finite(bias), "finite")
        shown = [
            {
                "name": encodable(name),
                "tokens": [encodable(token) for token in one.tokens],
                "weights": [round(float(weight), 4) for weight in one.weights],
                "pieces": [round(float(piece), 3) for piece in one.pieces],
            }
            for name, one in sentences.items()
        ]
        super().__init__(
            sentences=shown,
            bias=round(float(bias), 3),
            question=encodable(question),
            shares=shown[0]["weights"],
            alt=f"Attention weights of {len(shown)} sentences as bars, and the probability that follows from them.",
        )

    def draw(self, axes: Any) -> None:
        axes.barh(range(len(self.shares)), self.shares)
        axes.set_yticks(range(len(self.shares)), plain(self.sentences[0]["tokens"]))
        axes.invert_yaxis()
        axes.set_xlabel("weight")
