"""Scores of a trained model on every held-out set, by sentence length and by phenomenon."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from attnbook.data import Corpus, Example, Pair, TokenizerLike
from attnbook.models.base import EncoderDecoder
from attnbook.translation.evaluate import Tokens, evaluate, scores

# Bins of source lengths; the last one is open-ended.
BINS = ((1, 4), (5, 6), (7, 8), (9, 10), (11, 12), (13, 16), (17, None))
MAX_IDS = 80  # per translation
SAMPLES = 20


def breakdown(
    model: EncoderDecoder, corpus: Corpus, vocabularies: tuple[TokenizerLike, TokenizerLike]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Score a trained model on every held-out set.

    Returns:
        scores by the name of the set, and sample translations of test sentences.
    """
    results: dict[str, Any] = {}
    samples: list[dict[str, Any]] = []
    for name, examples in corpus.held_out.items():
        found = evaluate(model, examples, *vocabularies, max_length=MAX_IDS, batch_size=128, heads=True)
        outputs = [translation.target for translation in found.translations]
        results[name] = {**found.figures, "by_length": _by_length(outputs, examples)}
        phenomena = _by_phenomenon(outputs, examples)
        if phenomena:
            results[name]["by_phenomenon"] = phenomena
        if name == "test":
            samples = _samples(outputs, examples)
    if "alignment_error_rate" in results["valid"]:
        _choose_head({name: result["alignment_error_rate"] for name, result in results.items()})
    return results, samples


def _choose_head(rates: dict[str, dict[str, Any]]) -> None:
    """Replace the alignment error rates of all heads by that of the head that is best on valid."""
    heads = {name: rate for name, rate in rates["valid"].items() if "[" in name}
    if not heads:
        return
    best = min(heads, key=heads.__getitem__)
    for by_name in rates.values():
        chosen = {"head": best, "rate": by_name[best]}
        for name in heads:
            del by_name[name]
        by_name["best head on valid"] = chosen


def _part(
    outputs: Sequence[Tokens], examples: Sequence[Example], chosen: Callable[[Pair], bool]
) -> dict[str, Any] | None:
    rows = [i for i, example in enumerate(examples) if chosen(example.pairs[0])]
    return scores([outputs[i] for i in rows], [examples[i].references for i in rows]) if rows else None


def _by_length(outputs: Sequence[Tokens], examples: Sequence[Example]) -> list[dict[str, Any]]:
    found = []
    for low, high in BINS:
        part = _part(outputs, examples, lambda p: low <= len(p.source) <= (high or len(p.source)))  # noqa: B023
        if part is not None:
            found.append({"from": low, "to": high, **part})
    return found


def _by_phenomenon(outputs: Sequence[Tokens], examples: Sequence[Example]) -> dict[str, dict[str, Any]]:
    names = sorted({name for example in examples for pair in example.pairs for name in pair.phenomena})
    return {name: _part(outputs, examples, lambda p: name in p.phenomena) or {} for name in names}  # noqa: B023


def _samples(outputs: Sequence[Tokens], examples: Sequence[Example]) -> list[dict[str, Any]]:
    """Translations of sentences from the shortest to the longest, at equally spaced ranks."""
    order = sorted(range(len(outputs)), key=lambda i: len(examples[i].source))
    picked = [order[i * (len(order) - 1) // (SAMPLES - 1)] for i in range(min(SAMPLES, len(order)))]
    return [
        {
            "source": " ".join(examples[i].source),
            "references": [" ".join(reference) for reference in examples[i].references],
            "output": " ".join(outputs[i]),
        }
        for i in picked
    ]
