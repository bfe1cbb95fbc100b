"""The translator that learned to align (Bahdanau et al. 2015)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from attnbook._internal.validate import check_counts
from attnbook.attention.scoring import AdditiveAttention
from attnbook.models.base import register_state
from attnbook.models.seq2seq import CellStack, GRUEncoder, RecurrentDecoder, RecurrentEncoderDecoder, RecurrentState

READOUTS = ("state", "maxout")


@dataclass(frozen=True)
class BahdanauState(RecurrentState):
    """As `RecurrentState`.

    Args:
        key: ``(batch, source_len, num_hiddens)``, the memory as the attention's keys, projected once a source.
    """

    key: Tensor


register_state(BahdanauState)


class BahdanauDecoder(RecurrentDecoder):
    r"""Attend with the state before the step, then step.

    .. math::
        c_t = \sum_i \alpha_{ti} h_i, \quad \alpha_t = \mathrm{softmax}_i\, w_v^\top \tanh(W_q s_{t-1} + W_k h_i), \quad
        s_t = \mathrm{GRU}([c_t; E y_{t-1}],\, s_{t-1})

    The query is the top layer's state. The logits are linear in the read-out: either :math:`s_t`, as in D2L, or the
    paper's maxout of :math:`U_o s_{t-1} + V_o E y_{t-1} + C_o c_t` (Bahdanau et al. 2015, A.2.2).

    Args:
        vocab_size: number of target ids.
        embed_size: size of an embedding.
        num_hiddens: size of a hidden state and of the score's hidden layer.
        memory_size: size of an encoder state.
        num_layers: number of layers.
        dropout: probability with which an entry is dropped, of embeddings, attention weights and between layers.
        readout: "state" or "maxout".

    Raises:
        ValueError: another read-out.
    """

    def __init__(
        self,
        vocab_size: int,
        embed_size: int,
        num_hiddens: int,
        memory_size: int,
        num_layers: int = 1,
        dropout: float = 0.0,
        readout: str = "state",
    ) -> None:
        super().__init__(vocab_size, embed_size, dropout)
        if readout not in READOUTS:
            raise ValueError(f"readout is {readout!r}: wanted one of {READOUTS}")
        self.cross_attention = AdditiveAttention(num_hiddens, memory_size, num_hiddens, dropout)
        self.stack = CellStack(memory_size + embed_size, num_hiddens, num_layers, dropout)
        self.maxout = (
            nn.Linear(num_hiddens + embed_size + memory_size, 2 * num_hiddens) if readout == "maxout" else None
        )
        self.feature_size = num_hiddens

    def start(self, memory: Tensor, memory_mask: Tensor, hidden: Tensor) -> BahdanauState:
        return BahdanauState(memory, memory_mask, 0, hidden, self.cross_attention.project_key(memory))

    def forward(self, target_in: Tensor, state: BahdanauState) -> tuple[Tensor, BahdanauState]:
        embedded = self.dropout(self.embedding(target_in))  # (batch, target_len, embed_size)
        mask = state.memory_mask.unsqueeze(1)  # (batch, 1, source_len)
        hidden = state.hidden.unbind(1)
        features = []
        for word in embedded.unbind(1):
            query = hidden[-1]  # s_{t-1}
            context = self.cross_attention.attend(query.unsqueeze(1), state.key, state.memory, mask).squeeze(1)
            hidden = self.stack(torch.cat((context, word), -1), hidden)
            features.append(hidden[-1] if self.maxout is None else torch.cat((query, word, context), -1))
        stacked = torch.stack(features, 1)  # (batch, target_len, size)
        if self.maxout is not None:
            stacked = self.maxout(stacked).unflatten(-1, (-1, 2)).amax(-1)
        return stacked, replace(state, hidden=torch.stack(hidden, 1))


class Bahdanau(RecurrentEncoderDecoder):
    """An encoder-decoder with additive attention (Bahdanau et al. 2015).

    The paper's own model: ``bidirectional=True, num_layers=1, readout="maxout"``. D2L's: the defaults.

    Args:
        source_vocab_size: number of source ids.
        target_vocab_size: number of target ids.
        embed_size: size of an embedding.
        num_hiddens: size of a hidden state and of the score's hidden layer.
        num_layers: number of layers in encoder and decoder.
        dropout: probability with which an entry is dropped, of embeddings, attention weights and between layers.
        bidirectional: read the source from both ends.
        readout: "state" or "maxout", see `BahdanauDecoder`.
    """

    state_type = BahdanauState

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
        readout: str = "state",
    ) -> None:
        check_counts(source_vocab_size=source_vocab_size, target_vocab_size=target_vocab_size)
        config = {
            "embed_size": embed_size,
            "num_hiddens": num_hiddens,
            "num_layers": num_layers,
            "dropout": dropout,
            "bidirectional": bidirectional,
            "readout": readout,
        }
        encoder = GRUEncoder(source_vocab_size, embed_size, num_hiddens, num_layers, dropout, bidirectional)
        decoder = BahdanauDecoder(
            target_vocab_size, embed_size, num_hiddens, encoder.memory_size, num_layers, dropout, readout
        )
        super().__init__(encoder, decoder, config)
