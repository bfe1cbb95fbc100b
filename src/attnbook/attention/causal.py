"""Causal self-attention that keeps less of each token: shared in groups, from a latent vector, or subtracted."""

from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook._internal.validate import check_counts, check_heads, check_range, check_tensors, is_number
from attnbook.attention.masks import causal_mask, check_mask
from attnbook.attention.positional import RotaryPositions

Kept = tuple[Tensor, Tensor]  # what a layer keeps of the tokens so far: its part of the cache
Linear = partial(nn.Linear, bias=False)


class GroupedAttention(nn.Module):
    r"""Causal self-attention whose query heads share keys and values in groups (Ainslie et al. 2023).

    With ``num_groups = num_heads`` it is multi-head attention, with 1 multi-query attention (Shazeer 2019).

    Args:
        d_model: size of a token's vector.
        num_heads: number of query heads.
        num_groups: number of heads of keys and values.
        rotary: turn queries and keys by their positions (Su et al. 2021).
        qk_norm: RMS norm of every query and key before they are turned (Henry et al. 2020, Dehghani et al. 2023).

    Raises:
        ValueError: a size is below 1, ``num_heads`` does not divide ``d_model``, or ``num_groups`` not ``num_heads``;
            or the size of a head is odd and ``rotary`` is True.
    """

    def __init__(
        self, d_model: int, num_heads: int, num_groups: int, *, rotary: bool = True, qk_norm: bool = False
    ) -> None:
        super().__init__()
        check_counts(num_groups=num_groups)
        check_heads(d_model, num_heads, parts=2 if rotary else 1)
        check_range("num_groups", num_groups, num_heads % num_groups == 0, f"a divisor of num_heads = {num_heads}")
        self.num_heads, self.num_groups, head_dim = num_heads, num_groups, d_model // num_heads
        self.W_q, self.W_o = Linear(d_model, d_model), Linear(d_model, d_model)
        self.W_k, self.W_v = (Linear(d_model, num_groups * head_dim) for _ in range(2))
        self.rotary = RotaryPositions(head_dim) if rotary else None
        self.norm_q, self.norm_k = (nn.RMSNorm(head_dim) if qk_norm else nn.Identity() for _ in range(2))

    def forward(self, x: Tensor, past: Kept | None = None, mask: Tensor | None = None) -> tuple[Tensor, Kept]:
        """Go on from the ``past`` by the tokens ``x``.

        Args:
            x: ``(batch, length, d_model)``.
            past: keys and values of the tokens before, ``(batch, num_groups, past_len, head_dim)``.
            mask: bool ``(length, past_len + length)``, True = may attend; all tokens up to its own if None.

        Returns:
            ``(batch, length, d_model)``, and keys and values of all tokens so far.

        Raises:
            ValueError: ``x`` has another shape, ``past`` another batch, or ``mask`` does not fit the tokens.
            TypeError: ``x`` is no tensor or not floating point, or ``mask`` is not boolean.
        """
        check_input(x, past, self.W_q.in_features)
        q, k = self.norm_q(heads(self.W_q(x), self.num_heads)), self.norm_k(heads(self.W_k(x), self.num_groups))
        v = heads(self.W_v(x), self.num_groups)
        if self.rotary is not None:
            offset = past[0].shape[2] if past is not None else 0
            q, k = self.rotary(q, offset), self.rotary(k, offset)
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        return self.W_o(causal_pooling(q, k, v, mask)), (k, v)


class LatentAttention(nn.Module):
    r"""Keys and values of all heads are made from one small vector a token, and only that vector is kept (DeepSeek-AI
    2024, 2.1): :math:`c = W_c x`, :math:`k^i = [W_k^i c;\, R\,W_r x]`, :math:`v^i = W_v^i c`.

    The turned part :math:`R\,W_r x` is shared by the heads. Turning :math:`W_k^i c` itself would put the rotation
    between :math:`W_q^i` and :math:`W_k^i`, which could then no longer be multiplied once and for all.

    Args:
        d_model: size of a token's vector.
        num_heads: number of heads.
        latent_size: size of :math:`c`.
        rotary_size: size of the part that is turned, even.

    Raises:
        ValueError: a size is below 1, ``num_heads`` does not divide ``d_model``, or ``rotary_size`` is odd.
    """

    def __init__(self, d_model: int, num_heads: int, latent_size: int, rotary_size: int) -> None:
        super().__init__()
        check_counts(latent_size=latent_size, rotary_size=rotary_size)
        check_heads(d_model, num_heads)
        check_range("rotary_size", rotary_size, rotary_size % 2 == 0, "an even size")
        self.num_heads, head_dim = num_heads, d_model // num_heads
        self.sizes = [head_dim, rotary_size]
        self.W_q, self.W_o = Linear(d_model, num_heads * (head_dim + rotary_size)), Linear(d_model, d_model)
        self.W_c, self.W_r = Linear(d_model, latent_size), Linear(d_model, rotary_size)
        self.W_k, self.W_v = (Linear(latent_size, d_model) for _ in range(2))
        self.rotary = RotaryPositions(rotary_size)

    def forward(self, x: Tensor, past: Kept | None = None, mask: Tensor | None = None) -> tuple[Tensor, Kept]:
        """As ``forward``; kept are ``(batch, length, latent_size)`` and
        ``(batch, length, rotary_size)``."""
        check_input(x, past, self.W_q.in_features)
        offset = past[0].shape[1] if past is not None else 0
        c, turned = self.W_c(x), self.rotary(self.W_r(x), offset)
        if past is not None:
            c, turned = torch.cat((past[0], c), 1), torch.cat((past[1], turned), 1)
        q, to_turn = heads(self.W_q(x), self.num_heads).split(self.sizes, -1)
        q = torch.cat((q, self.rotary(to_turn, offset)), -1)
        k, v = heads(self.W_k(c), self.num_heads), heads(self.W_v(c), self.num_heads)
        k = torch.cat((k, turned.unsqueeze(1).expand(-1, self.num_heads, -1, -1)), -1)
        return self.W_o(causal_pooling(q, k, v, mask)), (c, turned)


