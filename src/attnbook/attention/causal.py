"""Variants of causal self-attention with a cache: grouped, latent and differential attention."""

from __future__ import annotations

from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook._internal.validate import check_counts, check_floating, check_heads, check_range, check_type, is_finite
from attnbook.attention.kernels import zero_rows_without_key
from attnbook.attention.masks import causal_mask, check_mask
from attnbook.attention.positional import RotaryPositions

KVCache = tuple[Tensor, Tensor]  # what a layer stores of the tokens so far; the layers define the shapes
Linear = partial(nn.Linear, bias=False)


class GroupedAttention(nn.Module):
    r"""Causal self-attention in which groups of query heads share keys and values (Ainslie et al. 2023).

    .. math::
        \mathrm{head}_i = \mathrm{softmax}\!\Big(\tfrac{q_i k_{g(i)}^\top}{\sqrt{d/h}}\Big) v_{g(i)}, \quad
        g(i) = \lfloor i\, G / h \rfloor

    for head :math:`i` of :math:`h`, from 0, and :math:`G` groups. With ``num_groups = num_heads`` it is multi-head
    attention, with 1 multi-query attention (Shazeer 2019).

    Args:
        d_model: size of a token's vector.
        num_heads: number of query heads.
        num_groups: number of heads of keys and values.
        rotary: rotate queries and keys by their positions (Su et al. 2021).
        qk_norm: normalize queries and keys before the rotation, by an RMS norm (with other norms: Henry et al. 2020,
            Dehghani et al. 2023).

    Raises:
        ValueError: a size is below 1, ``num_heads`` does not divide ``d_model``, ``num_groups`` does not divide
            ``num_heads``, or the size of a head is odd although ``rotary`` is True.

    Example:
        >>> attention = GroupedAttention(d_model=16, num_heads=4, num_groups=2)
        >>> output, past = attention(torch.randn(1, 5, 16))
        >>> output, past = attention(torch.randn(1, 1, 16), past)  # the next token
        >>> output.shape, past[0].shape
        (torch.Size([1, 1, 16]), torch.Size([1, 2, 6, 4]))
    """

    def __init__(
        self, d_model: int, num_heads: int, num_groups: int, *, rotary: bool = True, qk_norm: bool = False
    ) -> None:
        super().__init__()
        check_counts(num_groups=num_groups)
        check_heads(d_model, num_heads, parts=2 if rotary else 1)
        if num_heads % num_groups:
            raise ValueError(f"num_groups must divide num_heads, got num_groups={num_groups}, num_heads={num_heads}")
        self.num_heads, self.num_groups, head_dim = num_heads, num_groups, d_model // num_heads
        self.W_q, self.W_o = Linear(d_model, d_model), Linear(d_model, d_model)
        self.W_k, self.W_v = (Linear(d_model, num_groups * head_dim) for _ in range(2))
        self.rotary = RotaryPositions(head_dim) if rotary else None
        self.norm_q, self.norm_k = (nn.RMSNorm(head_dim) if qk_norm else nn.Identity() for _ in range(2))

    def forward(self, x: Tensor, past: KVCache | None = None, mask: Tensor | None = None) -> tuple[Tensor, KVCache]:
        """Attend from the tokens ``x`` to themselves and to the ``past``.

        Args:
            x: ``(batch, length, d_model)``.
            past: keys and values of the preceding tokens, ``(batch, num_groups, past_len, head_dim)``.
            mask: bool ``(length, past_len + length)``, True = may attend; causal if None.

        Returns:
            ``(batch, length, d_model)``, and keys and values of all tokens so far.

        Raises:
            ValueError: ``x`` has another shape, ``past`` has another batch size, or ``mask`` does not fit the tokens.
            TypeError: ``x`` is not a floating-point tensor, or ``mask`` is not boolean.
        """
        check_input(x, past, self.W_q.in_features)
        q = self.norm_q(heads(self.W_q(x), self.num_heads))  # (batch, num_heads, length, head_dim)
        k = self.norm_k(heads(self.W_k(x), self.num_groups))  # (batch, num_groups, length, head_dim)
        v = heads(self.W_v(x), self.num_groups)  # (batch, num_groups, length, head_dim)
        if self.rotary is not None:
            offset = past[0].shape[2] if past is not None else 0
            q, k = self.rotary(q, offset), self.rotary(k, offset)
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)  # (batch, num_groups, past_len + length, ...)
        return self.W_o(causal_pooling(q, k, v, mask)), (k, v)


