"""Chapter 4: what does the decoder attend to when it writes an article, and which part of the read-out matters?"""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor, nn

from attnbook.models.bahdanau import BahdanauConfig, BahdanauDecoder, BahdanauState
from attnbook.models.seq2seq import GRUEncoder, RecurrentEncoderDecoder
from experiments.compare import Comparison, Trial
from experiments.controls.articles import looks, right_articles
from experiments.controls.translating import EVERYDAY, everyday_words, translation_trial

EMBED, HIDDEN = 64, 96


class Decoder(BahdanauDecoder):
    """Bahdanau's decoder with configurable inputs of the output layer; see ``COMPARISON``."""

    def __init__(self, config: BahdanauConfig, memory_size: int, kind: str) -> None:
        super().__init__(config, memory_size)
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


def translator(source_words: int, target_words: int, kind: str) -> RecurrentEncoderDecoder:
    """A translator with the read-out of a contestant of ``COMPARISON``."""
    config = BahdanauConfig(
        source_vocab_size=source_words,
        target_vocab_size=target_words,
        embed_size=EMBED,
        num_hiddens=HIDDEN,
        bidirectional=True,
        dropout=0.0,
    )
    encoder = GRUEncoder(source_words, EMBED, HIDDEN, 1, 0.0, bidirectional=True)
    return RecurrentEncoderDecoder(encoder, Decoder(config, encoder.memory_size, kind), {})


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus = everyday_words()
    model = translator(*corpus.sizes, contestant)
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
    refuted_by="at one of the two larger budgets, a look forced onto an unrelated word that costs no more articles "
    "than one forced onto the noun",
    split=EVERYDAY,
    metric="bleu",
    unit="BLEU",
    steps=200,
    rates=(2e-3, 4e-3, 8e-3, 1.6e-2),
    tolerance=0.3,
    build=build,
)
