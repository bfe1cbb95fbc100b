"""Models as PyTorch modules: called with tensors, exported, and flattened as pytrees."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.export import AdditionalInputs, Dim, export
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

from attnbook.data import Batch
from attnbook.models.base import EncoderDecoder
from tests.support.small_models import FAMILIES, build, random_batch

names = pytest.mark.parametrize("name", FAMILIES)
pytestmark = pytest.mark.filterwarnings("ignore")  # raised inside torch.export


class Encode(nn.Module):
    """``torch.export`` exports only the forward of a module."""

    def __init__(self, model: EncoderDecoder) -> None:
        super().__init__()
        self.model = model

    def forward(self, source: Tensor, source_mask: Tensor) -> Any:
        return self.model.encode(source, source_mask)


class Decode(Encode):
    def forward(self, target_in: Tensor, state: Any) -> Any:  # type: ignore[override]
        return self.model.decode(target_in, state)


def assert_same(found: Any, wanted: Any) -> None:
    (mine, shape), (theirs, other) = tree_flatten(found), tree_flatten(wanted)
    assert shape == other and len(mine) == len(theirs)
    for a, b in zip(mine, theirs, strict=True):
        if isinstance(a, Tensor):
            torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-5)
        else:
            assert a == b


@pytest.fixture
def small() -> Batch:
    return random_batch((5, 3, 2), (4, 6, 2))


@pytest.fixture
def large() -> Batch:
    return random_batch((7, 9, 4, 2), (8, 3, 5, 2), seed=1)


@names
def test_forward_accepts_batch_or_tensors(name: str, small: Batch) -> None:
    model = build(name)
    assert torch.equal(model(small.source, small.target_in, small.source_mask), model(small))


@names
def test_forward_without_mask_treats_all_tokens_as_real(name: str) -> None:
    model, batch = build(name), random_batch((4, 4), (3, 3))
    assert torch.equal(model(batch.source, batch.target_in), model(batch))
    assert torch.equal(model.encode(batch.source).memory_mask, batch.source_mask)


def test_forward_rejects_missing_target_and_lists(small: Batch) -> None:
    model = build("seq2seq")
    with pytest.raises(TypeError, match=r"^target_in\b"):
        model(small.source)
    with pytest.raises(TypeError, match=r"^source\b"):
        model(small.source.tolist(), small.target_in)
    with pytest.raises(TypeError, match=r"^source_mask\b"):
        model(small.source, small.target_in, small.source_mask.tolist())


@names
def test_export_of_forward_equals_model(name: str, small: Batch) -> None:
    """The exported model accepts any batch of the same shape, with other pairs and another number of tokens."""
    model = build(name).eval()
    other = random_batch((2, 4, 5), (6, 5, 5), seed=2)
    assert other.num_tokens != small.num_tokens and other.pairs != small.pairs
    exported = export(model, (small,)).module()
    assert_same(exported(other), model(other))


@names
def test_export_of_encode_equals_model(name: str, small: Batch, large: Batch) -> None:
    """With any batch size, and for a Transformer with any source length."""
    model = build(name).eval()
    shape = {0: Dim.DYNAMIC}
    if name.startswith("transformer"):
        shape[1] = Dim.DYNAMIC
    else:
        large = replace(large, source=large.source[:, :5], source_mask=large.source_mask[:, :5])
    given = (small.source, small.source_mask)
    exported = export(Encode(model), given, dynamic_shapes=(shape, shape)).module()
    assert_same(exported(large.source, large.source_mask), model.encode(large.source, large.source_mask))


@pytest.mark.slow
@names
def test_export_of_decode_equals_model(name: str, small: Batch, large: Batch) -> None:
    """With any batch size, source length and position; also after loading from a file."""
    model = build(name).eval()
    given = step_of(model, small, 3), step_of(model, large, 5)
    others = AdditionalInputs()
    for arguments in given:
        others.add(arguments)
    exported = export(Decode(model), given[0], dynamic_shapes=others)
    file = io.BytesIO()
    torch.export.save(exported, file)
    file.seek(0)
    with torch.serialization.safe_globals([model.state_type]):
        again = torch.export.load(file).module()
    for arguments in (*given, step_of(model, random_batch((8, 6), (7, 7), seed=3), 6)):
        wanted = model.decode(*arguments)
        assert_same(exported.module()(*arguments), wanted)
        assert_same(again(*arguments), wanted)


def step_of(model: EncoderDecoder, batch: Batch, position: int) -> tuple[Tensor, Any]:
    """The token at a position, and the state before it."""
    state = model.encode(batch.source, batch.source_mask)
    target = batch.target_in[:, :1].expand(-1, position)
    _, state = model.decode(target, state)
    return batch.target_in[:, 1:2], state


def test_batch_is_a_pytree(small: Batch) -> None:
    leaves, shape = tree_flatten(small)
    assert len(leaves) == 5 and all(isinstance(leaf, Tensor) for leaf in leaves)
    again = tree_unflatten(leaves, shape)
    assert again.pairs == small.pairs and again.num_tokens == small.num_tokens
    doubled = tree_map(lambda tensor: torch.cat((tensor, tensor)), small)
    assert isinstance(doubled, Batch) and torch.equal(doubled.target_out[3:], small.target_out)


def test_decode_rejects_state_of_another_model(small: Batch) -> None:
    """The sizes agree, so without a check a model would continue from another model's state."""
    states = {name: build(name).encode(small.source, small.source_mask) for name in ("seq2seq", *FAMILIES[3:])}
    with pytest.raises(TypeError, match=r"^state\b"):
        build("seq2seq").decode(small.target_in, states["luong-general-global-fed"])
    with pytest.raises(TypeError, match=r"^state\b"):
        build("transformer-sinusoidal").decode(small.target_in, states["seq2seq"])
    with pytest.raises(TypeError, match=r"^state\b"):
        build("bahdanau").decode(small.target_in, None)


@names
def test_encode_rejects_left_padding(name: str, small: Batch) -> None:
    """Padding on the left would shift the positions and change the results."""
    with pytest.raises(ValueError, match=r"^source_mask\b"):
        build(name).encode(small.source.flip(1), small.source_mask.flip(1))