class DifferentialAttention(nn.Module):
    r"""Each head weighs twice and subtracts: :math:`(\alpha_1 - \lambda\,\alpha_2)\,V`, so that what both find is
    cancelled (Ye et al. 2024, 2.1).

    :math:`\lambda` is one learned number for all heads, started at ``start``; each head's result goes through an RMS
    norm and is multiplied by :math:`1 - \lambda_0`. (The paper writes :math:`\lambda` by exponentials of products.)

    Args:
        d_model: size of a token's vector.
        num_heads: number of heads, each with two queries and keys of size ``d_model / num_heads / 2``.
        start: :math:`\lambda_0`.

    Raises:
        ValueError: a size is below 1, or four times ``num_heads`` does not divide ``d_model``: what is
            turned has an even size.
    """

    def __init__(self, d_model: int, num_heads: int, start: float = 0.5) -> None:
        super().__init__()
        check_heads(d_model, num_heads, parts=4)  # two queries, and both turn in pairs
        check_range("start", start, is_number(start), "a number")
        self.num_heads, self.start = num_heads, start
        self.W_q, self.W_k, self.W_v, self.W_o = (Linear(d_model, d_model) for _ in range(4))
        self.share = nn.Parameter(torch.tensor(float(start)))
        self.rotary = RotaryPositions(d_model // num_heads // 2)
        self.norm = nn.RMSNorm(d_model // num_heads)

    def forward(self, x: Tensor, past: Kept | None = None, mask: Tensor | None = None) -> tuple[Tensor, Kept]:
        """As ``forward``; kept are keys ``(batch, 2 * num_heads, length, size / 2)`` and values
        ``(batch, num_heads, length, size)``."""
        check_input(x, past, self.W_q.in_features)
        offset = past[0].shape[2] if past is not None else 0
        q, k = (self.rotary(heads(W(x), 2 * self.num_heads), offset) for W in (self.W_q, self.W_k))
        v = heads(self.W_v(x), self.num_heads)
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        wanted, noise = (causal_pooling(q[:, i::2], k[:, i::2], v, mask) for i in (0, 1))
        pooled = (wanted - self.share * noise).unflatten(-1, (self.num_heads, -1))
        return self.W_o((1 - self.start) * self.norm(pooled).flatten(-2)), (k, v)


def check_input(x: Tensor, past: Kept | None, size: int) -> None:
    """Check the tokens ``(batch, length, size)`` and what was kept of those before.

    Raises:
        ValueError: ``x`` has another shape, or ``past`` another batch size.
        TypeError: ``x`` is no tensor or not floating point, or ``past`` are not two.
    """
    check_tensors(x=x)
    if x.dim() != 3 or x.shape[2] != size:
        raise ValueError(f"x has shape {tuple(x.shape)}: wanted (batch, length, {size})")
    if not x.is_floating_point():
        raise TypeError(f"x has dtype {x.dtype}: wanted floating point")
    if past is None:
        return
    if not isinstance(past, tuple | list) or len(past) != 2:
        raise TypeError(f"past is of type {type(past).__name__}: wanted the two tensors that were kept")
    if past[0].shape[0] != x.shape[0]:
        raise ValueError(f"past has batch size {past[0].shape[0]}: wanted that of x, {x.shape[0]}")


def heads(x: Tensor, count: int) -> Tensor:
    """``(batch, length, count * size)`` -> ``(batch, count, length, size)``"""
    split: Tensor = x.unflatten(-1, (count, -1))
    return split.transpose(1, 2)


def causal_pooling(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Attention in every head, with shared keys and values where there are fewer of them; the heads side by side.

    Args:
        q: ``(batch, heads, queries, size)``, the last of the positions of ``k``.
        k: ``(batch, groups, keys, size)``.
        v: ``(batch, groups, keys, value_size)``.
        mask: bool ``(queries, keys)``; causal if None.

    Returns:
        ``(batch, queries, heads * value_size)``.

    Raises:
        ValueError: ``mask`` cannot be broadcast to ``(queries, keys)``.
        TypeError: ``mask`` is not boolean.
    """
    if mask is None:
        mask = causal_mask(q.shape[-2], k.shape[-2], device=q.device)
    check_mask(mask, (q.shape[-2], k.shape[-2]))
    pooled = F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=q.shape[1] != k.shape[1])
    return pooled.transpose(1, 2).flatten(2)
