"""A beam search to step through: what it keeps at every step, what it drops, and which finished sentence wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

import torch
import traitlets

from attnbook._internal.validate import check_counts, check_range
from attnbook.data import BOS, EOS, TokenizerLike
from attnbook.models.base import EncoderDecoder, check_vocabularies, eval_mode
from attnbook.widgets.base import BaseWidget, bundle, plain
from attnbook.widgets.layout import encodable

MOST_PENALTY = 1.5
BEAMS = (1, 2, 3, 4)


@dataclass(frozen=True)
class Continuation:
    """One token that continues one of the kept hypotheses.

    Args:
        parent: index of its hypothesis among those kept at the previous step.
        piece: text of the token.
        score: log-probability of the hypothesis with this token, in nats.
        fate: "live" if the search continues it, "ended" if the token is ``<eos>``, otherwise "dropped".
    """

    parent: int
    piece: str
    score: float
    fate: str


@torch.no_grad()
def search_steps(
    model: EncoderDecoder,
    source: Sequence[int],
    target_vocabulary: TokenizerLike,
    *,
    beam_size: int,
    max_length: int = 30,
) -> list[list[Continuation]]:
    """Record the steps of ``beam_search``, each with the best ``2 * beam_size`` continuations, best first.

    The search continues until a live hypothesis cannot beat the best ended one at any length penalty from 0 to 1.5.

    Args:
        model: runs in eval mode on its own device; its training mode is restored.
        source: ids of one sentence.
        target_vocabulary: of the model.
        beam_size: number of hypotheses kept.
        max_length: most steps; the model's own ``max_length`` if that is less.

    Raises:
        ValueError: ``beam_size`` is below 1, or ``source`` is empty.
        FloatingPointError: the model returns NaN.
    """
    check_counts(beam_size=beam_size)
    check_range("source", list(source), len(source) > 0, "at least one id")
    max_length = min(max_length, model.max_length or max_length)
    device = next(model.parameters()).device
    ids = torch.tensor([source], device=device)
    steps: list[list[Continuation]] = []
    live, best_ended, ended = [(0.0, BOS)], -torch.inf, 0  # scores and last tokens
    with eval_mode(model):
        state = model.encode(ids, torch.ones_like(ids, dtype=torch.bool))
        while live and len(steps) < max_length:
            logits, state = model.decode(torch.tensor([[token] for _, token in live], device=device), state)
            scores = torch.tensor([score for score, _ in live], device=device)
            candidates = scores[:, None] + logits[:, -1].float().log_softmax(-1)  # (live, vocabulary)
            if candidates.isnan().any():
                raise FloatingPointError("logits of the model must be finite, got NaN: its search cannot be shown")
            best = candidates.flatten().topk(min(2 * beam_size, candidates.numel()))
            room, rows, live, found = beam_size - ended, [], [], []
            for place, (score, index) in enumerate(zip(best.values.tolist(), best.indices.tolist(), strict=True)):
                parent, token = divmod(index, candidates.shape[1])
                fate = "dropped" if place >= room else "ended" if token == EOS else "live"
                found.append(Continuation(parent, encodable(target_vocabulary.pieces([token])[0]), score, fate))
                if fate == "live":
                    live.append((score, token))
                    rows.append(parent)
                elif fate == "ended":
                    ended += 1
                    best_ended = max(best_ended, _worth(score, len(steps) + 1))
            steps.append(found)
            if live and not _worth(live[0][0], max_length) > best_ended:
                break
            state = state.select(torch.tensor(rows, dtype=torch.long, device=device))
    return steps


def _worth(score: float, length: int) -> float:
    """The score that beam search compares, at the largest length penalty."""
    return float(score / ((5 + length) / 6) ** MOST_PENALTY)


class BeamView(BaseWidget):
    """The tree of a beam search, for beams of one to four, step by step.

    Args:
        model: its searches are recorded when the widget is created, so the page does not need the model.
        vocabularies: of source and target.
        sentences: (source tokens, reference tokens) of each; the probability of the reference is shown too.

    Raises:
        ValueError: there is no sentence, a sentence has no token, or a vocabulary is not the model's.
        FloatingPointError: the model returns NaN.
    """

    _esm = bundle("beam_view")
    sentences = traitlets.List(traitlets.Dict()).tag(sync=True)
    sentence = traitlets.Int(0).tag(sync=True)
    beam = traitlets.Int(2).tag(sync=True)
    step = traitlets.Int(1).tag(sync=True)
    penalty = traitlets.Float(0.6).tag(sync=True)

    def __init__(
        self,
        model: EncoderDecoder,
        vocabularies: tuple[TokenizerLike, TokenizerLike],
        sentences: Sequence[tuple[Sequence[str], Sequence[str]]],
    ) -> None:
        check_range("sentences", list(sentences), len(sentences) > 0, "at least one pair")
        check_vocabularies(model, *vocabularies)
        for i, (source, _) in enumerate(sentences):
            check_range(f"sentences[{i}][0]", source, len(source) > 0, "at least one token")
        searched = [_searched(model, vocabularies, *sentence) for sentence in sentences]
        kept = " ".join(piece for _, piece, _, fate in searched[0]["runs"][1][0] if fate == "live")
        super().__init__(
            sentences=searched,
            step=searched[0]["start"],
            alt=f"A beam of two translates “{searched[0]['source']}”. Its first step keeps these words: {kept}.",
        )

    def draw(self, axes: Any) -> None:
        first = self.sentences[0]["runs"][1][0]
        axes.barh(plain(piece for _, piece, *_ in first), [score for *_, score, _ in first])
        axes.invert_yaxis()
        axes.set_xlabel("log-probability of the first words")


def _searched(
    model: EncoderDecoder,
    vocabularies: tuple[TokenizerLike, TokenizerLike],
    source: Sequence[str],
    reference: Sequence[str],
) -> dict[str, Any]:
    """A sentence with its searches, one for each beam size."""
    ids = vocabularies[0].encode(source)
    runs = [search_steps(model, ids, vocabularies[1], beam_size=size) for size in BEAMS]
    return {
        "source": encodable(" ".join(source)),
        "reference": encodable(" ".join(reference)),
        "start": _first_error(runs[0], vocabularies[1].pieces([*vocabularies[1].encode(reference), EOS])),
        "referenceScore": round(_log_p(model, ids, vocabularies[1].encode(reference)), 4),
        "runs": [
            [[astuple(replace(one, score=round(one.score, 3))) for one in found] for found in run] for run in runs
        ],
    }


def _first_error(run: list[list[Continuation]], reference: Sequence[str]) -> int:
    """The step, counted from 1, at which greedy search leaves the reference; 1 if it never does."""
    steps = zip(run, reference, strict=False)
    return next((i for i, (found, token) in enumerate(steps, start=1) if found[0].piece != encodable(token)), 1)


@torch.no_grad()
def _log_p(model: EncoderDecoder, source: Sequence[int], target: Sequence[int]) -> float:
    """The log-probability of a whole target, ``<eos>`` included."""
    device = next(model.parameters()).device
    ids = torch.tensor([source], device=device)
    with eval_mode(model):
        state = model.encode(ids, torch.ones_like(ids, dtype=torch.bool))
        logits, _ = model.decode(torch.tensor([[BOS, *target]], device=device), state)
    ids = torch.tensor([*target, EOS], device=device)
    return float(logits[0].float().log_softmax(-1).gather(-1, ids[:, None]).sum())
