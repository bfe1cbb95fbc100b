"""BLEU, chrF, exact match and perplexity against sacrebleu and their formulas."""

from __future__ import annotations

import collections
import math
import sys
from typing import Any

import pytest
import sacrebleu
import torch

from attnbook.data import Batches, Pair, Vocabulary, collate
from attnbook.models.seq2seq import Seq2Seq
from attnbook.pages.d2l_compat import import_d2l
from attnbook.training.loss import cross_entropy
from attnbook.translation.metrics import (
    bleu_d2l,
    corpus_bleu,
    corpus_chrf,
    exact_match,
    perplexity,
)

HYPOTHESES = ["le chat est sur le tapis rouge .", "il fait très froid ce soir", "je ne sais pas"]
REFERENCES = [
    ["le chat est sur le tapis rouge .", "un chat rouge est sur le tapis ."],
    ["il fait bien froid ce soir"],
    ["je ne sais pas .", "je ne le sais pas .", "je l' ignore ."],
]


def tokens(sentences: list[str]) -> list[list[str]]:
    return [sentence.split() for sentence in sentences]


def test_bleu_and_chrf_equal_sacrebleu() -> None:
    streams = [
        [REFERENCES[0][0], REFERENCES[1][0], REFERENCES[2][0]],
        [REFERENCES[0][1], None, REFERENCES[2][1]],
        [None, None, REFERENCES[2][2]],
    ]
    expected = sacrebleu.corpus_bleu(HYPOTHESES, streams, tokenize="none", force=True).score
    as_tokens = tokens(HYPOTHESES), [tokens(group) for group in REFERENCES]
    assert corpus_bleu(*as_tokens) == pytest.approx(expected) and 10 < expected < 90
    assert corpus_bleu(HYPOTHESES, REFERENCES, tokenize="none") == pytest.approx(expected)
    chrf = sacrebleu.corpus_chrf(HYPOTHESES, streams).score
    assert corpus_chrf(*as_tokens) == pytest.approx(chrf) == corpus_chrf(HYPOTHESES, REFERENCES) and 10 < chrf < 90
    one = corpus_bleu(HYPOTHESES, [group[:1] for group in REFERENCES])
    assert (
        one == pytest.approx(sacrebleu.corpus_bleu(HYPOTHESES, [[g[0] for g in REFERENCES]]).score) and one < expected
    )


def test_corpus_bleu_tokenizes_strings_only() -> None:
    glued, apart = ["j'aime les chats, oui."], ["j' aime les chats , oui ."]
    assert corpus_bleu(glued, [[apart[0]]]) > corpus_bleu(tokens(glued), [tokens(apart)])
    assert corpus_bleu(tokens(apart), [tokens(apart)]) == pytest.approx(100)
    spaced = [["1\u202f000", "chats"]], [[["1\u202f000", "chiens"]]]  # a token that contains a space is not split
    assert corpus_bleu(*spaced) == pytest.approx(corpus_bleu([["mille", "chats"]], [[["mille", "chiens"]]]))
    assert corpus_bleu([["a", "", "b"]], [[["a", "b"]]]) < 90  # an empty token counts
    chinese = ["我今天很高兴", "我今天不高兴"]
    assert corpus_bleu(chinese[:1], [chinese[1:]], tokenize="zh") > corpus_bleu(chinese[:1], [chinese[1:]])


def test_metrics_keep_tokens_with_spaces() -> None:
    for token in ("a b", "ab"):
        hypotheses = [[token, "c", "d", "e", "f"]]
        assert corpus_bleu(hypotheses, [[["a b", "c", "d", "e", "f"]]]) == pytest.approx(
            100 if token == "a b" else 66.87, abs=0.01
        )


def test_corpus_bleu_of_tokens_gives_no_warning(caplog: pytest.LogCaptureFixture) -> None:
    """Of a hundred lines that end in " ." sacrebleu warns that they look tokenized unless tokenize="none"."""
    sentences = [["a", "b", "c", "d", "."]] * 120
    corpus_bleu(sentences, [[sentence] for sentence in sentences])
    assert caplog.records == []


def test_scores_reach_their_bounds() -> None:
    for perfect in (["va !"], ["va ."], ["je suis ici depuis longtemps"]):  # also without any 4-gram
        assert corpus_bleu(tokens(perfect), [tokens(perfect)]) == pytest.approx(100)
    assert corpus_bleu([["a"]], [[["a"]]]) <= 100, "sacrebleu's is 100.00000000000004"
    assert corpus_chrf(HYPOTHESES, [[h] for h in HYPOTHESES]) == pytest.approx(100)
    assert corpus_bleu([["x", "y"]], [[["a", "b"]]]) == 0 == corpus_bleu([[]], [[["a"]]])
    assert exact_match(HYPOTHESES, REFERENCES) == pytest.approx(1 / 3)
    assert exact_match(tokens(HYPOTHESES), [tokens(g) for g in REFERENCES]) == pytest.approx(1 / 3)