class LatentAttention(nn.Module):
    r"""Causal self-attention that caches two small vectors per token for all heads (DeepSeek-AI 2024, 2.1).

    They are :math:`c = W_c x` and the rotated part :math:`R\,W_r x`. The heads compute keys and values from them:
    :math:`k^i = [W_k^i c;\, R\,W_r x]`, :math:`v^i = W_v^i c`.
    Rotating :math:`W_k^i c` itself would place the rotation between :math:`W_q^i` and :math:`W_k^i`, which then
    could not be multiplied in advance.

    Args:
        d_model: size of a token's vector.
        num_heads: number of heads.
        latent_size: size of :math:`c`.
        rotary_size: size of the rotated part, even.

    Raises:
        ValueError: a size is below 1, ``num_heads`` does not divide ``d_model``, or ``rotary_size`` is odd.
    """

    def __init__(self, d_model: int, num_heads: int, latent_size: int, rotary_size: int) -> None:
        super().__init__()
        check_counts(latent_size=latent_size, rotary_size=rotary_size)
        check_heads(d_model, num_heads)
        check_range("rotary_size", rotary_size, rotary_size % 2 == 0, "even")
        self.num_heads, head_dim = num_heads, d_model // num_heads
        self.sizes = [head_dim, rotary_size]
        self.W_q, self.W_o = Linear(d_model, num_heads * (head_dim + rotary_size)), Linear(d_model, d_model)
        self.W_c, self.W_r = Linear(d_model, latent_size), Linear(d_model, rotary_size)
        self.W_k, self.W_v = (Linear(latent_size, d_model) for _ in range(2))
        self.rotary = RotaryPositions(rotary_size)

    def forward(self, x: Tensor, past: KVCache | None = None, mask: Tensor | None = None) -> tuple[Tensor, KVCache]:
        """Attend like `GroupedAttention`, with a different cache.

        The cache is ``(batch, past_len, latent_size)`` and ``(batch, past_len, rotary_size)``.
        """
        check_input(x, past, self.W_q.in_features)
        offset = past[0].shape[1] if past is not None else 0
        c = self.W_c(x)  # (batch, length, latent_size)
        rotated = self.rotary(self.W_r(x), offset)  # (batch, length, rotary_size)
        if past is not None:
            c, rotated = torch.cat((past[0], c), 1), torch.cat((past[1], rotated), 1)  # (batch, past_len + length, ...)
        q, q_rotary = heads(self.W_q(x), self.num_heads).split(self.sizes, -1)  # (batch, num_heads, length, ...)
        q = torch.cat((q, self.rotary(q_rotary, offset)), -1)  # (batch, num_heads, length, head_dim + rotary_size)
        k, v = (heads(W(c), self.num_heads) for W in (self.W_k, self.W_v))  # (..., past_len + length, head_dim)
        shared = rotated.unsqueeze(1).expand(-1, self.num_heads, -1, -1)  # (batch, num_heads, past_len + length, ...)
        k = torch.cat((k, shared), -1)  # (batch, num_heads, past_len + length, head_dim + rotary_size)
        return self.W_o(causal_pooling(q, k, v, mask)), (c, rotated)


