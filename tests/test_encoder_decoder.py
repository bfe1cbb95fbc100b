"""The one interface: a state that can be split, chosen from and shared, and errors that name what is wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from attnbook.data import Batch
from attnbook.models.base import EncoderDecoder, State, check_ids
from tests.support.small_models import (
    NAMES,
    SOURCE_LENGTHS,
    SOURCE_VOCABULARY,
    TARGET_LENGTHS,
    TARGET_VOCABULARY,
    build,
    decode_in_pieces,
    random_batch,
)

names = pytest.mark.parametrize("name", NAMES)


def tensors_of(state: Any) -> list[Tensor]:
    if isinstance(state, Tensor):
        return [state]
    if isinstance(state, State):
        return [tensor for field in fields(state) for tensor in tensors_of(getattr(state, field.name))]
    return [tensor for item in state for tensor in tensors_of(item)] if isinstance(state, tuple) else []


@names
@given(training=st.booleans(), data=st.data())
@settings(deadline=None, max_examples=8)
def test_decoding_in_pieces_is_teacher_forcing(name: str, training: bool, data: st.DataObject) -> None:
    source_lengths = data.draw(st.lists(st.integers(1, 7), min_size=1, max_size=4))
    target_lengths = [data.draw(st.integers(1, 7)) for _ in source_lengths]
    batch = random_batch(source_lengths, target_lengths, seed=data.draw(st.integers(0, 99)))
    longest = max(target_lengths)
    cuts = sorted(data.draw(st.sets(st.integers(1, longest - 1)))) if longest > 1 else []
    pieces = [b - a for a, b in zip([0, *cuts], [*cuts, longest], strict=True)]
    model = build(name).train(training)
    torch.testing.assert_close(decode_in_pieces(model, batch, pieces), model(batch), atol=1e-5, rtol=0)


@names
@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
def test_decoding_token_by_token_is_teacher_forcing(name: str, training: bool, batch: Batch) -> None:
    model = build(name).train(training)
    stepped = decode_in_pieces(model, batch, [1] * batch.target_in.shape[1])
    torch.testing.assert_close(stepped, model(batch), atol=1e-5, rtol=0)


@names
def test_a_state_is_never_changed_so_that_two_ways_can_start_from_it(name: str, batch: Batch) -> None:
    model = build(name).eval()
    _, state = model.decode(batch.target_in[:, :2], model.encode(batch.source, batch.source_mask))
    assert state.position == 2
    before = [tensor.clone() for tensor in tensors_of(state)]
    first, _ = model.decode(batch.target_in[:, 2:4], state)
    other = (batch.target_in[:, 2:5] + 1) % TARGET_VOCABULARY
    model.decode(other, state)
    again, after = model.decode(batch.target_in[:, 2:4], state)
    assert torch.equal(first, again) and state.position == 2 and after.position == 4
    assert all(torch.equal(a, b) for a, b in zip(before, tensors_of(state), strict=True))
    with pytest.raises(FrozenInstanceError):
        state.position = 3


@names
@given(rows=st.lists(st.integers(0, 2), min_size=1, max_size=6), seen=st.integers(0, 4))
@settings(deadline=None, max_examples=4)
def test_selected_rows_go_on_as_they_would_have(name: str, rows: list[int], seen: int) -> None:
    """Permuted, repeated or dropped, as beam search and finished sentences need it."""
    batch = random_batch(SOURCE_LENGTHS, TARGET_LENGTHS)
    model = build(name).eval()
    state = model.encode(batch.source, batch.source_mask)
    if seen:
        _, state = model.decode(batch.target_in[:, :seen], state)
    rest = batch.target_in[:, seen:]
    logits, after = model.decode(rest, state)
    chosen = torch.tensor(rows)
    selected = state.select(chosen)
    assert selected.position == state.position and type(selected) is type(state)
    again, after_again = model.decode(rest[chosen], selected)
    torch.testing.assert_close(again, logits[chosen], atol=1e-5, rtol=0)
    for mine, all_rows in zip(tensors_of(after_again), tensors_of(after), strict=True):
        torch.testing.assert_close(mine, all_rows[chosen], atol=1e-5, rtol=0)


@names
def test_every_tensor_of_a_state_is_batch_first(name: str, batch: Batch) -> None:
    model = build(name)
    state = model.encode(batch.source, batch.source_mask)
    assert state.position == 0 and torch.equal(state.memory_mask, batch.source_mask)
    assert all(tensor.shape[0] == 3 for tensor in tensors_of(state))
    _, state = model.decode(batch.target_in, state)
    assert state.position == batch.target_in.shape[1] and all(tensor.shape[0] == 3 for tensor in tensors_of(state))


@names
def test_forward_equals_decode_after_encode(name: str, batch: Batch) -> None:
    model = build(name)
    logits, state = model.decode(batch.target_in, model.encode(batch.source, batch.source_mask))
    assert logits.shape == (*batch.target_in.shape, TARGET_VOCABULARY)
    assert torch.equal(model(batch), logits)
    assert state.position == batch.target_in.shape[1]


@names
def test_the_configuration_builds_the_model_again(name: str, batch: Batch) -> None:
    model = build(name)
    again = type(model)(**model.config)
    again.load_state_dict(model.state_dict())
    assert torch.equal(again(batch), model(batch)) and again.config == model.config


def with_id(batch: Batch, value: int) -> Tensor:
    source = batch.source.clone()
    source[1, 0] = value
    return source


BAD_SOURCES: list[tuple[type[Exception], str, Callable[[Batch], tuple[Tensor, Tensor]]]] = [
    (
        ValueError,
        "source",
        lambda batch: (with_id(batch, SOURCE_VOCABULARY), batch.source_mask),
    ),
    (ValueError, "source", lambda batch: (with_id(batch, -1), batch.source_mask)),
    (TypeError, "source", lambda batch: (batch.source.float(), batch.source_mask)),
    (ValueError, "source", lambda b: (b.source[0], b.source_mask[0])),
    (ValueError, "source", lambda b: (b.source[:, :0], b.source_mask[:, :0])),
    (ValueError, "source", lambda b: (b.source[:0], b.source_mask[:0])),
    (TypeError, "source_mask", lambda b: (b.source, b.source_mask.long())),
    (TypeError, "source_mask", lambda b: (b.source, b.source_mask.float())),
    (ValueError, "source_mask", lambda b: (b.source, b.source_mask[:, 1:])),
    (ValueError, "source_mask", lambda b: (b.source, b.source_mask.unsqueeze(1))),
    (ValueError, "source_mask", lambda b: (b.source, b.source_mask[:2])),
    (ValueError, "source_mask", lambda b: (b.source, b.source_mask.any(1))),
]

FOUR_KINDS = ("seq2seq", "bahdanau", "luong-general-global-fed", "transformer-sinusoidal")
four_kinds = pytest.mark.parametrize("name", FOUR_KINDS)


@four_kinds
@pytest.mark.parametrize(("error", "argument", "make"), BAD_SOURCES)
def test_a_bad_source_is_named(
    name: str, batch: Batch, error: type[Exception], argument: str, make: Callable[[Batch], tuple[Tensor, Tensor]]
) -> None:
    with pytest.raises(error, match=rf"^{argument}\b"):
        build(name).encode(*make(batch))


@four_kinds
@pytest.mark.parametrize(
    ("error", "argument", "make"),
    [
        (
            ValueError,
            "target_in",
            lambda t: torch.full_like(t, 99),
        ),
        (ValueError, "target_in", lambda target: torch.full_like(target, -2)),
        (TypeError, "target_in", lambda target: target.bool()),
        (ValueError, "target_in", lambda target: target[:, 0]),
        (ValueError, "target_in", lambda target: target[:, :0]),
        (ValueError, "target_in", lambda target: target[:2]),
        (ValueError, "target_in", lambda target: target[:1]),
    ],
)
def test_a_bad_target_is_named(
    name: str, batch: Batch, error: type[Exception], argument: str, make: Callable[[Tensor], Tensor]
) -> None:
    model = build(name)
    state = model.encode(batch.source, batch.source_mask)
    with pytest.raises(error, match=rf"^{argument}\b"):
        model.decode(make(batch.target_in), state)


@four_kinds
@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize("size", [0, -1, 2.5])
def test_an_empty_vocabulary_is_refused(name: str, side: str, size: float) -> None:
    with pytest.raises(ValueError, match=f"{side}_vocab_size"):
        build(name, **{f"{side}_vocab_size": size})


@pytest.mark.parametrize("name", ["seq2seq", "bahdanau", "luong-general-global-fed"])
@pytest.mark.parametrize("size", ["embed_size", "num_hiddens", "num_layers"])
@pytest.mark.parametrize("value", [0, -3])
def test_a_size_below_one_is_refused(name: str, size: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{size}"):
        build(name, **{size: value})


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_integer_ids_of_both_sizes_are_fine(dtype: torch.dtype, batch: Batch) -> None:
    check_ids("ids", batch.source.to(dtype), SOURCE_VOCABULARY)
    model = build("bahdanau")
    state = model.encode(batch.source.to(dtype), batch.source_mask)
    assert torch.equal(model.decode(batch.target_in.to(dtype), state)[0], model(batch))


def test_the_interface_itself_cannot_be_built() -> None:
    with pytest.raises(TypeError, match="abstract"):
        EncoderDecoder(1, 1, {})  # type: ignore[abstract]


@pytest.mark.parametrize("beside", ["target_in", "source_mask"])
def test_a_batch_has_its_own_target_and_no_other_is_ignored(beside: str, batch: Batch) -> None:
    with pytest.raises(TypeError, match=r"^source\b"):
        build("bahdanau")(batch, **{beside: getattr(batch, beside)})