@pytest.mark.parametrize("score", [corpus_bleu, corpus_chrf, exact_match])
def test_metrics_refuse_what_is_not_a_corpus(score: object) -> None:
    assert callable(score)
    with pytest.raises(ValueError, match="hypotheses"):
        score([], [])
    with pytest.raises(ValueError, match="references"):
        score(["a", "b"], [["a"]])
    with pytest.raises(TypeError, match=r"references\[0\]"):
        score(["a b"], ["a b"])
    with pytest.raises(TypeError, match=r"references\[0\]\[0\]"):
        score([["a", "b"]], [["a", "b"]])  # a reference must be in a list; its tokens would count as references
    with pytest.raises(TypeError, match=r"hypotheses\[1\]"):
        score(["a", ["a"]], [["a"], ["a"]])
    with pytest.raises(ValueError, match=r"references\[0\]"):
        score(["a"], [[]])
    with pytest.raises(ValueError, match=r"references\[0\]\[1\]"):
        score(["a"], [["a", " "]])
    with pytest.raises(TypeError, match="hypotheses"):
        score("a b", [["a"], ["b"]])
    with pytest.raises(TypeError, match=r"^references"):
        score(["a", "b"], "ab")
    with pytest.raises(TypeError, match=r"hypotheses\[0\]"):
        score([[1]], [[["a"]]])
    with pytest.raises(TypeError, match=r"hypotheses\[0\]"):
        score([None], [[["a"]]])
    with pytest.raises(TypeError, match="hypotheses"):
        score((h for h in ["a"]), [["a"]])
    with pytest.raises(TypeError, match=r"references\[0\]"):
        score(["a"], [None])


def test_corpus_bleu_refuses_unknown_tokenizers() -> None:
    with pytest.raises(ValueError, match="tokenize"):
        corpus_bleu(["a"], [["a"]], tokenize="mine")


@pytest.mark.parametrize(("score", "module"), [(corpus_bleu, "bleu"), (corpus_chrf, "chrf")])
def test_metrics_without_sacrebleu_name_the_extra(score: Any, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, f"sacrebleu.metrics.{module}", None)
    with pytest.raises(ModuleNotFoundError, match=r"`pip install attnbook\[metrics\]`"):
        score(["a"], [["a"]])


def bleu_by_hand(prediction: str, label: str, k: int) -> float:
    """D2L's formula: exp(min(0, 1 - len_label / len_pred)) prod p_n^(1/2^n)."""
    found, expected = prediction.split(), label.split()
    score = math.exp(min(0.0, 1 - len(expected) / len(found)))
    for n in range(1, k + 1):
        left = collections.Counter(" ".join(expected[i : i + n]) for i in range(len(expected) - n + 1))
        hits = 0
        for i in range(len(found) - n + 1):
            gram = " ".join(found[i : i + n])
            if left[gram] > 0:
                hits, left[gram] = hits + 1, left[gram] - 1
        score *= (hits / (len(found) - n + 1)) ** (0.5**n)
    return score


@pytest.mark.parametrize("k", [1, 2, 3])
def test_bleu_d2l_equals_its_formula(k: int) -> None:
    for prediction in ("a b c d", "a b c", "b a c d e f", "a a a a", "x y z"):
        assert bleu_d2l(prediction, "a b c d", k) == pytest.approx(bleu_by_hand(prediction, "a b c d", k))
    assert bleu_d2l(["a", "b"], ["a", "b"]) == 1.0
    assert bleu_d2l("b a c d", "a b c d") == pytest.approx(bleu_by_hand("b a c d", "a b c d", 2))


def test_bleu_d2l_handles_short_sentences() -> None:
    assert bleu_d2l("a", "a b c", k=4) == pytest.approx(math.exp(1 - 3))
    assert bleu_d2l("a b", "a", k=2) == 0.0  # the reference has no pair of words, so none of ours is right
    assert bleu_d2l("", "a b", k=2) == 0.0 == bleu_d2l([], ["a"])
    with pytest.raises(ValueError, match="reference"):
        bleu_d2l("a", "")
    with pytest.raises(ValueError, match=r"^k\b"):
        bleu_d2l("a", "a", k=0)


