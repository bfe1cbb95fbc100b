"""evaluate(): scores, perplexity and alignment of a held-out set."""

from __future__ import annotations

import math
import sys
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from attnbook.data import Corpus, Example, Pair, TokenizerLike, grammar
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer
from attnbook.translation import evaluate as evaluation
from attnbook.translation.alignment import alignment_error_rates
from attnbook.translation.evaluate import evaluate, held_out_perplexity
from attnbook.translation.metrics import corpus_bleu, corpus_chrf, exact_match
from attnbook.translation.translate import translate

PAIRS = grammar.sample(30, seed=5)
EXAMPLES = [Example((pair,)) for pair in PAIRS]


def model_and_vocabularies(kind: type, subwords: int | None = None) -> tuple[Any, tuple[TokenizerLike, TokenizerLike]]:
    torch.manual_seed(0)
    vocabularies = Corpus(PAIRS, {}).vocabularies(subwords=subwords)
    sizes = {"embed_size": 8, "num_hiddens": 12}
    if kind is Transformer:
        sizes = {"d_model": 8, "num_heads": 2, "d_ff": 8, "num_layers": 2}
    return kind(*map(len, vocabularies), **sizes), vocabularies


def test_evaluate_returns_the_metrics() -> None:
    model, vocabularies = model_and_vocabularies(Bahdanau)
    found = evaluate(model, EXAMPLES, *vocabularies, beam_size=2, max_length=7, batch_size=4)
    expected = translate(model, [pair.source for pair in PAIRS], *vocabularies, beam_size=2, max_length=7)
    assert [t.target for t in found.translations] == [t.target for t in expected]
    outputs, references = [t.target for t in expected], [[pair.target] for pair in PAIRS]
    figures = found.figures
    assert figures["sentences"] == 30
    assert figures["bleu"] == pytest.approx(corpus_bleu(outputs, references), abs=1e-3)
    assert figures["chrf"] == pytest.approx(corpus_chrf(outputs, references), abs=1e-3)
    assert figures["exact"] == pytest.approx(exact_match(outputs, references), abs=1e-5)
    assert figures["cut_at_the_longest"] == sum(not t.finished for t in expected) > 0
    rates = alignment_error_rates(model, PAIRS, *vocabularies)
    assert figures["alignment_error_rate"] == {name: pytest.approx(rate, abs=1e-5) for name, rate in rates.items()}


def test_evaluate_uses_every_reference() -> None:
    model, vocabularies = model_and_vocabularies(Bahdanau)
    pair, other = PAIRS[:2]
    (translation,) = translate(model, [pair.source], *vocabularies, max_length=5)
    right = Pair(pair.source, translation.target)
    assert evaluate(model, [Example((pair,))], *vocabularies, max_length=5).figures["exact"] == 0
    both = evaluate(model, [Example((pair, right))], *vocabularies, max_length=5)
    assert both.figures["exact"] == 1 and both.figures["bleu"] == pytest.approx(100)
    one, two = (held_out_perplexity(model, [Example((p,))], *vocabularies) for p in (pair, other))
    joined = held_out_perplexity(model, [Example((pair,)), Example((other,))], *vocabularies)
    tokens = [len(p.target) + 1 for p in (pair, other)]
    mean = (math.log(one) * tokens[0] + math.log(two) * tokens[1]) / sum(tokens)
    assert joined == pytest.approx(math.exp(mean), rel=1e-5)


def test_held_out_perplexity_by_hand() -> None:
    model, (source, target) = model_and_vocabularies(Bahdanau)
    pair = PAIRS[0]
    model.eval()
    with torch.no_grad():
        ids = torch.tensor([source.encode(pair.source)])
        state = model.encode(ids, torch.ones_like(ids, dtype=torch.bool))
        logits, _ = model.decode(torch.tensor([[1, *target.encode(pair.target)]]), state)
    expected = F.cross_entropy(logits[0], torch.tensor([*target.encode(pair.target), 2])).exp()
    assert held_out_perplexity(model, [EXAMPLES[0]], source, target) == pytest.approx(float(expected), rel=1e-5)


def test_evaluate_computes_the_perplexity_in_batches_of_the_given_size(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    monkeypatch.setattr(evaluation, "perplexity", lambda _, batches: sizes.extend(len(b.source) for b in batches))
    model, vocabularies = model_and_vocabularies(Bahdanau)
    held_out_perplexity(model, EXAMPLES, *vocabularies, batch_size=1)
    assert sizes and set(sizes) == {1}


@pytest.mark.parametrize("kind", [Seq2Seq, Transformer])
def test_evaluate_scores_heads_of_multihead_modules(kind: type) -> None:
    model, vocabularies = model_and_vocabularies(kind)
    rates = evaluate(model, EXAMPLES, *vocabularies, max_length=5, heads=True).figures.get("alignment_error_rate", {})
    modules = [] if kind is Seq2Seq else ["decoder.0.cross_attention", "decoder.1.cross_attention"]
    assert set(rates) == {*modules, *(f"{module}[{head}]" for module in modules for head in range(2))}


def test_evaluate_scores_alignment_of_whole_words_only() -> None:
    model, vocabularies = model_and_vocabularies(Bahdanau, subwords=300)
    assert "alignment_error_rate" not in evaluate(model, EXAMPLES[:2], *vocabularies, max_length=5).figures
    model, vocabularies = model_and_vocabularies(Bahdanau)
    unknown = [Example((Pair(pair.source, pair.target),)) for pair in PAIRS[:2]]
    assert "alignment_error_rate" not in evaluate(model, unknown, *vocabularies, max_length=5).figures


def test_evaluate_refuses_empty_examples() -> None:
    model, vocabularies = model_and_vocabularies(Bahdanau)
    with pytest.raises(ValueError, match="examples"):
        evaluate(model, [], *vocabularies)


@pytest.mark.parametrize("score", [evaluate, held_out_perplexity])
@pytest.mark.parametrize(
    ("examples", "message"),
    [
        (PAIRS[:2], r"examples\[0\]"),
        ({"test": EXAMPLES}, "examples"),
    ],
)
def test_evaluate_checks_examples_before_translating(score: Any, examples: Any, message: str) -> None:
    model, vocabularies = model_and_vocabularies(Bahdanau)
    with pytest.raises(TypeError, match=message):
        score(model, examples, *vocabularies)


def test_example_requires_one_source() -> None:
    with pytest.raises(ValueError, match="pairs"):
        Example((PAIRS[0], PAIRS[1]))
    with pytest.raises(ValueError, match="pairs"):
        Example(())
    with pytest.raises(TypeError, match="pairs"):
        Example(PAIRS[0])  # type: ignore[arg-type]


def test_evaluate_without_sacrebleu_fails_before_translating(monkeypatch: pytest.MonkeyPatch) -> None:
    model, vocabularies = model_and_vocabularies(Bahdanau)
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    monkeypatch.setattr(evaluation, "translate", lambda *a, **o: pytest.fail("translated before the check"))
    with pytest.raises(ModuleNotFoundError, match=r"pip install attnbook\[metrics\]"):
        evaluate(model, EXAMPLES, *vocabularies)


@pytest.mark.parametrize("subwords", [None, 300])
def test_shared_vocabulary_contains_both_sides(subwords: int | None) -> None:
    source, target = Corpus(PAIRS, {}).vocabularies(subwords=subwords, shared=True)
    assert source is target
    for pair in PAIRS:
        for tokens in (pair.source, pair.target):
            assert tuple(source.decode(source.encode(tokens))) == tokens
