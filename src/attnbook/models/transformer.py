"""Attention is all you need (Vaswani et al. 2017): the encoder-decoder Transformer, in the order of chapter 8."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, cast, get_args

from torch import Tensor, nn

from attnbook._internal.validate import check_counts, check_dropout, check_heads
from attnbook.attention.multihead import KeyValue, MultiHeadAttention
from attnbook.attention.positional import LearnedPositions, NoPositions, SinusoidalPositions
from attnbook.models.base import EncoderDecoder, ModelConfig, State, check_choice, register_state, takes_options_of

Positions = Literal["sinusoidal", "learned", "rotary"]
DecoderCache = tuple[KeyValue, KeyValue | None]  # of one decoder layer: the source, and the target so far


class FeedForward(nn.Module):
    r"""Two linear layers, applied to every position: :math:`\max(0, x W_1 + b_1) W_2 + b_2`.

    See Vaswani et al. 2017, 3.3.

    Args:
        d_model: size of input and output.
        d_ff: size of the hidden layer.

    Raises:
        ValueError: a size is below 1.

    Example:
        >>> FeedForward(d_model=8, d_ff=32)(torch.randn(2, 5, 8)).shape
        torch.Size([2, 5, 8])
    """

    def __init__(self, d_model: int, d_ff: int) -> None:
        super().__init__()
        check_counts(d_model=d_model, d_ff=d_ff)
        self.W_1 = nn.Linear(d_model, d_ff)
        self.W_2 = nn.Linear(d_ff, d_model)

    def forward(self, x: Tensor) -> Tensor:
        """``(..., d_model)`` -> ``(..., d_model)``"""
        hidden: Tensor = self.W_1(x).relu()  # (..., d_ff)
        output: Tensor = self.W_2(hidden)  # (..., d_model)
        return output


class AddNorm(nn.Module):
    r"""A residual connection around a sublayer, and layer normalization.

    See Vaswani et al. 2017, 3.1, and Ba et al. 2016.

    Post-norm, as in the paper: :math:`\mathrm{LayerNorm}(x + \mathrm{dropout}(f(x)))`. Pre-norm, which trains without
    warm-up (Xiong et al. 2020): :math:`x + \mathrm{dropout}(f(\mathrm{LayerNorm}(x)))`.

    Args:
        d_model: size of ``x``.
        dropout: probability with which an entry of the sublayer's output is dropped (5.4).
        pre_norm: normalize the input of the sublayer instead of the sum.

    Raises:
        ValueError: ``d_model`` is below 1, or ``dropout`` is not a probability.

    Example:
        >>> add_norm = AddNorm(d_model=8)
        >>> add_norm(torch.randn(2, 5, 8), FeedForward(8, 32)).shape
        torch.Size([2, 5, 8])
    """

    def __init__(self, d_model: int, dropout: float = 0.0, pre_norm: bool = False) -> None:
        super().__init__()
        check_counts(d_model=d_model)
        check_dropout(dropout=dropout)
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.pre_norm = pre_norm

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        """``(..., d_model)`` -> ``(..., d_model)``"""
        if self.pre_norm:
            change: Tensor = self.dropout(sublayer(self.norm(x)))
            return x + change
        normalized: Tensor = self.norm(x + self.dropout(sublayer(x)))
        return normalized


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward (Vaswani et al. 2017, 3.1).

    Args:
        d_model: size of a token's vector.
        num_heads: number of heads.
        d_ff: size of the feed-forward hidden layer.
        dropout: see `AddNorm`.
        attention_dropout: probability with which an attention weight is dropped.
        pre_norm: see `AddNorm`.
        rotary: see `MultiHeadAttention`.

    Raises:
        ValueError: see `MultiHeadAttention`, `FeedForward` and `AddNorm`.

    Example:
        >>> layer = EncoderLayer(d_model=16, num_heads=4, d_ff=32)
        >>> mask = lengths_to_mask(torch.tensor([3, 5]))[:, None, :]  # (batch, 1, length)
        >>> layer(torch.randn(2, 5, 16), mask).shape
        torch.Size([2, 5, 16])
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
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
    """Causal self-attention, cross-attention to the memory, then feed-forward (Vaswani et al. 2017, 3.1).

    Args:
        d_model: size of a token's vector.
        num_heads: number of heads.
        d_ff: size of the feed-forward hidden layer.
        dropout: see `AddNorm`.
        attention_dropout: probability with which an attention weight is dropped.
        pre_norm: see `AddNorm`.
        rotary: see `MultiHeadAttention`; applies to the self-attention only.

    Raises:
        ValueError: see `MultiHeadAttention`, `FeedForward` and `AddNorm`.

    Example:
        >>> layer = DecoderLayer(d_model=16, num_heads=4, d_ff=32)
        >>> memory, mask = torch.randn(2, 5, 16), torch.ones(2, 1, 5, dtype=torch.bool)
        >>> x, past = layer(torch.randn(2, 3, 16), memory, mask)
        >>> x.shape
        torch.Size([2, 3, 16])
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        d_ff: int,
        *,
        dropout: float = 0.0,
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
        memory: Tensor,
        source_mask: Tensor | None = None,
        causal: bool = True,
        past: DecoderCache | None = None,
    ) -> tuple[Tensor, DecoderCache]:
        """Process the target tokens ``x``, which follow those in ``past``.

        Args:
            x: ``(batch, target_len, d_model)``.
            memory: ``(batch, source_len, d_model)``, output of the encoder; not used if ``past`` is given.
            source_mask: bool ``(batch, 1, source_len)``; True = a real token.
            causal: a target token attends up to its own position only.
            past: keys and values of the source, ``(batch, num_heads, source_len, head_dim)``, and of the target tokens
                before ``x``, ``(batch, num_heads, past_len, head_dim)`` or None.

        Returns:
            ``(batch, target_len, d_model)``, and the cache that includes ``x``.

        Raises:
            ValueError: ``causal`` is False although there are target tokens in ``past``: without the mask, these
                should have attended to ``x``, too.
        """
        source, target = past or (self.cross_attention.project_key_value(memory, memory), None)
        if target is not None and not causal:
            raise ValueError("causal must be True if past has target tokens, got False")

        def attend_to_target(y: Tensor) -> Tensor:
            nonlocal target
            target = self.self_attention.project_key_value(y, y, target)  # (batch, num_heads, past_len + target_len, _)
            return self.self_attention.attend(y, target, causal=causal)  # (batch, target_len, d_model)

        x = self.add_norm_1(x, attend_to_target)
        x = self.add_norm_2(x, lambda y: self.cross_attention.attend(y, source, source_mask))
        x = self.add_norm_3(x, self.feed_forward)
        return x, (source, target)


