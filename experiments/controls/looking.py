"""Chapter 4: what does an article need its look for, and which part of the read-out matters?"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import torch
from torch import Tensor, nn

from attnbook.attention.masks import masked_softmax
from attnbook.data import Pair, collate
from attnbook.models.bahdanau import BahdanauDecoder, BahdanauState
from attnbook.models.base import EncoderDecoder
from attnbook.models.seq2seq import GRUEncoder, RecurrentEncoderDecoder
from attnbook.observe.interventions import replaced
from experiments.compare import Comparison, Trial
from experiments.controls.articles import Article, articles, looks
from experiments.controls.bench import Task
from experiments.controls.translating import EVERYDAY, everyday_words, translation_trial

EMBED, HIDDEN = 64, 96
KINDS = ("state", "context too", "maxout, no word", "maxout")
PLACES = ("as it is", "noun", "the", "another word", "full stop")


class Decoder(BahdanauDecoder):
    """Bahdanau's decoder with a choice of what the output layer sees; see ``COMPARISON.contestants``."""

    def __init__(self, vocab_size: int, memory_size: int, kind: str) -> None:
        super().__init__(vocab_size, EMBED, HIDDEN, memory_size)
        self.kind = kind
        self.hidden: nn.Module = nn.Identity()
        if kind == "context too":
            self.feature_size = HIDDEN + memory_size
        if kind.startswith("maxout"):
            seen = HIDDEN + memory_size + (EMBED if kind == "maxout" else 0)
            self.hidden = nn.Linear(seen, 2 * HIDDEN)

    def forward(self, target_in: Tensor, state: BahdanauState) -> tuple[Tensor, BahdanauState]:
        mask, hidden, features = state.memory_mask.unsqueeze(1), state.hidden.unbind(1), []
        for word in self.embedding(target_in).unbind(1):
            before = hidden[-1]
            context = self.cross_attention.attend(before.unsqueeze(1), state.key, state.memory, mask).squeeze(1)
            hidden = self.stack(torch.cat((context, word), -1), hidden)
            seen = {
                "state": (hidden[-1],),
                "context too": (hidden[-1], context),
                "maxout, no word": (hidden[-1], context),
                "maxout": (before, word, context),
            }[self.kind]
            features.append(self.hidden(torch.cat(seen, -1)))
        stacked = torch.stack(features, 1)
        if self.kind.startswith("maxout"):
            stacked = stacked.unflatten(-1, (-1, 2)).amax(-1)
        return stacked, replace(state, hidden=torch.stack(hidden, 1))


class ForcedSoftmax:
    """A softmax for a decoder that asks step by step: one row of each sentence has all its weight at one place."""

    def __init__(self, rows: Sequence[int], places: Sequence[int]) -> None:
        self.rows, self.places, self.step = torch.tensor(rows), torch.tensor(places), 0

    def __call__(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        """Scores ``(batch, 1, keys)`` -> weights of that shape."""
        weights = masked_softmax(scores, mask)
        forced = nn.functional.one_hot(self.places, scores.shape[-1]).to(weights.dtype).unsqueeze(1)
        here = (self.rows == self.step)[:, None, None]
        self.step += 1
        return torch.where(here, forced, weights)


@cache
def found_articles(pairs: tuple[Pair, ...]) -> list[Article]:
    return [article for pair in pairs for article in articles(pair)]


def places(found: Sequence[Article], kind: str) -> list[int]:
    """The source place that each article's row is forced onto; the other word is drawn at random, from one seed."""
    draws = random.Random(0)
    others = [
        draws.choice([i for i in range(len(article.pair.source)) if i not in (article.the, article.noun)])
        for article in found
    ]
    return {
        "noun": [article.noun for article in found],
        "the": [article.the for article in found],
        "another word": others,
        "full stop": [len(article.pair.source) - 1 for article in found],
    }[kind]


@torch.no_grad()
def right_articles(model: EncoderDecoder, task: Task) -> dict[str, float]:
    """Share of articles that are the most probable token, by what their row is forced onto, in percent."""
    found = found_articles(task.held_out)
    batch = collate([article.pair for article in found], *task.vocabularies)
    rows, number = [article.row for article in found], torch.arange(len(found))
    attention, shares = model.get_submodule("decoder.cross_attention"), {}
    for kind in PLACES:
        softmax = masked_softmax if kind == "as it is" else ForcedSoftmax(rows, places(found, kind))
        with replaced(attention, "softmax", softmax):
            logits = model.eval()(batch)[number, rows]
        right = logits.argmax(-1) == batch.target_out[number, rows]
        shares[kind] = 100 * float(right.float().mean())
    return shares


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus = everyday_words()
    encoder = GRUEncoder(corpus.sizes[0], EMBED, HIDDEN, 1, 0.0, bidirectional=True)
    decoder = Decoder(corpus.sizes[1], encoder.memory_size, contestant)
    model = RecurrentEncoderDecoder(encoder, decoder, {})
    trial = translation_trial(model, corpus, seed, 64, aligned=True)

    def measure(split: str) -> dict[str, float]:
        judged = corpus.judged(split)
        seen = looks(model, judged)
        next_word = {name: shares.get("next", 0.0) for name, shares in seen.items()}
        return {**trial.measure(split), **right_articles(model, judged), **next_word}

    return replace(trial, measure=measure)


COMPARISON = Comparison(
    question="Which part of the read-out matters, and which looks does a French article need?",
    contestants={
        "state": "the output layer sees the state after the step, s_t",
        "context too": "the output layer sees [s_t; c_t]",
        "maxout, no word": "the larger of each pair of entries of W [s_t; c_t] + b",
        "maxout": "maxout of W [s_{t-1}; y_{t-1}; c_t] + b, Bahdanau et al. 2015, A.2.2",
    },
    differs="what the output layer sees, and through which layer",
    same="encoder, attention, recurrent cell, embeddings of 64, states of 96, batches of 64, no dropout",
    refuted_by="a look forced onto an unrelated word that costs no more articles than one forced onto the noun",
    split=EVERYDAY,
    metric="bleu",
    unit="BLEU",
    steps=200,
    rates=(2e-3, 4e-3, 8e-3, 1.6e-2),
    tolerance=0.3,
    build=build,
)
