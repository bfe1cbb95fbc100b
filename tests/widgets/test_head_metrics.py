"""Entropy and alignment error equal plain loops, and labels equal those of the batch."""

from __future__ import annotations

import math

import pytest
import torch

from attnbook.data import Pair, Subwords, Vocabulary, collate
from attnbook.translation.alignment import alignment_error_rate
from attnbook.widgets.head_metrics import VIEWS, HeadMetrics
from attnbook.widgets.layout import Kind, Layout, Sentence, kinds_of_model
from attnbook.widgets.sentences import probe_sentences

PAIRS = [
    Pair(("the", "cat", "sleeps"), ("le", "chat", "dort", "!"), frozenset({(0, 0), (1, 1), (2, 2)})),
    Pair(("a", "cat"), ("un", "chat")),
    Pair(("I", "see", "it"), ("je", "le", "vois"), frozenset({(0, 0), (2, 1), (1, 2)})),
]
SOURCE, TARGET = (Vocabulary.build([getattr(p, side) for p in PAIRS]) for side in ("source", "target"))


@pytest.fixture
def layout() -> Layout:
    sentences = probe_sentences(collate(PAIRS, SOURCE, TARGET))
    return Layout((Kind("cross", "target_out", "source", ("a", "b"), 3, gold=True),), sentences)


@pytest.fixture
def weights() -> dict[str, torch.Tensor]:
    torch.manual_seed(1)
    found = {}
    for name in ("a", "b"):
        scores = torch.randn(3, 3, 5, 3) * 3
        for i, pair in enumerate(PAIRS):
            scores[i, ..., len(pair.source) :] = -torch.inf
        found[name] = scores.softmax(-1)
    return found


def views(weights: torch.Tensor) -> list[torch.Tensor]:
    return [weights.mean(1), weights.amax(1), *weights.unbind(1)]


def test_entropy_is_mean_over_real_rows_in_bits(layout, weights):
    measured = HeadMetrics(layout)(weights)
    at = 0
    for name in ("a", "b"):
        for view, matrices in zip((*VIEWS, 0, 1, 2), views(weights[name]), strict=True):
            rows = [matrices[i, t] for i, pair in enumerate(PAIRS) for t in range(len(pair.target) + 1)]
            entropy = sum(-sum(float(a) * math.log2(float(a)) for a in row if a > 0) for row in rows) / len(rows)
            if view == "max":
                assert math.isnan(measured[at])
            else:
                assert float(measured[at]) == pytest.approx(entropy, abs=1e-5)
            at += 1


def test_alignment_error_equals_formula_over_sentences_with_gold(layout, weights):
    measured = HeadMetrics(layout)(weights)[10:]  # after the entropies of 2 layers x 5 views
    at = 0
    for name in ("a", "b"):
        for matrices in views(weights[name]):
            hits = links = gold_links = 0
            for i, pair in enumerate(PAIRS):
                if pair.alignment is None:
                    continue
                found = {(int(matrices[i, t].argmax()), t) for t in range(len(pair.target))}
                hits += len(found & pair.alignment)
                links += len(found)
                gold_links += len(pair.alignment)
            assert float(measured[at]) == pytest.approx(1 - 2 * hits / (links + gold_links), abs=1e-6)
            at += 1
    assert at == len(measured)


def test_perfect_attention_has_zero_error_and_entropy(layout):
    weights = torch.zeros(3, 3, 5, 3)
    weights[..., 0] = 1
    for i, pair in enumerate(PAIRS):
        for source, target in pair.alignment or ():
            weights[i, :, target] = torch.nn.functional.one_hot(torch.tensor(source), 3)
    weights[0, :, 3] = 0  # "!" has no link in gold, and looks nowhere
    measured = HeadMetrics(layout)({"a": weights, "b": weights})
    assert measured[[0, 2, 3, 4, 10, 11, 12]].tolist() == [0] * 7


