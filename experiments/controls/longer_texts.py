"""Chapter 7: do language models with each kind of positions keep their loss on texts longer than in training?"""

from __future__ import annotations

import math
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.causal import GroupedAttention, KVCache, Linear, heads
from attnbook.data import EOS
from attnbook.models.language_model import Block, LanguageModel
from attnbook.models.transformer import FeedForward
from experiments.compare import Comparison, Trial, generator
from experiments.controls.repeating import alibi_slopes
from experiments.controls.translating import frequent_words

D_MODEL, HEADS, LAYERS, BATCH, JUDGED = 64, 4, 2, 16, 50
TRAINED, LONGER = 64, 256  # tokens of a text


class ALiBiAttention(nn.Module):
    """Causal attention whose scores fall in proportion to the distance (Press et al. 2022)."""

    def __init__(self) -> None:
        super().__init__()
        self.W_q, self.W_k, self.W_v, self.W_o = (Linear(D_MODEL, D_MODEL) for _ in range(4))

    def forward(self, x: Tensor, past: KVCache | None = None, mask: Tensor | None = None) -> tuple[Tensor, None]:
        q, k, v = (heads(W(x), HEADS) for W in (self.W_q, self.W_k, self.W_v))
        place = torch.arange(x.shape[1])
        distance = place[:, None] - place  # (queries, keys)
        bias = (-alibi_slopes(HEADS) * distance).masked_fill(distance < 0, -math.inf)
        pooled = (q @ k.mT / math.sqrt(q.shape[-1]) + bias).softmax(-1) @ v
        return self.W_o(pooled.transpose(1, 2).flatten(2)), None


def language_model(kind: str) -> LanguageModel:
    def attention() -> nn.Module:
        return ALiBiAttention() if kind == "alibi" else GroupedAttention(D_MODEL, HEADS, HEADS, rotary=kind == "rotary")

    blocks = [Block(D_MODEL, attention(), FeedForward(D_MODEL, 2 * D_MODEL)) for _ in range(LAYERS)]
    return LanguageModel(frequent_words().sizes[0], D_MODEL, blocks, sinusoidal=kind == "sinusoidal")


@cache
def sentences(split: str) -> list[list[int]]:
    corpus = frequent_words()
    pairs = corpus.train if split == "train" else corpus.held_out[split]
    return [[*corpus.vocabularies[0].encode(pair.source), EOS] for pair in pairs]


def texts(split: str, count: int, length: int, draws: torch.Generator) -> Tensor:
    """Random sentences one after the other, each text cut after ``length`` + 1 tokens."""
    found, rows = sentences(split), []
    for _ in range(count):
        row: list[int] = []
        while len(row) <= length:
            row += found[int(torch.randint(len(found), (1,), generator=draws))]
        rows.append(row[: length + 1])
    return torch.tensor(rows)


def losses(model: LanguageModel, text: Tensor) -> Tensor:
    """The loss of every token but the first, ``(texts, length)``."""
    logits, _ = model(text[:, :-1])
    return F.cross_entropy(logits.mT, text[:, 1:], reduction="none")


def build(task: str, contestant: str, seed: int) -> Trial:
    model = language_model(contestant)

    def loss(step: int) -> Tensor:
        return losses(model, texts("train", BATCH, TRAINED, generator(seed, step))).mean()

    def measure(split: str) -> dict[str, float]:
        text = texts(split, JUDGED, LONGER, torch.Generator().manual_seed({"valid": 98, "test": 99}[split]))
        found = losses(model, text).mean(0)
        return {"trained": float(found[:TRAINED].mean()), "beyond": float(found[-TRAINED:].mean())}

    return Trial(model, loss, measure)


COMPARISON = Comparison(
    question="Which positions let a causal language model keep its loss on texts four times as long as in training?",
    contestants={
        "none": "embeddings without positions",
        "sinusoidal": "sines and cosines added to the embeddings",
        "rotary": "queries and keys rotated by their position",
        "alibi": "scores lowered by a fixed slope per position of distance",
    },
    differs="how the causal attention is told the positions",
    same=f"two layers of d_model {D_MODEL} with {HEADS} heads, batches of {BATCH} texts of {TRAINED} tokens",
    refuted_by=f"ALiBi with a higher loss on the last {TRAINED} of {LONGER} tokens than sinusoidal or rotary positions",
    split={
        "train": "English sentences of the grammar, of its 200 most frequent words, one after the other at random",
        "valid": f"{JUDGED} texts of {LONGER} tokens, of other sentences",
        "test": f"{JUDGED} texts of {LONGER} tokens, of further sentences",
    },
    metric="trained",
    unit=f"nats per token, over the first {TRAINED} tokens, the length of training texts",
    higher_is_better=False,
    steps=400,
    rates=(2e-3, 5e-3, 1.25e-2, 3e-2),
    tolerance=0.002,
    build=build,
)
