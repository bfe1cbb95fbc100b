"""The parts of a Transformer: feed-forward network, add & norm, encoder layer and decoder layer."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor, nn

from attnbook._internal.validate import check_counts, check_dropout
from attnbook.attention.multihead import KeyValue, MultiHeadAttention


class FeedForward(nn.Module):
    r"""The same two layers at every position: :math:`\max(0, x W_1 + b_1) W_2 + b_2` (3.3).

    Args:
        d_model: size of input and output.
        d_ff: size of the hidden layer.

    Raises:
        ValueError: a size is below 1.
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        check_counts(d_model=d_model, d_ff=d_ff)
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

    Raises:
        ValueError: ``d_model`` is below 1, or ``dropout`` is no probability.
    """

    def __init__(self, d_model: int, dropout: float, pre_norm: bool) -> None:
        super().__init__()
        check_counts(d_model=d_model)
        check_dropout(dropout=dropout)
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.pre_norm = pre_norm

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """``(..., d_model)`` -> ``(..., d_model)``"""
        return self.after(x, sublayer(self.before(x)))

    def before(self, x: Tensor) -> Tensor:
        """What the sublayer reads: ``(..., d_model)`` -> ``(..., d_model)``"""
        return self.norm(x) if self.pre_norm else x

    def after(self, x: Tensor, output: Tensor) -> Tensor:
        """``x`` and the sublayer's output, twice ``(..., d_model)`` -> ``(..., d_model)``"""
        summed: Tensor = x + self.dropout(output)
        return summed if self.pre_norm else self.norm(summed)


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

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """``(batch, source_len, d_model)``, bool ``(batch, 1, source_len)`` -> ``(batch, source_len, d_model)``"""
        x = self.add_norm_1(x, lambda y: self.self_attention(y, y, y, mask))
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
        source_mask: Tensor | None = None,
        past: KeyValue | None = None,
    ) -> tuple[Tensor, KeyValue]:
        """Go on from the ``past`` by the tokens ``x``.

        Args:
            x: ``(batch, target_len, d_model)``.
            source: keys and values of the source, ``(batch, num_heads, source_len, head_dim)``.
            source_mask: bool ``(batch, 1, source_len)``.
            past: keys and values of the target tokens before ``x``, ``(batch, num_heads, past_len, head_dim)``.

        Returns:
            ``(batch, target_len, d_model)``, and keys and values of all target tokens so far.
        """
        y = self.add_norm_1.before(x)
        seen = self.self_attention.project_key_value(y, y, past)
        x = self.add_norm_1.after(x, self.self_attention.attend(y, seen, causal=True))
        x = self.add_norm_2(x, lambda y: self.cross_attention.attend(y, source, source_mask))
        x = self.add_norm_3(x, self.feed_forward)
        return x, seen
