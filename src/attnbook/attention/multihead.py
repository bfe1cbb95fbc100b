"""Multi-head attention (Vaswani et al. 2017, 3.2.2)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from attnbook._internal.validate import (
    check_attention_inputs,
    check_batch_size,
    check_dropout,
    check_heads,
    check_sizes,
)
from attnbook.attention.kernels import Attention, multi_head_pooling
from attnbook.attention.positional import RotaryPositions

KeyValue = tuple[Tensor, Tensor]  # projected keys and values of every head


class MultiHeadAttention(Attention):
    r"""Several scaled dot-product attentions in parallel, each with its own projections.

    .. math::
        \mathrm{MultiHead}(Q, K, V) = [\mathrm{head}_1; \ldots; \mathrm{head}_h] W_o, \quad
        \mathrm{head}_i = \mathrm{softmax}\!\Big(\tfrac{Q W_q^i (K W_k^i)^\top}{\sqrt{d/h}}\Big) V W_v^i

    The projections of the heads are stacked in one matrix: head :math:`i` is rows :math:`(i-1)\,d/h` up to, but
    without, :math:`i\,d/h` of ``W_q.weight`` (counted from 0), as in ``torch.nn.MultiheadAttention``.

    The fused kernels of ``F.scaled_dot_product_attention`` support only first derivatives in reverse mode. For more,
    such as ``torch.func.jvp``, use the context ``torch.nn.attention.sdpa_kernel(SDPBackend.MATH)``.

    Args:
        d_model: size of the output, divided among the heads.
        num_heads: number of heads; divides ``d_model``.
        query_size: size of a query; ``d_model`` if None.
        key_size: size of a key; ``d_model`` if None.
        value_size: size of a value; ``d_model`` if None.
        bias: whether the four projections add a bias.
        dropout: probability with which a weight is dropped in training.
        rotary: rotate queries and keys by their positions (Su et al. 2021).

    Raises:
        ValueError: a size is below 1, ``num_heads`` does not divide ``d_model``, the size of a head is odd although
            ``rotary`` is True, or ``dropout`` is not a probability.

    Example:
        >>> attention = MultiHeadAttention(d_model=16, num_heads=4)
        >>> x = torch.randn(2, 5, 16)
        >>> attention(x, x, x, causal_mask(5)[None]).shape  # self-attention
        torch.Size([2, 5, 16])
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
        """Pool the values in every head.

        Args:
            query: ``(batch, queries, query_size)``.
            key: ``(batch, keys, key_size)``.
            value: ``(batch, keys, value_size)``.
            mask: bool ``(batch, queries, keys)``, with 1 where it is shared; True = may attend.
            causal: the queries are the last positions of the keys, and each attends up to its own position.

        Returns:
            ``(batch, queries, d_model)``; the bias of ``W_o`` where no key is allowed.

        Raises:
            ValueError: the shapes disagree, or there are more causal queries than keys.
            TypeError: ``mask`` is not boolean, or another input is not floating point.
        """
        sizes = {"query_size": self.W_q.in_features, "key_size": self.W_k.in_features}
        check_attention_inputs(query, key, value, **sizes, value_size=self.W_v.in_features)
        if causal and query.shape[1] > key.shape[1]:
            raise ValueError(
                f"query must not have more positions than key if causal, got {query.shape[1]} and {key.shape[1]}"
            )
        return self.attend(query, self.project_key_value(key, value), mask, causal=causal)

    def project_key_value(self, key: Tensor, value: Tensor, past: KeyValue | None = None) -> KeyValue:
        """Project keys and values once, to attend to them repeatedly.

        Args:
            key: ``(batch, keys, key_size)``.
            value: ``(batch, keys, value_size)``.
            past: result of this method for the preceding positions; the new result includes them.

        Returns:
            keys and values, each ``(batch, num_heads, past_len + keys, head_dim)``.
        """
        k = self.split(self.W_k(key))  # (batch, num_heads, keys, head_dim)
        v = self.split(self.W_v(value))  # (batch, num_heads, keys, head_dim)
        if self.rotary is not None:
            k = self.rotary(k, offset=0 if past is None else past[0].shape[2])
        if past is not None:
            k = torch.cat((past[0], k), 2)  # (batch, num_heads, past_len + keys, head_dim)
            v = torch.cat((past[1], v), 2)  # (batch, num_heads, past_len + keys, head_dim)
        return k, v

    def attend(
        self, query: Tensor, keys_values: KeyValue, mask: Tensor | None = None, *, causal: bool = False
    ) -> Tensor:
        """Pool the values like ``forward``, with keys and values from ``project_key_value``.

        Args:
            query: ``(batch, queries, query_size)``.
            keys_values: keys and values, each ``(batch, num_heads, keys, head_dim)``.
            mask: as in ``forward``.
            causal: as in ``forward``.

        Returns:
            ``(batch, queries, d_model)``; the bias of ``W_o`` where no key is allowed.

        Raises:
            ValueError: the batch sizes differ (a batch of 1 is not broadcast), ``mask`` does not fit, or there are more
                causal queries than keys.
            TypeError: ``mask`` is not boolean.
        """
        k, v = keys_values  # (batch, num_heads, keys, head_dim)
        check_batch_size(query, keys=k, values=v)
        q = self.split(self.W_q(query))  # (batch, num_heads, queries, head_dim)
        if self.rotary is not None:
            q = self.rotary(q, offset=k.shape[2] - q.shape[2] if causal else 0)
        dropout = self.dropout if self.training else 0.0
        heads = multi_head_pooling(self, q, k, v, mask, causal=causal, dropout=dropout)  # shape of q
        output: Tensor = self.W_o(heads.transpose(1, 2).flatten(2))  # (batch, queries, d_model)
        return output

    def split(self, x: Tensor) -> Tensor:
        """Split the features into heads: ``(batch, length, d_model)`` -> ``(batch, num_heads, length, head_dim)``."""
        heads: Tensor = x.unflatten(-1, (self.num_heads, -1))  # (batch, length, num_heads, head_dim)
        return heads.transpose(1, 2)
