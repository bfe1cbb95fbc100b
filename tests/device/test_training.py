"""Training on a GPU: the same steps as on the CPU, and no wait except where losses are checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.optim import SGD, AdamW, Optimizer

from attnbook.data import Batch, collate
from attnbook.models.base import EncoderDecoder
from attnbook.training.checkpoint import read_checkpoint
from attnbook.training.distributed import random_numbers
from attnbook.training.loop import train
from attnbook.training.optim import adam
from tests.device.compare import compare
from tests.device.conftest import IS_REAL, Gpu
from tests.device.training import MODELS, PAIRS, SOURCE, TARGET, batches, make

pytestmark = [pytest.mark.cuda, pytest.mark.slow]
families = pytest.mark.parametrize("family", MODELS)


def momentum(parameters: Sequence[nn.Parameter]) -> Optimizer:
    return SGD(parameters, momentum=0.9)


OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "smoothed, in parts": {"label_smoothing": 0.1, "accumulate": 2},
    "not clipped": {"clip_norm": None},
    "momentum": {"optimizer": momentum},
    "AdamW": {"optimizer": AdamW},
}


def combinations(options: dict[str, Any]) -> list[tuple[str, str]]:
    """Each family with the first options, and all options with a recurrent family and the Transformer."""
    first, *others = options
    return [(family, first) for family in MODELS] + [(f, o) for f in ("bahdanau", "transformer") for o in others]


@pytest.mark.parametrize(("family", "options"), combinations(OPTIONS))
def test_losses_and_weights_equal_cpu(family: str, options: str) -> None:
    def compute(device: str) -> Iterator[Any]:
        model = make(family).to(device)
        yield [step.loss for step in train(model, batches(), steps=4, **{"lr": 1e-2, **OPTIONS[options]})]
        yield model.state_dict()

    compare(compute)


@families
def test_losses_in_bfloat16_are_close_to_cpu(family: str) -> None:
    """Only the first losses: later ones depend on how each device rounds."""

    def losses(device: str) -> list[float]:
        model = make(family, torch.float32).to(device)
        return [step.loss for step in train(model, batches(), steps=3, lr=1e-3, bf16=True)]

    assert losses("cuda") == pytest.approx(losses("cpu"), rel=2e-2)


def test_batches_may_lie_on_the_device() -> None:
    def compute(device: str) -> Iterator[Any]:
        model, batch = make("bahdanau").to(device), collate(PAIRS[:4], SOURCE, TARGET).to(device)
        yield [step.loss for step in train(model, [batch], steps=3)]

    compare(compute)


WAITING: dict[str, dict[str, Any]] = {
    "Adam, fused": {"optimizer": adam},
    "Adam, not clipped": {"optimizer": adam, "clip_norm": None},
    "Adam, in parts": {"optimizer": adam, "accumulate": 2},
    "AdamW, not fused": {"optimizer": AdamW},
    "SGD, not fused": {"optimizer": momentum},
    "bfloat16": {"bf16": True},
    "dropout": {"dropout": 0.3},
}


@pytest.mark.parametrize(("family", "options"), combinations(WAITING))
def test_step_waits_only_when_losses_are_checked(
    family: str, options: str, gpu: Gpu, monkeypatch: pytest.MonkeyPatch, record_property: Any
) -> None:
    monkeypatch.setattr("attnbook.training.optim.CHECK_EVERY", 2)
    given = dict(WAITING[options])
    model = make(family, torch.float32, dropout=given.pop("dropout", 0.0)).to("cuda")
    run = train(model, batches(), steps=6, lr=1e-2, **given)
    waits = []
    for step in range(6):
        with gpu.counting() as found:
            next(run)
        waits.append(sum(found.values()) if step > 1 else 0)  # libraries initialize in the first steps
    record_property("waits", f"{family}, {options}: waits of steps 3 to 6 with CHECK_EVERY = 2: {waits[2:]}")
    assert waits[2:] == [0, 1, 0, 1]


@families
@pytest.mark.parametrize("optimizer", [adam, momentum, AdamW])
def test_no_step_is_applied_from_the_first_that_is_not_finite(
    family: str, optimizer: Callable[..., Optimizer], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The device itself leaves the weights unchanged; the host raises the error later."""
    monkeypatch.setattr("attnbook.training.optim.CHECK_EVERY", 4)
    model = make(family).to("cuda")
    run = train(model, batches(), steps=20, optimizer=optimizer)
    next(run)
    before = {name: tensor.cpu() for name, tensor in model.state_dict().items()}
    is_bad = [True]
    model.head.register_forward_hook(lambda module, inputs, logits: logits * (math.nan if is_bad[0] else 1.0))
    assert math.isnan(next(run).loss)
    is_bad[0] = False
    next(run)
    with pytest.raises(FloatingPointError, match=r"step 2\b"):
        list(run)
    for name, tensor in model.state_dict().items():
        assert torch.equal(tensor.cpu(), before[name]), name


def test_resumed_run_repeats_the_steps_of_one_that_was_not_stopped(tmp_path: Path) -> None:
    """With dropout, so that the device's random numbers are resumed too."""

    def start(name: str) -> tuple[EncoderDecoder, Any]:
        model = make("transformer", torch.float32, dropout=0.3).to("cuda")
        options: dict[str, Any] = {"checkpoint": tmp_path / name, "checkpoint_every": 2}
        return model, train(model, batches(), steps=6, vocabularies=(SOURCE, TARGET), **options)

    _, run = start("whole")
    whole = [step.loss for step in run]
    _, run = start("parts")
    parts = [next(run).loss for _ in range(3)]
    run.close()
    torch.rand(5, device="cuda")  # must not change the result
    _, run = start("parts")
    parts += [step.loss for step in run]
    one, other = (read_checkpoint(tmp_path / name) for name in ("whole", "parts"))
    if IS_REAL:  # some CUDA kernels sum in any order
        assert parts == pytest.approx(whole, rel=1e-4)
        return
    assert parts == whole
    assert all(torch.equal(one.tensors[name], other.tensors[name]) for name in one.tensors)


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_random_numbers_of_a_batch_do_not_change_the_callers(device: str) -> None:
    place = torch.device(device)
    torch.manual_seed(5)
    expected = torch.rand(3, device=place).cpu(), torch.rand(3)
    torch.manual_seed(5)
    drawn = []
    for _ in range(2):
        with random_numbers(place, 1, 2, 3):
            drawn.append((torch.rand(3, device=place).cpu(), torch.rand(3)))
    assert all(torch.equal(a, b) for a, b in zip(*drawn, strict=True))
    assert torch.equal(torch.rand(3, device=place).cpu(), expected[0])
    assert torch.equal(torch.rand(3), expected[1])


def test_dropout_draws_from_the_device(gpu: Gpu) -> None:
    model = make("transformer", torch.float32, dropout=0.5).to("cuda")
    batch: Batch = collate(PAIRS[:4], SOURCE, TARGET).to("cuda")
    before = torch.get_rng_state(), torch.cuda.get_rng_state()
    model(batch)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert not torch.equal(torch.cuda.get_rng_state(), before[1])
