"""Effective approaches to attention (Luong et al. 2015): three scores, three windows, input feeding."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Literal, get_args

import torch
from torch import Tensor, nn

from attnbook._internal.validate import check_counts, check_range, check_tensors, is_number, is_whole, scalar
from attnbook.attention.scoring import AdditiveAttention, DotProductAttention, GeneralAttention, ScoredAttention
from attnbook.models.base import check_choice, register_state, takes_options_of
from attnbook.models.seq2seq import (
    CellStack,
    GRUEncoder,
    RecurrentConfig,
    RecurrentDecoder,
    RecurrentEncoderDecoder,
    RecurrentState,
)

Score = Literal["dot", "general", "concat"]
Window = Literal["global", "local-m", "local-p"]
SCORES: tuple[Score, ...] = get_args(Score)
WINDOWS: tuple[Window, ...] = get_args(Window)


def local_window(center: Tensor, half_width: float, keys: int) -> Tensor:
    r"""Mark the source positions :math:`[p_t - D, p_t + D]` of local attention (Luong et al. 2015, 3.2).

    Args:
        center: :math:`p_t`, ``(..., queries)``, counted from 0.
        half_width: :math:`D`, in positions.
        keys: source length.

    Returns:
        bool, ``(..., queries, keys)``; True = may attend.

    Raises:
        ValueError: ``half_width`` is negative, or ``keys`` is not an integer >= 0.
        TypeError: ``center`` is not a tensor.
    """
    check_range("half_width", half_width, is_number(half_width) and half_width >= 0, "a number >= 0")
    return _distance(center, keys).abs() <= scalar(half_width)


def local_gaussian(center: Tensor, half_width: float, keys: int) -> Tensor:
    r"""Factors of local-p weights: :math:`\exp(-(s - p_t)^2 / 2\sigma^2)`, :math:`\sigma = D/2`.

    See Luong et al. 2015, eq. 10. As in the paper, the weights are not normalized again.

    Args:
        center: :math:`p_t`, ``(..., queries)``, counted from 0.
        half_width: :math:`D`, in positions.
        keys: source length.

    Returns:
        ``(..., queries, keys)``, at most 1.

    Raises:
        ValueError: ``half_width`` is not positive, or ``keys`` is not an integer >= 0.
        TypeError: ``center`` is not a tensor.
    """
    check_range("half_width", half_width, is_number(half_width) and half_width > 0, "a number > 0")
    return torch.exp(-2 * (_distance(center, keys) / scalar(half_width)) ** 2)


def _distance(center: Tensor, keys: int) -> Tensor:
    """The signed distance of every source position from the center: ``(..., queries)`` -> ``(..., queries, keys)``."""
    check_tensors(center=center)
    check_range("keys", keys, is_whole(keys) and keys >= 0, "an integer >= 0")
    return torch.arange(keys, device=center.device) - center.unsqueeze(-1)


@dataclass(frozen=True, kw_only=True)
class LuongConfig(RecurrentConfig):
    r"""Options of `Luong`. ``dropout`` also applies to the attention weights.

    Args:
        score: "dot", "general" or "concat" (3.1).
        scaled: divide a dot or general score by :math:`\sqrt{num\_hiddens}`; the paper does not.
        window: "global"; "local-m", a window that moves by one token per step; or "local-p", which predicts its center.
        half_width: :math:`D`, half width of a local window, in source positions.
        input_feeding: pass the attentional vector to the next step (3.3).
        source_vocab_size, target_vocab_size, embed_size, num_hiddens, num_layers, dropout, bidirectional: see
            `RecurrentConfig`.

    Raises:
        ValueError: an option is invalid.
    """

    score: Score = "general"
    scaled: bool = False
    window: Window = "global"
    half_width: int = 10
    input_feeding: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("score", self.score, SCORES)
        check_choice("window", self.window, WINDOWS)
        check_counts(half_width=self.half_width)
        # The tanh of a "concat" score bounds it; it is not a product whose variance grows with the size.
        check_range("scaled", self.scaled, not (self.scaled and self.score == "concat"), 'False if score="concat"')


@dataclass(frozen=True)
class LuongState(RecurrentState):
    """State of a `LuongDecoder`, in addition to `RecurrentState`.

    Args:
        key: ``(batch, source_len, key_size)``, the memory projected to keys, once per source.
        fed: ``(batch, num_hiddens)``, attentional vector of the last step; ``(batch, 0)`` without input feeding.
    """

    key: Tensor
    fed: Tensor


register_state(LuongState)


class PredictedCenter(nn.Module):
    r"""Predict the center of a local-p window: :math:`p_t = S \cdot \sigma(v_p^\top \tanh(W_p s_t))` (eq. 9).

    Args:
        num_hiddens: size of a hidden state.
    """

    def __init__(self, num_hiddens: int) -> None:
        super().__init__()
        self.W_p = nn.Linear(num_hiddens, num_hiddens, bias=False)
        self.v_p = nn.Linear(num_hiddens, 1, bias=False)

    def forward(self, query: Tensor, lengths: Tensor) -> Tensor:
        """``(batch, queries, num_hiddens)``, ``(batch,)`` source lengths -> ``(batch, queries)`` positions.

        The positions are in fp32 at least: bf16 does not distinguish 256 from 257.
        """
        fraction: Tensor = torch.sigmoid(self.v_p(torch.tanh(self.W_p(query)))).squeeze(-1)  # (batch, queries)
        return lengths.unsqueeze(-1) * fraction.to(torch.promote_types(fraction.dtype, torch.float32))


class LuongDecoder(RecurrentDecoder[LuongState]):
    r"""A decoder that takes the step, then attends with the state after the step.

    .. math::
        s_t = \mathrm{GRU}([E y_{t-1}; \tilde s_{t-1}],\, s_{t-1}), \quad
        \alpha_t = \mathrm{softmax}_i\, a(s_t, h_i), \quad
        \tilde s_t = \tanh(W_c [\textstyle\sum_i \alpha_{ti} h_i;\, s_t])

    The logits are linear in the attentional vector :math:`\tilde s_t`. Without input feeding the GRU does not see
    :math:`\tilde s_{t-1}`, and all steps attend in one call. If a local window contains no real token, the context is
    zero. The paper's decoder is an LSTM; this one is a GRU, like Bahdanau's.

    Args:
        config: options of the model.
        memory_size: size of an encoder state.

    Raises:
        ValueError: ``score`` is "dot" although states of encoder and decoder have different sizes.
    """

    def __init__(self, config: LuongConfig, memory_size: int) -> None:
        super().__init__(config.target_vocab_size, config.embed_size, config.dropout)
        size = config.num_hiddens
        self.cross_attention = _attention(config, memory_size)
        self.window = config.window
        self.half_width = config.half_width
        self.center = PredictedCenter(size) if config.window == "local-p" else None
        self.input_feeding = config.input_feeding
        fed_size = size if config.input_feeding else 0
        self.stack = CellStack(config.embed_size + fed_size, size, config.num_layers, config.dropout)
        self.W_c = nn.Linear(memory_size + size, size, bias=False)
        self.feature_size = size

    def start(self, memory: Tensor, memory_mask: Tensor, hidden: Tensor) -> LuongState:
        key = self.cross_attention.project_key(memory)
        fed = hidden.new_zeros(hidden.shape[0], hidden.shape[2] if self.input_feeding else 0)
        return LuongState(memory, memory_mask, 0, hidden, key, fed)

    def forward(self, target_in: Tensor, state: LuongState) -> tuple[Tensor, LuongState]:
        embedded = self.dropout(self.embedding(target_in))  # (batch, target_len, embed_size)
        hidden = state.hidden.unbind(1)  # of every layer, (batch, num_hiddens)
        fed = state.fed  # (batch, num_hiddens), or (batch, 0) without input feeding
        tops, attentional = [], []
        for step, word in enumerate(embedded.unbind(1)):  # (batch, embed_size)
            hidden = self.stack(torch.cat((word, fed), -1), hidden)
            tops.append(hidden[-1])  # s_t
            if self.input_feeding:
                fed = self._attentional(hidden[-1].unsqueeze(1), state, step).squeeze(1)
                attentional.append(fed)
        # (batch, target_len, num_hiddens); without input feeding, all steps attend in one call
        features = torch.stack(attentional, 1) if self.input_feeding else self._attentional(torch.stack(tops, 1), state)
        return features, replace(state, hidden=torch.stack(hidden, 1), fed=fed)

    def _attentional(self, query: Tensor, state: LuongState, step: int = 0) -> Tensor:
        """(batch, queries, num_hiddens) -> attentional vectors of the same shape; the first query is at ``step``"""
        mask, scale = state.memory_mask.unsqueeze(1), None  # (batch, 1, source_len)
        if self.window != "global":
            center = self._center(query, state, state.position + step)
            keys = state.memory.shape[1]
            mask = mask & local_window(center, self.half_width, keys)  # (batch, queries, source_len)
            if self.window == "local-p":
                scale = local_gaussian(center, self.half_width, keys)  # (batch, queries, source_len)
        # (batch, queries, memory_size)
        context = self.cross_attention.attend(query, state.key, state.memory, mask, scale)
        attentional: Tensor = torch.tanh(self.W_c(torch.cat((context, query), -1)))
        return attentional

    def _center(self, query: Tensor, state: LuongState, first: int) -> Tensor:
        """Return the centers of the windows, (batch, queries), counted from 0."""
        if self.center is None:
            positions = torch.arange(first, first + query.shape[1], device=query.device)
            return positions.expand(query.shape[0], -1)
        center: Tensor = self.center(query, state.memory_mask.sum(1))
        return center


def _attention(config: LuongConfig, memory_size: int) -> ScoredAttention:
    size, dropout = config.num_hiddens, config.dropout
    if config.score == "concat":
        return AdditiveAttention(size, memory_size, size, dropout)
    if config.score == "general":
        return GeneralAttention(size, memory_size, dropout, scaled=config.scaled)
    if size != memory_size:
        sizes = f"num_hiddens={size} and encoder states of size {memory_size}"
        raise ValueError(f'score must be "general" or "concat" for sizes that differ, got "dot" with {sizes}')
    return DotProductAttention(dropout, scaled=config.scaled)


class Luong(RecurrentEncoderDecoder[LuongState]):
    """An encoder-decoder with Luong's attention: ``Luong(9, 11, score="dot")`` (Luong et al. 2015).

    `LuongConfig` lists the options.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> model = Luong(len(letters), len(letters), num_hiddens=16, score="dot")
        >>> model(collate(pairs, letters, letters)).shape  # logits
        torch.Size([2, 4, 7])
    """

    state_type = LuongState

    @takes_options_of(LuongConfig)
    def __init__(self, config: LuongConfig) -> None:
        encoder = GRUEncoder.from_config(config)
        super().__init__(encoder, LuongDecoder(config, encoder.memory_size), asdict(config))
