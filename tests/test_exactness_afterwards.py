"""Of every translation model: looking changes no bit, nothing stays in memory, and a copy computes the same."""

from __future__ import annotations

import copy
import gc
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnbook.attention.kernels import Attention
from attnbook.data import Batch
from attnbook.models.base import EncoderDecoder
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer
from attnbook.observe.recorder import record_attention
from attnbook.training.optim import cross_entropy
from tests.support.small_models import FAMILIES, NAMES, VARIANTS, build, random_batch

attending = pytest.mark.parametrize("name", [name for name in NAMES if VARIANTS[name][0] is not Seq2Seq])


def losses(model: EncoderDecoder, batches: list[Batch], steps: int) -> list[Tensor]:
    torch.manual_seed(5)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    found = []
    for step in range(steps):
        batch = batches[step % len(batches)]
        loss = cross_entropy(model(batch), batch.target_out, batch.target_mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        found.append(loss.detach())
    return found


@attending
def test_losses_are_bit_identical_with_and_without_recording(name: str) -> None:
    """With dropout, of attention weights too, so that a changed random state would show; fifty in each family."""
    batches = [random_batch((3, 1), (2, 3)), random_batch((2, 4), (3, 1), seed=1)]
    options: dict[str, Any] = {}
    if VARIANTS[name][0] is Transformer:
        options = {"attention_dropout": 0.1, "num_layers": 1}
    steps = 50 if name in FAMILIES else 10
    silent = losses(build(name, dropout=0.1, gain=1.0, **options), batches, steps)
    model = build(name, dropout=0.1, gain=1.0, **options)
    with record_attention(model) as record:
        seen = losses(model, batches, steps)
        assert len(record) == len(record.names)
    assert all(torch.equal(a, b) for a, b in zip(silent, seen, strict=True))
    assert float(seen[-2]) < float(seen[0])  # of the same batch


def held_tensors(value: Any, path: str) -> Iterator[str]:
    """Every tensor that can be reached from a value through plain containers and attributes."""
    if isinstance(value, Tensor):
        yield path
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from held_tensors(item, f"{path}[{key!r}]")
    elif isinstance(value, (list, tuple, set, frozenset)):
        for i, item in enumerate(value):
            yield from held_tensors(item, f"{path}[{i}]")
    elif getattr(value, "__closure__", None):
        for cell in value.__closure__:
            yield from held_tensors(cell.cell_contents, f"{path}.<closure>")
    elif not isinstance(value, (type, nn.Module)) and hasattr(value, "__dict__"):
        yield from held_tensors(vars(value), path)


def held_by_modules(model: nn.Module) -> list[str]:
    own = {"_parameters", "_buffers", "_modules"}
    return [
        found
        for name, module in model.named_modules()
        for key, value in vars(module).items()
        if key not in own and key not in ("_flat_weights", "_flat_weight_refs")  # the library's own, of nn.GRU
        for found in held_tensors(value, f"{name}.{key}")
    ]


def living_tensors() -> dict[int, Tensor]:
    gc.collect()
    return {id(thing): thing for thing in gc.get_objects() if issubclass(type(thing), Tensor)}


def use(model: EncoderDecoder, batch: Batch) -> None:
    """All that a model is used for."""
    if not isinstance(model, Seq2Seq):
        with record_attention(model) as record:
            cross_entropy(model(batch), batch.target_out, batch.target_mask).backward()
        assert len(record)
    cross_entropy(model(batch), batch.target_out, batch.target_mask).backward()
    model.decode(batch.target_in, model.encode(batch.source, batch.source_mask))


@pytest.mark.parametrize("name", NAMES)
def test_no_module_holds_weights_or_a_graph_afterwards(name: str, batch: Batch) -> None:
    model = build(name)
    keys = set(model.state_dict())
    use(model, batch)
    assert held_by_modules(model) == []
    assert set(model.state_dict()) == keys


@pytest.mark.parametrize("name", FAMILIES)
def test_no_tensor_outlives_its_use(name: str, batch: Batch) -> None:
    model = build(name)
    use(model, batch)  # so that gradients exist already
    before = living_tensors()
    use(model, batch)
    assert [tuple(tensor.shape) for key, tensor in living_tensors().items() if key not in before] == []


def test_the_search_for_held_tensors_finds_them(batch: Batch) -> None:
    model = build("bahdanau")
    attention = next(module for module in model.modules() if isinstance(module, Attention))
    kept: list[Tensor] = []
    attention.observer = kept.append
    attention.hidden_away = {"deep": [(lambda: kept[0])]}  # type: ignore[assignment]
    model(batch)
    assert any("hidden_away['deep'][0].<closure>[0]" in found for found in held_by_modules(model))


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_and_a_loaded_state_compute_the_same(name: str, batch: Batch) -> None:
    model = build(name)
    logits = model(batch)
    copied = copy.deepcopy(model)
    loaded = build(name, seed=1)
    assert not torch.equal(loaded(batch), logits)
    loaded.load_state_dict(model.state_dict())
    assert torch.equal(copied(batch), logits) and torch.equal(loaded(batch), logits)
    with torch.no_grad():
        for parameter in copied.parameters():
            parameter.zero_()
    assert torch.equal(model(batch), logits), "a copy shares nothing"
