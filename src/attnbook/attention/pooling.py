r"""Pooling: what to predict at a new input from pairs of inputs and outputs.

Nadaraya-Watson regression is attention whose query is the new input, whose keys are the known inputs and whose
values are the known outputs (Nadaraya 1964; Watson 1964).
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from attnbook._internal.validate import check_range, check_tensors, is_integer, is_number, scalar
from attnbook.attention.masks import masked_softmax

Kernel = Callable[[Tensor], Tensor]


def average_pooling(query: Tensor, value: Tensor) -> Tensor:
    r"""Answer every query with the mean of the values: :math:`f(x) = \frac1n \sum_i y_i`.

    Args:
        query: ``(queries,)``.
        value: ``(keys,)``.

    Returns:
        ``(queries,)``.

    Raises:
        ValueError: an input is not a vector.
        TypeError: an input is not floating point.
    """
    _check_vector("query", query)
    _check_vector("value", value)
    return value.mean().expand(query.shape[0])


def gaussian(distance: Tensor) -> Tensor:
    r""":math:`K(u) = \exp(-u^2/2) / \sqrt{2\pi}`"""
    return torch.exp(-(distance**2) / 2) / math.sqrt(2 * math.pi)


def boxcar(distance: Tensor) -> Tensor:
    r""":math:`K(u) = \frac12` if :math:`|u| \le 1`, else 0"""
    inside = (distance.abs() <= 1).to(distance.dtype)
    return 0.5 * inside.masked_fill(distance.isnan(), torch.nan)  # which no comparison would tell


def epanechnikov(distance: Tensor) -> Tensor:
    r""":math:`K(u) = \frac34 (1 - u^2)` if :math:`|u| \le 1`, else 0 (Epanechnikov 1969)"""
    return 0.75 * (1 - distance**2).clamp(min=0)


def nadaraya_watson_weights(query: Tensor, key: Tensor, kernel: Kernel = gaussian, *, width: float = 1.0) -> Tensor:
    r"""Attention weights :math:`\alpha(x, x_i) = K((x - x_i)/h) / \sum_j K((x - x_j)/h)`.

    A query that no key's kernel reaches gets zeros. So that this happens only where the kernel itself is zero, and
    not where its value is too small for the precision, Gaussian weights are computed by softmax, from squares less
    that of the nearest key: :math:`u_i^2 - u_0^2 = (|u_i| - |u_0|)(|u_i| + |u_0|)`. So narrow that a square is beyond
    the largest number, a kernel leaves the nearest key alone.

    Args:
        query: ``(queries,)``, the inputs to predict at.
        key: ``(keys,)``, the known inputs.
        kernel: ``gaussian``, ``boxcar``, ``epanechnikov`` or any function of a tensor of distances.
        width: :math:`h > 0`, in the units of the inputs.

    Returns:
        ``(queries, keys)``; a row sums to one, or to zero where no key is reached.

    Raises:
        ValueError: ``width`` is not positive in the precision of ``query``, ``kernel`` no function, or an input is not
            a vector.
        TypeError: an input is not floating point.
    """
    _check_vector("query", query)
    _check_vector("key", key)
    positive = is_number(width) and bool(torch.as_tensor(width, dtype=query.dtype) > 0)
    check_range("width", width, positive, f"more than 0 in {query.dtype}")
    check_range(
        "kernel", kernel, callable(kernel), "a function of a tensor, such as attnbook.attention.pooling.gaussian"
    )
    width = scalar(width)
    distance = query.unsqueeze(-1) - key  # (queries, keys)
    if kernel is gaussian:
        far = distance.abs()
        nearest = far.amin(-1, keepdim=True)
        beyond = far - nearest
        squares = beyond / width * ((far / 2 + nearest / 2) / width)
        return torch.softmax(-squares.where(beyond != 0, 0), dim=-1)  # at the nearest, 0 times infinity
    similarity = kernel(distance / width)
    total = similarity.sum(-1, keepdim=True)
    reached = total != 0  # of NaN too, which must not become a weight of zero
    return torch.where(reached, similarity / total.where(reached, 1), 0)


def nadaraya_watson(
    query: Tensor, key: Tensor, value: Tensor, kernel: Kernel = gaussian, *, width: float = 1.0
) -> Tensor:
    r"""Predict :math:`f(x) = \sum_i \alpha(x, x_i)\, y_i`, the weighted mean of the values.

    Args:
        query: ``(queries,)``.
        key: ``(keys,)``.
        value: ``(keys,)``.
        kernel: see ``nadaraya_watson_weights``.
        width: :math:`h > 0`.

    Returns:
        ``(queries,)``; 0 where no key is reached.

    Raises:
        ValueError: ``width`` is not positive, ``kernel`` no function, an input not a vector, or there are not as many
            keys as values.
        TypeError: an input is not floating point, or they differ in precision.
    """
    _check_pairs(query, key, value)
    return nadaraya_watson_weights(query, key, kernel, width=width) @ value


class NadarayaWatson(nn.Module):
    r"""Gaussian kernel regression whose width is learned: :math:`\alpha = \mathrm{softmax}(-((x - x_i)\,w)^2 / 2)`.

    The parameter ``w`` is an inverse width, :math:`h = 1/|w|`.

    Args:
        w: where ``w`` starts.
    """

    def __init__(self, w: float = 1.0) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.tensor(float(w)))

    def weights(self, query: Tensor, key: Tensor, mask: Tensor | None = None) -> Tensor:
        """``(queries,)``, ``(keys,)`` -> ``(queries, keys)``; ``mask`` as in ``forward``."""
        _check_vector("query", query)
        _check_vector("key", key)
        return masked_softmax(-(((query.unsqueeze(-1) - key) * self.w) ** 2) / 2, mask)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        """Predict at every query.

        Args:
            query: ``(queries,)``.
            key: ``(keys,)``.
            value: ``(keys,)``.
            mask: bool ``(queries, keys)``, True = may attend; ``leave_one_out_mask`` in training, since
                otherwise every training input finds itself and ``w`` grows without bound.

        Returns:
            ``(queries,)``.

        Raises:
            ValueError: an input is not a vector, or there are not as many keys as values.
            TypeError: an input is not floating point, or they differ in precision.
        """
        _check_pairs(query, key, value)
        return self.weights(query, key, mask) @ value


def leave_one_out_mask(count: int, *, device: torch.device | None = None) -> Tensor:
    """Let every training input see all others but not itself.

    Args:
        count: number of training inputs, at least 2.
        device: where the mask is made.

    Returns:
        bool ``(count, count)``; True = may attend.

    Raises:
        ValueError: fewer than 2 inputs, so that nothing would be left.
    """
    enough = is_integer(count) and count >= 2
    check_range("count", count, enough, "2 or more, a whole number, so that each input has another one to see")
    return ~torch.eye(count, dtype=torch.bool, device=device)


def _check_vector(name: str, tensor: Tensor) -> None:
    check_tensors(**{name: tensor})
    if tensor.dim() != 1 or tensor.numel() == 0:
        raise ValueError(f"{name} has shape {tuple(tensor.shape)}: wanted a vector of at least one number")
    if not tensor.is_floating_point():
        raise TypeError(f"{name} has dtype {tensor.dtype}: wanted floating point")


def _check_pairs(query: Tensor, key: Tensor, value: Tensor) -> None:
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        _check_vector(name, tensor)
        if tensor.dtype != value.dtype:
            raise TypeError(f"{name} has dtype {tensor.dtype}: wanted that of value, {value.dtype}")
    if key.shape != value.shape:
        raise ValueError(f"value has shape {tuple(value.shape)}: wanted one value a key, {tuple(key.shape)}")
