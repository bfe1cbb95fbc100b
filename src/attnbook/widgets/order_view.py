"""The outputs of self-attention for words that the reader reorders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import traitlets
from torch import Tensor

from attnbook._internal.validate import check_finite, check_range, check_tensors
from attnbook.attention.positional import sinusoidal_table
from attnbook.widgets.base import BaseWidget, bundle, plain
from attnbook.widgets.layout import encodable


def outputs(x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, *, positions: bool) -> Tensor:
    """Compute self-attention with one head over ``x (tokens, d)``, to which sinusoidal ``positions`` may be added."""
    x = x + sinusoidal_table(*x.shape).to(x) if positions else x
    scores = (x @ W_q.T) @ (x @ W_k.T).T / x.shape[1] ** 0.5
    pooled: Tensor = scores.softmax(-1) @ (x @ W_v.T)
    return pooled


class OrderView(BaseWidget):
    """Words that can be reordered, each above its output of self-attention, with or without positions.

    Args:
        words: three to six words.
        x: ``(words, d)``, their vectors in the initial order.
        W_q: ``(d, d)``; W_k and W_v have the same shape.
        positions: whether sinusoidal positions are added at first.

    Raises:
        ValueError: there are too few or too many words, shapes disagree, or a number is non-finite.
        TypeError: a matrix is not a tensor.
    """

    _esm = bundle("order_view")
    words = traitlets.List(traitlets.Unicode()).tag(sync=True)
    vectors: traitlets.List[list[float]] = traitlets.List().tag(sync=True)
    matrices: traitlets.List[list[list[float]]] = traitlets.List().tag(sync=True)
    order = traitlets.List(traitlets.Int()).tag(sync=True)
    word = traitlets.Int(0).tag(sync=True)
    positions = traitlets.Bool().tag(sync=True)

    def __init__(
        self, words: Sequence[str], x: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor, *, positions: bool = False
    ) -> None:
        check_tensors(x=x, W_q=W_q, W_k=W_k, W_v=W_v)
        check_range("words", list(words), 3 <= len(words) <= 6, "3 to 6 words")
        check_range("x", tuple(x.shape), x.dim() == 2 and len(x) == len(words), f"of shape ({len(words)}, d)")
        d = x.shape[1]
        for name, matrix in (("W_q", W_q), ("W_k", W_k), ("W_v", W_v)):
            check_range(name, tuple(matrix.shape), matrix.shape == (d, d), f"of shape ({d}, {d})")
        check_finite(x=x, W_q=W_q, W_k=W_k, W_v=W_v)
        words = list(map(encodable, words))
        alt = (
            f"The words {' '.join(words)!r}, each above its output of self-attention, a column of {d} colored cells. "
            "In another order the columns move with their words, until positions are added."
        )
        super().__init__(
            words=words,
            vectors=x.double().tolist(),
            matrices=[W.double().tolist() for W in (W_q, W_k, W_v)],
            order=list(range(len(words))),
            positions=positions,
            alt=alt,
        )

    def draw(self, axes: Any) -> None:
        y = outputs(torch.tensor(self.vectors), *map(torch.tensor, self.matrices), positions=self.positions)
        most = float(y.abs().max())
        axes.imshow(y.T.tolist(), cmap="RdBu_r", vmin=-most, vmax=most)
        axes.set_xticks(range(len(self.words)), plain(self.words))
        axes.set(ylabel="entry of the output")
