"""Packing changes where numbers lie, and no number."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

import attnbook.transformer
from attnbook.data import Batch
from attnbook.packing import Packing
from attnbook.recording import record_attention
from attnbook.transformer import Transformer
from tests.models import build, random_batch

KINDS = ["transformer-sinusoidal", "transformer-learned", "transformer-rotary-pre-norm-untied"]
kinds = pytest.mark.parametrize("name", KINDS)


@pytest.fixture
def batch() -> Batch:
    return random_batch((5, 1, 7), (6, 4, 1))


def model_of(name: str) -> Transformer:
    model = build(name)
    assert isinstance(model, Transformer)
    return model


def pack(monkeypatch: pytest.MonkeyPatch, always: bool) -> None:
    monkeypatch.setattr(attnbook.transformer, "WORTH_PACKING", 1 if always else 1 << 62)


def gradients(model: Transformer, batch: Batch) -> tuple[Tensor, list[Tensor]]:
    model.zero_grad()
    logits = model(batch, real_only=True)
    (logits.sin() * torch.arange(logits.shape[-1])).sum().backward()
    return logits.detach(), [p.grad.clone() for p in model.parameters() if p.grad is not None]


@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=5))
def test_there_and_back(rows: list[list[bool]]) -> None:
    """Any mask will do: padding on the left or in the middle, rows without a token, no padding at all."""
    mask = torch.tensor(rows)
    x = torch.randn(*mask.shape, 3)
    packing = Packing(mask)
    packed = packing.pack(x)
    assert torch.equal(packed, x[mask])
    assert torch.equal(packing.unpack(packed), x * mask.unsqueeze(-1))


def test_gradients_go_there_and_back() -> None:
    packing = Packing(torch.tensor([[True, False, True], [False, True, False]]))
    x = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(packing.pack, x)
    y = torch.randn(3, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(packing.unpack, y)


@kinds
def test_a_packed_transformer_gives_the_same_logits_and_gradients(
    name: str, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_of(name)
    pack(monkeypatch, always=False)
    padded = gradients(model, batch)
    pack(monkeypatch, always=True)
    packed = gradients(model, batch)
    torch.testing.assert_close(packed, padded, atol=1e-5, rtol=1e-5)


@kinds
def test_a_packed_encoder_gives_the_memory_and_zeros_at_padding(
    name: str, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_of(name).eval()
    pack(monkeypatch, always=False)
    padded = model.encode(batch.source, batch.source_mask).memory
    pack(monkeypatch, always=True)
    packed = model.encode(batch.source, batch.source_mask).memory
    assert packed.shape == padded.shape
    torch.testing.assert_close(packed[batch.source_mask], padded[batch.source_mask], atol=1e-5, rtol=1e-5)
    assert not packed[~batch.source_mask].any()


@kinds
def test_what_stands_at_padding_and_where_padding_is_changes_nothing(
    name: str, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    pack(monkeypatch, always=True)
    model = model_of(name).eval()
    wanted = model(batch, real_only=True)
    other = replace(
        batch,
        source=batch.source.where(batch.source_mask, 7),
        target_in=batch.target_in.where(batch.target_mask, 9),
    )
    assert torch.equal(model(other, real_only=True), wanted)


@kinds
def test_a_source_without_a_token_is_finite(name: str, batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(monkeypatch, always=True)
    model = model_of(name)
    empty = batch.source_mask.clone()
    empty[1] = False
    model(replace(batch, source_mask=empty), real_only=True).sum().backward()
    assert all(p.grad is None or bool(p.grad.isfinite().all()) for p in model.parameters())


@kinds
def test_a_record_has_the_same_weights_where_there_are_tokens(
    name: str, batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = model_of(name).eval()
    found = []
    for always in (False, True):
        pack(monkeypatch, always=always)
        with record_attention(model) as record:
            model(batch, real_only=True)
            found.append(dict(record))
    assert list(found[0]) == list(found[1]) == list(record.names)
    for key, padded in found[0].items():
        packed = found[1][key]
        mask = batch.source_mask if key.startswith("encoder") else batch.target_mask
        assert packed.shape == padded.shape
        torch.testing.assert_close(packed.transpose(1, 2)[mask], padded.transpose(1, 2)[mask], atol=1e-5, rtol=1e-5)


def test_little_padding_is_not_packed(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    """At the sizes of the tests packing would cost more than it saves."""

    def refuse(mask: Tensor) -> Packing:
        raise AssertionError("packed")

    monkeypatch.setattr(attnbook.transformer, "Packing", refuse)
    model_of(KINDS[0])(batch, real_only=True)
    pack(monkeypatch, always=True)
    with pytest.raises(AssertionError, match="packed"):
        model_of(KINDS[0])(batch, real_only=True)
