"""Attention views from given weights: all accepted forms, and errors for invalid ones."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from attnbook.widgets.attention_map import AttentionMap
from attnbook.widgets.encoding import dequantize
from attnbook.widgets.from_weights import attention_view

Q, K = ["le", "chat", "dort"], ["the", "cat", "is", "asleep"]


def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))).softmax(-1).to(dtype)


def shown(view: AttentionMap) -> np.ndarray:
    return dequantize(view.frame_log.frames[0].codes)


def kinds(view: AttentionMap) -> list[tuple[str, int, int]]:
    return [(kind.label, len(kind.layers), kind.heads) for kind in view.frame_layout.kinds]


@pytest.mark.parametrize(
    ("shape", "layers", "heads"), [((3, 4), 1, 1), ((5, 3, 4), 1, 5), ((2, 5, 3, 4), 2, 5), ((1, 5, 3, 4), 1, 5)]
)
@pytest.mark.parametrize(
    "make", [lambda t: t, lambda t: t.numpy(), lambda t: t.double().requires_grad_(), lambda t: t.half()]
)
def test_from_weights_accepts_arrays_of_one_sentence(shape, layers, heads, make):
    weights = random(*shape)
    view = attention_view(make(weights), Q, K)
    assert kinds(view) == [("attention", layers, heads)]
    assert np.abs(shown(view) - weights.flatten().numpy()).max() < 0.006


def test_from_weights_shows_other_models_as_kinds():
    own, other = random(2, 5, 3, 4), random(1, 8, 3, 4)
    view = attention_view(
        own, Q, K, others={"small": other[0], "output": {"cross_attentions": (other,)}}, gold=[(0, 1)]
    )
    wanted = [("attention", 2, 5), ("attention: small", 1, 8), ("cross-attention: output", 1, 8)]
    assert kinds(view) == wanted
    weights = torch.cat([own.flatten(), other.flatten(), other.flatten()]).numpy()
    assert np.abs(shown(view) - weights).max() < 0.006
    assert all(kind.gold for kind in view.frame_layout.kinds)
    with pytest.raises(ValueError, match=r"^others\['bad'\] must"):
        attention_view(own, Q, K, others={"bad": random(2, 4)})
    with pytest.raises(TypeError, match=r"^others must"):
        attention_view(own, Q, K, others=other)


def test_from_weights_cuts_batch_to_tokens_of_each_sentence():
    weights = torch.zeros(2, 5, 3, 4)
    weights[0] = random(5, 3, 4)
    weights[1, :, :2, :3] = random(5, 2, 3)
    view = attention_view(weights, [Q, Q[:2]], [K, K[:3]])
    assert view.frame_layout.size == 5 * (12 + 6)
    assert np.abs(shown(view)[60:] - weights[1, :, :2, :3].flatten().numpy()).max() < 0.004
    layers = torch.stack((weights, weights))
    assert kinds(attention_view(layers, [Q, Q[:2]], [K, K[:3]])) == [("attention", 2, 5)]
    assert kinds(attention_view(weights[:, 0], [Q, Q[:2]], [K, K[:3]])) == [("attention", 1, 1)]


def test_from_weights_accepts_outputs_like_those_of_hugging_face():
    layers = tuple(random(1, 8, 4, 4) for _ in range(3))
    assert kinds(attention_view(layers, K)) == [("attention", 3, 8)]
    assert kinds(attention_view({"attentions": layers, "logits": 1}, K)) == [("self-attention", 3, 8)]
    output = {
        "encoder_attentions": tuple(random(1, 2, 4, 4) for _ in range(3)),
        "decoder_attentions": tuple(random(1, 2, 3, 3) for _ in range(2)),
        "cross_attentions": tuple(random(1, 2, 3, 4) for _ in range(2)),
        "logits": None,
    }
    view = attention_view(output, Q, K, gold=[(0, 0), (1, 1)])
    assert kinds(view) == [
        ("cross-attention", 2, 2),
        ("encoder self-attention", 3, 2),
        ("decoder self-attention", 2, 2),
    ]
    assert [(kind.query, kind.key, kind.gold) for kind in view.frame_layout.kinds] == [
        ("query", "key", True),
        ("key", "key", False),
        ("query", "query", False),
    ]
    assert view.header["sentences"][0]["gold"] == [[0, 0], [1, 1]]


def test_from_weights_joins_steps_of_generate():
    whole = random(2, 3, 3).tril()
    whole = whole / whole.sum(-1, keepdim=True)
    steps = tuple(tuple(whole[None, :, t : t + 1, : t + 1] for _ in range(2)) for t in range(3))
    view = attention_view(steps, Q)
    assert kinds(view) == [("attention", 2, 2)]
    assert np.abs(shown(view) - np.tile(whole.flatten().numpy(), 2)).max() < 0.004


def test_from_weights_accepts_hugging_face_outputs():
    transformers = pytest.importorskip(
        "transformers", reason="a rival is not installed: pip install -r requirements-bench.txt"
    )
    config = transformers.BartConfig(
        vocab_size=40, d_model=16, encoder_layers=2, decoder_layers=2, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=16, decoder_ffn_dim=16, attn_implementation="eager",
    )  # fmt: skip
    model = transformers.BartForConditionalGeneration(config).eval()
    ids = torch.tensor([[4, 5, 6, 2]])
    output = model(input_ids=ids, decoder_input_ids=ids[:, :3], output_attentions=True)
    assert len(attention_view(output, Q, K).frame_layout.kinds) == 3
    made = model.generate(ids, max_new_tokens=5, output_attentions=True, return_dict_in_generate=True, num_beams=1)
    tokens = [str(i) for i in made.sequences[0][1:].tolist()]
    view = attention_view(made, tokens[: len(made.cross_attentions)], K)
    assert len(view.frame_layout.kinds) == 3


def test_from_weights_checks_bfloat16_rows_at_their_precision():
    rows = torch.full((3, 4), 0.251, dtype=torch.bfloat16)  # as near to a quarter as its seven bits come
    rows[:, 0] = 0.258
    assert float(rows[0].float().sum()) > 1.005
    attention_view(rows, Q, K)
    with pytest.raises(ValueError, match=r"^weights must .* 1\.0\d+"):
        attention_view(rows.float(), Q, K)


@pytest.mark.parametrize(
    ("weights", "tokens", "error", "message"),
    [
        (random(3, 5), (Q, K), ValueError, "weights"),
        (random(2, 2, 2, 3, 4), (Q, K), ValueError, "weights"),
        (random(4), (Q, K), ValueError, "^weights must have shape"),
        (torch.randn(3, 4), (Q, K), ValueError, "softmax"),
        (torch.full((3, 4), 0.3), (Q, K), ValueError, "^weights must have rows that sum to 1"),
        (torch.full((3, 4), float("nan")), (Q, K), ValueError, "NaN"),
        (torch.ones(3, 4, dtype=torch.int64), (Q, K), TypeError, "^weights must be floating point"),
        (random(3, 4), ("le chat", K), TypeError, "^query_tokens must"),
        (random(3, 4), ([*Q[:2], 3], K), TypeError, "^query_tokens must"),
        (random(3, 4), ([], K), TypeError, "^query_tokens must"),
        (random(2, 3, 4), ([Q, Q], [K]), ValueError, "^key_tokens must"),
        (random(3, 3, 4), ([Q, Q], [K, K]), ValueError, "^weights must have a batch of 2"),
        (random(2, 3, 4), ([Q, Q], [K, K[:2]]), ValueError, "^weights must have no weight on padding"),
        (np.ones((3, 4), dtype=int), (Q, K), TypeError, "^weights must"),
        ((None, None), (Q, K), TypeError, r"^weights\[0\] must .*attn_implementation='eager'"),
        ({"cross_attentions": (None,)}, (Q, K), TypeError, "must be an array, got None"),
        ("abc", (Q, K), TypeError, "^weights must be floating point"),
        (random(3, 4).tolist(), (Q, K), TypeError, r"^weights must hold arrays.*numpy\.array\(\)"),
        (random(3, 4), ([1, 2, 3], K), TypeError, "^query_tokens must .*sentence 1"),
        (random(2, 3, 4), ([Q, "abc"], [K, K]), TypeError, "^query_tokens must .*sentence 'abc'"),
        ((), (Q, K), ValueError, "^weights must"),
        ({"logits": 1}, (Q, K), ValueError, "must have one of cross_attentions"),
        ([random(2, 3, 4), random(3, 3, 4)], (Q, K), ValueError, r"heads in each layer, got \[2, 3\]"),
        ([random(2, 3, 4), random(2, 3, 5)], (Q, K), ValueError, r"^weights\[1\] must .* got 3 and 5"),
    ],
)  # fmt: skip
def test_from_weights_raises_for_invalid_weights(weights: Any, tokens: Any, error: type, message: str):
    with pytest.raises(error, match=message):
        attention_view(weights, *tokens)


@pytest.mark.parametrize("gold", [[(4, 0)], [(0, 3)], [(-1, 0)]])
def test_from_weights_raises_for_gold_outside_sentence(gold):
    with pytest.raises(ValueError, match=r"^gold must"):
        attention_view(random(3, 4), Q, K, gold=gold)


@pytest.mark.parametrize("gold", [[1], [(0, 1, 2)], "ab", [(0.5, 1)], 3])
def test_from_weights_raises_for_gold_that_is_not_links(gold):
    with pytest.raises(TypeError, match="gold"):
        attention_view(random(3, 4), Q, K, gold=gold)


@pytest.mark.parametrize("gold", [np.array([[0, 1], [3, 2]]), torch.tensor([[0, 1], [3, 2]]), {(0, 1), (3, 2)}])
def test_from_weights_converts_gold_links_to_plain_data(gold, tmp_path):
    view = attention_view(random(3, 4), Q, K, gold=gold)
    assert json.loads(json.dumps(view.header))["sentences"][0]["gold"] == [[0, 1], [3, 2]]
    view.save_html(tmp_path / "view.html")


@pytest.mark.parametrize(
    "make",
    [
        lambda a: a[::-1],
        lambda a: a.astype(">f4"),
        lambda a: a.astype(np.longdouble),
        lambda a: np.frombuffer(a.tobytes(), a.dtype).reshape(a.shape),  # read-only
    ],
)
@pytest.mark.filterwarnings("error::UserWarning")  # torch's, of memory that is not to be written
def test_from_weights_copies_arrays_that_torch_rejects(make):
    made = make(random(3, 4).numpy())
    expected = attention_view(torch.tensor(made.astype(np.float64).copy()), Q, K)
    assert np.array_equal(shown(attention_view(made, Q, K)), shown(expected))


def test_from_weights_shows_lone_surrogate_as_question_mark(tmp_path):
    view = attention_view(random(1, 1), ["\ud800"], ["a\udfff"], title="\ud800 title")
    json.dumps(view.header, ensure_ascii=False).encode("utf-8")
    assert view.header["sentences"][0]["axes"] == {"query": ["?"], "key": ["a?"]}
    assert "? title" in view.save_html(tmp_path / "view.html").read_text(encoding="utf-8")


def test_from_weights_accepts_row_without_keys():
    weights = random(3, 4)
    weights[1] = 0
    assert shown(attention_view(weights, Q, K)).reshape(3, 4)[1].tolist() == [0] * 4


def test_from_weights_error_mentions_train_mode():
    dropped = torch.nn.functional.dropout(random(3, 4), 0.5)
    with pytest.raises(ValueError, match="train mode"):
        attention_view(dropped, Q, K)


def test_from_weights_raises_for_output_that_is_not_a_mapping():
    with pytest.raises((TypeError, ValueError)):
        attention_view(SimpleNamespace(attentions=1), Q, K)


EYE = torch.eye(2)


@pytest.mark.parametrize(
    ("weights", "tokens", "message"),
    [
        (torch.zeros(0, 1, 2, 2), ["a", "b"], "weights"),
        (((),), ["a", "b"], "weights"),
        (torch.zeros(1, 0, 2, 2), ["a", "b"], "weights"),
        (torch.zeros(0, 2, 2), [["a", "b"]], "weights"),
        ({"attentions": []}, ["a", "b"], r"^weights\['attentions'\] must"),
        (EYE.to_sparse(), ["a", "b"], "weights"),
        (EYE.to_sparse_csr(), ["a", "b"], "weights"),
    ],
)
def test_from_weights_raises_for_empty_weights(weights: Any, tokens: Any, message: str):
    with pytest.raises((TypeError, ValueError), match=message):
        attention_view(weights, tokens)


@pytest.mark.parametrize("title", [None, 3])
def test_from_weights_raises_for_title_that_is_not_str(title: Any):
    with pytest.raises(TypeError, match="title"):
        attention_view(EYE, ["a", "b"], title=title)


def test_from_weights_raises_for_empty_batch():
    with pytest.raises(TypeError, match="query_tokens"):
        attention_view(torch.zeros(0, 1, 2, 2), [])
