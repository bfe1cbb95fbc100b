"""Invalid arguments of ``train``, and non-finite values, which never reach a weight."""

from __future__ import annotations

import dataclasses
import functools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from attnbook.data import Batch, Vocabulary, collate
from attnbook.models.bahdanau import Bahdanau
from attnbook.training.checkpoint import CheckpointError
from attnbook.training.loop import train
from attnbook.training.optim import FiniteGuard, adam
from tests.support.small_training import PAIRS, SOURCE, TARGET, losses, make, make_batches, same, weights


class Poisoned(Bahdanau):
    """Gives NaN at the third step, in the loss or only in the gradient."""

    calls = 0
    where = "loss"

    def decode(self, target_in: torch.Tensor, state: Any) -> tuple[torch.Tensor, Any]:
        logits, state = super().decode(target_in, state)
        self.calls += 1
        if self.calls == 3:
            if self.where == "loss":
                logits = logits * float("nan")
            else:
                logits.register_hook(lambda gradient: gradient * float("inf"))
        return logits, state


@pytest.mark.parametrize("where", ["loss", "gradient"])
@pytest.mark.parametrize("clip_norm", [1.0, None])
def test_non_finite_loss_or_gradient_raises_before_update(where: str, clip_norm: float | None) -> None:
    torch.manual_seed(0)
    model = Poisoned(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8)
    model.where = where
    run = train(model, make_batches(), epochs=5, clip_norm=clip_norm)
    next(run), next(run)
    before = weights(model)
    with pytest.raises(FloatingPointError, match=r"loss and gradient.* step 3"):
        next(run)
    assert same(before, weights(model))


