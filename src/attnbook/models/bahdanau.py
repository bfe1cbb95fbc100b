"""The translator that learned to align (Bahdanau et al. 2015)."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from attnbook.attention.scoring import AdditiveAttention
from attnbook.models.base import check_choice, register_state, takes_options_of
from attnbook.models.seq2seq import (
    CellStack,
    GRUEncoder,
    RecurrentConfig,
    RecurrentDecoder,
    RecurrentEncoderDecoder,
    RecurrentState,
)

Readout = Literal["state", "maxout"]


@dataclass(frozen=True, kw_only=True)
class BahdanauConfig(RecurrentConfig):
    """Options of `Bahdanau`. D2L's model has ``bidirectional=False, readout="state"``, the paper's True and "maxout".

    ``dropout`` also applies to the attention weights.

    Args:
        readout: what the output layer sees: "state", the new state; or "maxout", a maxout of the state before the step,
            the previous word and the context (A.2.2).
        source_vocab_size, target_vocab_size, embed_size, num_hiddens, num_layers, dropout, bidirectional: see
            `RecurrentConfig`.

    Raises:
        ValueError: an option is invalid.
    """

    readout: Readout = "state"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("readout", self.readout, get_args(Readout))


@dataclass(frozen=True)
class BahdanauState(RecurrentState):
    """State of a `BahdanauDecoder`, in addition to `RecurrentState`.

    Args:
        key: ``(batch, source_len, num_hiddens)``, the memory projected to keys, once per source.
    """

    key: Tensor


register_state(BahdanauState)


class BahdanauDecoder(RecurrentDecoder[BahdanauState]):
    r"""A decoder that attends with the state before the step, then takes the step.

    .. math::
        c_t = \sum_i \alpha_{ti} h_i, \quad \alpha_t = \mathrm{softmax}_i\, w_v^\top \tanh(W_q s_{t-1} + W_k h_i), \quad
        s_t = \mathrm{GRU}([c_t; E y_{t-1}],\, s_{t-1})

    The query is the state of the top layer. The logits are linear in the readout: either :math:`s_t`, as in D2L, or the
    paper's maxout of :math:`U_o s_{t-1} + V_o E y_{t-1} + C_o c_t` (Bahdanau et al. 2015, A.2.2).

    Args:
        config: options of the model.
        memory_size: size of an encoder state.
    """

    def __init__(self, config: BahdanauConfig, memory_size: int) -> None:
        super().__init__(config.target_vocab_size, config.embed_size, config.dropout)
        size = config.num_hiddens
        self.cross_attention = AdditiveAttention(size, memory_size, size, config.dropout)
        self.stack = CellStack(memory_size + config.embed_size, size, config.num_layers, config.dropout)
        readout_size = size + config.embed_size + memory_size
        self.maxout = nn.Linear(readout_size, 2 * size) if config.readout == "maxout" else None
        self.feature_size = size

    def start(self, memory: Tensor, memory_mask: Tensor, hidden: Tensor) -> BahdanauState:
        return BahdanauState(memory, memory_mask, 0, hidden, self.cross_attention.project_key(memory))

    def forward(self, target_in: Tensor, state: BahdanauState) -> tuple[Tensor, BahdanauState]:
        embedded = self.dropout(self.embedding(target_in))  # (batch, target_len, embed_size)
        mask = state.memory_mask.unsqueeze(1)  # (batch, 1, source_len)
        hidden = state.hidden.unbind(1)  # of every layer, (batch, num_hiddens)
        features = []
        for word in embedded.unbind(1):  # (batch, embed_size)
            query = hidden[-1]  # s_{t-1}: (batch, num_hiddens)
            context = self.cross_attention.attend(query.unsqueeze(1), state.key, state.memory, mask)
            context = context.squeeze(1)  # c_t: (batch, memory_size)
            hidden = self.stack(torch.cat((context, word), -1), hidden)  # s_t
            features.append(hidden[-1] if self.maxout is None else torch.cat((query, word, context), -1))
        stacked = torch.stack(features, 1)  # (batch, target_len, size)
        if self.maxout is not None:
            stacked = self.maxout(stacked).unflatten(-1, (-1, 2)).amax(-1)  # (batch, target_len, num_hiddens)
        return stacked, replace(state, hidden=torch.stack(hidden, 1))


class Bahdanau(RecurrentEncoderDecoder[BahdanauState]):
    """An encoder-decoder with additive attention: ``Bahdanau(9, 11, num_hiddens=64)`` (Bahdanau et al. 2015).

    `BahdanauConfig` lists the options.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> model = Bahdanau(len(letters), len(letters), num_hiddens=16)
        >>> model(collate(pairs, letters, letters)).shape  # logits
        torch.Size([2, 4, 7])
    """

    state_type = BahdanauState

    @takes_options_of(BahdanauConfig)
    def __init__(self, config: BahdanauConfig) -> None:
        encoder = GRUEncoder.from_config(config)
        super().__init__(encoder, BahdanauDecoder(config, encoder.memory_size), asdict(config))
