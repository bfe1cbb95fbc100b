"""The interface of every model: states that can be split, selected and reused, and errors that name the argument."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

from attnbook.data import Batch
from attnbook.models.base import EncoderDecoder, State, check_ids, eval_mode
from attnbook.models.transformer import Transformer, TransformerConfig
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
@settings(max_examples=8)
def test_decode_in_pieces_equals_teacher_forcing(name: str, training: bool, data: st.DataObject) -> None:
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
def test_decode_token_by_token_equals_teacher_forcing(name: str, training: bool, batch: Batch) -> None:
    model = build(name).train(training)
    stepped = decode_in_pieces(model, batch, [1] * batch.target_in.shape[1])
    torch.testing.assert_close(stepped, model(batch), atol=1e-5, rtol=0)


@names
def test_decode_does_not_modify_the_state(name: str, batch: Batch) -> None:
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
@settings(max_examples=4)
def test_select_rows_continues_like_the_original_rows(name: str, rows: list[int], seen: int) -> None:
    """Rows permuted, repeated or dropped, as in beam search and for finished sentences."""
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


@pytest.mark.parametrize(
    ("error", "rows"),
    [
        (IndexError, torch.tensor([3])),
        (IndexError, torch.tensor([-1])),
        (ValueError, torch.tensor([[0]])),
        (TypeError, torch.tensor([0.5])),
        (TypeError, torch.tensor([True])),
        (TypeError, [0]),
    ],
)
def test_select_rows_rejects_invalid_rows(error: type[Exception], rows: Any, batch: Batch) -> None:
    state = build("bahdanau").encode(batch.source, batch.source_mask)
    with pytest.raises(error, match=r"^rows\b"):
        state.select(rows)


@names
def test_state_tensors_are_batch_first(name: str, batch: Batch) -> None:
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
def test_config_rebuilds_the_model(name: str, batch: Batch) -> None:
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
def test_encode_rejects_invalid_source(
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
def test_decode_rejects_invalid_target(
    name: str, batch: Batch, error: type[Exception], argument: str, make: Callable[[Tensor], Tensor]
) -> None:
    model = build(name)
    state = model.encode(batch.source, batch.source_mask)
    with pytest.raises(error, match=rf"^{argument}\b"):
        model.decode(make(batch.target_in), state)


@four_kinds
@pytest.mark.parametrize("side", ["source", "target"])
@pytest.mark.parametrize("size", [0, -1, 2.5])
def test_model_rejects_invalid_vocabulary_sizes(name: str, side: str, size: float) -> None:
    with pytest.raises(ValueError, match=f"{side}_vocab_size"):
        build(name, **{f"{side}_vocab_size": size})


@pytest.mark.parametrize("name", ["seq2seq", "bahdanau", "luong-general-global-fed"])
@pytest.mark.parametrize("size", ["embed_size", "num_hiddens", "num_layers"])
@pytest.mark.parametrize("value", [0, -3])
def test_recurrent_models_reject_sizes_below_one(name: str, size: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{size}"):
        build(name, **{size: value})


@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("seq2seq", "bidirectional"),
        ("luong-general-global-fed", "input_feeding"),
        ("transformer-sinusoidal", "pre_norm"),
    ],
)
@pytest.mark.parametrize("value", ["no", None, 1])
def test_model_rejects_flags_that_are_not_bools(name: str, option: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"^{option}\b"):
        build(name, **{option: value})


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_check_ids_accepts_int32_and_int64(dtype: torch.dtype, batch: Batch) -> None:
    check_ids("ids", batch.source.to(dtype), SOURCE_VOCABULARY)
    model = build("bahdanau")
    state = model.encode(batch.source.to(dtype), batch.source_mask)
    assert torch.equal(model.decode(batch.target_in.to(dtype), state)[0], model(batch))


def test_encoder_decoder_is_abstract() -> None:
    with pytest.raises(TypeError, match="abstract"):
        EncoderDecoder(1, 1, {})  # type: ignore[abstract]


@pytest.mark.parametrize("extra", ["target_in", "source_mask"])
def test_forward_rejects_target_in_addition_to_batch(extra: str, batch: Batch) -> None:
    with pytest.raises(TypeError, match=r"^source\b"):
        build("bahdanau")(batch, **{extra: getattr(batch, extra)})


def test_eval_mode_reaches_submodules_in_train_mode() -> None:
    """A submodule may be set to train mode after ``model.eval()``."""
    model = build("transformer-sinusoidal", dropout=0.5).eval()
    batch = random_batch(SOURCE_LENGTHS, TARGET_LENGTHS)
    expected = model(batch)
    encoder = model.get_submodule("encoder").train()
    with eval_mode(model):
        assert not any(module.training for module in model.modules())
        assert torch.equal(model(batch), expected)
    assert not model.training and all(module.training for module in encoder.modules())


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_vmap_of_gradients_equals_gradient_of_each_sample() -> None:
    model = build("transformer-sinusoidal").eval()
    ids, mask = torch.randint(4, SOURCE_VOCABULARY, (3, 5)), torch.ones(3, 5, dtype=torch.bool)

    def loss(parameters: dict[str, Tensor], source: Tensor, mask: Tensor) -> Tensor:
        found: Tensor = torch.func.functional_call(model, parameters, (source[None], source[None], mask[None]))
        return found.logsumexp(-1).sum()

    parameters = dict(model.named_parameters())
    each = torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(parameters, ids, mask)
    for i in range(3):
        alone = torch.autograd.grad(loss(parameters, ids[i], mask[i]), list(parameters.values()))
        for name, gradient in zip(parameters, alone, strict=True):
            torch.testing.assert_close(each[name][i], gradient, atol=1e-5, rtol=1e-4)


def test_models_compute_shapes_without_values() -> None:
    with FakeTensorMode():
        ids = torch.zeros(2, 3, dtype=torch.int64)
        for name in ("seq2seq", "transformer-sinusoidal"):
            assert build(name)(ids, ids, ids == 0).shape == (2, 3, TARGET_VOCABULARY)
    ids = torch.zeros(2, 3, dtype=torch.int64, device="meta")
    assert build("bahdanau-paper").to("meta")(ids, ids, ids == 0).shape == (2, 3, TARGET_VOCABULARY)


@pytest.mark.parametrize("value", [math.nan, -0.1, 1.5, None, "0.1", True])
@pytest.mark.parametrize("name", FOUR_KINDS)
def test_models_reject_dropout_that_is_not_a_probability(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=r"^dropout\b"):
        build(name, dropout=value)  # type: ignore[arg-type]


def test_constructors_show_the_options_of_their_config() -> None:
    parameters = inspect.signature(Transformer).parameters
    assert list(parameters) == [field.name for field in fields(TransformerConfig)]
    assert parameters["d_model"].default == 128 and parameters["d_model"].kind is inspect.Parameter.KEYWORD_ONLY
    with pytest.raises(TypeError, match="d_modle"):
        Transformer(5, 5, d_modle=8)  # type: ignore[call-arg]
