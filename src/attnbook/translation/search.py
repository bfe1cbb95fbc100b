"""Greedy and beam search, batched; rows are independent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from attnbook._internal.validate import check_counts, check_range, check_tensors, check_type, is_number
from attnbook.attention.kernels import Attention, observing
from attnbook.data import BOS, EOS, pad
from attnbook.models.base import EncoderDecoder, State, check_model, eval_mode, uncompiled

# Logits are collected up to this many numbers and then turned into probabilities together.
_KEPT_LOGITS = 1 << 22


@dataclass(frozen=True)
class Hypothesis:
    r"""A target found by a search.

    Args:
        ids: target ids without ``<bos>`` and ``<eos>``.
        score: :math:`\log p(y \mid x)` in nats, including ``<eos>`` if present.
        finished: True if it ended with ``<eos>``, False if it was cut at ``max_length``.
    """

    ids: tuple[int, ...]
    score: float
    finished: bool


def greedy(model: EncoderDecoder, source: Tensor, source_mask: Tensor, *, max_length: int = 100) -> list[Hypothesis]:
    """Take the most probable token at every step. Each row is translated independently.

    While attention is recorded, finished rows stay in the batch, so that a record has the same rows at every step.

    Args:
        model: used in eval mode; its mode is restored.
        source: ``(batch, source_len)`` ids.
        source_mask: ``(batch, source_len)`` bool, True = a real token.
        max_length: largest number of ids in a hypothesis, including ``<eos>``; limited by the model's ``max_length``.

    Returns:
        one hypothesis per row.

    Raises:
        ValueError: shapes disagree, an id is outside the vocabulary, a row has no token, or ``max_length`` < 1.
        TypeError: the ids are not integers, the mask is not boolean, or an argument is not a tensor.
        FloatingPointError: the model returns NaN.

    Example:
        >>> model = Seq2Seq(9, 9, num_hiddens=16)
        >>> source = torch.tensor([[4, 5, 6]])
        >>> (best,) = greedy(model, source, torch.ones_like(source, dtype=torch.bool), max_length=5)
        >>> len(best.ids) <= 5
        True
    """
    max_length = _check(model, source, source_mask, max_length)
    ids: list[list[int]] = [[] for _ in source]
    finished = [False] * len(ids)
    scores = _Scores(len(ids))
    with torch.inference_mode(), eval_mode(model):
        state = _encode(model, source, source_mask)
        drop_finished = not any(isinstance(m, Attention) and m.observer is not None for m in model.modules())
        rows = list(range(len(ids)))  # the sentence of each row of the state
        tokens = source.new_full((len(ids), 1), BOS)
        for _ in range(max_length):
            logits, state = model.decode(tokens, state)
            tokens = logits.argmax(-1)  # (rows, 1)
            scores.add(logits, tokens, rows)
            active = []
            for row, (sentence, (token,)) in enumerate(zip(rows, tokens.tolist(), strict=True)):
                if finished[sentence]:
                    continue
                if token == EOS:
                    finished[sentence] = True
                else:
                    ids[sentence].append(token)
                    active.append(row)
            if not active:
                break
            if drop_finished and len(active) <= len(rows) // 2:
                kept = torch.tensor(active, device=source.device)
                state, tokens = state.select(kept), tokens.index_select(0, kept)
                rows = [rows[row] for row in active]
        totals = scores.totals([len(found) + ended for found, ended in zip(ids, finished, strict=True)])
    return [Hypothesis(tuple(f), s, e) for f, s, e in zip(ids, totals, finished, strict=True)]


def beam_search(
    model: EncoderDecoder,
    source: Tensor,
    source_mask: Tensor,
    *,
    beam_size: int = 4,
    length_penalty: float = 0.6,
    max_length: int = 100,
) -> list[Hypothesis]:
    r"""Keep the ``beam_size`` best partial targets of each sentence at every step, and return the best finished one.

    A finished target leaves the beam, which becomes narrower (Sutskever et al. 2014, 3.2). Targets of different lengths
    are compared by

    .. math:: \log p(y \mid x) \Big/ \left(\frac{5 + |y|}{6}\right)^{\alpha}

    (Wu et al. 2016, eq. 14, without coverage), :math:`|y|` with ``<eos>``; :math:`\alpha = 0.6` with a beam of 4 is
    the choice of Vaswani et al. 2017, 6.1. The search of a sentence stops early when no partial target can become
    better than the best finished one. Each sentence is searched independently.

    Args:
        model: used in eval mode; its mode is restored.
        source: ``(batch, source_len)`` ids.
        source_mask: ``(batch, source_len)`` bool, True = a real token.
        beam_size: number of partial targets per sentence.
        length_penalty: :math:`\alpha`, between 0 and 10; 0 compares :math:`\log p(y \mid x)` alone, which favors short
            targets.
        max_length: largest number of ids in a hypothesis, including ``<eos>``; limited by the model's ``max_length``.

    Returns:
        one hypothesis per row: the best finished one, or the best unfinished one if none has finished.

    Raises:
        ValueError: shapes disagree, an id is outside the vocabulary, a row has no token, or an option is out of range.
        TypeError: the ids are not integers, the mask is not boolean, or an argument is not a tensor.
        FloatingPointError: the model returns NaN.

    Example:
        >>> model = Seq2Seq(9, 9, num_hiddens=16)
        >>> source = torch.tensor([[4, 5, 6]])
        >>> (best,) = beam_search(model, source, torch.ones_like(source, dtype=torch.bool), beam_size=3, max_length=5)
        >>> len(best.ids) <= 5
        True
    """
    check_counts(beam_size=beam_size)
    check_length_penalty(length_penalty)
    max_length = _check(model, source, source_mask, max_length)
    beams = [_Beam(row, beam_size, length_penalty, max_length) for row in range(source.shape[0])]
    searched = beams  # the sentences whose search continues
    with torch.inference_mode(), eval_mode(model):
        state = _encode(model, source, source_mask)
        for _ in range(max_length):
            width = max(len(beam.live) for beam in searched)
            rows = [[*beam.live, *[_DEAD] * (width - len(beam.live))] for beam in searched]
            tokens = source.new_tensor([[p.ids[-1] if p.ids else BOS] for row in rows for p in row])
            scores = torch.tensor([[p.score for p in row] for row in rows], device=source.device)  # (sentences, width)
            logits, state = model.decode(tokens, state)
            log_p = logits[:, -1].float().log_softmax(-1).view(len(rows), width, -1)
            candidates = (scores.unsqueeze(-1) + log_p).flatten(1)  # (sentences, width * vocab_size)
            best = candidates.topk(min(beam_size, candidates.shape[1]))
            for i, (beam, *found) in enumerate(zip(searched, best.values.tolist(), best.indices.tolist(), strict=True)):
                beam.extend(*found, vocab_size=log_p.shape[-1], first_row=i * width)
            searched = [beam for beam in searched if beam.continues]
            if not searched:
                break
            state = _select_parents(state, searched, tokens)
    return [beam.best() for beam in beams]


def check_length_penalty(length_penalty: float) -> None:
    check_range(
        "length_penalty", length_penalty, is_number(length_penalty) and 0 <= length_penalty <= 10, "between 0 and 10"
    )


@dataclass(frozen=True)
class _Partial:
    """A partial target: its log-probability, its parent's row in the state, and its ids."""

    score: float
    parent: int
    ids: tuple[int, ...]


