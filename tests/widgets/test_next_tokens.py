"""The likeliest next tokens of each row: those of the model's logits, stored in a few bytes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from attnbook.data import collate
from attnbook.models.bahdanau import Bahdanau
from attnbook.observe.recorder import record_attention
from attnbook.widgets.attention_view import AttentionView
from attnbook.widgets.encoding import decode
from attnbook.widgets.layout import Sentence
from attnbook.widgets.next_tokens import BEST, BYTES, MOST_NAMES, NextTokens
from tests.widgets.test_any_model import Copier, eager
from tests.widgets.trained import PAIRS, SOURCE, TARGET

SENTENCES = (Sentence("a", {"tokens": ("x", "y", "z")}), Sentence("b", {"tokens": ("x",)}))


def names(ids: list[int]) -> list[str]:
    return [f"word{i}" for i in ids]


def read(codes: np.ndarray) -> list[list[tuple[int, float]]]:
    """Ids and probabilities, row by row, as the page reads them."""
    rows = codes.reshape(-1, BEST, BYTES).astype(int)
    return [[(low + 256 * middle + 65536 * high, (p / 255) ** 2) for low, middle, high, p in row] for row in rows]


def assert_best(found: list[list[tuple[int, float]]], logits: Tensor) -> None:
    """Row by row the largest of ``(rows, vocabulary)``."""
    best = logits.softmax(-1).topk(min(BEST, logits.shape[-1]))
    for row, ids, p in zip(found, best.indices.tolist(), best.values.tolist(), strict=True):
        kept = [one for one in row if one[1] > 0][: len(ids)]
        assert [i for i, _ in kept] == ids[: len(kept)]
        assert np.allclose([share for _, share in row[: len(p)]], p, atol=0.004)


@pytest.mark.parametrize(
    "wrap",
    [lambda x: x, lambda x: SimpleNamespace(logits=x), lambda x: {"logits": x, "loss": 1}, lambda x: (x, "a cache")],
)
@pytest.mark.parametrize(("vocabulary", "dtype"), [(70_000, torch.float32), (300, torch.bfloat16), (3, torch.float32)])
def test_next_tokens_stores_five_largest_probabilities_per_row(wrap: Any, vocabulary: int, dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(vocabulary)
    logits = 4 * torch.stack([torch.randperm(vocabulary, generator=generator) for _ in range(6)]) / vocabulary
    logits = logits.view(2, 3, vocabulary).to(dtype)
    following = NextTokens(names, SENTENCES)
    codes = following(wrap(logits))
    assert codes.shape == (following.size,) == (4 * BEST * BYTES,) and codes.dtype == torch.uint8
    real = torch.cat([logits[0], logits[1, :1]])
    found = read(codes.numpy())
    best = real.float().softmax(-1).topk(min(BEST, vocabulary))
    assert [[p for _, p in row][: best.values.shape[1]] for row in found] == pytest.approx(
        best.values.numpy(), abs=0.004
    )
    if dtype == torch.float32 and vocabulary < 1000:  # else probabilities are so small that they are kept as zero
        assert_best(found, real)


@pytest.mark.parametrize(
    "output",
    [torch.zeros(2, 10), torch.zeros(2, 2, 10), torch.zeros(3, 3, 10), SimpleNamespace(logits=None), 7, {}, ()],
)
def test_next_tokens_raises_for_output_without_logits_for_every_token(output: Any) -> None:
    with pytest.raises(ValueError, match=r"^next_tokens .*logits \(2, 3, vocabulary\)"):
        NextTokens(names, SENTENCES)(output)


def test_next_tokens_names_ids_and_accepts_unknown_ones() -> None:
    logits = torch.full((2, 3, 12), -99.0)
    logits[..., 11], logits[..., 4] = 3.0, 2.0
    following = NextTokens(TARGET, SENTENCES)
    codes = following(logits).numpy()
    assert following.names([codes]) == {"4": TARGET.pieces([4])[0], "11": "#11"}
    assert len(TARGET) == 11, "no token has the id 11"
    tokenizer = SimpleNamespace(convert_ids_to_tokens=lambda ids: ["<b>\ud800" + "x" * 99 for _ in ids])
    (name, *_) = set(NextTokens(tokenizer, SENTENCES).names([codes]).values())
    assert name == "<b>?" + "x" * 36, "it is short and can be sent"
    many = torch.randint(1, 255, (20_000 * BYTES,), dtype=torch.uint8).numpy()
    assert len(following.names([many])) == MOST_NAMES
    with pytest.raises(TypeError, match=r"^next_tokens must"):
        NextTokens(["a"], SENTENCES)


def test_view_of_any_model_stores_next_tokens_only_on_request() -> None:
    torch.manual_seed(0)
    model, probe = Copier(), torch.randint(0, 10, (2, 5))
    tokens = [list("abcde"), list("fghij")]
    with record_attention(model) as record:
        plain = AttentionView(record, probe, tokens=tokens)
        view = eager(AttentionView(record, probe, tokens=tokens, next_tokens=names))
        with torch.no_grad():
            model.head.bias[7] += 5
        view.update(step=1, loss=1.0)
        logits = model.eval()(probe)["logits"]
    weights = view.frame_layout.size
    assert len(plain.frame_log.frames[0].codes) == weights and plain.header["next"] == [] and plain.words == {}
    codes = decode(view.data).frames[-1].codes
    assert len(codes) == weights + 2 * 5 * BEST * BYTES and view.header["next"] == ["tokens"]
    found = read(codes[weights:])
    assert_best(found, logits.flatten(0, 1))
    assert {row[0][0] for row in found} == {7} and view.words["7"] == "word7"
    assert set(view.words.values()) <= set(names(list(range(10))))


def test_view_of_package_model_stores_next_tokens_of_target() -> None:
    torch.manual_seed(0)
    batch = collate(PAIRS, SOURCE, TARGET)
    model = Bahdanau(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8)
    with record_attention(model) as record:
        view = AttentionView(record, batch, next_tokens=TARGET)
    assert view.header["next"] == ["target_in", "target_out"]
    found = read(view.frame_log.frames[-1].codes[view.frame_layout.size :])
    logits = model.eval()(batch)
    real = torch.cat([logits[i, : len(pair.target) + 1] for i, pair in enumerate(PAIRS)])
    assert_best(found, real)
    assert set(view.words.values()) <= set(TARGET.pieces(range(len(TARGET))))


def test_next_tokens_raises_for_model_without_logits_before_training() -> None:
    model = nn.Transformer(8, 2, 1, 1, 8, batch_first=True)
    probe = {"src": torch.randn(1, 3, 8), "tgt": torch.randn(1, 4, 8)}
    model.forward = lambda *args, **kwargs: [nn.Transformer.forward(model, *args, **kwargs)]  # type: ignore[method-assign]
    tokens = {"source": list("abc"), "target": list("abcd")}
    with record_attention(model) as record, pytest.raises(ValueError, match=r"^next_tokens must"):
        AttentionView(record, probe, tokens=tokens, next_tokens=names)
