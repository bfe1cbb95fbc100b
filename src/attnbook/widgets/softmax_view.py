"""An interactive softmax: how vector size and temperature change weights, entropy and derivative."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
import traitlets
from torch import Tensor

from attnbook._internal.validate import check_finite, check_tensors
from attnbook.widgets.base import BaseWidget, bundle


def entropy(weights: Tensor) -> Tensor:
    r""":math:`-\sum_i \alpha_i \log \alpha_i` over the last axis, in nats; :math:`0 \log 0 = 0`."""
    total: Tensor = torch.special.xlogy(weights, weights).sum(-1)
    return -total


def softmax_derivative(weights: Tensor) -> Tensor:
    r"""The derivative of a softmax with respect to its input, :math:`\operatorname{diag}(\alpha) - \alpha \alpha^\top`.

    Args:
        weights: ``(..., keys)``, the output of the softmax.

    Returns:
        ``(..., keys, keys)``; its Frobenius norm is at most one half, for two keys of equal weight.
    """
    return torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)


class SoftmaxView(BaseWidget):
    r"""The softmax of dot products :math:`q^\top k_i`, divided by a temperature and, optionally, by √d.

    Args:
        products: ``(draws, sizes, keys)``, unscaled dot products of one query with every key, for several draws.
        sizes: the sizes :math:`d` of the vectors, in rising order.
        size: the size shown first, one of ``sizes``.
        temperature: initial temperature.
        scaled: whether to divide by √d at first.

    Raises:
        ValueError: shapes disagree, sizes do not rise, or a number is out of range.
        TypeError: ``products`` is not a Tensor.
    """

    _esm = bundle("softmax_view")
    products = traitlets.List(traitlets.List(traitlets.List(traitlets.Float()))).tag(sync=True)
    sizes = traitlets.List(traitlets.Int()).tag(sync=True)
    size = traitlets.Int().tag(sync=True)
    temperature = traitlets.Float().tag(sync=True)
    scaled = traitlets.Bool().tag(sync=True)
    shown = traitlets.Int(0).tag(sync=True)  # index of the draw

    def __init__(
        self, products: Tensor, sizes: Sequence[int], *, size: int, temperature: float = 1.0, scaled: bool = False
    ) -> None:
        check_tensors(products=products)
        sizes = [int(d) for d in sizes]
        if sizes != sorted(set(sizes)) or not sizes or sizes[0] < 1:
            raise ValueError(f"sizes must be positive and rising, got {sizes}")
        fits = products.dim() == 3 and products.shape[1] == len(sizes)
        if not fits or products.shape[0] < 1 or products.shape[2] < 2:
            shape = tuple(products.shape)
            raise ValueError(f"products must have shape (draws >= 1, {len(sizes)}, keys >= 2), got {shape}")
        check_finite(products=products)
        if size not in sizes:
            raise ValueError(f"size must be one of {sizes}, got {size}")
        if not 0.05 <= temperature <= 20:
            raise ValueError(f"temperature must be between 0.05 and 20, got {temperature}")
        super().__init__(
            products=[[[round(number, 4) for number in row] for row in draw] for draw in products.tolist()],
            sizes=sizes,
            size=size,
            temperature=float(temperature),
            scaled=scaled,
            alt="",
        )
        weights = self.weights()
        self.alt = (
            f"Bars: the weights of {len(weights)} keys of size {size} at temperature {temperature:g}; the largest is "
            f"{float(weights.max()):.2f}. Below: entropy and derivative of the weights against the temperature."
        )

    def weights(self) -> Tensor:
        """The weights shown at first, ``(keys,)``."""
        scores = torch.tensor(self.products[self.shown][self.sizes.index(self.size)])
        return torch.softmax(scores / ((math.sqrt(self.size) if self.scaled else 1.0) * self.temperature), dim=-1)

    def draw(self, axes: Any) -> None:
        weights = self.weights()
        axes.bar([str(i + 1) for i in range(len(weights))], weights.tolist(), color="tab:red")
        axes.set(ylim=(0, 1), xlabel="key", ylabel="attention weight")
