"""Chapter 10: what share of a language model's sentences is right, and what share is new, by sampling method?"""

from __future__ import annotations

from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.causal import GroupedAttention
from attnbook.data import BOS, EOS, Vocabulary, pad
from attnbook.data.grammar import find
from attnbook.models.language_model import Block, LanguageModel
from attnbook.models.transformer import FeedForward
from experiments.compare import Comparison, Trial, generator
from experiments.controls.sampling import WAYS, write
from experiments.controls.translating import frequent_words

BATCH, D_MODEL = 64, 64
Texts = tuple[Tensor, Tensor]  # ids and the mask of real tokens


@cache
def english() -> tuple[Vocabulary, frozenset[tuple[str, ...]], dict[str, Texts]]:
    """The English sentences of the corpus: vocabulary, training sentences, and the ids of each split."""
    corpus = frequent_words()
    vocabulary, _ = corpus.vocabularies
    pairs = {"train": corpus.train, **corpus.held_out}
    ids = {split: pad([[BOS, *vocabulary.encode(p.source), EOS] for p in part]) for split, part in pairs.items()}
    return vocabulary, frozenset(pair.source for pair in corpus.train), ids


def build(task: str, contestant: str, seed: int) -> Trial:
    vocabulary, known, ids = english()
    blocks = [
        Block(D_MODEL, GroupedAttention(D_MODEL, 4, 4, rotary=False), FeedForward(D_MODEL, 128), nn.LayerNorm)
        for _ in range(2)
    ]
    model = LanguageModel(len(vocabulary), D_MODEL, blocks, sinusoidal=True, norm=nn.LayerNorm)

    def loss_on(text: Tensor, mask: Tensor) -> Tensor:
        logits, _ = model(text[:, :-1])
        return F.cross_entropy(logits[mask[:, 1:]], text[:, 1:][mask[:, 1:]])

    def loss(step: int) -> Tensor:
        text, mask = ids["train"]
        rows = torch.randint(len(text), (BATCH,), generator=generator(seed, step))
        longest = int(mask[rows].sum(1).max())
        return loss_on(text[rows, :longest], mask[rows, :longest])

    def measure(split: str) -> dict[str, float]:
        found = {"loss": float(loss_on(*ids[split]))}
        if split == "valid":  # the rate is chosen by the loss, and sampling takes longer than training
            return found
        for way, how in WAYS.items():
            written = write(model, vocabulary, 99, **how)
            right = [sentence for sentence in written if find(sentence) is not None]
            found[f"{way}: right"] = 100 * len(right) / max(1, len(written))
            found[f"{way}: new"] = 100 * len(set(right) - known) / max(1, len(right))
        return found

    return Trial(model, loss, measure)


COMPARISON = Comparison(
    question="How many of the sentences that a language model writes are the grammar's, and how many of these are new?",
    contestants={"language model": "two layers of d_model 64 with 4 heads, trained on the grammar's English sentences"},
    differs="only how tokens are drawn when the trained model writes: "
    + ", ".join(WAYS)
    + "; each model writes 60 sentences in each way, and those that end within 17 tokens count",
    same="the trained models",
    refuted_by="after 300 or 1,200 steps, a model that writes no more right sentences with one of the three methods "
    "than without",
    split={
        "train": "English sentences of the pairs made of the grammar's 200 most frequent words",
        "valid": "such sentences, 400 at most",
        "test": "further such sentences, 400 at most",
    },
    metric="loss",
    unit="nats per token, which chooses the rate",
    higher_is_better=False,
    steps=300,
    rates=(2e-3, 5e-3, 1.25e-2, 3e-2),
    seeds=5,
    tolerance=0.002,
    build=build,
)
