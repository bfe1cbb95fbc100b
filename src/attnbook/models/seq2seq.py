"""Recurrent encoder-decoders: the parts they share, and the model without attention.

A `RecurrentEncoderDecoder` reads with a `GRUEncoder` and writes with a `RecurrentDecoder`. `Seq2Seq` has a decoder that
sees the source through one vector; `attnbook.models.bahdanau` and `attnbook.models.luong` have decoders with attention.

The gated unit is ``torch.nn.GRU``. It differs from Bahdanau et al. 2015, A.1.1, in two points: its reset gate
acts after the matrix product, :math:`r \\circ (U h)` instead of :math:`U (r \\circ h)`, and its update gate is one
minus theirs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor, nn

from attnbook._internal.validate import check_counts, check_dropout
from attnbook.attention.masks import check_right_padded
from attnbook.models.base import EncoderDecoder, ModelConfig, State, register_state, takes_options_of
from attnbook.models.gru_runner import run_gru


@dataclass(frozen=True, kw_only=True)
class RecurrentConfig(ModelConfig):
    """Options shared by the recurrent models.

    Args:
        source_vocab_size: number of source ids.
        target_vocab_size: number of target ids.
        embed_size: size of an embedding.
        num_hiddens: size of a hidden state, and of the hidden layer of an additive score.
        num_layers: number of layers, in the encoder and in the decoder.
        dropout: applied to embeddings and between layers.
        bidirectional: read the source in both directions.

    Raises:
        ValueError: a size is below 1, or ``dropout`` is not a probability.
    """

    embed_size: int = 128
    num_hiddens: int = 128
    num_layers: int = 1
    dropout: float = 0.1
    bidirectional: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        check_counts(embed_size=self.embed_size, num_hiddens=self.num_hiddens, num_layers=self.num_layers)
        check_dropout(dropout=self.dropout)


@dataclass(frozen=True)
class RecurrentState(State):
    """State of a recurrent decoder between two target tokens, in addition to `State`.

    Args:
        hidden: ``(batch, num_layers, num_hiddens)``, hidden state of every layer.
    """

    hidden: Tensor


RecurrentStateT = TypeVar("RecurrentStateT", bound=RecurrentState)


class GRUEncoder(nn.Module):
    """Read the source with a gated recurrent network (Cho et al. 2014, 2.3).

    Padding has no effect: a sentence ends at its last real token.

    Args:
        vocab_size: number of source ids.
        embed_size: size of an embedding.
        num_hiddens: size of a hidden state.
        num_layers: number of layers.
        dropout: applied to embeddings and between layers.
        bidirectional: read in both directions, as in Bahdanau et al. 2015, 3.2.
    """

    def __init__(
        self,
        vocab_size: int,
        embed_size: int,
        num_hiddens: int,
        num_layers: int = 1,
        dropout: float = 0.0,
        bidirectional: bool = False,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.dropout = nn.Dropout(dropout)
        self.rnn = nn.GRU(
            embed_size,
            num_hiddens,
            num_layers,
            batch_first=True,
            dropout=dropout if num_layers > 1 else 0.0,
            bidirectional=bidirectional,
        )
        self.bridge = (
            nn.ModuleList(nn.Linear(num_hiddens, num_hiddens) for _ in range(num_layers)) if bidirectional else None
        )
        self.memory_size = num_hiddens * (2 if bidirectional else 1)

    @classmethod
    def from_config(cls, config: RecurrentConfig) -> GRUEncoder:
        """Build the encoder of a model."""
        sizes = (config.source_vocab_size, config.embed_size, config.num_hiddens, config.num_layers)
        return cls(*sizes, config.dropout, config.bidirectional)

    def forward(self, source: Tensor, source_mask: Tensor) -> tuple[Tensor, Tensor]:
        r"""Read a batch of sentences.

        The decoder starts from the final hidden states; after a bidirectional encoder, from
        :math:`s_0 = \tanh(W_s \overleftarrow{h}_1)` in every layer (Bahdanau et al. 2015, A.2.2).

        Args:
            source: ``(batch, source_len)`` ids.
            source_mask: ``(batch, source_len)`` bool, True = a real token; padding on the right.

        Returns:
            memory ``(batch, source_len, memory_size)``, zeros at padding, and the decoder's first hidden state
            ``(batch, num_layers, num_hiddens)``, zeros for a sentence without a real token.

        Raises:
            ValueError: a real token follows padding. A mask on a GPU is checked by ``encode`` of the model, not here.
        """
        check_right_padded("source_mask", source_mask)
        embedded = self.dropout(self.embedding(source))  # (batch, source_len, embed_size)
        # memory: (batch, source_len, memory_size), hidden: (num_layers * directions, batch, num_hiddens)
        memory, hidden = run_gru(self.rnn, embedded, source_mask)
        if self.bridge is not None:
            backward = hidden[1::2]  # the backward states, which have read the first token last
            states = [layer(state).tanh() for layer, state in zip(self.bridge, backward, strict=True)]
            hidden = torch.stack(states)  # (num_layers, batch, num_hiddens)
        has_tokens = source_mask.any(1)  # (batch,)
        memory = memory * source_mask.unsqueeze(-1)
        return memory, hidden.transpose(0, 1) * has_tokens[:, None, None]  # (batch, num_layers, num_hiddens)


class RecurrentDecoder(nn.Module, Generic[RecurrentStateT]):
    """Write the target token by token; a subclass defines the step.

    Args:
        vocab_size: number of target ids.
        embed_size: size of an embedding.
        dropout: applied to embeddings.
    """

    feature_size: int  # size of the vectors that the model's head turns into logits

    def __init__(self, vocab_size: int, embed_size: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.dropout = nn.Dropout(dropout)

    @abstractmethod
    def start(self, memory: Tensor, memory_mask: Tensor, hidden: Tensor) -> RecurrentStateT:
        """Return the state before the first token."""

    @abstractmethod
    def forward(self, target_in: Tensor, state: RecurrentStateT) -> tuple[Tensor, RecurrentStateT]:
        """``(batch, target_len)`` ids -> features ``(batch, target_len, feature_size)`` and the state after them."""


class RecurrentEncoderDecoder(EncoderDecoder[RecurrentStateT]):
    """A GRU encoder, a decoder, and a linear head.

    Args:
        encoder: reads the source.
        decoder: writes the target.
        config: see `EncoderDecoder`.
    """

    state_type: type[RecurrentStateT] = RecurrentState  # type: ignore[assignment]  # the base of every such state

    def __init__(
        self, encoder: GRUEncoder, decoder: RecurrentDecoder[RecurrentStateT], config: Mapping[str, Any]
    ) -> None:
        super().__init__(encoder.embedding.num_embeddings, decoder.embedding.num_embeddings, config)
        self.encoder = encoder
        self.decoder = decoder
        self.head = nn.Linear(decoder.feature_size, self.target_vocab_size)

    def encode(self, source: Tensor, source_mask: Tensor | None = None, *, wait: bool = True) -> RecurrentStateT:
        source_mask = self.check_source(source, source_mask, wait=wait)
        memory, hidden = self.encoder(source, source_mask)
        return self.decoder.start(memory, source_mask, hidden)

    def decode(self, target_in: Tensor, state: RecurrentStateT) -> tuple[Tensor, RecurrentStateT]:
        self.check_target(target_in, state)
        features, after = self.decoder(target_in, state)  # (batch, target_len, feature_size)
        return self.head(features), replace(after, position=state.position + target_in.shape[1])


class CellStack(nn.Module):
    """A stack of GRU cells that takes one step, for decoders whose input depends on the previous step.

    Args:
        input_size: size of the lowest layer's input.
        num_hiddens: size of a hidden state.
        num_layers: number of layers.
        dropout: applied between layers.
    """

    def __init__(self, input_size: int, num_hiddens: int, num_layers: int, dropout: float) -> None:
        super().__init__()
        sizes = [input_size] + [num_hiddens] * (num_layers - 1)
        self.cells = nn.ModuleList(nn.GRUCell(size, num_hiddens) for size in sizes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, hidden: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """``(batch, input_size)`` and every layer's ``(batch, num_hiddens)`` -> every layer's new hidden state"""
        states: list[Tensor] = []
        for cell, state in zip(self.cells, hidden, strict=True):
            states.append(cell(self.dropout(x) if states else x, state))
            x = states[-1]
        return tuple(states)


@dataclass(frozen=True)
class Seq2SeqState(RecurrentState):
    """State of a `Seq2SeqDecoder`, in addition to `RecurrentState`.

    Args:
        context: ``(batch, num_hiddens)``, the decoder's first hidden state in the top layer, which every step sees.
    """

    context: Tensor


register_state(Seq2SeqState)


class Seq2SeqDecoder(RecurrentDecoder[Seq2SeqState]):
    r"""A decoder without attention: every step sees the same vector, the first hidden state of its top layer.

    :math:`s_t = \mathrm{GRU}([E y_{t-1}; c], s_{t-1})` with :math:`c` fixed (Cho et al. 2014, 2.2). Only the recurrence
    depends on the previous step, so ``nn.GRU`` takes all steps in one call.

    Args:
        config: options of the model.
    """

    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__(config.target_vocab_size, config.embed_size, config.dropout)
        self.rnn = nn.GRU(
            config.embed_size + config.num_hiddens,
            config.num_hiddens,
            config.num_layers,
            batch_first=True,
            dropout=config.dropout if config.num_layers > 1 else 0.0,
        )
        self.feature_size = config.num_hiddens

    def start(self, memory: Tensor, memory_mask: Tensor, hidden: Tensor) -> Seq2SeqState:
        return Seq2SeqState(memory, memory_mask, 0, hidden, hidden[:, -1])

    def forward(self, target_in: Tensor, state: Seq2SeqState) -> tuple[Tensor, Seq2SeqState]:
        embedded = self.dropout(self.embedding(target_in))  # (batch, target_len, embed_size)
        context = state.context.unsqueeze(1).expand(-1, target_in.shape[1], -1)  # (batch, target_len, num_hiddens)
        hidden = state.hidden.transpose(0, 1).contiguous()  # (num_layers, batch, num_hiddens)
        output, hidden = self.rnn(torch.cat((embedded, context), -1), hidden)  # (batch, target_len, num_hiddens)
        return output, replace(state, hidden=hidden.transpose(0, 1))


class Seq2Seq(RecurrentEncoderDecoder[Seq2SeqState]):
    """An encoder-decoder without attention: ``Seq2Seq(9, 11, num_hiddens=64)``.

    See Cho et al. 2014 and Sutskever et al. 2014. `RecurrentConfig` lists the options.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> model = Seq2Seq(len(letters), len(letters), num_hiddens=16)
        >>> model(collate(pairs, letters, letters)).shape  # logits
        torch.Size([2, 4, 7])
    """

    state_type = Seq2SeqState

    @takes_options_of(RecurrentConfig)
    def __init__(self, config: RecurrentConfig) -> None:
        super().__init__(GRUEncoder.from_config(config), Seq2SeqDecoder(config), asdict(config))
