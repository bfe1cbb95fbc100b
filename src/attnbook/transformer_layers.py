"""The parts of a Transformer: feed-forward network, add & norm, encoder layer and decoder layer."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from attnbook.multihead import KeyValue, MultiHeadAttention
from attnbook.packing import Packing


class FeedForward(nn.Module):
    r"""The same two layers at every position: :math:`\max(0, x W_1 + b_1) W_2 + b_2` (3.3).

    Args:
        d_model: size of input and output.
        d_ff: size of the hidden layer.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """``(..., d_model)`` -> ``(..., d_model)``"""
        hidden: Tensor = self.W_1(x).relu()  # (..., d_ff)
        output: Tensor = self.W_2(hidden)
        return output


class AddNorm(nn.Module):
    r"""A residual connection around a sublayer, and layer normalisation (3.1; Ba et al. 2016).

    Post-norm, as in the paper: :math:`\mathrm{LayerNorm}(x + \mathrm{dropout}(f(x)))`. Pre-norm, which trains without
    warm-up (Xiong et al. 2020): :math:`x + \mathrm{dropout}(f(\mathrm{LayerNorm}(x)))`.

    Args:
        d_model: size of ``x``.
        dropout: probability with which an entry of the sublayer's output is dropped (5.4).
        pre_norm: normalise before the sublayer, not after the sum.
    """

    def __init__(self, d_model: int, dropout: float, pre_norm: bool) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.pre_norm = pre_norm

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """``(..., d_model)`` -> ``(..., d_model)``"""
        if self.pre_norm:
            summed: Tensor = x + self.dropout(sublayer(self.norm(x)))
            return summed
        normed: Tensor = self.norm(x + self.dropout(sublayer(x)))
        return normed


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward (3.1).

    Args:
        d_model: size of a token's vector.
        num_heads: number of heads.
        d_ff: size of the feed-forward hidden layer.
        dropout: see `AddNorm`.
        attention_dropout: probability with which an attention weight is dropped.
        pre_norm: see `AddNorm`.
        rotary: see `MultiHeadAttention`.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float,
        attention_dropout: float = 0.0,
        pre_norm: bool = False,
        rotary: bool = False,
    ) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=attention_dropout, rotary=rotary)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.add_norm_1 = AddNorm(d_model, dropout, pre_norm)
        self.add_norm_2 = AddNorm(d_model, dropout, pre_norm)

    def forward(self, x: Tensor, mask: Tensor, packing: Packing | None = None) -> Tensor:
        """``(batch, source_len, d_model)``, bool ``(batch, 1, source_len)`` -> ``(batch, source_len, d_model)``

        With a ``packing``, ``x`` and the result are packed, ``(tokens, d_model)``.
        """

        def look_around(y: Tensor) -> Tensor:
            keys_values = self.self_attention.project_key_value(y, y, packing=packing)
            return self.self_attention.attend(y, keys_values, mask, packing=packing)

        x = self.add_norm_1(x, look_around)
        x = self.add_norm_2(x, self.feed_forward)
        return x


class DecoderLayer(nn.Module):
    """Masked self-attention, cross-attention to the source, then feed-forward (3.1).

    Args:
        d_model: size of a token's vector.
        num_heads: number of heads.
        d_ff: size of the feed-forward hidden layer.
        dropout: see `AddNorm`.
        attention_dropout: probability with which an attention weight is dropped.
        pre_norm: see `AddNorm`.
        rotary: see `MultiHeadAttention`; for the self-attention alone.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        dropout: float,
        attention_dropout: float = 0.0,
        pre_norm: bool = False,
        rotary: bool = False,
    ) -> None:
        super().__init__()
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout=attention_dropout, rotary=rotary)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout=attention_dropout)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.add_norm_1 = AddNorm(d_model, dropout, pre_norm)
        self.add_norm_2 = AddNorm(d_model, dropout, pre_norm)
        self.add_norm_3 = AddNorm(d_model, dropout, pre_norm)

    def forward(
        self,
        x: Tensor,
        source: KeyValue,
        source_mask: Tensor,
        past: KeyValue | None,
        packing: Packing | None = None,
    ) -> tuple[Tensor, KeyValue]:
        """Go on from the ``past`` by the tokens ``x``.

        Args:
            x: ``(batch, target_len, d_model)``.
            source: keys and values of the source, ``(batch, num_heads, source_len, head_dim)``.
            source_mask: bool ``(batch, 1, source_len)``.
            past: keys and values of the target tokens before ``x``.
            packing: ``x`` and the result are packed, ``(tokens, d_model)``.

        Returns:
            ``(batch, target_len, d_model)``, and keys and values of all target tokens so far.
        """
        seen = past

        def look_back(y: Tensor) -> Tensor:
            nonlocal seen
            seen = self._extend(past, y, packing)
            return self.self_attention.attend(y, seen, causal=True, packing=packing)

        x = self.add_norm_1(x, look_back)
        x = self.add_norm_2(x, lambda y: self.cross_attention.attend(y, source, source_mask, packing=packing))
        x = self.add_norm_3(x, self.feed_forward)
        assert seen is not None
        return x, seen

    def _extend(self, past: KeyValue | None, y: Tensor, packing: Packing | None) -> KeyValue:
        offset = 0 if past is None else past[0].shape[2]
        key, value = self.self_attention.project_key_value(y, y, offset, packing)
        if past is None:
            return key, value
        return torch.cat((past[0], key), 2), torch.cat((past[1], value), 2)