@pytest.mark.parametrize("optimizer", [adam, torch.optim.Adam, lambda p: torch.optim.SGD(p, momentum=0.9)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_late_guard_takes_no_step_from_the_first_that_is_not_finite(
    optimizer: Any, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Simulate on the CPU what happens on a GPU: the device skips the steps, and the error is raised later."""
    monkeypatch.setattr("attnbook.training.optim.CHECK_EVERY", 4)
    parameter, reference = (nn.Parameter(torch.ones(3, dtype=dtype)) for _ in range(2))
    guard, plain = FiniteGuard(optimizer([parameter]), parameter.device, late=True), optimizer([reference])
    steps = [(1.0, 0.0), (-2.0, 0.0), (3.0, math.inf), (4.0, 0.0)]  # gradient, loss
    for number, (gradient, loss) in enumerate(steps, start=1):
        parameter.grad = torch.full_like(parameter, gradient)
        guard.observe(number, torch.tensor(loss))
        if number < len(steps):
            guard.step()
        else:
            with pytest.raises(FloatingPointError, match=r"loss and gradient.* step 3"):
                guard.step()
        if number < 3:
            reference.grad = torch.full_like(reference, gradient)
            plain.step()
        assert torch.equal(parameter, reference)
    assert guard.skipped
    guard.check()  # raises once


@pytest.mark.parametrize("gradient", [math.nan, -math.inf])
def test_guard_raises_on_non_finite_gradient(gradient: float) -> None:
    parameter = nn.Parameter(torch.ones(3))
    guard = FiniteGuard(adam([parameter]), parameter.device, late=True)
    parameter.grad = torch.tensor([0.0, gradient, 1.0])
    guard.observe(1, parameter.grad.norm())
    guard.step()
    assert torch.equal(parameter, torch.ones(3))
    with pytest.raises(FloatingPointError, match="step 1"):
        guard.check()


def test_late_guard_keeps_non_finite_values_out_of_weights(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    clean = losses(make(), epochs=3)
    monkeypatch.setattr("attnbook.training.trainer.FiniteGuard", functools.partial(FiniteGuard, late=True))
    monkeypatch.setattr("attnbook.training.optim.CHECK_EVERY", 5)
    assert clean == losses(make(), epochs=3)  # same losses as with immediate checks
    torch.manual_seed(0)
    model = Poisoned(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8)
    model.where = "loss"
    run = train(model, make_batches(), epochs=5, checkpoint=tmp_path / "run", checkpoint_every=2)
    next(run), next(run)
    before = weights(model)
    assert math.isnan(next(run).loss) and same(before, weights(model))
    assert math.isfinite(next(run).loss) and same(before, weights(model))
    with pytest.raises(FloatingPointError, match="nan at step 3"):
        next(run)
    assert all(bool(p.isfinite().all()) for p in model.parameters())
    again = Poisoned(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8)
    resumed = train(again, make_batches(), epochs=5, checkpoint=tmp_path / "run")
    assert next(resumed).number == 3  # the checkpoint is from before the NaN


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, "epochs and steps"),
        ({"epochs": 1, "steps": 1}, "epochs and steps"),
        ({"epochs": 0}, "epochs"),
        ({"epochs": 1.5}, "epochs"),
        ({"steps": 1, "lr": math.inf}, "lr"),
        ({"steps": 1, "vocabularies": (SOURCE, Vocabulary(("a",)))}, "target_vocabulary"),
        ({"steps": -1}, "steps"),
        ({"steps": 1, "accumulate": 0}, "accumulate"),
        ({"steps": 1, "checkpoint_every": 0}, "checkpoint_every"),
        ({"steps": 1, "label_smoothing": 1.0}, "label_smoothing"),
        ({"steps": 1, "clip_norm": 0.0}, "clip_norm"),
        ({"steps": 1, "bf16": "no"}, "bf16"),
        ({"steps": 1, "compile": 1}, "compile"),
        ({"steps": 1, "lr": -1.0}, "lr"),
    ],
)
def test_train_names_invalid_argument(options: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=rf"\b{name}\b"):
        train(make(), make_batches(), **options)


def test_train_refuses_invalid_batches_schedules_and_models() -> None:
    for batches in (make_batches().epoch(0), PAIRS, "abc"):
        with pytest.raises(TypeError, match="batches"):
            train(make(), batches, steps=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"len\(batches\)"):
        train(make(), [], steps=1)
    with pytest.raises(ValueError, match="lr at step 2"):
        list(train(make(), make_batches(), steps=2, lr=lambda step: 1.0 if step == 1 else math.nan))
    for vocabularies in ((SOURCE,), SOURCE):
        with pytest.raises(TypeError, match="vocabularies"):
            train(make(), make_batches(), steps=1, vocabularies=vocabularies)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="optimizer"):
        train(make(), make_batches(), steps=1, optimizer=torch.optim.Adam(make().parameters()))  # type: ignore[arg-type]
    frozen = make().requires_grad_(False)
    with pytest.raises(ValueError, match="model"):
        train(frozen, make_batches(), steps=1)


@pytest.mark.parametrize("change", ["num_tokens", "source_mask", "target_mask"])
@pytest.mark.parametrize("listed", [True, False])
def test_train_refuses_batch_that_contradicts_its_masks(change: str, listed: bool) -> None:
    """A wrong number of tokens would scale the loss and the gradient; an empty target would have a loss of 0."""
    batch = collate(PAIRS[:4], SOURCE, TARGET)
    values: dict[str, Any] = {
        "num_tokens": 1,
        "source_mask": batch.source_mask.index_fill(0, torch.tensor([2]), False),
        "target_mask": torch.zeros_like(batch.target_mask),
    }
    wrong = dataclasses.replace(batch, **{change: values[change]})

    class Own:
        digest = "own"

        def __len__(self) -> int:
            return 1

        def batch_at(self, position: int) -> Batch:
            return wrong

        def num_tokens(self, position: int) -> int:
            return wrong.num_tokens

    with pytest.raises(ValueError, match=change):
        list(train(make(), [wrong] if listed else Own(), steps=1))


def test_train_refuses_batches_without_the_protocol() -> None:
    class Incomplete:
        def __len__(self) -> int:
            return 1

        def at(self, position: int) -> Batch:
            return collate(PAIRS, SOURCE, TARGET)

    with pytest.raises(TypeError, match="batches"):
        train(make(), Incomplete(), steps=1)  # type: ignore[arg-type]


@pytest.mark.parametrize("optimizer", [torch.optim.LBFGS, torch.optim.SparseAdam, lambda parameters: None])
def test_train_refuses_optimizer_that_cannot_take_its_steps(optimizer: Any) -> None:
    with pytest.raises(TypeError, match="optimizer"):
        train(make(), make_batches(), steps=1, optimizer=optimizer)


@pytest.mark.parametrize("value", ["1", None, [1], math.nan, True, 1 + 0j])
@pytest.mark.parametrize("name", ["label_smoothing", "lr", "lr at step 1"])
def test_train_refuses_options_that_are_not_numbers(name: str, value: Any) -> None:
    option = {"lr": lambda step: value} if name == "lr at step 1" else {name: value}
    with pytest.raises(ValueError, match=rf"{name}\b"):
        next(train(make(), make_batches(), steps=1, **option))


@pytest.mark.parametrize("value", [0, -1, 1.5, None, "1", [1], True, math.inf, np.float32(1), torch.tensor(1.0)])
@pytest.mark.parametrize("name", ["steps", "accumulate", "checkpoint_every"])
def test_train_refuses_counts_that_are_not_positive_integers(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        train(make(), make_batches(), **{"steps": 1, name: value})


@pytest.mark.parametrize("seed", [None, "1", 1.5])
def test_train_refuses_seed_that_is_not_an_integer(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed"):
        train(make(), make_batches(), steps=1, seed=seed)


@pytest.mark.parametrize("model", [nn.Linear(2, 2), None, make_batches()])
def test_train_refuses_other_models(model: Any) -> None:
    with pytest.raises(TypeError, match="model"):
        train(model, make_batches(), steps=1)


def test_train_names_vocabulary_of_another_type() -> None:
    with pytest.raises(TypeError, match="vocabulary"):
        train(make(), make_batches(), steps=1, vocabularies=(None, TARGET))  # type: ignore[arg-type]


def test_train_refuses_config_that_no_checkpoint_can_hold(tmp_path: Path) -> None:
    model = make()
    model.config["kind"] = torch.float32
    with pytest.raises(CheckpointError, match=r"run cannot be written: .* plain data"):
        train(model, make_batches(), steps=1, checkpoint=tmp_path / "run")