_DEAD = _Partial(-math.inf, 0, (EOS,))  # pads a beam that is narrower than the others


class _Beam:
    """The search of one sentence: its live partial targets, best first, and the best finished one."""

    def __init__(self, sentence: int, size: int, length_penalty: float, max_length: int) -> None:
        self.sentence = sentence
        self.room = size
        self.length_penalty = length_penalty
        self.max_length = max_length
        self.live = [_Partial(0.0, 0, ())]
        self.ended: Hypothesis | None = None
        self.worth = -math.inf  # normalized score of the best finished target

    def extend(self, scores: list[float], places: list[int], *, vocab_size: int, first_row: int) -> None:
        """Extend the beam by the best candidates; a place encodes the partial target and the next id."""
        before, self.live = self.live, []
        for score, place in list(zip(scores, places, strict=True))[: self.room]:
            if math.isnan(score):
                raise FloatingPointError(f"model returned NaN for row {self.sentence}")
            if score == -math.inf:
                break
            parent, token = divmod(place, vocab_size)
            ids = before[parent].ids
            if token == EOS:
                self._end(Hypothesis(ids, score, True))
            else:
                self.live.append(_Partial(score, first_row + parent, (*ids, token)))

    @property
    def continues(self) -> bool:
        """Whether a partial target can still become the best: scores only fall, and ``max_length`` raises them most."""
        return bool(self.live) and self._normalized(self.live[0].score, self.max_length) > self.worth

    def best(self) -> Hypothesis:
        return self.ended or Hypothesis(self.live[0].ids, self.live[0].score, False)

    def _end(self, hypothesis: Hypothesis) -> None:
        self.room -= 1
        worth = self._normalized(hypothesis.score, len(hypothesis.ids) + 1)
        if worth > self.worth:
            self.ended, self.worth = hypothesis, worth

    def _normalized(self, score: float, length: int) -> float:
        return score / math.pow((5 + length) / 6, self.length_penalty)


def _select_parents(state: State, beams: list[_Beam], tokens: Tensor) -> State:
    """Select the state row of each partial target's parent, padding every beam to the width of the widest."""
    width = max(len(beam.live) for beam in beams)
    parents = [p.parent for beam in beams for p in [*beam.live, *[beam.live[0]] * (width - len(beam.live))]]
    if parents == list(range(tokens.shape[0])):
        return state
    return state.select(torch.tensor(parents, device=tokens.device))


