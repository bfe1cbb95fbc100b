"""Recurrent encoder-decoders: what every one shares, and the one without attention.

`RecurrentEncoderDecoder` reads with a `GRUEncoder` and writes with a decoder. `Seq2Seq` has a decoder that sees the
source through one vector; `attnbook.models.bahdanau` and `attnbook.models.luong` have decoders that attend.

The gated unit is the library's. It differs from Cho et al. 2014 and Bahdanau et al. 2015 in two points: its reset gate
acts behind the matrix product, :math:`r \\circ (U h)` and not :math:`U (r \\circ h)`, and its update gate is one minus
theirs.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attnbook._internal.validate import check_counts, check_dropout
from attnbook.attention.masks import check_right_padded, has_numbers
from attnbook.models.base import EncoderDecoder, State, register_state


@dataclass(frozen=True)
class RecurrentState(State):
    """A decoder's state between two target tokens.

    Args:
        hidden: ``(batch, num_layers, num_hiddens)``, the hidden state of every layer.
    """

    hidden: Tensor


class GRUEncoder(nn.Module):
    """Read the source with a gated recurrent network (Cho et al. 2014, 2.3).

    Padding changes nothing: a sequence ends at its last real token.

    Args:
        vocab_size: number of source ids.
        embed_size: size of an embedding.
        num_hiddens: size of a hidden state.
        num_layers: number of layers.
        dropout: probability with which an entry is dropped, of the embeddings and between layers.
        bidirectional: read from both ends, as Bahdanau et al. 2015, 3.2.

    Raises:
        ValueError: a size is below 1.
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
        check_counts(vocab_size=vocab_size, embed_size=embed_size, num_hiddens=num_hiddens, num_layers=num_layers)
        check_dropout(dropout=dropout)
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

    def forward(self, source: Tensor, source_mask: Tensor) -> tuple[Tensor, Tensor]:
        r"""Read a batch of sentences.

        The decoder starts from the final hidden states; from a bidirectional encoder, from
        :math:`s_0 = \tanh(W_s \overleftarrow{h}_1)` in every layer (Bahdanau et al. 2015, A.2.2).

        Args:
            source: ``(batch, source_len)`` ids.
            source_mask: ``(batch, source_len)`` bool, True = a real token; padding on the right.

        Returns:
            memory ``(batch, source_len, memory_size)``, zeros at padding, and the decoder's first hidden state
            ``(batch, num_layers, num_hiddens)``, zeros for a sentence without a real token.

        Raises:
            ValueError: a real token stands behind padding. On a GPU the mask is not looked at here, but by the model's
                ``encode``.
        """
        check_right_padded("source_mask", source_mask)
        run = run_packed if source_mask.device.type == "cpu" and has_numbers(source_mask) else run_padded
        # memory: (batch, source_len, memory_size), hidden: (layers x directions, batch, num_hiddens)
        memory, hidden = run(self.rnn, self.dropout(self.embedding(source)), source_mask)
        if self.bridge is not None:
            backward = hidden[1::2]  # the backward state that has read the first token last
            hidden = torch.stack([layer(state).tanh() for layer, state in zip(self.bridge, backward, strict=True)])
        has_tokens = source_mask.any(1)
        return memory * source_mask.unsqueeze(-1), hidden.transpose(0, 1) * has_tokens[:, None, None]


