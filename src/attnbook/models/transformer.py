"""Attention is all you need (Vaswani et al. 2017): the encoder-decoder Transformer."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import cast

from torch import Tensor, nn

from attnbook._internal.validate import check_counts
from attnbook.attention.multihead import KeyValue
from attnbook.attention.positional import LearnedPositions, SinusoidalPositions
from attnbook.models.base import EncoderDecoder, State, register_state
from attnbook.models.transformer_layers import AddNorm, DecoderLayer, EncoderLayer, FeedForward

__all__ = ["AddNorm", "DecoderLayer", "EncoderLayer", "FeedForward", "Transformer", "TransformerState"]

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


register_state(TransformerState)


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
        shared: source and target are written with one vocabulary and have one embedding (3.4).

    Raises:
        ValueError: another kind of positions, a size below 1, ``num_heads`` does not divide ``d_model``, or ``shared``
            with vocabularies of two sizes.
    """

    state_type = TransformerState

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
        shared: bool = False,
    ) -> None:
        if positions not in POSITIONS:
            raise ValueError(f"positions is {positions!r}: wanted one of {POSITIONS}")
        if shared and source_vocab_size != target_vocab_size:
            sizes = f"source_vocab_size is {source_vocab_size} and target_vocab_size {target_vocab_size}"
            raise ValueError(f"{sizes}: wanted one size, because shared is True")
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
            "shared": shared,
        }
        super().__init__(source_vocab_size, target_vocab_size, config)
        check_counts(d_model=d_model, d_ff=d_ff, num_layers=num_layers, max_length=max_length)
        if positions == "learned":
            self.max_length = max_length
        layer = (d_model, num_heads, d_ff, dropout, attention_dropout, pre_norm, positions == "rotary")
        self.scale = math.sqrt(d_model)
        self.source_embedding = nn.Embedding(source_vocab_size, d_model)
        self.target_embedding = self.source_embedding if shared else nn.Embedding(target_vocab_size, d_model)
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

    def read(self, source: Tensor, source_mask: Tensor) -> TransformerState:
        mask = source_mask.unsqueeze(1)  # (batch, 1, source_len)
        x = self._embed(self.source_embedding, self.source_positions, source, 0)
        for layer in self.encoder:
            x = layer(x, mask)
        memory = self.encoder_norm(x)  # (batch, source_len, d_model)
        layers = cast("list[DecoderLayer]", self.decoder)
        source_cache = tuple(layer.cross_attention.project_key_value(memory, memory) for layer in layers)
        return TransformerState(memory, source_mask, 0, source_cache, (None,) * len(self.decoder))

    def write(self, target_in: Tensor, state: TransformerState) -> tuple[Tensor, TransformerState]:
        mask = state.memory_mask.unsqueeze(1)  # (batch, 1, source_len)
        x = self._embed(self.target_embedding, self.target_positions, target_in, state.position)
        target_cache = []
        for layer, source, past in zip(self.decoder, state.source_cache, state.target_cache, strict=True):
            x, seen = layer(x, source, mask, past)
            target_cache.append(seen)
        return self.decoder_norm(x), replace(state, target_cache=tuple(target_cache))

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
