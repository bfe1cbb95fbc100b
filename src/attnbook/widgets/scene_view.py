"""A table with things on it: which attract attention by themselves, and which the reader looks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
import traitlets
from torch import Tensor

from attnbook._internal.validate import check_finite, check_range, check_tensors, is_finite
from attnbook.widgets.base import BaseWidget, bundle
from attnbook.widgets.layout import encodable

DRAWN = ("cup", "newspaper", "book", "lamp", "plant", "bottle")  # what scene_view.js can draw


def saliency(key: Tensor) -> Tensor:
    r"""Compute how much each key differs from the others: :math:`\lVert k_i - \frac{1}{m-1} \sum_{j \ne i} k_j \rVert`.

    Args:
        key: ``(keys, features)``.

    Returns:
        ``(keys,)``; 0 if there is only one key.
    """
    others = (key.sum(0) - key) / max(1, len(key) - 1)
    return (key - others).norm(dim=-1) if len(key) > 1 else key.new_zeros(1)


def scene_weights(key: Tensor, query: Tensor, pull: float) -> Tensor:
    r"""Compute the weights of a scene, :math:`\mathrm{softmax}_i(q^\top k_i + p\, s_i)`, with the keys' ``saliency``.

    Args:
        key: ``(keys, features)``.
        query: ``(features,)``, the intention.
        pull: :math:`p`, how much saliency counts.

    Returns:
        ``(keys,)``.
    """
    return torch.softmax(key @ query + pull * saliency(key), dim=-1)


class SceneView(BaseWidget):
    """A scene whose weights follow the things' features (keys) and the reader's intention (query).

    Args:
        names: one of ``DRAWN`` for each thing.
        features: a name for each feature; if one is "red", the reader can set it for all things.
        key: ``(things, features)``, the visible features of each thing.
        value: ``(things, offers)``, what each thing provides when it is attended to.
        offers: a name for each column of ``value``.
        query: ``(features,)``, how much each feature is looked for at first.
        pull: how much saliency counts at first.

    Raises:
        ValueError: a thing cannot be drawn or appears twice, shapes disagree, or a number is non-finite.
        TypeError: ``key``, ``value`` or ``query`` is not a Tensor, or not floating point.
    """

    _esm = bundle("scene_view")
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    features = traitlets.List(traitlets.Unicode()).tag(sync=True)
    offers = traitlets.List(traitlets.Unicode()).tag(sync=True)
    key = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    value = traitlets.List(traitlets.List(traitlets.Float())).tag(sync=True)
    query = traitlets.List(traitlets.Float()).tag(sync=True)
    pull = traitlets.Float().tag(sync=True)

    def __init__(
        self,
        names: Sequence[str],
        features: Sequence[str],
        key: Tensor,
        value: Tensor,
        offers: Sequence[str],
        *,
        query: Tensor,
        pull: float,
    ) -> None:
        check_tensors(key=key, value=value, query=query)
        unknown = [name for name in names if name not in DRAWN]
        if unknown or len(set(names)) < len(names) or not names:
            raise ValueError(f"names must be different names out of {DRAWN}, got {list(names)}")
        for argument, tensor, shape in (
            ("key", key, (len(names), len(features))),
            ("value", value, (len(names), len(offers))),
            ("query", query, (len(features),)),
        ):
            if tuple(tensor.shape) != shape:
                raise ValueError(f"{argument} must have shape {shape}, got {tuple(tensor.shape)}")
            if not tensor.is_floating_point():
                raise TypeError(f"{argument} must be floating point, got {tensor.dtype}")
        check_finite(key=key, value=value, query=query)
        check_range("pull", pull, is_finite(pull) and pull >= 0, ">= 0 and finite")
        weights = scene_weights(key, query, pull)
        order = weights.argsort(descending=True).tolist()
        shares = ", ".join(f"{names[i]} {100 * float(weights[i]):.0f} %" for i in order)
        super().__init__(
            names=list(names),
            features=list(map(encodable, features)),
            offers=list(map(encodable, offers)),
            key=_rounded(key),
            value=_rounded(value),
            query=[round(number, 5) for number in query.tolist()],
            pull=float(pull),
            alt=f"Things on a table, each in a pool of light as strong as its attention weight: {shares}.",
        )

    def draw(self, axes: Any) -> None:
        weights = scene_weights(torch.tensor(self.key), torch.tensor(self.query), self.pull)
        axes.bar(self.names, weights.tolist(), color="tab:red")
        axes.set(ylim=(0, 1), ylabel="attention weight")


def _rounded(matrix: Tensor) -> list[list[float]]:
    return [[round(number, 5) for number in row] for row in matrix.tolist()]
