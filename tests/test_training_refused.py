"""What stops a training: arguments that make no sense, and numbers that are none, before they reach a weight."""

from __future__ import annotations

import functools
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from attnbook.data import Vocabulary
from attnbook.models.bahdanau import Bahdanau
from attnbook.training.loop import train
from attnbook.training.optim import Guard, adam
from tests.support.small_training import PAIRS, SOURCE, TARGET, losses, make, make_batches, same, weights


class Poisoned(Bahdanau):
    """Gives NaN at the third step, in the loss or in the gradient alone."""

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
def test_a_number_that_is_none_is_an_error_before_it_reaches_a_weight(where: str, clip_norm: float | None) -> None:
    torch.manual_seed(0)
    model = Poisoned(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8)
    model.where = where
    run = train(model, make_batches(), epochs=5, clip_norm=clip_norm)
    next(run), next(run)
    before = weights(model)
    with pytest.raises(FloatingPointError, match=r"step 3 is (nan|inf): wanted a finite number.*lower lr"):
        next(run)
    assert same(before, weights(model))


@pytest.mark.parametrize("optimizer", [adam, torch.optim.Adam, lambda p: torch.optim.SGD(p, momentum=0.9)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_late_guard_takes_no_step_from_the_first_that_is_not_finite(
    optimizer: Any, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a GPU does, here on the CPU: the device skips the steps, the error comes later."""
    monkeypatch.setattr("attnbook.training.optim.LOOK_EVERY", 4)
    parameter, reference = (nn.Parameter(torch.ones(3, dtype=dtype)) for _ in range(2))
    guard, plain = Guard(optimizer([parameter]), parameter.device, late=True), optimizer([reference])
    steps = [(1.0, 0.0), (-2.0, 0.0), (3.0, math.inf), (4.0, 0.0)]  # gradient, loss
    for number, (gradient, loss) in enumerate(steps, start=1):
        parameter.grad = torch.full_like(parameter, gradient)
        guard.note(number, torch.tensor(loss))
        if number < len(steps):
            guard.step()
        else:
            with pytest.raises(FloatingPointError, match="step 3 is inf: wanted a finite number"):
                guard.step()
        if number < 3:
            reference.grad = torch.full_like(reference, gradient)
            plain.step()
        assert torch.equal(parameter, reference)
    assert guard.skipped
    guard.look()  # says it once


@pytest.mark.parametrize("gradient", [math.nan, -math.inf])
def test_a_guard_sees_a_gradient_as_well_as_a_loss(gradient: float) -> None:
    parameter = nn.Parameter(torch.ones(3))
    guard = Guard(adam([parameter]), parameter.device, late=True)
    parameter.grad = torch.tensor([0.0, gradient, 1.0])
    guard.note(1, parameter.grad.norm())
    guard.step()
    assert torch.equal(parameter, torch.ones(3))
    with pytest.raises(FloatingPointError, match="step 1 is"):
        guard.look()


def test_looked_at_late_it_still_reaches_no_weight(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    clean = losses(make(), epochs=3)
    monkeypatch.setattr("attnbook.training.trainer.Guard", functools.partial(Guard, late=True))
    monkeypatch.setattr("attnbook.training.optim.LOOK_EVERY", 5)
    assert clean == losses(make(), epochs=3)  # without trouble the losses are the same as when looked at once
    torch.manual_seed(0)
    model = Poisoned(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8)
    model.where = "loss"
    run = train(model, make_batches(), epochs=5, checkpoint=tmp_path / "run", checkpoint_every=2)
    next(run), next(run)
    before = weights(model)
    assert math.isnan(next(run).loss) and same(before, weights(model))
    assert math.isfinite(next(run).loss) and same(before, weights(model))
    with pytest.raises(FloatingPointError, match="step 3 is nan"):
        next(run)
    assert all(bool(p.isfinite().all()) for p in model.parameters())
    again = Poisoned(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8)
    resumed = train(again, make_batches(), epochs=5, checkpoint=tmp_path / "run")
    assert next(resumed).number == 3  # what was saved is from before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "epochs is None and steps is None: wanted one of them"),
        ({"epochs": 1, "steps": 1}, "epochs is 1 and steps is 1"),
        ({"epochs": 0}, "epochs is 0: wanted 1 or more, a whole number"),
        ({"epochs": 1.5}, "epochs is 1.5: wanted 1 or more, a whole number"),
        ({"steps": 1, "lr": math.inf}, "lr is inf: wanted above 0, and finite"),
        ({"steps": 1, "vocabularies": (SOURCE, Vocabulary(("a",)))}, "target_vocabulary has 5 ids: wanted 12, as the"),
        ({"steps": -1}, "steps is -1"),
        ({"steps": 1, "accumulate": 0}, "accumulate is 0"),
        ({"steps": 1, "checkpoint_every": 0}, "checkpoint_every is 0"),
        ({"steps": 1, "label_smoothing": 1.0}, "label_smoothing is 1.0: wanted 0 <= label_smoothing < 1"),
        ({"steps": 1, "clip_norm": 0.0}, "clip_norm is 0.0: wanted above 0, or None"),
        ({"steps": 1, "bf16": "no"}, "bf16 is 'no': wanted True or False"),
        ({"steps": 1, "compile": 1}, "compile is 1: wanted True or False"),
        ({"steps": 1, "lr": -1.0}, "lr is -1.0: wanted above 0"),
    ],
)
def test_bad_arguments_are_refused_by_the_call_itself(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        train(make(), make_batches(), **options)


def test_bad_batches_schedules_and_models_are_refused() -> None:
    for batches in (make_batches().epoch(0), PAIRS, "abc"):
        with pytest.raises(TypeError, match="batches"):
            train(make(), batches, steps=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"len\(batches\) is 0"):
        train(make(), [], steps=1)
    with pytest.raises(ValueError, match=r"lr at step 2 is nan: wanted a finite number"):
        list(train(make(), make_batches(), steps=2, lr=lambda step: 1.0 if step == 1 else math.nan))
    for vocabularies in ((SOURCE,), SOURCE):
        with pytest.raises(TypeError, match="vocabularies"):
            train(make(), make_batches(), steps=1, vocabularies=vocabularies)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="optimizer is of type Adam: wanted what makes one of the parameters"):
        train(make(), make_batches(), steps=1, optimizer=torch.optim.Adam(make().parameters()))  # type: ignore[arg-type]
    frozen = make().requires_grad_(False)
    with pytest.raises(ValueError, match="model is 'Bahdanau': wanted a parameter that requires a gradient"):
        train(frozen, make_batches(), steps=1)
