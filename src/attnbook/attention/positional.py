"""Positions: sinusoidal, learned and rotary encodings."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from attnbook._internal.validate import (
    check_counts,
    check_dropout,
    check_floating,
    check_range,
    is_finite,
    is_integer,
    is_whole,
    scalar,
)


def frequencies(
    d_model: int,
    *,
    base: float = 10_000.0,
    dtype: torch.dtype = torch.float64,
    device: torch.device | None = None,
) -> Tensor:
    r"""Frequencies of the sinusoidal encodings, :math:`\omega_j = 1 / b^{2j/d}` radians per position.

    :math:`j = 0 .. \lceil d/2 \rceil - 1`; the base is :math:`b = 10000` in the paper (Vaswani et al. 2017, 3.5).

    Args:
        d_model: size :math:`d` of the encoding.
        base: a larger base makes the slow waves slower.
        dtype: dtype of the result.
        device: device of the result.

    Returns:
        ``(ceil(d_model / 2),)``.

    Raises:
        ValueError: ``d_model`` is below 1, or ``base`` is not positive and finite.
    """
    check_counts(d_model=d_model)
    check_range("base", base, is_finite(base) and base > 0, "positive and finite")
    return torch.pow(scalar(base), -torch.arange(0, d_model, 2, dtype=dtype, device=device) / d_model)


def sinusoidal_table(length: int, d_model: int) -> Tensor:
    r"""Sinusoidal encodings of the positions 0 to ``length - 1`` (Vaswani et al. 2017, 3.5).

    .. math:: P_{i,2j} = \sin(i\,\omega_j), \quad P_{i,2j+1} = \cos(i\,\omega_j), \quad \omega_j = 10000^{-2j/d}

    The two columns of a pair share a frequency. An odd size ends with a sine. Angles and waves are computed in float64,
    and only the waves are rounded, so that large positions are as exact as small ones.

    Args:
        length: number of positions, from 0.
        d_model: size of the encoding.

    Returns:
        ``(length, d_model)``, float32.

    Raises:
        ValueError: ``length`` is negative or not an integer, or ``d_model`` is below 1.

    Example:
        >>> sinusoidal_table(length=2, d_model=4)
        tensor([[0.0000, 1.0000, 0.0000, 1.0000],
                [0.8415, 0.5403, 0.0100, 0.9999]])
    """
    check_range("length", length, is_whole(length) and length >= 0, "an integer >= 0")
    angles = torch.arange(length, dtype=torch.float64).unsqueeze(1) * frequencies(d_model)  # (length, pairs)
    waves = torch.stack((angles.sin(), angles.cos()), dim=-1)  # (length, pairs, 2)
    return waves.flatten(1)[:, :d_model].float()  # (length, d_model)


def shift_matrix(delta: float, d_model: int) -> Tensor:
    r"""Return the rotation that shifts every sinusoidal encoding by ``delta`` positions: :math:`P_{i+\delta} = M P_i`.

    Pair :math:`j` rotates by :math:`\delta\omega_j`: :math:`\begin{pmatrix} \cos & \sin \\ -\sin & \cos \end{pmatrix}`
    on :math:`(\sin, \cos)`, for every :math:`i` (Vaswani et al. 2017, 3.5).

    Args:
        delta: shift in positions; may be negative.
        d_model: size of the encoding, even.

    Returns:
        ``(d_model, d_model)``, float64, orthogonal.

    Raises:
        ValueError: ``d_model`` is odd, so that the last sine has no cosine, or ``delta`` is not a finite number.
    """
    check_counts(d_model=d_model)
    check_range("d_model", d_model, d_model % 2 == 0, "even")
    check_range("delta", delta, is_finite(delta), "a finite number")
    angles = delta * frequencies(d_model)
    cos, sin = angles.cos(), angles.sin()  # (pairs,)
    rotations = torch.stack((cos, sin, -sin, cos), dim=-1).view(-1, 2, 2)  # (pairs, 2, 2)
    matrix: Tensor = torch.block_diag(*rotations)  # (d_model, d_model)
    return matrix


class SinusoidalPositions(nn.Module):
    """Add the sinusoidal encoding of each position (Vaswani et al. 2017, 3.5; see `sinusoidal_table`).

    The table is not a parameter and is not saved. It follows the module's device and grows with the longest input.

    Args:
        d_model: size of the encoding.
        dropout: probability with which an entry of the sum is dropped in training.

    Raises:
        ValueError: ``d_model`` is below 1, or ``dropout`` is not a probability.

    Example:
        >>> SinusoidalPositions(d_model=4)(torch.zeros(1, 2, 4))
        tensor([[[0.0000, 1.0000, 0.0000, 1.0000],
                 [0.8415, 0.5403, 0.0100, 0.9999]]])
    """

    table: Tensor

    def __init__(self, d_model: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.d_model = d_model
        check_dropout(dropout=dropout)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("table", sinusoidal_table(128, d_model), persistent=False)

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        """Add the encodings of positions ``offset``, ``offset + 1``, ...

        Args:
            x: ``(..., length, d_model)``.
            offset: position of the first token, from 0.

        Returns:
            the shape and dtype of ``x``.

        Raises:
            ValueError: the last axis is not ``d_model``, there is no axis of positions, or ``offset`` is negative.
            TypeError: ``x`` is not a floating-point tensor.
        """
        _check_positions(x, self.d_model, offset)
        end = offset + x.shape[-2]
        if self.table.is_meta and not x.is_meta:  # the module was built on the meta device, then loaded
            self._make_table(len(self.table), x.device)
        if end > self.table.shape[0]:
            self._make_table(max(end, 2 * self.table.shape[0]), self.table.device)
        added: Tensor = self.dropout(x + self.table[offset:end].to(x.dtype))
        return added

    def _apply(self, *args: Any, **kwargs: Any) -> SinusoidalPositions:
        """Recompute the table: ``to_empty`` leaves it undefined, and a change of dtype rounds it."""
        super()._apply(*args, **kwargs)
        if not self.table.is_meta:
            self._make_table(len(self.table), self.table.device)
        return self

    def _make_table(self, length: int, device: torch.device) -> None:
        with torch.inference_mode(False):  # `attribute` refuses tensors that were made in inference mode
            self.table = sinusoidal_table(length, self.d_model).to(device, self.table.dtype)


class LearnedPositions(nn.Module):
    r"""Add a learned vector for each position, :math:`x_i + p_i` (Gehring et al. 2017, 3.1).

    Args:
        d_model: size of the encoding.
        max_length: number of positions; a learned table cannot grow.
        dropout: probability with which an entry of the sum is dropped in training.

    Raises:
        ValueError: a size is below 1, or ``dropout`` is not a probability.

    Example:
        >>> LearnedPositions(d_model=8, max_length=10)(torch.zeros(2, 5, 8)).shape
        torch.Size([2, 5, 8])
    """

    def __init__(self, d_model: int, max_length: int, dropout: float = 0.0) -> None:
        super().__init__()
        check_counts(d_model=d_model, max_length=max_length)
        self.embedding = nn.Embedding(max_length, d_model)
        check_dropout(dropout=dropout)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        """Add the vectors of positions ``offset``, ``offset + 1``, ...

        Args:
            x: ``(..., length, d_model)``.
            offset: position of the first token, from 0.

        Returns:
            the shape and dtype of ``x``.

        Raises:
            ValueError: the last axis is not ``d_model``, there is no axis of positions, ``offset`` is negative, or a
                position reaches ``max_length``.
            TypeError: ``x`` is not a floating-point tensor.
        """
        _check_positions(x, self.embedding.embedding_dim, offset)
        end = offset + x.shape[-2]
        if end > self.embedding.num_embeddings:
            raise ValueError(f"x must end before max_length={self.embedding.num_embeddings}, got position {end - 1}")
        added: Tensor = self.dropout(x + self.embedding.weight[offset:end].to(x.dtype))
        return added


class NoPositions(nn.Module):
    """Apply only dropout, for models whose positions enter in the attention.

    Args:
        dropout: probability with which an entry is dropped in training.

    Raises:
        ValueError: ``dropout`` is not a probability.
    """

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        check_dropout(dropout=dropout)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        """Return ``x`` with dropout; ``offset`` is ignored."""
        dropped: Tensor = self.dropout(x)
        return dropped


class RotaryPositions(nn.Module):
    r"""Rotate queries and keys by their positions: products depend only on the distance (Su et al. 2021, 3.2).

    Pair :math:`j`, entries :math:`(2j, 2j+1)`, rotates by :math:`i\,\omega_j`. Then
    :math:`\langle R_i q, R_k k \rangle = \langle q, R_{k-i} k \rangle`.

    Args:
        head_dim: size of a head, even.
        base: :math:`b` in :math:`\omega_j = b^{-2j/d}`, where :math:`d` is ``head_dim``.
        stretch: divisor of the positions; with 4, positions 0 to 63 rotate as far as 0 to 15.75 without it (position
            interpolation, Chen et al. 2023).

    Raises:
        ValueError: ``head_dim`` is odd or below 2, or ``base`` or ``stretch`` is not positive and finite.

    Example:
        >>> rotary = RotaryPositions(head_dim=4)
        >>> q, k = torch.randn(1, 4), torch.randn(1, 4)
        >>> near, far = (rotary(q, offset + 3) @ rotary(k, offset).T for offset in (0, 100))
        >>> torch.allclose(near, far, atol=1e-5)  # only the distance matters
        True
    """

    def __init__(self, head_dim: int, *, base: float = 10_000.0, stretch: float = 1.0) -> None:
        super().__init__()
        check_range("base", base, is_finite(base) and base > 0, "positive and finite")
        check_range("stretch", stretch, is_finite(stretch) and stretch > 0, "positive and finite")
        even = is_integer(head_dim) and head_dim >= 2 and head_dim % 2 == 0
        check_range("head_dim", head_dim, even, "an even integer >= 2")
        self.head_dim = head_dim
        self.base = base
        self.stretch = stretch

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        """Rotate each vector by its position.

        Args:
            x: ``(..., length, head_dim)``.
            offset: position of the first vector, from 0.

        Returns:
            the shape and dtype of ``x``; the norms do not change.

        Raises:
            ValueError: the last axis is not ``head_dim``, there is no axis of positions, or ``offset`` is negative.
            TypeError: ``x`` is not a floating-point tensor.
        """
        _check_positions(x, self.head_dim, offset)
        # Computed in each call: a buffer would be rounded in a bf16 model, and large positions would rotate wrongly.
        dtype = torch.promote_types(x.dtype, torch.float32)
        position = torch.arange(offset, offset + x.shape[-2], device=x.device, dtype=dtype)
        omega = frequencies(self.head_dim, base=self.base, dtype=dtype, device=x.device)  # (pairs,)
        angles = position.unsqueeze(1) / scalar(self.stretch) * omega  # (length, pairs)
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)  # (length, pairs)
        even, odd = x[..., 0::2], x[..., 1::2]  # (..., length, pairs)
        rotated = torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1)  # (..., length, pairs, 2)
        return rotated.flatten(-2)  # (..., length, head_dim)


def _check_positions(x: Tensor, size: int, offset: int) -> None:
    check_floating(x=x)
    if x.dim() < 2 or x.shape[-1] != size:
        raise ValueError(f"x must have shape (..., length, {size}), got {tuple(x.shape)}")
    check_range("offset", offset, is_whole(offset) and offset >= 0, "an integer >= 0")
