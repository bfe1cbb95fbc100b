"""Effective approaches to attention (Luong et al. 2015): three scores, three windows, input feeding."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from attnbook._internal.validate import check_counts, check_range, check_tensors, is_number, scalar
from attnbook.attention.scoring import AdditiveAttention, DotProductAttention, GeneralAttention, ScoredAttention
from attnbook.models.base import register_state
from attnbook.models.seq2seq import CellStack, GRUEncoder, RecurrentDecoder, RecurrentEncoderDecoder, RecurrentState

SCORES = ("dot", "general", "concat")
WINDOWS = ("global", "local-m", "local-p")


def local_window(center: Tensor, half_width: int, keys: int) -> Tensor:
    r"""The source positions :math:`[p_t - D, p_t + D]` that local attention looks at (Luong et al. 2015, 3.2).

    Args:
        center: :math:`p_t`, ``(..., queries)``, counted from 0.
        half_width: :math:`D`, in positions.
        keys: source length.

    Returns:
        bool, ``(..., queries, keys)``; True = may attend.

    Raises:
        ValueError: ``half_width`` is negative.
        TypeError: ``center`` is no tensor.
    """
    check_tensors(center=center)
    check_range("half_width", half_width, is_number(half_width) and half_width >= 0, "0 or more")
    distance = torch.arange(keys, device=center.device) - center.unsqueeze(-1)
    return distance.abs() <= scalar(half_width)


def local_gaussian(center: Tensor, half_width: int, keys: int) -> Tensor:
    r"""What local-p multiplies its weights by: :math:`\exp(-(s - p_t)^2 / 2\sigma^2)`, :math:`\sigma = D/2` (eq. 10).

    Args:
        center: :math:`p_t`, ``(..., queries)``, counted from 0.
        half_width: :math:`D`, in positions.
        keys: source length.

    Returns:
        ``(..., queries, keys)``, at most 1. The weights are not normalised again, as in the paper.

    Raises:
        ValueError: ``half_width`` is not above 0.
        TypeError: ``center`` is no tensor.
    """
    check_tensors(center=center)
    check_range("half_width", half_width, is_number(half_width) and half_width > 0, "above 0")
    distance = torch.arange(keys, device=center.device) - center.unsqueeze(-1)
    return torch.exp(-2 * (distance / scalar(half_width)) ** 2)


@dataclass(frozen=True)
class LuongState(RecurrentState):
    """As `RecurrentState`.

    Args:
        key: ``(batch, source_len, key_size)``, the memory as the attention's keys, projected once a source.
        fed: ``(batch, num_hiddens)``, the attentional vector of the last step; ``(batch, 0)`` without input feeding.
    """

    key: Tensor
    fed: Tensor


register_state(LuongState)


class PredictedCenter(nn.Module):
    r"""Where local-p looks: :math:`p_t = S \cdot \sigma(v_p^\top \tanh(W_p s_t))` (Luong et al. 2015, eq. 9).

    Args:
        num_hiddens: size of a hidden state.
    """

    def __init__(self, num_hiddens: int) -> None:
        super().__init__()
        self.W_p = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.v_p = nn.Linear(num_hiddens, 1, bias=False)

    def forward(self, query: Tensor, lengths: Tensor) -> Tensor:
        """``(batch, queries, num_hiddens)``, ``(batch,)`` source lengths -> ``(batch, queries)`` positions.

        The positions are in fp32 at least: bf16 cannot tell 256 from 257.
        """
        share: Tensor = torch.sigmoid(self.v_p(torch.tanh(self.W_p(query)))).squeeze(-1)
        return lengths.unsqueeze(-1) * share.to(torch.promote_types(share.dtype, torch.float32))


class LuongDecoder(RecurrentDecoder):
    r"""Step, then attend with the state after the step.

    .. math::
        s_t = \mathrm{GRU}([E y_{t-1}; \tilde s_{t-1}],\, s_{t-1}), \quad
        \alpha_t = \mathrm{softmax}_i\, a(s_t, h_i), \quad
        \tilde s_t = \tanh(W_c [\textstyle\sum_i \alpha_{ti} h_i;\, s_t])

    The logits are linear in the attentional vector :math:`\tilde s_t`. Without input feeding the GRU does not see
    :math:`\tilde s_{t-1}`, and every step attends at once. Where a local window holds no real token, the context is
    zero. The paper's decoder is an LSTM; this one is a GRU, so that only the attention differs from Bahdanau's.

    Args:
        vocab_size: number of target ids.
        embed_size: size of an embedding.
        num_hiddens: size of a hidden state.
        memory_size: size of an encoder state.
        num_layers: number of layers.
        dropout: probability with which an entry is dropped, of embeddings, attention weights and between layers.
        score: "dot", "general" or "concat" (eq. 8).
        scaled: divide a dot or general score by :math:`\sqrt{num\_hiddens}`; the paper does not.
        window: "global"; "local-m", whose window moves on by one source token a step; or "local-p", which predicts it.
        half_width: :math:`D` of the local windows, in source positions.
        input_feeding: hand the attentional vector to the next step (3.3).

    Raises:
        ValueError: another score or window, a half width below 1, a dot score between different sizes, or a scaled
            concat score.
    """

    def __init__(
        self,
        vocab_size: int,
        embed_size: int,
        num_hiddens: int,
        memory_size: int,
        num_layers: int = 1,
        dropout: float = 0.0,
        *,
        score: str = "general",
        scaled: bool = False,
        window: str = "global",
        half_width: int = 10,
        input_feeding: bool = True,
    ) -> None:
        super().__init__(vocab_size, embed_size, dropout)
        if window not in WINDOWS:
            raise ValueError(f"window is {window!r}: wanted one of {WINDOWS}")
        check_counts(half_width=half_width)
        self.cross_attention = _attention(score, scaled, num_hiddens, memory_size, dropout)
        self.window = window
        self.half_width = half_width
        self.center = PredictedCenter(num_hiddens) if window == "local-p" else None
        self.input_feeding = input_feeding
        fed_size = num_hiddens if input_feeding else 0
        self.stack = CellStack(embed_size + fed_size, num_hiddens, num_layers, dropout)
        self.W_c = nn.Linear(memory_size + num_hiddens, num_hiddens, bias=False)
        self.feature_size = num_hiddens

    def start(self, memory: Tensor, memory_mask: Tensor, hidden: Tensor) -> LuongState:
        key = self.cross_attention.project_key(memory)
        fed = hidden.new_zeros(hidden.shape[0], hidden.shape[2] if self.input_feeding else 0)
        return LuongState(memory, memory_mask, 0, hidden, key, fed)

    def forward(self, target_in: Tensor, state: LuongState) -> tuple[Tensor, LuongState]:
        embedded = self.dropout(self.embedding(target_in))  # (batch, target_len, embed_size)
        hidden = state.hidden.unbind(1)
        fed = state.fed
        tops, attentional = [], []
        for step, word in enumerate(embedded.unbind(1)):
            hidden = self.stack(torch.cat((word, fed), -1), hidden)
            tops.append(hidden[-1])  # s_t
            if self.input_feeding:
                fed = self._attentional(hidden[-1].unsqueeze(1), state, step).squeeze(1)
                attentional.append(fed)
        features = torch.stack(attentional, 1) if self.input_feeding else self._attentional(torch.stack(tops, 1), state)
        return features, replace(state, hidden=torch.stack(hidden, 1), fed=fed)

    def _attentional(self, query: Tensor, state: LuongState, step: int = 0) -> Tensor:
        """(batch, queries, num_hiddens) -> attentional vectors of the same shape; the first query is at ``step``."""
        mask, scale = state.memory_mask.unsqueeze(1), None
        if self.window != "global":
            center = self._center(query, state, state.position + step)
            keys = state.memory.shape[1]
            mask = mask & local_window(center, self.half_width, keys)
            if self.window == "local-p":
                scale = local_gaussian(center, self.half_width, keys)
        context = self.cross_attention.attend(query, state.key, state.memory, mask, scale)
        attentional: Tensor = torch.tanh(self.W_c(torch.cat((context, query), -1)))
        return attentional

    def _center(self, query: Tensor, state: LuongState, first: int) -> Tensor:
        """(batch, queries) source positions, counted from 0."""
        if self.center is None:
            positions = torch.arange(first, first + query.shape[1], device=query.device)
            return positions.expand(query.shape[0], -1)
        center: Tensor = self.center(query, state.memory_mask.sum(1))
        return center


def _attention(score: str, scaled: bool, num_hiddens: int, memory_size: int, dropout: float) -> ScoredAttention:
    if score == "dot":
        if num_hiddens != memory_size:
            raise ValueError(
                f'score is "dot" between sizes {num_hiddens} and {memory_size}: wanted equal ones, or "general"'
            )
        return DotProductAttention(dropout, scaled=scaled)
    if score == "general":
        return GeneralAttention(num_hiddens, memory_size, dropout, scaled=scaled)
    if score == "concat":
        check_range("scaled", scaled, not scaled, 'False: a "concat" score is no product, and its tanh bounds it')
        return AdditiveAttention(num_hiddens, memory_size, num_hiddens, dropout)
    raise ValueError(f"score is {score!r}: wanted one of {SCORES}")


class Luong(RecurrentEncoderDecoder):
    """An encoder-decoder with Luong's attention (Luong et al. 2015).

    Args:
        source_vocab_size: number of source ids.
        target_vocab_size: number of target ids.
        embed_size: size of an embedding.
        num_hiddens: size of a hidden state.
        num_layers: number of layers in encoder and decoder.
        dropout: probability with which an entry is dropped, of embeddings, attention weights and between layers.
        bidirectional: read the source from both ends.
        score: see `LuongDecoder`.
        scaled: see `LuongDecoder`.
        window: see `LuongDecoder`.
        half_width: see `LuongDecoder`.
        input_feeding: see `LuongDecoder`.
    """

    state_type = LuongState

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
        score: str = "general",
        scaled: bool = False,
        window: str = "global",
        half_width: int = 10,
        input_feeding: bool = True,
    ) -> None:
        check_counts(source_vocab_size=source_vocab_size, target_vocab_size=target_vocab_size)
        config = {
            "embed_size": embed_size,
            "num_hiddens": num_hiddens,
            "num_layers": num_layers,
            "dropout": dropout,
            "bidirectional": bidirectional,
            "score": score,
            "scaled": scaled,
            "window": window,
            "half_width": half_width,
            "input_feeding": input_feeding,
        }
        encoder = GRUEncoder(source_vocab_size, embed_size, num_hiddens, num_layers, dropout, bidirectional)
        decoder = LuongDecoder(
            target_vocab_size,
            embed_size,
            num_hiddens,
            encoder.memory_size,
            num_layers,
            dropout,
            score=score,
            scaled=scaled,
            window=window,
            half_width=half_width,
            input_feeding=input_feeding,
        )
        super().__init__(encoder, decoder, config)
