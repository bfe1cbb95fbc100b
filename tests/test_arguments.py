"""train() and the learning-rate schedules: arguments of another type or out of range."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import nn

from attnbook.data import Pair, Vocabulary, collate
from attnbook.models.transformer import Transformer
from attnbook.training.loop import train
from attnbook.training.optim import constant

WORDS = Vocabulary(("a", "b", "c"))
BATCH = collate([Pair(("a", "b"), ("b", "a")), Pair(("c",), ("c",))], WORDS, WORDS)


def small() -> Transformer:
    torch.manual_seed(0)
    return Transformer(len(WORDS), len(WORDS), d_model=8, num_heads=2, d_ff=8, num_layers=1).eval()


@pytest.mark.parametrize("value", ["1", None, [1], math.nan, True, 1 + 0j])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("peak", lambda v: constant(v)),
        ("warmup", lambda v: constant(1.0, warmup=v)),
        ("label_smoothing", lambda v: train(small(), [BATCH], steps=1, label_smoothing=v)),
        ("lr", lambda v: train(small(), [BATCH], steps=1, lr=v)),
        ("lr at step 1", lambda v: next(train(small(), [BATCH], steps=1, lr=lambda step: v))),
    ],
)
def test_training_refuses_options_that_are_not_numbers(
    name: str, call: Callable[[object], object], value: object
) -> None:
    with pytest.raises(ValueError, match=rf"{name}\b"):
        call(value)


@pytest.mark.parametrize("steps", ["1", 1.5, np.float32(1), [1], True, -1, torch.tensor(1.0)])
def test_train_refuses_steps_that_are_not_a_count(steps: object) -> None:
    with pytest.raises(ValueError, match="steps"):
        train(small(), [BATCH], steps=steps)  # type: ignore[arg-type]


@pytest.mark.parametrize("model", [nn.Linear(2, 2), None, [BATCH]])
def test_train_refuses_what_is_not_a_translation_model(model: object) -> None:
    with pytest.raises(TypeError, match="model"):
        train(model, [BATCH], steps=1)  # type: ignore[arg-type]


def test_train_names_arguments_of_another_type() -> None:
    with pytest.raises(TypeError, match="vocabulary"):
        train(small(), [BATCH], steps=1, vocabularies=(None, WORDS))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="optimizer"):
        train(small(), [BATCH], steps=1, optimizer=lambda p: None)  # type: ignore[arg-type,return-value]