def test_frame_has_each_sentence_cut_to_its_tokens(layout, weights):
    flat = layout.pack(weights)
    assert flat.shape == (layout.size,)
    at = 0
    for i, pair in enumerate(PAIRS):
        rows, columns = len(pair.target) + 1, len(pair.source)
        for name in ("a", "b"):
            for head in range(3):
                assert torch.equal(
                    flat[at : at + rows * columns].view(rows, columns), weights[name][i, head, :rows, :columns]
                )
                at += rows * columns


def test_rows_are_labeled_with_the_token_they_produce():
    first = probe_sentences(collate(PAIRS, SOURCE, TARGET))[0]
    assert first.axes == {
        "source": ("the", "cat", "sleeps"),
        "target_in": ("<bos>", "le", "chat", "dort", "!"),
        "target_out": ("le", "chat", "dort", "!", "<eos>"),
    }
    assert first.gold == PAIRS[0].alignment


def test_subwords_share_gold_links_of_their_word():
    source = Subwords.build([p.source for p in PAIRS], size=262)
    target = Subwords.build([p.target for p in PAIRS], size=262)
    batch = collate(PAIRS, source, target)
    with pytest.raises(ValueError, match=r"^probe must .* 'the cat sleeps'.*source_vocabulary"):
        probe_sentences(batch)
    sentence = probe_sentences(batch, source, target)[2]
    for axis, tokens in (("source", PAIRS[2].source), ("target_out", PAIRS[2].target)):
        pieces = [piece for piece in sentence.axes[axis] if piece != "<eos>"]
        assert "".join(pieces).replace("▁", " ").strip() == " ".join(tokens)
    words = {
        axis: "".join(sentence.axes[axis]).count("▁")
        and ["".join(sentence.axes[axis][: i + 1]).count("▁") - 1 for i in range(len(sentence.axes[axis]))]
        for axis in ("source", "target_out")
    }
    assert sentence.gold
    assert {(words["source"][i], words["target_out"][j]) for i, j in sentence.gold} == PAIRS[2].alignment


def test_kinds_come_from_the_names_of_modules():
    names = {
        "encoder.0.self_attention": 2,
        "encoder.1.self_attention": 2,
        "decoder.0.self_attention": 4,
        "decoder.0.cross_attention": 1,
    }
    kinds = kinds_of_model({name: torch.zeros(1, heads, 2, 2) for name, heads in names.items()})
    assert [(kind.label, len(kind.layers), kind.heads, kind.gold) for kind in kinds] == [
        ("cross-attention", 1, 1, True),
        ("encoder self-attention", 2, 2, False),
        ("decoder self-attention", 1, 4, False),
    ]
    with pytest.raises(ValueError, match=r"got 'memory\.attention'"):
        kinds_of_model({"memory.attention": torch.zeros(1, 1, 2, 2)})
    with pytest.raises(ValueError, match=r"^num_heads must be the same"):
        kinds_of_model({f"encoder.{i}.self_attention": torch.zeros(1, i + 1, 2, 2) for i in range(2)})


def test_measures_equal_those_of_the_metrics_module(layout, weights):
    head = weights["a"][:, 0]
    golden = [i for i, pair in enumerate(PAIRS) if pair.alignment is not None]
    found = [frozenset((int(head[i, t].argmax()), t) for t in range(len(PAIRS[i].target))) for i in golden]
    expected = alignment_error_rate(found, [PAIRS[i].alignment for i in golden])
    assert float(HeadMetrics(layout)(weights)[10 + len(VIEWS)]) == pytest.approx(expected, abs=1e-6)


def test_sentence_without_gold_has_no_error_rate():
    sentence = Sentence("x", {"q": ("a", "b"), "k": ("c",)})
    layout = Layout((Kind("k", "q", "k", ("a",), 1, gold=True),), (sentence,))
    measures = HeadMetrics(layout)
    assert measures.has_gold() == [False] and measures.size == 3
    assert len(measures({"a": torch.ones(1, 1, 2, 1)})) == 3


def test_metrics_ignore_rows_of_padding(layout, weights):
    """Where all keys are masked, much code has NaN."""
    expected = HeadMetrics(layout)(weights)
    for each in weights.values():
        each[1, :, 3:] = torch.nan  # the second sentence has two words and <eos>
    torch.testing.assert_close(HeadMetrics(layout)(weights), expected, equal_nan=True)
