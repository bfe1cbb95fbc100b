"""The page's training is torch's: every gradient, and every loss of 200 steps from the same start on the same lists."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from attnbook.widgets.train_view import LAYERS, TASKS
from tests.support.js_engine import node
from tests.support.training_twin import Twin, ask, tensor

pytestmark = pytest.mark.skipif(node() is None, reason="there is no Node here; tests/browser computes the same")

STEPS = 200
PLAIN = {"task": "recall", "heads": 1, "layers": 1, "positions": True, "attention": True, "rate": 0.003, "seed": 3}
VARIANTS = [
    {**PLAIN, "task": task, "layers": layers, "heads": heads, "positions": positions, "attention": attention}
    for task in TASKS
    for layers in LAYERS
    for heads, positions, attention in ((1, True, True), (2, False, True), (4, True, True), (1, True, False))
]


def name(settings: dict[str, Any]) -> str:
    off = [f"no {part}" for part in ("positions", "attention") if not settings[part]]
    return ", ".join([settings["task"], f"{settings['layers']} layers", f"{settings['heads']} heads", *off])


@pytest.fixture(scope="module")
def answers() -> list[dict[str, Any]]:
    return ask([{"settings": settings, "steps": 1} for settings in VARIANTS])


@pytest.mark.parametrize("settings", VARIANTS, ids=name)
def test_train_engine_gradients_equal_autograd(settings: dict[str, Any], answers: list[dict[str, Any]]) -> None:
    answer = answers[VARIANTS.index(settings)]
    twin = Twin(answer, settings)
    assert sum(parameter.numel() for parameter in twin.parameters()) <= 30_000
    loss = twin.loss(answer["lists"][0])
    loss.backward()
    assert answer["losses"][0] == pytest.approx(float(loss.detach()), abs=1e-12)
    for key, parameter in twin.named_parameters():
        wanted = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        found = tensor(answer["gradients"][key], parameter.shape)
        assert float((found - wanted).abs().max()) < 1e-12, key
        used = settings["positions"] or key != "positions.weight"
        used &= settings["attention"] or not key.endswith(("W_q.weight", "W_k.weight"))
        assert bool(wanted.abs().max() > 1e-9) is used, f"{key} says nothing"


@pytest.mark.slow
@pytest.mark.parametrize("settings", [PLAIN, {**PLAIN, "task": "dates", "layers": 2, "heads": 4}], ids=name)
def test_train_engine_losses_equal_torch(settings: dict[str, Any]) -> None:
    (answer,) = ask([{"settings": settings, "steps": STEPS}])
    twin = Twin(answer, settings)
    optimizer = torch.optim.Adam(twin.parameters(), lr=settings["rate"], betas=(0.9, 0.99))
    losses = []
    for lists in answer["lists"]:
        loss = twin.loss(lists)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert answer["losses"] == pytest.approx(losses, abs=1e-6)
    assert losses[-1] < losses[0] / 3, "it learned"
    for key, parameter in twin.named_parameters():
        assert torch.allclose(tensor(answer["after"][key], parameter.shape), parameter, atol=1e-5), key
    look = answer["look"]
    best = twin([look["example"]]).argmax(-1)[0]
    assert best.tolist() == look["best"]
    assert torch.allclose(torch.tensor(look["weights"]).double(), twin.looked(look["example"]).flatten(), atol=1e-6)
