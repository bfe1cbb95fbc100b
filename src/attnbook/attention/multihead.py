"""Multi-head attention (Vaswani et al. 2017, 3.2.2)."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook._internal.validate import check_attention_inputs, check_dropout, check_heads, check_sizes
from attnbook.attention.masks import can_look, causal_mask, combine_masks, masked_softmax
from attnbook.attention.positional import RotaryPositions
from attnbook.attention.scoring import Attention, check_attention_mask

KeyValue = tuple[Tensor, Tensor]


class MultiHeadAttention(Attention):
    r"""Several scaled dot-product attentions side by side, each in a projection of its own.

    .. math::
        \mathrm{MultiHead}(Q, K, V) = [\mathrm{head}_1; \ldots; \mathrm{head}_h] W_o, \quad
        \mathrm{head}_i = \mathrm{softmax}\!\Big(\tfrac{Q W_q^i (K W_k^i)^\top}{\sqrt{d/h}}\Big) V W_v^i

    The heads' projections lie next to each other in one matrix: head :math:`i` is rows
    :math:`i\,d/h \ldots (i+1)\,d/h` of ``W_q.weight``, as in ``torch.nn.MultiheadAttention``.

    It computes with ``F.scaled_dot_product_attention``, whose fused kernels can be differentiated once, and backwards
    alone: for more, such as ``torch.func.jvp``, call it in ``torch.nn.attention.sdpa_kernel(SDPBackend.MATH)``.

    Args:
        d_model: size of the output, shared out among the heads.
        num_heads: number of heads; divides ``d_model``.
        query_size: size of a query; ``d_model`` if None.
        key_size: size of a key; ``d_model`` if None.
        value_size: size of a value; ``d_model`` if None.
        bias: whether the four projections add a bias.
        dropout: probability with which a weight is dropped in training.
        rotary: turn queries and keys by their positions.

    Raises:
        ValueError: a size is below 1, ``num_heads`` does not divide ``d_model``, the size of a head is odd and
            ``rotary`` is True, or ``dropout`` is no probability.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        *,
        query_size: int | None = None,
        key_size: int | None = None,
        value_size: int | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        rotary: bool = False,
    ) -> None:
        super().__init__()
        check_heads(d_model, num_heads, parts=2 if rotary else 1)
        check_sizes(query_size=query_size, key_size=key_size, value_size=value_size)
        check_dropout(dropout=dropout)
        self.num_heads = num_heads
        self.dropout = dropout
        self.W_q = nn.Linear(query_size or d_model, d_model, bias=bias)
        self.W_k = nn.Linear(key_size or d_model, d_model, bias=bias)
        self.W_v = nn.Linear(value_size or d_model, d_model, bias=bias)
        self.W_o = nn.Linear(d_model, d_model, bias=bias)
        self.rotary = RotaryPositions(d_model // num_heads) if rotary else None

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, *, causal: bool = False
    ) -> Tensor:
        """Pool the values, in every head.

        Args:
            query: ``(batch, queries, query_size)``.
            key: ``(batch, keys, key_size)``.
            value: ``(batch, keys, value_size)``.
            mask: bool ``(batch, queries, keys)``, with 1 where it is shared; True = may attend.
            causal: the queries are the last positions of the keys and see none behind their own.

        Returns:
            ``(batch, queries, d_model)``; where no key is allowed, the bias of ``W_o``.

        Raises:
            ValueError: shapes disagree.
            TypeError: ``mask`` is not boolean, or something else not floating point.
        """
        sizes = (self.W_q.in_features, self.W_k.in_features, self.W_v.in_features)
        check_attention_inputs(query, key, value, query_size=sizes[0], key_size=sizes[1], value_size=sizes[2])
        keys_values = self.project_key_value(key, value)
        return self.attend(query, keys_values, mask, causal=causal)

    def project_key_value(self, key: Tensor, value: Tensor, past: KeyValue | None = None) -> KeyValue:
        """What a cache keeps: ``(batch, keys, size)`` -> twice ``(batch, num_heads, keys, d_model / num_heads)``.

        Args:
            key: ``(batch, keys, key_size)``.
            value: ``(batch, keys, value_size)``.
            past: what this method returned for the positions before; the result holds them too.
        """
        k, v = self._split(self.W_k(key)), self._split(self.W_v(value))
        if self.rotary is not None:
            k = self.rotary(k, 0 if past is None else past[0].shape[2])
        if past is None:
            return k, v
        return torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)

    def attend(
        self,
        query: Tensor,
        keys_values: KeyValue,
        mask: Tensor | None = None,
        *,
        causal: bool = False,
    ) -> Tensor:
        """As ``forward``, with keys and values that went through ``project_key_value`` before."""
        k, v = keys_values  # (batch, num_heads, keys, head_dim)
        q = self._split(self.W_q(query))  # (batch, num_heads, queries, head_dim)
        queries, keys = q.shape[-2], k.shape[-2]
        check_attention_mask(mask, torch.Size((q.shape[0], queries, keys)))
        # Torch's own causal path takes as many queries as keys; a single last query sees every key.
        by_flag = False
        if causal and mask is None and queries == keys:  # to torch.compile, `queries == keys` is no bool
            by_flag = True
        if causal and not by_flag and queries > 1:
            mask = combine_masks(mask, causal_mask(queries, keys, device=q.device).unsqueeze(0))
        per_head = None if mask is None else mask.unsqueeze(1)  # (batch, 1, queries, keys)
        if self.rotary is not None:
            q = self.rotary(q, keys - queries if causal else 0)
        dropout = self.dropout if self.training else 0.0
        # Fused attention has a softmax of its own; on a CPU it takes a row of NaN for one that may see nothing.
        intervenes = self.softmax is not masked_softmax or _not_finite(q, k)
        if self.observer is not None or intervenes:
            with torch.set_grad_enabled(intervenes and torch.is_grad_enabled()):
                weights = self._weights(q, k, causal_mask(queries, device=q.device) if by_flag else per_head)
        if self.observer is not None:
            self.observer(weights.detach())
        pooled = F.dropout(weights, dropout) @ v if intervenes else _pool(q, k, v, per_head, dropout, by_flag)
        output: Tensor = self.W_o(pooled.transpose(1, 2).flatten(2))  # from (batch, queries, d_model)
        return output

    def _split(self, x: Tensor) -> Tensor:
        """(batch, length, d_model) -> (batch, num_heads, length, d_model / num_heads)"""
        return x.view(*x.shape[:-1], self.num_heads, x.shape[-1] // self.num_heads).transpose(1, 2)

    def _weights(self, q: Tensor, k: Tensor, mask: Tensor | None) -> Tensor:
        """The weights of the fused function, whose scores are in fp32 at least: one of fp16 ends at 65,504."""
        dtype = torch.promote_types(q.dtype, torch.float32)
        with torch.autocast(q.device.type, enabled=False):
            scores = q.to(dtype) @ k.to(dtype).transpose(-2, -1) / math.sqrt(q.shape[-1])
            return self.softmax(scores, mask).to(q.dtype)


def _not_finite(q: Tensor, k: Tensor) -> bool:
    if not (can_look(q) and can_look(k)):
        return False
    with torch.no_grad():
        # In fp32 at least: the sum of many numbers of fp16 may be none.
        return not math.isfinite(sum(float(x.sum(dtype=torch.promote_types(x.dtype, torch.float32))) for x in (q, k)))


def _pool(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None, dropout: float, causal: bool) -> Tensor:
    """Torch's fused attention; on a CPU in fp32: its backward pass in 16 bits takes three times as long there."""
    if q.device.type != "cpu" or q.dtype.itemsize != 2:
        return F.scaled_dot_product_attention(q, k, v, mask, dropout, is_causal=causal)
    with torch.autocast("cpu", enabled=False):
        pooled = F.scaled_dot_product_attention(q.float(), k.float(), v.float(), mask, dropout, is_causal=causal)
    return pooled.to(q.dtype)
