"""Chapter 4: is a translator without attention limited by the size of its single vector?"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnbook.data import Pair, collate
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.seq2seq import RecurrentEncoderDecoder, Seq2Seq
from experiments.compare import Comparison, Trial
from experiments.controls.bench import Task
from experiments.controls.translating import EVERYDAY, everyday_words, translation_trial

HIDDEN = 96
KINDS: dict[str, tuple[bool, int, int]] = {  # attention, entries of the vector, size of a state
    "vector of 12": (False, 12, HIDDEN),
    "vector of 48": (False, 48, HIDDEN),
    "vector of 96": (False, HIDDEN, HIDDEN),
    "vector and states of 192": (False, 2 * HIDDEN, 2 * HIDDEN),
    "attention, vector of 12": (True, 12, HIDDEN),
    "attention, vector of 96": (True, HIDDEN, HIDDEN),
}
SHORT, LONG = (5, 6), (13, 16)  # source tokens


class FirstEntries(nn.Module):
    """A layer that keeps the first entries of a vector and sets the others to zero."""

    def __init__(self, layer: nn.Module, entries: int) -> None:
        super().__init__()
        self.layer, self.entries = layer, entries

    def forward(self, state: Tensor) -> Tensor:
        passed: Tensor = self.layer(state)
        return torch.cat((passed[..., : self.entries], torch.zeros_like(passed[..., self.entries :])), -1)


def narrow(model: RecurrentEncoderDecoder, entries: int) -> None:
    """Limit the vector to its first entries, without new parameters or other initial values."""
    assert model.encoder.bridge is not None
    model.encoder.bridge[0] = FirstEntries(model.encoder.bridge[0], entries)


@torch.no_grad()
def forced(model: EncoderDecoder, pairs: tuple[Pair, ...], task: Task) -> dict[str, float]:
    """Share of right next tokens, in percent, and mean loss in nats, with teacher forcing."""
    batch = collate(pairs, *task.vocabularies)
    logits, wanted = model.eval()(batch)[batch.target_mask], batch.target_out[batch.target_mask]
    right = 100 * float((logits.argmax(-1) == wanted).float().mean())
    return {"next_token": round(right, 2), "loss": round(float(F.cross_entropy(logits, wanted)), 4)}


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus, (attention, entries, hidden) = everyday_words(), KINDS[contestant]
    sizes: dict[str, Any] = {"embed_size": 64, "num_hiddens": hidden, "bidirectional": True, "dropout": 0.0}
    model = Bahdanau(*corpus.sizes, **sizes) if attention else Seq2Seq(*corpus.sizes, **sizes)
    narrow(model, entries)
    trial = translation_trial(model, corpus, seed, 64, aligned=False)

    def measure(split: str) -> dict[str, float]:
        judged = corpus.judged(split)
        figures = {**trial.measure(split), "next_token": forced(model, judged.held_out, judged)["next_token"]}
        for name, (low, high) in (("short", SHORT), ("long", LONG)):
            pairs = tuple(pair for pair in judged.held_out if low <= len(pair.source) <= high)
            figures[name] = forced(model, pairs, judged)["next_token"]
        return figures

    return replace(trial, measure=measure)


COMPARISON = Comparison(
    question="Is it the size of the single vector that costs a translator its long sentences?",
    contestants={
        "vector of 12": "no attention; the vector that the encoder hands over has 12 entries",
        "vector of 48": "no attention; 48 entries",
        "vector of 96": "no attention; 96 entries, as many as a state",
        "vector and states of 192": "no attention; vector and states of 192 entries",
        "attention, vector of 12": "attention; the decoder starts from a vector of 12 entries",
        "attention, vector of 96": "attention; the decoder starts from a vector of 96 entries",
    },
    differs="the entries of the vector between encoder and decoder, and whether the decoder may look back",
    same="embeddings of 64, read-out from the state, batches of 64, no dropout; states of 96 but for one contestant",
    refuted_by="after 800 steps and without attention, as many words right with 12 entries as with 96",
    split=EVERYDAY,
    metric="next_token",
    unit="% of next words right",
    steps=200,
    rates=(2e-3, 4e-3, 8e-3, 1.6e-2),
    tolerance=0.3,
    build=build,
)
