"""Luong's model equals the equations of its paper: every score, window and feeding, step by step."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from attnbook.attention.scoring import AdditiveAttention, GeneralAttention
from attnbook.data import Batch
from attnbook.models.luong import SCORES, WINDOWS, Luong, LuongDecoder, PredictedCenter, local_gaussian, local_window
from tests.support import gru_by_hand as by_hand
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY, random_batch

HALF_WIDTH = 2


@pytest.fixture
def batch() -> Batch:
    return random_batch((5, 1, 9), (6, 8, 1))


def model_of(
    score: str = "general",
    window: str = "global",
    feeding: bool = True,
    *,
    bidirectional: bool = False,
    num_layers: int = 1,
    half_width: int = HALF_WIDTH,
) -> Luong:
    torch.manual_seed(0)
    return Luong(
        SOURCE_VOCABULARY,
        TARGET_VOCABULARY,
        embed_size=4,
        num_hiddens=6,
        num_layers=num_layers,
        dropout=0,
        bidirectional=bidirectional,
        score=score,
        window=window,
        half_width=half_width,
        input_feeding=feeding,
    ).double()


def score_by_hand(attention: nn.Module, h_t: Tensor, h_s: Tensor) -> Tensor:
    """Luong et al. 2015, eq. 8."""
    if isinstance(attention, AdditiveAttention):  # v_a tanh(W_a [h_t; h_s])
        w_a = torch.cat((attention.W_q.weight, attention.W_k.weight), 1)
        return attention.w_v.weight[0] @ torch.tanh(w_a @ torch.cat((h_t, h_s)))
    if isinstance(attention, GeneralAttention):
        return h_t @ attention.W.weight @ h_s
    return h_t @ h_s


def align_by_hand(decoder: LuongDecoder, h_t: Tensor, memory: list[Tensor], t: int) -> list[Tensor]:
    """The weight of every source position, counted from 0, at step t (eq. 7, 9 and 10)."""
    center: Tensor | int | None = None
    if decoder.window == "local-m":
        center = t
    elif decoder.window == "local-p":
        assert decoder.center is not None
        hidden = torch.tanh(decoder.center.W_p.weight @ h_t)
        center = len(memory) * torch.sigmoid(decoder.center.v_p.weight[0] @ hidden)
    middle = None if center is None else float(torch.as_tensor(center).detach())
    inside = [s for s in range(len(memory)) if middle is None or abs(s - middle) <= HALF_WIDTH]
    weights = [torch.zeros((), dtype=h_t.dtype)] * len(memory)
    aligned = by_hand.softmax([score_by_hand(decoder.cross_attention, h_t, memory[s]) for s in inside])
    for s, weight in zip(inside, aligned, strict=True):
        weights[s] = weight
        if decoder.window == "local-p":
            assert isinstance(center, Tensor)
            sigma = HALF_WIDTH / 2
            weights[s] = weight * torch.exp(-((s - center) ** 2) / (2 * sigma**2))
    return weights


def translate_by_hand(model: Luong, source: list[int], target: list[int]) -> tuple[list[Tensor], list[Tensor]]:
    """Logits and weights of every step (eq. 5 and 6, and 3.3); where the window is empty, the context is zero."""
    decoder = model.decoder
    assert isinstance(decoder, LuongDecoder)
    memory, states = by_hand.read(model.encoder, source)
    attentional = torch.zeros_like(states[-1])
    logits, alignments = [], []
    for t, y in enumerate(target):
        word = decoder.embedding.weight[y]
        x = torch.cat((word, attentional)) if decoder.input_feeding else word
        states = by_hand.step_stack(decoder.stack, x, states)
        weights = align_by_hand(decoder, states[-1], memory, t)
        context = by_hand.weighted_sum(weights, memory)
        attentional = torch.tanh(decoder.W_c.weight @ torch.cat((context, states[-1])))
        logits.append(model.head.weight @ attentional + model.head.bias)
        alignments.append(torch.stack(weights))
    return logits, alignments


def check_against_paper(model: Luong, batch: Batch) -> Tensor:
    decoder = model.decoder
    assert isinstance(decoder, LuongDecoder)
    seen: list[Tensor] = []
    decoder.cross_attention.observer = seen.append
    logits = model(batch)
    weights = torch.cat(seen, 2)[:, 0]  # (batch, target_len, source_len)
    for row in range(len(batch)):
        source = batch.source[row][batch.source_mask[row]].tolist()
        expected, alignment = translate_by_hand(model, source, batch.target_in[row].tolist())
        torch.testing.assert_close(logits[row], torch.stack(expected))
        torch.testing.assert_close(weights[row, :, : len(source)], torch.stack(alignment))
        assert not weights[row, :, len(source) :].any()
    return weights


@pytest.mark.parametrize("feeding", [True, False], ids=["fed", "unfed"])
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("score", SCORES)
def test_luong_equals_equations_in_logits_and_weights(score: str, window: str, feeding: bool, batch: Batch) -> None:
    weights = check_against_paper(model_of(score, window, feeding), batch)
    assert (weights[2] == 0).any() == (window != "global"), "a local window must leave something out"


@pytest.mark.parametrize(("score", "window"), list(itertools.product(["general", "concat"], WINDOWS)))
def test_luong_bidirectional_two_layers_equals_equations(score: str, window: str, batch: Batch) -> None:
    check_against_paper(model_of(score, window, bidirectional=True, num_layers=2), batch)


@pytest.mark.parametrize("feeding", [True, False], ids=["fed", "unfed"])
@pytest.mark.parametrize("window", WINDOWS)
def test_luong_equals_equations_in_gradients(window: str, feeding: bool, batch: Batch) -> None:
    model = model_of("general", window, feeding)
    upstream = torch.randn(*batch.target_in.shape, TARGET_VOCABULARY, dtype=torch.float64)
    (model(batch) * upstream).sum().backward()
    ours = {name: parameter.grad for name, parameter in model.named_parameters()}
    model.zero_grad()
    for row in range(3):
        source = batch.source[row][batch.source_mask[row]].tolist()
        expected, _ = translate_by_hand(model, source, batch.target_in[row].tolist())
        (torch.stack(expected) * upstream[row]).sum().backward()
    theirs = {name: parameter.grad for name, parameter in model.named_parameters()}
    torch.testing.assert_close(ours, theirs)


def test_local_window_beyond_the_source_gives_zero_context(batch: Batch) -> None:
    """Row 1 has one source token: from step 3 on, local-m with a half width of 2 lies beyond its end."""
    weights = check_against_paper(model_of("dot", "local-m"), batch)
    assert weights[1, : HALF_WIDTH + 1, 0].eq(1).all() and not weights[1, HALF_WIDTH + 1 :].any()


@pytest.mark.parametrize("score", SCORES)
def test_local_m_with_wide_window_equals_global_attention(score: str, batch: Batch) -> None:
    everything, wide = model_of(score), model_of(score, "local-m", half_width=20)
    wide.load_state_dict(everything.state_dict())
    torch.testing.assert_close(wide(batch), everything(batch))


@given(center=st.floats(0, 9), half_width=st.integers(1, 6), keys=st.integers(1, 9))
@settings(max_examples=50)
def test_local_window_and_gaussian_equal_definitions(center: float, half_width: int, keys: int) -> None:
    at = torch.tensor([center], dtype=torch.float64)
    assert local_window(at, half_width, keys)[0].tolist() == [abs(s - center) <= half_width for s in range(keys)]
    expected = [math.exp(-((s - center) ** 2) / (2 * (half_width / 2) ** 2)) for s in range(keys)]
    assert local_gaussian(at, half_width, keys)[0].tolist() == pytest.approx(expected)


def test_local_window_rejects_negative_half_width() -> None:
    center = torch.tensor([1.0])
    assert local_window(center, 0, 3).tolist() == [[False, True, False]]
    with pytest.raises(ValueError, match=r"^half_width\b"):
        local_window(center, -1, 3)
    with pytest.raises(ValueError, match=r"^half_width\b"):
        local_gaussian(center, 0, 3)


@pytest.mark.parametrize("function", [local_window, local_gaussian])
@pytest.mark.parametrize("keys", [-1, 2.5, "3", None, True])
def test_local_weights_reject_keys_that_are_not_a_count(function: Any, keys: object) -> None:
    with pytest.raises(ValueError, match=r"^keys\b"):
        function(torch.tensor([1.0]), 1, keys)


def test_predicted_center_lies_inside_the_sentence() -> None:
    torch.manual_seed(0)
    predict = PredictedCenter(4)
    with torch.no_grad():
        predict.v_p.weight.mul_(20)
    lengths = torch.tensor([1, 5, 300])
    centers = predict(torch.randn(3, 50, 4), lengths)
    assert (centers > 0).all() and (centers < lengths.unsqueeze(1)).all()
    assert (centers[2] > 5).any(), "each row has its own length"


def test_predicted_center_in_bf16_is_not_rounded() -> None:
    """bf16 has no number between 256 and 258, so that windows would move."""
    torch.manual_seed(0)
    predict = PredictedCenter(4).to(torch.bfloat16)
    centers = predict(torch.randn(1, 50, 4, dtype=torch.bfloat16), torch.tensor([1001]))
    assert centers.dtype == torch.float32
    assert (centers != centers.bfloat16().float()).any()
    assert local_window(torch.tensor([[257.0]]), 1, 300)[0, 0].nonzero().flatten().tolist() == [256, 257, 258]


@pytest.mark.parametrize("score", ["dot", "general"])
def test_luong_scaled_divides_scores_by_root_of_size(score: str) -> None:
    plain, scaled = (Luong(9, 9, embed_size=4, num_hiddens=16, score=score, scaled=s).eval() for s in (False, True))
    scaled.load_state_dict(plain.state_dict())
    attention, divided = plain.decoder.cross_attention, scaled.decoder.cross_attention
    query, key = torch.randn(2, 3, 16), torch.randn(2, 5, 16)
    torch.testing.assert_close(
        divided.score(query, divided.project_key(key)), attention.score(query, attention.project_key(key)) / 4
    )
    assert scaled.config["scaled"] and not plain.config["scaled"]


@pytest.mark.parametrize(
    ("argument", "options"),
    [
        ("score", {"score": "cosine"}),
        ("window", {"window": "wide"}),
        ("half_width", {"half_width": 0}),
        ("score", {"score": "dot", "bidirectional": True}),
        ("scaled", {"score": "concat", "scaled": True}),
    ],
)
def test_luong_rejects_invalid_options(argument: str, options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=rf"^{argument}\b"):
        Luong(5, 5, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("function", [local_window, local_gaussian])
def test_local_functions_reject_center_that_is_not_a_tensor(function: Callable[..., Tensor]) -> None:
    with pytest.raises(TypeError, match=r"^center\b"):
        function(1.5, 2, 4)


@pytest.mark.parametrize("value", ["1", None, [1], math.nan, True, 1 + 0j])
def test_local_functions_and_luong_reject_half_width_that_is_not_a_number(value: object) -> None:
    for function in (local_window, local_gaussian):
        with pytest.raises(ValueError, match=r"^half_width\b"):
            function(torch.zeros(1, 1), value, 3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^half_width\b"):
        Luong(5, 5, window="local-p", half_width=value)  # type: ignore[arg-type]
