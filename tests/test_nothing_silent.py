"""What was once wrong without a word: numbers that are none, options that are none, tokens that fell apart."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
import torch
from torch import nn

from attnbook.attention.masks import combine_masks, lengths_to_mask, masked_softmax
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.attention.positional import SinusoidalPositions
from attnbook.attention.scoring import AdditiveAttention, DotProductAttention, GeneralAttention
from attnbook.data import SPECIALS, Subwords, Vocabulary
from attnbook.models.luong import Luong, local_gaussian, local_window
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import AddNorm, Transformer
from attnbook.observe.recorder import record_attention
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


@pytest.mark.parametrize("causal", [False, True])
def test_recorded_weights_are_those_of_the_output(causal: bool) -> None:
    """One query of NaN: its row is NaN in the weights and in the output, and the others are as they were."""
    attention = MultiHeadAttention(8, 2)
    query, key = torch.randn(1, 4, 8), torch.randn(1, 4, 8)
    fine = attention(query, key, key, causal=causal)
    query[0, 1] = NAN
    with record_attention(nn.ModuleDict({"attention": attention})) as record:
        output = attention(query, key, key, causal=causal)
        weights = record["attention"]
    assert output[0].isnan().all(1).tolist() == weights[0, 0].isnan().any(1).tolist() == [False, True, False, False]
    rows = [0, 2, 3]
    torch.testing.assert_close(output[:, rows], fine[:, rows])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_the_lowest_score_is_a_score(dtype: torch.dtype) -> None:
    lowest = torch.full((1, 4), torch.finfo(dtype).min, dtype=dtype)
    mask = torch.tensor([[True, True, False, False]])
    assert masked_softmax(lowest, mask).tolist() == [[0.5, 0.5, 0, 0]]
    assert masked_softmax(lowest, torch.zeros(1, 4, dtype=torch.bool)).tolist() == [[0, 0, 0, 0]]


@pytest.mark.parametrize(
    "make",
    [
        lambda p: DotProductAttention(p),
        lambda p: MultiHeadAttention(8, 2, dropout=p),
        lambda p: AddNorm(8, p, False),
        lambda p: SinusoidalPositions(8, p),
        lambda p: Seq2Seq(5, 5, dropout=p),
        lambda p: Luong(5, 5, dropout=p),
        lambda p: Transformer(5, 5, dropout=p),
        lambda p: Transformer(5, 5, attention_dropout=p),
    ],
)
@pytest.mark.parametrize("value", [NAN, -0.1, 1.5, None, "0.1"])
def test_dropout_is_a_probability(make: Callable[[object], object], value: object) -> None:
    with pytest.raises(ValueError, match="dropout"):
        make(value)


@pytest.mark.parametrize("value", [None, NAN, "2", 2.5])
def test_a_half_width_is_a_number(value: object) -> None:
    with pytest.raises(ValueError, match="half_width"):
        Luong(5, 5, window="local-p", half_width=value)  # type: ignore[arg-type]
    if value != 2.5:
        for window in (local_window, local_gaussian):
            with pytest.raises(ValueError, match="half_width"):
                window(torch.zeros(1, 1), value, 3)  # type: ignore[operator]


def test_sizes_are_whole() -> None:
    with pytest.raises(ValueError, match="d_model"):
        Transformer(5, 5, d_model=8.0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="size"):
        Subwords.build([["a"]], size=300.5)  # type: ignore[arg-type]


@pytest.mark.parametrize("module", [DotProductAttention(), GeneralAttention(4, 4), AdditiveAttention(4, 4, 4)])
def test_queries_keys_and_values_have_one_precision(module: nn.Module) -> None:
    x = torch.randn(1, 3, 4)
    for given, name in (((x, x.double(), x), "key"), ((x, x, x.bfloat16()), "value")):
        with pytest.raises(TypeError, match=name):
            module(*given)
    with torch.autocast("cpu", torch.bfloat16):
        assert module(x, x, x.bfloat16()).shape == x.shape


def test_a_list_is_no_tensor() -> None:
    with pytest.raises(TypeError, match="lengths"):
        lengths_to_mask([1, 2])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="scores"):
        masked_softmax([[0.0]])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="mask"):
        combine_masks([True])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="key"):
        DotProductAttention()(torch.zeros(1, 1, 1), [[[0.0]]], torch.zeros(1, 1, 1))


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