@dataclass(frozen=True, kw_only=True)
class TransformerConfig(ModelConfig):
    """Options of a `Transformer`. The defaults are the paper's choices except ``shared``, at a size for small corpora.

    The paper's base model is ``d_model=512, num_heads=8, d_ff=2048, num_layers=6``.

    Args:
        source_vocab_size: number of source ids.
        target_vocab_size: number of target ids.
        d_model: size of a token's vector.
        num_heads: number of heads.
        d_ff: size of the feed-forward hidden layer.
        num_layers: number of layers, in the encoder and in the decoder.
        dropout: applied to embeddings with positions and to the output of every sublayer (5.4).
        attention_dropout: applied to attention weights; the paper has none.
        pre_norm: see `AddNorm`; adds a final LayerNorm to the encoder and to the decoder.
        positions: "sinusoidal", "learned" or "rotary".
        max_length: number of positions in a learned table.
        tied: the head shares the weights of the target embedding (3.4).
        shared: source and target share one vocabulary and one embedding (3.4).

    Raises:
        ValueError: ``positions`` is unknown, a size is below 1, ``num_heads`` does not divide ``d_model``, the
            size of a head is odd although positions are rotary, or ``shared`` is True although the vocabularies have
            different sizes.
    """

    d_model: int = 128
    num_heads: int = 4
    d_ff: int = 512
    num_layers: int = 2
    dropout: float = 0.1
    attention_dropout: float = 0.0
    pre_norm: bool = False
    positions: Positions = "sinusoidal"
    max_length: int = 512
    tied: bool = True
    shared: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("positions", self.positions, get_args(Positions))
        check_heads(self.d_model, self.num_heads, parts=2 if self.positions == "rotary" else 1)
        check_counts(d_ff=self.d_ff, num_layers=self.num_layers, max_length=self.max_length)
        check_dropout(dropout=self.dropout, attention_dropout=self.attention_dropout)
        if self.shared and self.source_vocab_size != self.target_vocab_size:
            sizes = f"{self.source_vocab_size} and {self.target_vocab_size}"
            raise ValueError(f"source_vocab_size must equal target_vocab_size if shared, got {sizes}")


@dataclass(frozen=True)
class TransformerState(State):
    """State of a `Transformer` between two target tokens.

    Args:
        source_cache: for each layer, keys and values of the source for cross-attention, computed once per source; each
            ``(batch, num_heads, source_len, head_dim)``.
        target_cache: for each layer, keys and values of the target tokens so far for self-attention; each
            ``(batch, num_heads, position, head_dim)``, or None before the first token.
    """

    source_cache: tuple[KeyValue, ...]
    target_cache: tuple[KeyValue | None, ...]