class DifferentialAttention(nn.Module):
    r"""Causal self-attention with the difference of two weights: :math:`(\alpha_1 - \lambda\,\alpha_2)\,V`.

    The second weight is meant to cancel noise in the first (Ye et al. 2024, 2.1). :math:`\lambda` is one learned
    number for all heads, initialized to :math:`\lambda_0`; the paper computes it from exponentials of dot products.
    The result of each head goes through an RMS norm and is multiplied by :math:`1 - \lambda_0`. A record of its weights
    has ``2 * num_heads`` heads, :math:`\alpha_1` and :math:`\alpha_2` of each head in turn.

    Args:
        d_model: size of a token's vector.
        num_heads: number of heads; each has two queries and two keys of size ``d_model / num_heads / 2``.
        lambda_init: :math:`\lambda_0`, the initial :math:`\lambda`.

    Raises:
        ValueError: a size is below 1, ``4 * num_heads`` does not divide ``d_model``, or ``lambda_init`` is not finite.
    """

    def __init__(self, d_model: int, num_heads: int, lambda_init: float = 0.5) -> None:
        super().__init__()
        check_heads(d_model, num_heads, parts=4)  # two queries per head, each of even size
        check_range("lambda_init", lambda_init, is_finite(lambda_init), "a finite number")
        self.num_heads, self.lambda_init = num_heads, lambda_init
        self.W_q, self.W_k, self.W_v, self.W_o = (Linear(d_model, d_model) for _ in range(4))
        self.lambda_ = nn.Parameter(torch.tensor(float(lambda_init)))
        self.rotary = RotaryPositions(d_model // num_heads // 2)
        self.norm = nn.RMSNorm(d_model // num_heads)

    def forward(self, x: Tensor, past: KVCache | None = None, mask: Tensor | None = None) -> tuple[Tensor, KVCache]:
        """Attend like `GroupedAttention`, with a different cache.

        The cache is keys ``(batch, 2 * num_heads, past_len, size / 2)`` and values
        ``(batch, num_heads, past_len, size)``.
        """
        check_input(x, past, self.W_q.in_features)
        offset = past[0].shape[2] if past is not None else 0
        # (batch, 2 * num_heads, length, size / 2)
        q, k = (self.rotary(heads(W(x), 2 * self.num_heads), offset) for W in (self.W_q, self.W_k))
        v = heads(self.W_v(x), self.num_heads)  # (batch, num_heads, length, size)
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)  # (..., past_len + length, ...)
        pooled = causal_pooling(q, k, v.repeat_interleave(2, 1), mask)  # (batch, length, 2 * num_heads * size)
        signal, noise = pooled.unflatten(-1, (self.num_heads, 2, -1)).unbind(-2)
        pooled = signal - self.lambda_ * noise  # (batch, length, num_heads, size)
        normed = self.norm(pooled).flatten(-2)  # (batch, length, d_model)
        return self.W_o((1 - self.lambda_init) * normed), (k, v)


def check_input(x: Tensor, past: KVCache | None, size: int) -> None:
    """Check the tokens ``(batch, length, size)`` and the cache of the preceding tokens.

    Raises:
        ValueError: ``x`` has another shape, or ``past`` has another batch size.
        TypeError: ``x`` is not a floating-point tensor, or ``past`` is not a pair of tensors.
    """
    check_floating(x=x)
    if x.dim() != 3 or x.shape[2] != size:
        raise ValueError(f"x must have shape (batch, length, {size}), got {tuple(x.shape)}")
    if past is None:
        return
    check_type("past", past, isinstance(past, tuple | list) and len(past) == 2, "a pair of tensors")
    for part in past:
        check_type("past", part, isinstance(part, Tensor), "a pair of tensors")
        if part.shape[:1] != x.shape[:1]:
            raise ValueError(f"past must have the batch size of x, {x.shape[0]}, got the shape {tuple(part.shape)}")


def heads(x: Tensor, count: int) -> Tensor:
    """``(batch, length, count * size)`` -> ``(batch, count, length, size)``"""
    split: Tensor = x.unflatten(-1, (count, -1))
    return split.transpose(1, 2)


def causal_pooling(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Pool the values in every head and concatenate the heads; groups of heads may share keys and values.

    Args:
        q: ``(batch, heads, queries, size)``, at the last positions of ``k``.
        k: ``(batch, groups, keys, size)``.
        v: ``(batch, groups, keys, value_size)``.
        mask: bool ``(queries, keys)``; causal if None.

    Returns:
        ``(batch, queries, heads * value_size)``; zeros where no key is allowed.

    Raises:
        ValueError: ``mask`` does not have two axes that broadcast to ``(queries, keys)``.
        TypeError: ``mask`` is not boolean.
    """
    if mask is None:
        mask = causal_mask(q.shape[-2], k.shape[-2], device=q.device)
    check_mask(mask, (q.shape[-2], k.shape[-2]))
    check_range("mask.dim()", mask.dim(), mask.dim() == 2, "2")
    pooled = F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=q.shape[1] != k.shape[1])
    pooled = zero_rows_without_key(pooled, mask)
    return pooled.transpose(1, 2).flatten(2)  # (batch, queries, heads * value_size)
