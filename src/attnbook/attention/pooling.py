r"""Pooling: predict the output at a new input from known pairs of inputs and outputs.

Nadaraya-Watson regression is attention whose query is the new input, whose keys are the known inputs and whose
values are the known outputs (Nadaraya 1964; Watson 1964).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from attnbook._internal.validate import (
    check_floating,
    check_range,
    check_tensors,
    is_finite,
    is_integer,
    is_number,
    scalar,
)
from attnbook.attention.kernels import gaussian_weights
from attnbook.attention.masks import masked_softmax

Kernel = Callable[[Tensor], Tensor]


def average_pooling(query: Tensor, value: Tensor) -> Tensor:
    r"""Predict the mean of the values for every query: :math:`f(x) = \frac1n \sum_i y_i`.

    Args:
        query: ``(queries,)``.
        value: ``(keys,)``.

    Returns:
        ``(queries,)``.

    Raises:
        ValueError: an input is not a vector.
        TypeError: an input is not floating point.

    Example:
        >>> average_pooling(torch.tensor([0.0, 9.0]), torch.tensor([1.0, 3.0]))
        tensor([2., 2.])
    """
    _check_vector("query", query)
    _check_vector("value", value)
    return value.mean().expand(query.shape[0])


def gaussian(distance: Tensor) -> Tensor:
    r"""The Gaussian kernel, :math:`K(u) = \exp(-u^2/2) / \sqrt{2\pi}`.

    Args:
        distance: :math:`u`, of any shape.

    Returns:
        :math:`K(u)`, of the same shape.

    Example:
        >>> gaussian(torch.tensor([0.0, 1.0]))
        tensor([0.3989, 0.2420])
    """
    return torch.exp(-(distance**2) / 2) / math.sqrt(2 * math.pi)


def boxcar(distance: Tensor) -> Tensor:
    r"""The boxcar kernel, :math:`K(u) = \frac12` if :math:`|u| \le 1`, else 0; any shape -> the same shape"""
    inside = (distance.abs() <= 1).to(torch.result_type(distance, 0.5))
    return 0.5 * inside.masked_fill(distance.isnan(), torch.nan)  # a comparison would turn NaN into False


def epanechnikov(distance: Tensor) -> Tensor:
    r"""The Epanechnikov kernel, :math:`K(u) = \frac34 (1 - u^2)` if :math:`|u| \le 1`, else 0 (Epanechnikov 1969)"""
    return 0.75 * (1 - distance**2).clamp(min=0)


def nadaraya_watson_weights(query: Tensor, key: Tensor, kernel: Kernel = gaussian, *, width: float = 1.0) -> Tensor:
    r"""Attention weights :math:`\alpha(x, x_i) = K((x - x_i)/h) / \sum_j K((x - x_j)/h)`.

    The weights of a query are zeros if the kernel is zero for every key. A Gaussian kernel is never zero: its weights
    are computed as a softmax, whose sum cannot underflow (see `attnbook.attention.kernels.gaussian_weights`).

    Args:
        query: ``(queries,)``, the inputs to predict at.
        key: ``(keys,)``, the known inputs.
        kernel: ``gaussian``, ``boxcar``, ``epanechnikov`` or another function of a tensor of distances.
        width: :math:`h > 0`, in the unit of the inputs.

    Returns:
        ``(queries, keys)``; a row sums to 1, or to 0 if the kernel is zero for every key.

    Raises:
        ValueError: ``width`` is not positive in the precision of ``query``, ``kernel`` is not a function or changes the
            shape, or an input is not a vector.
        TypeError: an input is not floating point.
    """
    _check_vector("query", query)
    _check_vector("key", key)
    positive = is_number(width) and bool(torch.as_tensor(width, dtype=query.dtype) > 0)
    check_range("width", width, positive, f"> 0 in {query.dtype}")
    check_range("kernel", kernel, callable(kernel), "a function of a tensor, such as gaussian")
    width = scalar(width)
    if kernel is gaussian:
        return gaussian_weights(query, key, width)
    distance = (query.unsqueeze(-1) - key) / width  # (queries, keys)
    similarity = kernel(distance)  # (queries, keys)
    expected = f"{tuple(distance.shape)}, that of its argument"
    check_range("kernel(distance).shape", tuple(similarity.shape), similarity.shape == distance.shape, expected)
    total = similarity.sum(-1, keepdim=True)  # (queries, 1)
    return torch.where(total != 0, similarity / total.where(total != 0, 1), 0)  # NaN stays NaN


def nadaraya_watson(
    query: Tensor, key: Tensor, value: Tensor, kernel: Kernel = gaussian, *, width: float = 1.0
) -> Tensor:
    r"""Predict :math:`f(x) = \sum_i \alpha(x, x_i)\, y_i`, the weighted mean of the values.

    The weights are those of Nadaraya 1964 and Watson 1964:

    .. math:: \alpha(x, x_i) = \frac{K((x - x_i)/h)}{\sum_j K((x - x_j)/h)}

    Args:
        query: ``(queries,)``, the inputs :math:`x` to predict at.
        key: ``(keys,)``, the known inputs :math:`x_i`.
        value: ``(keys,)``, the known outputs :math:`y_i`.
        kernel: :math:`K`, ``gaussian`` or another function of a tensor of distances.
        width: :math:`h > 0`, in the unit of the inputs.

    Returns:
        ``(queries,)``; 0 if the kernel is zero for every key.

    Raises:
        ValueError: ``width`` is not positive, ``kernel`` is not a function, an input is not a vector, or the numbers of
            keys and values differ.
        TypeError: an input is not floating point, or the dtypes differ.

    Example:
        >>> key, value = torch.tensor([0.0, 1.0]), torch.tensor([10.0, 20.0])
        >>> nadaraya_watson(torch.tensor([0.0, 0.5]), key, value, width=0.5)
        tensor([11.1920, 15.0000])
    """
    _check_pairs(query, key, value)
    return nadaraya_watson_weights(query, key, kernel, width=width) @ value


class NadarayaWatson(nn.Module):
    r"""Gaussian kernel regression with a learned width: :math:`\alpha = \mathrm{softmax}(-((x - x_i)\,w)^2 / 2)`.

    The parameter ``w`` is an inverse width, :math:`h = 1/|w|`.

    Args:
        w: initial value of ``w``.

    Raises:
        ValueError: ``w`` is not a finite number.

    Example:
        >>> x, y = torch.linspace(0, 1, 5), torch.linspace(0, 1, 5) ** 2
        >>> NadarayaWatson(w=10.0)(x, x, y, leave_one_out_mask(5)).shape
        torch.Size([5])
    """

    def __init__(self, w: float = 1.0) -> None:
        super().__init__()
        check_range("w", w, is_finite(w), "a finite number")
        self.w = nn.Parameter(torch.tensor(float(w)))

    def weights(self, query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
        """``(queries,)``, ``(keys,)`` -> ``(queries, keys)``; ``mask`` as in ``forward``."""
        _check_vector("query", query)
        _check_vector("key", key)
        distance = query.unsqueeze(-1) - key  # (queries, keys)
        return masked_softmax(-((distance * self.w) ** 2) / 2, mask)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        """Predict the value of every query.

        Args:
            query: ``(queries,)``.
            key: ``(keys,)``.
            value: ``(keys,)``.
            mask: bool ``(queries, keys)``, True = may attend. Use ``leave_one_out_mask`` in training: otherwise every
                training input attends to itself, and ``abs(w)`` grows until it attends to nothing else.

        Returns:
            ``(queries,)``.

        Raises:
            ValueError: an input is not a vector, or the numbers of keys and values differ.
            TypeError: an input is not floating point, or the dtypes differ.
        """
        _check_pairs(query, key, value)
        return self.weights(query, key, mask) @ value


def leave_one_out_mask(count: int, *, device: torch.device | None = None) -> Tensor:
    """Let every training input attend to all others but not to itself.

    Args:
        count: number of training inputs, >= 2.
        device: device of the mask.

    Returns:
        bool ``(count, count)``; True = may attend.

    Raises:
        ValueError: ``count`` is below 2, so that nothing would be left to attend to.

    Example:
        >>> leave_one_out_mask(3)
        tensor([[False,  True,  True],
                [ True, False,  True],
                [ True,  True, False]])
    """
    check_range("count", count, is_integer(count) and count >= 2, "an integer >= 2")
    return ~torch.eye(count, dtype=torch.bool, device=device)


def _check_vector(name: str, tensor: Tensor) -> None:
    check_floating(**{name: tensor})
    if tensor.dim() != 1 or tensor.numel() == 0:
        raise ValueError(f"{name} must be a non-empty vector, got shape {tuple(tensor.shape)}")


def _check_pairs(query: Tensor, key: Tensor, value: Tensor) -> None:
    check_tensors(query=query, key=key, value=value)
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        _check_vector(name, tensor)
        if tensor.dtype != value.dtype:
            raise TypeError(f"{name} must have the dtype of value, {value.dtype}, got {tensor.dtype}")
    if key.shape != value.shape:
        raise ValueError(f"value must have one entry per key, {key.shape[0]}, got {value.shape[0]}")
