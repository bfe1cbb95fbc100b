"""Data, training and scoring shared by comparisons of translators and measurements of them."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from functools import cache

import torch

from attnbook.data import Batches, Pair, Vocabulary, collate
from attnbook.data.grammar import splits
from attnbook.models.base import EncoderDecoder
from attnbook.observe.recorder import record_attention
from attnbook.training.loop import train
from attnbook.training.optim import Schedule
from attnbook.translation.alignment import alignment_error_rate, links_from_weights
from attnbook.translation.metrics import corpus_bleu, exact_match
from attnbook.translation.translate import translate

CROSS = "decoder.cross_attention"


@dataclass(frozen=True)
class Task:
    """Training pairs, test pairs, and vocabularies."""

    training: tuple[Pair, ...]
    held_out: tuple[Pair, ...]
    vocabularies: tuple[Vocabulary, Vocabulary]

    @classmethod
    def of(cls, training: list[Pair], held_out: list[Pair]) -> Task:
        """Create a task whose vocabularies contain every word of the training pairs."""
        source, target = (Vocabulary.build(getattr(pair, side) for pair in training) for side in ("source", "target"))
        return cls(tuple(training), tuple(held_out), (source, target))

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self.vocabularies[0]), len(self.vocabularies[1])


@cache
def frequent() -> Task:
    """The task of chapter 5: sentences with only the grammar's 200 most frequent words."""
    data = splits(train=20_000, valid=1_000, test=1_000, composition=0, seed=0)
    counts = Counter(token for pair in data.train for token in pair.source)
    known = {token for token, _ in counts.most_common(200)}
    training, held_out = (
        [pair for pair in pairs if known >= set(pair.source)] for pairs in (data.train, [*data.test, *data.valid])
    )
    return Task.of(training, held_out)


@cache
def backwards() -> Task:
    """The task of chapter 8: write words of three to six letters backwards."""
    generator, found = random.Random(0), {}
    while len(found) < 8_400:
        found[tuple(generator.choices("abcdefghijkl", k=generator.randint(3, 6)))] = None
    pairs = [Pair(word, word[::-1]) for word in found]
    return Task.of(pairs[:8_000], pairs[8_000:])


def fit(model: EncoderDecoder, task: Task, *, steps: int, lr: Schedule, batch_size: int, seed: int) -> list[float]:
    """Train for a number of steps and return the loss of each."""
    batches = Batches(task.training, *task.vocabularies, batch_size=batch_size, seed=seed)
    return [step.loss for step in train(model, batches, steps=steps, lr=lr, seed=seed)]


def judge(model: EncoderDecoder, pairs: tuple[Pair, ...], task: Task) -> dict[str, float]:
    """BLEU and the share of exact translations (greedy), both in percent."""
    outputs = translate(model, [pair.source for pair in pairs], *task.vocabularies, max_length=30)
    written, references = [output.target for output in outputs], [[pair.target] for pair in pairs]
    return {
        "bleu": round(corpus_bleu(written, references), 2),
        "exact": round(100 * exact_match(written, references), 2),
    }


def misaligned(model: EncoderDecoder, pairs: tuple[Pair, ...], task: Task) -> float:
    """Alignment error rate of the largest weights, with teacher forcing."""
    batch = collate(pairs, *task.vocabularies)
    with record_attention(model) as record, torch.no_grad():
        model.eval()(batch)
    links = [
        links_from_weights(weights[:, : len(pair.target), : len(pair.source)])
        for weights, pair in zip(record[CROSS], pairs, strict=True)
    ]
    return round(alignment_error_rate(links, [pair.alignment for pair in pairs]), 4)