register_state(TransformerState)


class Transformer(EncoderDecoder[TransformerState]):
    r"""The encoder-decoder Transformer (Vaswani et al. 2017): ``Transformer(9, 11, d_model=64)``.

    `TransformerConfig` lists the options. Embeddings are multiplied by :math:`\sqrt{d_{model}}` before the positions
    are added (3.4, 3.5).

    Weights are initialized from Xavier's uniform distribution and embeddings from :math:`N(0, 1/d_{model})`, so that a
    scaled embedding has variance 1; sinusoidal positions have a mean square of 1/2, learned ones begin with the
    variance :math:`1/d_{model}`. An untied head keeps PyTorch's initialization. The paper does not specify any.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> model = Transformer(len(letters), len(letters), d_model=16, num_heads=4, num_layers=1)
        >>> model(collate(pairs, letters, letters)).shape  # logits
        torch.Size([2, 4, 7])
    """

    state_type = TransformerState

    @takes_options_of(TransformerConfig)
    def __init__(self, config: TransformerConfig) -> None:
        super().__init__(config.source_vocab_size, config.target_vocab_size, asdict(config))
        d_model, pre_norm = config.d_model, config.pre_norm
        sizes = (d_model, config.num_heads, config.d_ff)
        options: dict[str, Any] = {
            "dropout": config.dropout,
            "attention_dropout": config.attention_dropout,
            "pre_norm": pre_norm,
            "rotary": config.positions == "rotary",
        }
        if config.positions == "learned":
            self.max_length = config.max_length
        self.scale = math.sqrt(d_model)
        self.source_embedding = nn.Embedding(config.source_vocab_size, d_model)
        self.target_embedding = self.source_embedding
        if not config.shared:
            self.target_embedding = nn.Embedding(config.target_vocab_size, d_model)
        self.source_positions = _positions(config)
        self.target_positions = _positions(config)
        self.encoder = nn.ModuleList(EncoderLayer(*sizes, **options) for _ in range(config.num_layers))
        self.decoder = nn.ModuleList(DecoderLayer(*sizes, **options) for _ in range(config.num_layers))
        self.encoder_norm = nn.LayerNorm(d_model) if pre_norm else nn.Identity()
        self.decoder_norm = nn.LayerNorm(d_model) if pre_norm else nn.Identity()
        self.head = nn.Linear(d_model, config.target_vocab_size)
        self._initialize()
        if config.tied:
            self.head.weight = self.target_embedding.weight

    def encode(self, source: Tensor, source_mask: Tensor | None = None, *, wait: bool = True) -> TransformerState:
        source_mask = self.check_source(source, source_mask, wait=wait)  # (batch, source_len)
        mask = source_mask.unsqueeze(1)  # (batch, 1, source_len)
        x = self.source_positions(self.source_embedding(source) * self.scale)  # (batch, source_len, d_model)
        for layer in self.encoder:
            x = layer(x, mask)
        memory = self.encoder_norm(x)
        cross_attentions = [cast("DecoderLayer", layer).cross_attention for layer in self.decoder]
        source_cache = tuple(attention.project_key_value(memory, memory) for attention in cross_attentions)
        return TransformerState(memory, source_mask, 0, source_cache, (None,) * len(self.decoder))

    def decode(self, target_in: Tensor, state: TransformerState) -> tuple[Tensor, TransformerState]:
        self.check_target(target_in, state)
        mask = state.memory_mask.unsqueeze(1)  # (batch, 1, source_len)
        x = self.target_embedding(target_in) * self.scale  # (batch, target_len, d_model)
        x = self.target_positions(x, offset=state.position)
        target_cache = []
        for layer, source, target in zip(self.decoder, state.source_cache, state.target_cache, strict=True):
            x, (_, target) = layer(x, state.memory, mask, past=(source, target))
            target_cache.append(target)
        logits = self.head(self.decoder_norm(x))  # (batch, target_len, target_vocab_size)
        position = state.position + target_in.shape[1]
        return logits, replace(state, position=position, target_cache=tuple(target_cache))

    def _initialize(self) -> None:
        for module in self.modules():
            if isinstance(module, nn.Linear) and module is not self.head:
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                nn.init.normal_(module.weight, std=module.embedding_dim**-0.5)


def _positions(config: TransformerConfig) -> nn.Module:
    if config.positions == "sinusoidal":
        return SinusoidalPositions(config.d_model, config.dropout)
    if config.positions == "learned":
        return LearnedPositions(config.d_model, config.max_length, config.dropout)
    return NoPositions(config.dropout)  # the attention applies rotary positions
