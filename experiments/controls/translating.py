"""Trials with small translators, on corpora from the book's grammar."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

from torch import Tensor

from attnbook.data import Batches, Pair, Vocabulary, collate
from attnbook.data.grammar import splits
from attnbook.models.base import EncoderDecoder
from attnbook.training.loss import cross_entropy
from experiments.compare import Trial
from experiments.controls.bench import Task, backwards, judge, misaligned

JUDGED = 400  # maximum number of sentence pairs in a split


@dataclass(frozen=True)
class Corpus:
    """Sentence pairs for training, validation and test, and vocabularies."""

    train: tuple[Pair, ...]
    held_out: dict[str, tuple[Pair, ...]]
    vocabularies: tuple[Vocabulary, Vocabulary]

    @classmethod
    def of(cls, train: list[Pair], valid: list[Pair], test: list[Pair]) -> Corpus:
        source, target = (Vocabulary.build(getattr(pair, side) for pair in train) for side in ("source", "target"))
        return cls(tuple(train), {"valid": tuple(valid[:JUDGED]), "test": tuple(test[:JUDGED])}, (source, target))

    @property
    def sizes(self) -> tuple[int, int]:
        return len(self.vocabularies[0]), len(self.vocabularies[1])

    def judged(self, split: str) -> Task:
        return Task(self.train, self.held_out[split], self.vocabularies)


@cache
def frequent_words() -> Corpus:
    """The corpus of chapter 5: sentences with only the grammar's 200 most frequent words."""
    data = splits(train=20_000, valid=2_000, test=2_000, composition=0, seed=0)
    counts = Counter(token for pair in data.train for token in pair.source)
    known = {token for token, _ in counts.most_common(200)}
    return Corpus.of(
        *([pair for pair in part if known >= set(pair.source)] for part in (data.train, data.valid, data.test))
    )


@cache
def everyday_words() -> Corpus:
    """The corpus of chapter 4: 13,000 sentences of the grammar."""
    data = splits(train=13_000, valid=600, test=600, composition=0, seed=0)
    return Corpus.of([*data.train], [*data.valid], [*data.test])


@cache
def new_combinations() -> Corpus:
    """The corpus of chapter 9: 50,000 sentences of the grammar, tested on combinations that do not occur in them."""
    data = splits(train=50_000, composition=JUDGED, seed=0)
    return Corpus.of([*data.train], [*data.valid], [*data.composition])


@cache
def words_backwards() -> Corpus:
    """The corpus of chapter 8: words of three to six letters, to be written backwards."""
    task = backwards()
    return Corpus.of([*task.training[:-JUDGED]], [*task.training[-JUDGED:]], [*task.held_out])


SPLIT = {
    "train": "the sentence pairs, among 20,000 of the grammar, made of its 200 most frequent words",
    "valid": "such pairs with other source sentences, 400 at most",
    "test": "such pairs with further source sentences, 400 at most",
}

EVERYDAY = {
    "train": "13,000 sentence pairs of the grammar",
    "valid": "400 pairs with other source sentences",
    "test": "400 pairs with further source sentences",
}


def translation_trial(model: EncoderDecoder, corpus: Corpus, seed: int, batch_size: int, *, aligned: bool) -> Trial:
    """Train a translator on a corpus; measure BLEU, exact translations, the loss and, if ``aligned``, the alignment."""
    batches = Batches(corpus.train, *corpus.vocabularies, batch_size=batch_size, seed=seed)

    def loss(step: int) -> Tensor:
        batch = batches.batch_at(step)
        return cross_entropy(model(batch), batch.target_out, batch.target_mask)

    def measure(split: str) -> dict[str, float]:
        task = corpus.judged(split)
        batch = collate(task.held_out, *task.vocabularies)
        figures = judge(model, task.held_out, task)
        figures["loss"] = float(cross_entropy(model(batch), batch.target_out, batch.target_mask))
        if aligned:
            figures["alignment_error_rate"] = misaligned(model, task.held_out, task)
        return figures

    return Trial(model, loss, measure)