def cross_attention(
    model: EncoderDecoder, source: Tensor, source_mask: Tensor, hypotheses: Sequence[Hypothesis]
) -> list[dict[str, Tensor]]:
    """Compute the cross-attention weights of given translations in one teacher-forced pass.

    Args:
        model: used in eval mode; its mode is restored.
        source: ``(batch, source_len)`` ids.
        source_mask: ``(batch, source_len)`` bool, True = a real token.
        hypotheses: one per row.

    Returns:
        for each row, weights ``(num_heads, target_len, source_len)`` by module name, on the CPU and without padding;
        ``target_len`` includes ``<eos>``. Empty for a model without cross-attention.

    Raises:
        ValueError: the number of hypotheses differs from the number of rows.
        TypeError: ``source`` or ``source_mask`` is not a tensor, or an item is not a ``Hypothesis``.
    """
    _check_source(source, source_mask)
    check_type("hypotheses", hypotheses, isinstance(hypotheses, Sequence), "a sequence of Hypothesis")
    for i, hypothesis in enumerate(hypotheses):
        check_type(f"hypotheses[{i}]", hypothesis, isinstance(hypothesis, Hypothesis), "a Hypothesis")
    check_range(
        "len(hypotheses)", len(hypotheses), len(hypotheses) == len(source), f"{len(source)}, one per row of source"
    )
    named = uncompiled(model).named_modules()
    modules = {name: m for name, m in named if isinstance(m, Attention) and name.endswith("cross_attention")}
    targets = [written(hypothesis) for hypothesis in hypotheses]
    target_in, _ = pad([[BOS, *ids[:-1]] for ids in targets])
    seen: dict[str, list[Tensor]] = {name: [] for name in modules}
    observers = {module: seen[name].append for name, module in modules.items()}
    with torch.inference_mode(), eval_mode(model), observing(observers):
        model.decode(target_in.to(source.device), model.encode(source, source_mask))
    joined = {name: torch.cat(calls, 2).float().cpu() for name, calls in seen.items()}
    return [
        {name: weights[row, :, : len(ids), :length].clone() for name, weights in joined.items()}
        for row, (ids, length) in enumerate(zip(targets, source_mask.sum(1).tolist(), strict=True))
    ]


def written(hypothesis: Hypothesis) -> tuple[int, ...]:
    """The target ids, including ``<eos>`` if the hypothesis is finished."""
    return (*hypothesis.ids, EOS) if hypothesis.finished else hypothesis.ids


def _check(model: EncoderDecoder, source: Tensor, source_mask: Tensor, max_length: int) -> int:
    """Check the arguments of a search, and return the largest number of ids in a hypothesis."""
    check_model(model)
    check_counts(max_length=max_length)
    _check_source(source, source_mask)
    return min(max_length, model.max_length or max_length)


def _check_source(source: Tensor, source_mask: Tensor) -> None:
    check_tensors(source=source, source_mask=source_mask)
    check_range("source.shape", tuple(source.shape), source.dim() == 2, "(batch, source_len)")


def _encode(model: EncoderDecoder, source: Tensor, source_mask: Tensor) -> State:
    state: State = model.encode(source, source_mask)
    has_tokens = source_mask.any(1).tolist()
    if not all(has_tokens):
        raise ValueError(f"source_mask must have a token in every row, got none in row {has_tokens.index(False)}")
    return state


class _Scores:
    """Log-probabilities of the chosen tokens, computed for many steps at once."""

    def __init__(self, sentences: int) -> None:
        self.log_p: list[list[float]] = [[] for _ in range(sentences)]
        self.rows: list[int] = []
        self.waiting: list[tuple[Tensor, Tensor]] = []

    def add(self, logits: Tensor, tokens: Tensor, rows: list[int]) -> None:
        if self.waiting and (rows is not self.rows or len(self.waiting) * logits.numel() > _KEPT_LOGITS):
            self.flush()
        self.rows = rows
        self.waiting.append((logits, tokens))

    def flush(self) -> None:
        logits = torch.cat([logits for logits, _ in self.waiting], 1).float()  # (rows, steps, vocab_size)
        tokens = torch.cat([tokens for _, tokens in self.waiting], 1)  # (rows, steps)
        log_p = logits.log_softmax(-1).gather(-1, tokens.unsqueeze(-1)).squeeze(-1)  # (rows, steps)
        for row, values in zip(self.rows, log_p.tolist(), strict=True):
            self.log_p[row].extend(values)
        self.waiting.clear()

    def totals(self, lengths: Sequence[int]) -> list[float]:
        self.flush()
        totals = [sum(values[:length]) for values, length in zip(self.log_p, lengths, strict=True)]
        for row, total in enumerate(totals):
            if math.isnan(total):
                raise FloatingPointError(f"model returned NaN for row {row}")
        return totals