def test_bleu_d2l_equals_d2l() -> None:
    pytest.importorskip("d2l", reason="d2l is not installed")
    d2l = import_d2l()
    for prediction, label in (("il est calme .", "il est calme ."), ("je suis là .", "je suis chez moi ."), ("a", "b")):
        assert bleu_d2l(prediction, label, 2) == pytest.approx(d2l.bleu(prediction, label, 2))


def test_perplexity_does_not_depend_on_batches() -> None:
    pairs = [Pair(("a",) * n, ("b",) * m) for n, m in ((1, 5), (3, 1), (2, 2), (4, 4), (1, 1))]
    source, target = Vocabulary(("a",)), Vocabulary(("b", "c"))
    torch.manual_seed(0)
    model = Seq2Seq(len(source), len(target), embed_size=8, num_hiddens=8, dropout=0.5)
    total, count, sums = 0.0, 0, list[float]()
    for pair in pairs:  # one by one, without padding
        batch = collate([pair], source, target)
        with torch.no_grad():
            log_p = model.eval()(batch).log_softmax(-1)[0]
        total -= sum(float(log_p[t, int(y)]) for t, y in enumerate(batch.target_out[0]))
        sums.append(float(cross_entropy(log_p[None], batch.target_out, batch.target_mask, reduction="sum")))
        count += len(pair.target) + 1
    one_by_one = [collate([pair], source, target) for pair in pairs]
    assert perplexity(model, one_by_one) == pytest.approx(math.exp(math.fsum(sums) / count), rel=1e-12)
    model.train()
    for size in (1, 2, 5):
        batches = Batches(pairs, source, target, batch_size=size)
        assert perplexity(model, batches.epoch(0)) == pytest.approx(math.exp(total / count), rel=1e-5)
    assert model.training and all(m.training for m in model.modules())
    for parameter in model.head.parameters():
        torch.nn.init.zeros_(parameter)
    assert perplexity(model, [collate(pairs, source, target)]) == pytest.approx(len(target))
    with pytest.raises(ValueError, match="batches"):
        perplexity(model, [])
    with pytest.raises(TypeError, match="batches"):
        perplexity(model, collate(pairs, source, target))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="batches"):
        perplexity(model, pairs)  # type: ignore[arg-type]
    with torch.no_grad():
        model.head.bias[0] = 1e4  # so sure of <pad> that no float holds the perplexity
    assert perplexity(model, [collate(pairs, source, target)]) == math.inf
    torch.nn.init.constant_(model.head.bias, math.nan)
    with pytest.raises(FloatingPointError, match=r"^model"):
        perplexity(model, [collate(pairs, source, target)])


def test_bleu_d2l_names_sentences_of_another_type() -> None:
    for wrong in (None, [1]):
        with pytest.raises(TypeError, match="hypothesis"):
            bleu_d2l(wrong, "a")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="reference"):
            bleu_d2l("a", wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("space", ["\u2009", "\u00a0", "\u3000", " "])
def test_corpus_bleu_counts_a_token_with_a_space_as_one(space: str) -> None:
    one, two = ["a", f"b{space}c", "d"], ["a", "b", "c", "d"]
    assert corpus_bleu([one], [[one]]) == pytest.approx(100)
    assert corpus_bleu([one], [[two]]) < 60
    assert exact_match([one], [[two]]) == 0 and exact_match([one], [[one]]) == 1
    assert exact_match([["a b", "c"]], [[["a", "b c"]]]) == 0


@pytest.mark.parametrize("k", ["1", 1.5, [1], True, -1, torch.tensor(1.0)])
def test_bleu_d2l_refuses_k_that_is_not_a_count(k: object) -> None:
    with pytest.raises(ValueError, match=r"^k\b"):
        bleu_d2l("a b", "a b", k)  # type: ignore[arg-type]


@pytest.mark.parametrize("model", [torch.nn.Linear(2, 2), None])
def test_perplexity_refuses_what_is_not_a_translation_model(model: object) -> None:
    with pytest.raises(TypeError, match="model"):
        perplexity(model, [])  # type: ignore[arg-type]


def test_corpus_bleu_names_arguments_of_another_kind() -> None:
    with pytest.raises(TypeError, match="hypotheses"):
        corpus_bleu({"a"}, [["a"]])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"references\[0\]"):
        corpus_bleu(["a"], [{"a"}])  # type: ignore[list-item]
    for tokenize in ("", []):
        with pytest.raises(ValueError, match="tokenize"):
            corpus_bleu(["a"], [["a"]], tokenize=tokenize)  # type: ignore[arg-type]