def run_packed(rnn: nn.GRU, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Let every sentence end at its last real token: ``(batch, length, size)`` -> outputs and final hidden states."""
    # Packing refuses an empty sentence: give it one step; the encoder takes away what that step did.
    packed = pack_padded_sequence(x, mask.sum(1).clamp(min=1), batch_first=True, enforce_sorted=False)
    output, hidden = rnn(packed)
    padded, _ = pad_packed_sequence(output, batch_first=True, total_length=x.shape[1])
    return padded, hidden


def run_padded(rnn: nn.GRU, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Compute what ``run_packed`` does, without the lengths on the host.

    A GPU would make the host wait for the lengths, and ``torch.export`` has none. Each direction reads on into the
    padding, and its states there are ignored; for the backward direction every sentence is reversed in its place.
    """
    lengths = mask.sum(1, keepdim=True)  # (batch, 1)
    last = (lengths - 1).clamp(min=0)
    steps = torch.arange(x.shape[1], device=x.device)
    backwards = torch.where(steps < lengths, last - steps, steps)  # (batch, length)
    final: list[Tensor] = []
    for layer in range(rnn.num_layers):
        x = functional.dropout(x, rnn.dropout, rnn.training) if layer else x
        outputs: list[Tensor] = []
        for weights in rnn.all_weights[len(final) : len(final) + (2 if rnn.bidirectional else 1)]:
            is_backward = len(outputs) > 0
            states = run_direction(_take(x, backwards) if is_backward else x, weights)
            outputs.append(_take(states, backwards) if is_backward else states)
            final.append(_take(states, last).squeeze(1))
        x = torch.cat(outputs, -1)
    return x, torch.stack(final)


def run_direction(x: Tensor, weights: Sequence[Tensor]) -> Tensor:
    """One layer of a GRU in one direction: ``(batch, length, size)`` -> ``(batch, length, num_hiddens)``."""
    # cuDNN wants a layer's weights side by side in memory, and a module's are so only as a whole.
    flat = torch.cat([weight.flatten() for weight in weights]).split([weight.numel() for weight in weights])
    side_by_side = [part.view_as(weight) for part, weight in zip(flat, weights, strict=True)]
    start = x.new_zeros(1, x.shape[0], weights[1].shape[1])
    # cuDNN has a backward pass in train mode only; without dropout the mode changes nothing else.
    states, _ = torch.gru(x, start, side_by_side, True, 1, 0.0, torch.is_grad_enabled(), False, True)
    return states


def _take(x: Tensor, positions: Tensor) -> Tensor:
    """``(batch, length, size)``, ``(batch, count)`` -> ``(batch, count, size)``"""
    return x.gather(1, positions.unsqueeze(-1).expand(-1, -1, x.shape[2]))


class RecurrentDecoder(nn.Module):
    """Write the target token by token; a subclass says what one step sees.

    Args:
        vocab_size: number of target ids.
        embed_size: size of an embedding.
        dropout: probability with which an entry of the embeddings is dropped.
    """

    feature_size: int  # of what the model's head turns into logits

    def __init__(self, vocab_size: int, embed_size: int, dropout: float) -> None:
        super().__init__()
        check_counts(vocab_size=vocab_size, embed_size=embed_size)
        check_dropout(dropout=dropout)
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.dropout = nn.Dropout(dropout)

    @abstractmethod
    def start(self, memory: Tensor, memory_mask: Tensor, hidden: Tensor) -> RecurrentState:
        """The state before the first token."""

    @abstractmethod
    def forward(self, target_in: Tensor, state: Any) -> tuple[Tensor, Any]:
        """``(batch, target_len)`` ids -> features ``(batch, target_len, feature_size)`` and the state behind them."""


class RecurrentEncoderDecoder(EncoderDecoder):
    """A GRU encoder, a decoder, and a linear head that makes logits.

    Args:
        encoder: reads the source.
        decoder: writes the target.
        config: see `EncoderDecoder`.
    """

    def __init__(self, encoder: GRUEncoder, decoder: RecurrentDecoder, config: dict[str, Any]) -> None:
        super().__init__(encoder.embedding.num_embeddings, decoder.embedding.num_embeddings, config)
        self.encoder = encoder
        self.decoder = decoder
        self.head = nn.Linear(decoder.feature_size, self.target_vocab_size)

    def read(self, source: Tensor, source_mask: Tensor) -> RecurrentState:
        memory, hidden = self.encoder(source, source_mask)
        return self.decoder.start(memory, source_mask, hidden)

    def write(self, target_in: Tensor, state: RecurrentState) -> tuple[Tensor, RecurrentState]:
        features, state = self.decoder(target_in, state)
        return features, state


class CellStack(nn.Module):
    """A stack of GRU cells that makes one step at a time, for decoders whose input depends on the step before.

    Args:
        input_size: size of the lowest layer's input.
        num_hiddens: size of a hidden state.
        num_layers: number of layers.
        dropout: probability with which an entry is dropped between layers.
    """

    def __init__(self, input_size: int, num_hiddens: int, num_layers: int, dropout: float) -> None:
        super().__init__()
        check_counts(input_size=input_size, num_hiddens=num_hiddens, num_layers=num_layers)
        sizes = [input_size] + [num_hiddens] * (num_layers - 1)
        self.cells = nn.ModuleList(nn.GRUCell(size, num_hiddens) for size in sizes)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, hidden: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        """``(batch, input_size)`` and every layer's ``(batch, num_hiddens)`` -> every layer's new hidden state."""
        states: list[Tensor] = []
        for cell, state in zip(self.cells, hidden, strict=True):
            states.append(cell(self.dropout(x) if states else x, state))
            x = states[-1]
        return tuple(states)


@dataclass(frozen=True)
class Seq2SeqState(RecurrentState):
    """As `RecurrentState`.

    Args:
        context: ``(batch, num_hiddens)``, the encoder's final state, which every step sees.
    """

    context: Tensor


register_state(Seq2SeqState)


class Seq2SeqDecoder(RecurrentDecoder):
    r"""A decoder without attention: every step sees the same vector, the encoder's final state.

    :math:`s_t = \mathrm{GRU}([E y_{t-1}; c], s_{t-1})` with :math:`c` fixed (Cho et al. 2014, 2.2). Nothing in a step
    waits for the step before, but the recurrence itself.

    Args:
        vocab_size: number of target ids.
        embed_size: size of an embedding.
        num_hiddens: size of a hidden state.
        num_layers: number of layers.
        dropout: probability with which an entry is dropped, of the embeddings and between layers.
    """

    def __init__(
        self, vocab_size: int, embed_size: int, num_hiddens: int, num_layers: int = 1, dropout: float = 0.0
    ) -> None:
        super().__init__(vocab_size, embed_size, dropout)
        self.rnn = nn.GRU(
            embed_size + num_hiddens,
            num_hiddens,
            num_layers,
            batch_first=True,
            dropout=dropout if num_layers > 1 else 0.0,
        )
        self.feature_size = num_hiddens

    def start(self, memory: Tensor, memory_mask: Tensor, hidden: Tensor) -> Seq2SeqState:
        return Seq2SeqState(memory, memory_mask, 0, hidden, hidden[:, -1])

    def forward(self, target_in: Tensor, state: Seq2SeqState) -> tuple[Tensor, Seq2SeqState]:
        embedded = self.dropout(self.embedding(target_in))  # (batch, target_len, embed_size)
        context = state.context.unsqueeze(1).expand(-1, target_in.shape[1], -1)
        output, hidden = self.rnn(torch.cat((embedded, context), -1), state.hidden.transpose(0, 1).contiguous())
        return output, replace(state, hidden=hidden.transpose(0, 1))


class Seq2Seq(RecurrentEncoderDecoder):
    """An encoder-decoder without attention (Cho et al. 2014; Sutskever et al. 2014).

    Args:
        source_vocab_size: number of source ids.
        target_vocab_size: number of target ids.
        embed_size: size of an embedding.
        num_hiddens: size of a hidden state.
        num_layers: number of layers in encoder and decoder.
        dropout: probability with which an entry is dropped, of the embeddings and between layers.
        bidirectional: read the source from both ends.
    """

    state_type = Seq2SeqState

    def __init__(
        self,
        source_vocab_size: int,
        target_vocab_size: int,
        *,
        embed_size: int = 128,
        num_hiddens: int = 128,
        num_layers: int = 1,
        dropout: float = 0.1,
        bidirectional: bool = False,
    ) -> None:
        check_counts(source_vocab_size=source_vocab_size, target_vocab_size=target_vocab_size)
        config: dict[str, Any] = {"embed_size": embed_size, "num_hiddens": num_hiddens, "num_layers": num_layers}
        config |= {"dropout": dropout, "bidirectional": bidirectional}
        encoder = GRUEncoder(source_vocab_size, embed_size, num_hiddens, num_layers, dropout, bidirectional)
        decoder = Seq2SeqDecoder(target_vocab_size, embed_size, num_hiddens, num_layers, dropout)
        super().__init__(encoder, decoder, config)
