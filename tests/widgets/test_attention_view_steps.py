"""The kinds of training steps that an attention view accepts."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from attnbook.observe.recorder import record_attention
from attnbook.widgets.attention_view import AttentionView, read_step
from attnbook.widgets.encoding import decode


@dataclass
class Plain:
    loss: float
    number: int = 3


@pytest.mark.parametrize(
    ("step", "number", "loss", "scalars"),
    [
        (Plain(2.5), 3, 2.5, {}),
        ({"loss": 1}, 8, 1.0, {}),
        ({"loss": np.float32(0.5), "acc": np.float16(0.25), "n": torch.tensor(3)}, 8, 0.5, {"acc": 0.25, "n": 3}),
        ({"loss": torch.tensor(0.5, requires_grad=True), "number": np.int64(5)}, 5, 0.5, {}),
        ({"loss": 1.0, "number": float("nan"), "total": float("inf"), "tokens": float("nan")}, 8, 1.0, {}),
        ({"loss": torch.tensor(0.5), "number": 4, "bleu": 12.5, "name": "x", "flag": True}, 4, 0.5, {"bleu": 12.5}),
        (
            SimpleNamespace(loss_tensor=torch.tensor(0.25), loss=0.25, lr=0.1, number=9, total=10, tokens=5),
            9,
            0.25,
            {"lr": 0.1},
        ),
    ],
)
def test_update_accepts_many_kinds_of_steps(step, number, loss, scalars):
    heard = read_step(step, 7)
    assert isfinite(heard.tokens) and (heard.total is None or isfinite(heard.total))
    assert (heard.number, heard.loss, heard.scalars) == (number, loss, scalars)


@pytest.mark.parametrize("step", [{}, {"loss": "low"}, {"loss": None}, 3.5, {"loss": torch.zeros(2)}])
def test_attention_view_steps_raises_for_step_without_loss(step):
    with pytest.raises(TypeError, match="loss of step must"):
        read_step(step, 0)


def test_attention_view_steps_shows_nan_loss_as_gap(model, batch):
    with record_attention(model) as record:
        view = AttentionView(record, batch)
        view.update({"loss": float("nan")})
        view.update({"loss": 1.0})
    assert np.isnan(decode(view.data).series["loss"]).tolist() == [True, False]
