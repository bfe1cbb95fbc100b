"""How well a trained model translates sentences it has not seen, and where it looks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from attnbook.data import Batches, Pair, collate
from attnbook.decoding import cross_attention, translate
from attnbook.encoder_decoder import EncoderDecoder
from attnbook.metrics import (
    Links,
    alignment_error_rate,
    corpus_bleu,
    corpus_chrf,
    exact_match,
    links_from_weights,
    perplexity,
)
from attnbook.search import Hypothesis
from experiments.corpora import Corpus, HeldOut

Tokens = tuple[str, ...]

# Source lengths that are scored together; the last bin has no end.
BINS = ((1, 4), (5, 6), (7, 8), (9, 10), (11, 12), (13, 16), (17, None))
MOST_IDS = 80  # in a translation
SAMPLES = 20


def evaluate(model: EncoderDecoder, corpus: Corpus) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Every figure of a trained model.

    Returns:
        the figures by the name of the set, and sample translations of test sentences.
    """
    results: dict[str, Any] = {}
    samples: list[dict[str, Any]] = []
    for name, held_out in corpus.held_out.items():
        found = translate(
            model,
            held_out.sources,
            corpus.source_vocabulary,
            corpus.target_vocabulary,
            max_length=MOST_IDS,
            batch_size=128,
        )
        outputs = [translation.target for translation in found]
        results[name] = {
            **_scores(outputs, held_out.references),
            "perplexity": round(held_out_perplexity(model, held_out.pairs, corpus), 4),
            "cut_at_the_longest": sum(not translation.finished for translation in found),
            "by_length": _by_length(outputs, held_out),
        }
        phenomena = _by_phenomenon(outputs, held_out)
        if phenomena:
            results[name]["by_phenomenon"] = phenomena
        if name == "test":
            samples = _samples(outputs, held_out)
    if corpus.words and all(held_out.aligned for held_out in corpus.held_out.values()):
        for name, rates in _alignments(model, corpus).items():
            results[name]["alignment_error_rate"] = rates
    return results, samples


def held_out_perplexity(model: EncoderDecoder, pairs: Sequence[Pair], corpus: Corpus) -> float:
    """Perplexity of the references."""
    batches = Batches(pairs, corpus.source_vocabulary, corpus.target_vocabulary, batch_size=64)
    return perplexity(model, batches.epoch(0))


def _scores(outputs: Sequence[Tokens], references: Sequence[Sequence[Tokens]]) -> dict[str, Any]:
    return {
        "sentences": len(outputs),
        "bleu": round(corpus_bleu(outputs, references), 3),
        "chrf": round(corpus_chrf(outputs, references), 3),
        "exact": round(exact_match(outputs, references), 5),
    }


def _part(outputs: Sequence[Tokens], held_out: HeldOut, chosen: Callable[[Pair], bool]) -> dict[str, Any] | None:
    rows = [i for i, pairs in enumerate(held_out.examples) if chosen(pairs[0])]
    references = held_out.references
    return _scores([outputs[i] for i in rows], [references[i] for i in rows]) if rows else None


def _by_length(outputs: Sequence[Tokens], held_out: HeldOut) -> list[dict[str, Any]]:
    found = []
    for low, high in BINS:
        scores = _part(outputs, held_out, lambda p: low <= len(p.source) <= (high or len(p.source)))  # noqa: B023
        if scores is not None:
            found.append({"from": low, "to": high, **scores})
    return found


def _by_phenomenon(outputs: Sequence[Tokens], held_out: HeldOut) -> dict[str, dict[str, Any]]:
    names = sorted({name for pair in held_out.pairs for name in pair.phenomena})
    return {name: _part(outputs, held_out, lambda p: name in p.phenomena) or {} for name in names}  # noqa: B023


def _samples(outputs: Sequence[Tokens], held_out: HeldOut) -> list[dict[str, Any]]:
    """Translations from the shortest source to the longest, in equal steps of rank."""
    order = sorted(range(len(outputs)), key=lambda i: len(held_out.sources[i]))
    picked = [order[i * (len(order) - 1) // (SAMPLES - 1)] for i in range(min(SAMPLES, len(order)))]
    return [
        {
            "source": " ".join(held_out.sources[i]),
            "references": [" ".join(reference) for reference in held_out.references[i]],
            "output": " ".join(outputs[i]),
        }
        for i in picked
    ]


def _alignments(model: EncoderDecoder, corpus: Corpus) -> dict[str, dict[str, Any]]:
    """Alignment error rates of every set, by module; of many heads their mean, and the head that is best on valid."""
    rates = {name: _rates(model, held_out.pairs, corpus) for name, held_out in corpus.held_out.items()}
    found: dict[str, dict[str, Any]] = {}
    heads = {key: rate for key, rate in rates["valid"].items() if "[" in key}
    for name, by_key in rates.items():
        found[name] = {key: round(rate, 5) for key, rate in by_key.items() if "[" not in key}
        if heads:
            best = min(heads, key=heads.__getitem__)
            found[name]["best head on valid"] = {"head": best, "rate": round(by_key[best], 5)}
    return found


def _rates(model: EncoderDecoder, pairs: Sequence[Pair], corpus: Corpus) -> dict[str, float]:
    """By module, and by ``module[head]`` where it has several."""
    device = next(model.parameters()).device
    found: dict[str, list[Links]] = {}
    sure: list[Iterable[tuple[int, int]]] = []
    for start in range(0, len(pairs), 64):
        rows = pairs[start : start + 64]
        batch = collate(rows, corpus.source_vocabulary, corpus.target_vocabulary).to(device)
        forced = [Hypothesis(tuple(corpus.target_vocabulary.encode(pair.target)), 0.0, True) for pair in rows]
        for pair, by_module in zip(rows, cross_attention(model, batch.source, batch.source_mask, forced), strict=True):
            sure.append(pair.alignment or ())
            for name, weights in by_module.items():
                words = weights[:, :-1]  # without <eos>: (num_heads, target_len, source_len)
                found.setdefault(name, []).append(links_from_weights(words))
                for head in range(len(words) if len(words) > 1 else 0):
                    found.setdefault(f"{name}[{head}]", []).append(links_from_weights(words[head]))
    return {name: alignment_error_rate(links, sure) for name, links in found.items()}
