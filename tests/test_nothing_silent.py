"""What was once wrong without a word: numbers that are none, options that are none, tokens that fell apart."""

from __future__ import annotations

import math

import pytest
import torch

from attnbook.data import SPECIALS, Subwords, Vocabulary
from attnbook.models.transformer import Transformer
from attnbook.translation.metrics import corpus_bleu, exact_match, perplexity
from attnbook.translation.search import beam_search, greedy
from attnbook.translation.translate import translate
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY, build, random_batch

NAN = math.nan


def poisoned() -> Transformer:
    """A Transformer with NaN in the queries of its last cross-attention."""
    model = build("transformer-sinusoidal")
    assert isinstance(model, Transformer)
    with torch.no_grad():
        model.decoder[-1].cross_attention.W_q.weight.fill_(NAN)
    return model.eval()


@pytest.mark.parametrize("lengths", [(4, 4), (4, 2)], ids=["whole", "padded"])
def test_nan_in_a_weight_reaches_everybody_who_asks(lengths: tuple[int, int]) -> None:
    model, batch = poisoned(), random_batch(lengths, (3, 3))
    assert bool(model(batch).isnan().all())
    for search in (greedy, beam_search):
        with pytest.raises(FloatingPointError, match="model"):
            search(model, batch.source, batch.source_mask)
    with pytest.raises(FloatingPointError, match="model"):
        perplexity(model, [batch])
    source = Vocabulary(tuple(map(str, range(SOURCE_VOCABULARY - len(SPECIALS)))))
    target = Vocabulary(tuple(map(str, range(TARGET_VOCABULARY - len(SPECIALS)))))
    with pytest.raises(FloatingPointError, match="model"):
        translate(model, [["1", "2"]], source, target)


def test_sizes_are_whole() -> None:
    with pytest.raises(ValueError, match="size"):
        Subwords.build([["a"]], size=300.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("space", ["\u2009", "\u00a0", "\u3000", " "])
def test_tokens_are_counted_as_they_are(space: str) -> None:
    """A token with a space inside is one token, and no other sentence's two."""
    one, two = ["a", f"b{space}c", "d"], ["a", "b", "c", "d"]
    assert corpus_bleu([one], [[one]]) == pytest.approx(100)
    assert corpus_bleu([one], [[two]]) < 60
    assert exact_match([one], [[two]]) == 0 and exact_match([one], [[one]]) == 1
    assert exact_match([["a b", "c"]], [[["a", "b c"]]]) == 0


def test_a_very_long_token_is_learned_from_in_parts() -> None:
    """In proportion to its length, not to its square: eight times the length once took sixty times as long."""
    token = "".join(chr(ord("a") + i % 7) for i in range(20_000))
    subwords = Subwords.build([[token, "abc"]], size=400)
    assert subwords.decode(subwords.encode([token])) == [token]


def test_learning_sees_only_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    from attnbook.data import subwords

    assert list(subwords._cut(["a" * 2500, "bc"])) == ["a" * 1000, "a" * 1000, "a" * 500, "bc"]
