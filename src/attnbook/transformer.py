"""Attention is all you need (Vaswani et al. 2017): the encoder-decoder Transformer."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import cast

import torch
from torch import Tensor, nn

from attnbook.encoder_decoder import EncoderDecoder, State
from attnbook.multihead import KeyValue, MultiHeadAttention
from attnbook.positional import LearnedPositions, SinusoidalPositions

POSITIONS = ("sinusoidal", "learned", "rotary")


@dataclass(frozen=True)
class TransformerState(State):
    """A decoder's state between two target tokens.

    Args:
        source_cache: a layer's cross-attention keys and values, made once a source; each
            ``(batch, num_heads, source_len, head_dim)``.
        target_cache: a layer's self-attention keys and values of the target so far; each
            ``(batch, num_heads, position, head_dim)``, or None before the first token.
    """

    source_cache: tuple[KeyValue, ...]
    target_cache: tuple[KeyValue | None, ...]


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

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
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
        self, x: Tensor, source: KeyValue, source_mask: Tensor, past: KeyValue | None
    ) -> tuple[Tensor, KeyValue]:
        """Go on from the ``past`` by the tokens ``x``.

        Args:
            x: ``(batch, target_len, d_model)``.
            source: keys and values of the source, ``(batch, num_heads, source_len, head_dim)``.
            source_mask: bool ``(batch, 1, source_len)``.
            past: keys and values of the target tokens before ``x``.

        Returns:
            ``(batch, target_len, d_model)``, and keys and values of all target tokens so far.
        """
        seen = past

        def look_back(y: Tensor) -> Tensor:
            nonlocal seen
            seen = self._extend(past, y)
            return self.self_attention.attend(y, seen, causal=True)

        x = self.add_norm_1(x, look_back)
        x = self.add_norm_2(x, lambda y: self.cross_attention.attend(y, source, source_mask))
        x = self.add_norm_3(x, self.feed_forward)
        assert seen is not None
        return x, seen

    def _extend(self, past: KeyValue | None, y: Tensor) -> KeyValue:
        if past is None:
            return self.self_attention.project_key_value(y, y)
        key, value = self.self_attention.project_key_value(y, y, offset=past[0].shape[2])
        return torch.cat((past[0], key), 2), torch.cat((past[1], value), 2)


class Transformer(EncoderDecoder):
    r"""The encoder-decoder Transformer.

    Embeddings are scaled by :math:`\sqrt{d_{model}}` before the positions are added (3.4, 3.5). The defaults are the
    paper's choices at a size for small corpora; its base model is
    ``d_model=512, num_heads=8, d_ff=2048, num_layers=6``.

    Weights start from Xavier's uniform distribution and embeddings from :math:`N(0, 1/d_{model})`, so that a scaled
    embedding has entries of variance 1 beside positions of variance 1/2. A head of its own starts as the library's.
    The paper does not say how its weights began.

    Args:
        source_vocab_size: number of source ids.
        target_vocab_size: number of target ids.
        d_model: size of a token's vector.
        num_heads: number of heads.
        d_ff: size of the feed-forward hidden layer.
        num_layers: number of layers in encoder and decoder.
        dropout: of embeddings with positions and of every sublayer's output (5.4).
        attention_dropout: of attention weights; the paper has none.
        pre_norm: see `AddNorm`; adds a normalisation behind the last layer.
        positions: "sinusoidal", "learned" or "rotary".
        max_length: number of positions of a learned table.
        tied: the head has the target embedding's weights (3.4).

    Raises:
        ValueError: another kind of positions, a size below 1, or ``num_heads`` does not divide ``d_model``.
    """

    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        *,
        d_model: int = 128,
        num_heads: int = 4,
        d_ff: int = 512,
        num_layers: int = 2,
        dropout: float = 0.1,
        attention_dropout: float = 0.0,
        pre_norm: bool = False,
        positions: str = "sinusoidal",
        max_length: int = 512,
        tied: bool = True,
    ) -> None:
        if positions not in POSITIONS:
            raise ValueError(f"positions is {positions!r}: wanted one of {POSITIONS}")
        config = {
            "d_model": d_model,
            "num_heads": num_heads,
            "d_ff": d_ff,
            "num_layers": num_layers,
            "dropout": dropout,
            "attention_dropout": attention_dropout,
            "pre_norm": pre_norm,
            "positions": positions,
            "max_length": max_length,
            "tied": tied,
        }
        super().__init__(source_vocab_size, target_vocab_size, config)
        for name, size in (("d_model", d_model), ("d_ff", d_ff), ("num_layers", num_layers)):
            if size < 1:
                raise ValueError(f"{name} is {size}: wanted 1 or more")
        layer = (d_model, num_heads, d_ff, dropout, attention_dropout, pre_norm, positions == "rotary")
        self.scale = math.sqrt(d_model)
        self.source_embedding = nn.Embedding(source_vocab_size, d_model)
        self.target_embedding = nn.Embedding(target_vocab_size, d_model)
        self.source_positions = _positions(positions, d_model, max_length, dropout)
        self.target_positions = _positions(positions, d_model, max_length, dropout)
        self.encoder = nn.ModuleList(EncoderLayer(*layer) for _ in range(num_layers))
        self.decoder = nn.ModuleList(DecoderLayer(*layer) for _ in range(num_layers))
        self.encoder_norm = nn.LayerNorm(d_model) if pre_norm else nn.Identity()
        self.decoder_norm = nn.LayerNorm(d_model) if pre_norm else nn.Identity()
        self.head = nn.Linear(d_model, target_vocab_size)
        self._initialise()
        if tied:
            self.head.weight = self.target_embedding.weight

    def encode(self, source: Tensor, source_mask: Tensor) -> TransformerState:
        self.check_source(source, source_mask)
        mask = source_mask.unsqueeze(1)  # (batch, 1, source_len)
        x = self._embed(self.source_embedding, self.source_positions, source, 0)
        for layer in self.encoder:
            x = layer(x, mask)
        memory = self.encoder_norm(x)  # (batch, source_len, d_model)
        layers = cast("list[DecoderLayer]", self.decoder)
        source_cache = tuple(layer.cross_attention.project_key_value(memory, memory) for layer in layers)
        return TransformerState(memory, source_mask, 0, source_cache, (None,) * len(self.decoder))

    def decode_features(self, target_in: Tensor, state: TransformerState) -> tuple[Tensor, TransformerState]:
        self.check_target(target_in, state)
        mask = state.memory_mask.unsqueeze(1)  # (batch, 1, source_len)
        x = self._embed(self.target_embedding, self.target_positions, target_in, state.position)
        target_cache = []
        for layer, source, past in zip(self.decoder, state.source_cache, state.target_cache, strict=True):
            x, seen = layer(x, source, mask, past)
            target_cache.append(seen)
        position = state.position + target_in.shape[1]
        return self.decoder_norm(x), replace(state, position=position, target_cache=tuple(target_cache))

    def _embed(self, embedding: nn.Module, positions: nn.Module, ids: Tensor, offset: int) -> Tensor:
        x = embedding(ids) * self.scale
        embedded: Tensor = positions(x) if isinstance(positions, nn.Dropout) else positions(x, offset)
        return embedded

    def _initialise(self) -> None:
        for module in self.modules():
            if isinstance(module, nn.Linear) and module is not self.head:
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)


def _positions(kind: str, d_model: int, max_length: int, dropout: float) -> nn.Module:
    if kind == "sinusoidal":
        return SinusoidalPositions(d_model, dropout)
    if kind == "learned":
        return LearnedPositions(d_model, max_length, dropout)
    return nn.Dropout(dropout)  # rotary positions enter in the attention
