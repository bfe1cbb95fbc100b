"""Evaluate a translation model on held-out sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from attnbook._internal.validate import check_range
from attnbook.data import Batches, Example, TokenizerLike, Vocabulary
from attnbook.models.base import EncoderDecoder
from attnbook.translation.alignment import alignment_error_rates
from attnbook.translation.metrics import check_metrics, corpus_bleu, corpus_chrf, exact_match, perplexity
from attnbook.translation.translate import Translation, translate

Tokens = tuple[str, ...]


@dataclass(frozen=True)
class Evaluation:
    """Translations of a set of examples, and their scores.

    Args:
        translations: one per example.
        figures: scores and other numbers by name, see ``evaluate``.
    """

    translations: tuple[Translation, ...]
    figures: dict[str, Any]


def evaluate(
    model: EncoderDecoder,
    examples: Sequence[Example],
    source_vocabulary: TokenizerLike,
    target_vocabulary: TokenizerLike,
    *,
    beam_size: int = 1,
    max_length: int = 100,
    batch_size: int = 64,
    heads: bool = False,
) -> Evaluation:
    """Translate examples and score the translations.

    The figures are those of ``scores``; "perplexity" of all references; "cut_at_the_longest", the number of
    translations that reached ``max_length`` without ``<eos>``; and, if every pair has a gold alignment and both
    vocabularies hold whole words, "alignment_error_rate" by cross-attention module.

    Args:
        model: used in eval mode on its own device; its mode is restored.
        examples: see ``Example``.
        source_vocabulary: the source vocabulary.
        target_vocabulary: the target vocabulary.
        beam_size, max_length, batch_size: see ``translate``.
        heads: whether to score the alignment of each head of a multi-head module too, as ``module[head]``.

    Raises:
        ValueError: there is no example, or see ``translate``.
        TypeError: an item is not an ``Example``.
        ModuleNotFoundError: sacrebleu is not installed.
    """
    _check_examples(examples)
    check_metrics()  # before translating, so that no work is lost
    vocabularies = source_vocabulary, target_vocabulary
    translations = translate(
        model,
        [example.source for example in examples],
        *vocabularies,
        beam_size=beam_size,
        max_length=max_length,
        batch_size=batch_size,
    )
    figures = {
        **scores([translation.target for translation in translations], [example.references for example in examples]),
        "perplexity": round(held_out_perplexity(model, examples, *vocabularies, batch_size=batch_size), 4),
        "cut_at_the_longest": sum(not translation.finished for translation in translations),
    }
    pairs = [pair for example in examples for pair in example.pairs]
    of_words = all(isinstance(vocabulary, Vocabulary) for vocabulary in vocabularies)
    if of_words and all(pair.alignment is not None for pair in pairs):
        rates = alignment_error_rates(model, pairs, *vocabularies, batch_size=batch_size, heads=heads)
        if rates:
            figures["alignment_error_rate"] = {name: round(rate, 5) for name, rate in rates.items()}
    return Evaluation(tuple(translations), figures)


def scores(outputs: Sequence[Tokens], references: Sequence[Sequence[Tokens]]) -> dict[str, Any]:
    """Compute the number of sentences, BLEU and chrF (0 to 100), and the proportion of exact matches (0 to 1).

    Raises:
        ValueError: see ``corpus_bleu``.
    """
    return {
        "sentences": len(outputs),
        "bleu": round(corpus_bleu(outputs, references), 3),
        "chrf": round(corpus_chrf(outputs, references), 3),
        "exact": round(exact_match(outputs, references), 5),
    }


def held_out_perplexity(
    model: EncoderDecoder,
    examples: Sequence[Example],
    source_vocabulary: TokenizerLike,
    target_vocabulary: TokenizerLike,
    *,
    batch_size: int = 64,
) -> float:
    """Compute the perplexity of all references of the examples, in batches of ``batch_size``; see ``perplexity``.

    Raises:
        ValueError: there is no example, or ``batch_size`` is below 1.
        TypeError: an item is not an ``Example``.
    """
    _check_examples(examples)
    pairs = [pair for example in examples for pair in example.pairs]
    return perplexity(model, Batches(pairs, source_vocabulary, target_vocabulary, batch_size=batch_size).epoch(0))


def _check_examples(examples: Sequence[Example]) -> None:
    if not isinstance(examples, Sequence):
        raise TypeError(f"examples must be a sequence of Example, got {type(examples).__name__}")
    check_range("examples", examples, len(examples) > 0, "non-empty")
    for i, example in enumerate(examples):
        if not isinstance(example, Example):
            raise TypeError(f"examples[{i}] must be an Example, got {type(example).__name__}")
