"""Widgets with tensors and models on a GPU, mainly during training."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

pytest.importorskip("anywidget", reason="it is not installed: pip install attnbook[widgets]")

from attnbook.data import collate
from attnbook.models.base import EncoderDecoder
from attnbook.observe.recorder import record_attention
from attnbook.training.loop import train
from attnbook.widgets.attention_view import AttentionView
from attnbook.widgets.beam_view import BeamView, search_steps
from attnbook.widgets.encoding import decode
from attnbook.widgets.flash_view import FlashView
from attnbook.widgets.from_weights import attention_view
from attnbook.widgets.heads_view import HeadLayer, HeadsView
from attnbook.widgets.kernel_view import KernelView
from attnbook.widgets.order_view import OrderView
from attnbook.widgets.rotary_view import RotaryView
from attnbook.widgets.scene_view import SceneView
from attnbook.widgets.softmax_view import SoftmaxView
from attnbook.widgets.window_view import WindowView
from tests.device.compare import compare, numbers
from tests.device.conftest import Gpu
from tests.device.training import PAIRS, SOURCE, TARGET, batches, make
from tests.support.foreign_models import Fused
from tests.widgets.trained import eager

pytestmark = [pytest.mark.cuda, pytest.mark.slow]
PROBE = collate(PAIRS[:2], SOURCE, TARGET)


def watched(model: EncoderDecoder, overwrite: bool) -> Iterator[dict[str, Any]]:
    """A training loop that keeps its loss in one tensor and overwrites it in the next step."""
    loss = torch.zeros((), dtype=torch.float64, device=next(model.parameters()).device)
    for step in train(model, batches(), steps=7, lr=1e-2):
        if overwrite:
            loss.copy_(step.loss_tensor)
        yield {"number": step.number, "loss": loss if overwrite else step.loss_tensor, "lr": step.lr}


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("family", ["bahdanau", "luong", "transformer"])
def test_attention_view_of_a_training_equals_cpu(family: str, overwrite: bool) -> None:
    """The last frame and every loss equal those of a training on the CPU, at any time of the copies."""

    def compute(device: str) -> Iterator[Any]:
        model = make(family).to(device)
        measures = ["rollout"] if family == "transformer" else []
        with record_attention(model) as record:
            view = eager(AttentionView(record, PROBE, next_tokens=TARGET, measures=measures))
            for step in watched(model, overwrite):
                view.update(step)
        saved = decode(bytes(view.data))
        assert saved.frames[-1].step == 7
        yield list(saved.points)
        yield saved.series["loss"]
        yield saved.frames[-1].measures
        yield saved.frames[-1].codes
        yield model.state_dict()

    compare(compute)


def test_attention_view_keeps_the_loss_of_its_step_where_the_next_overwrites_it() -> None:
    model, loss = make("transformer").to("cuda"), torch.zeros((), device="cuda")
    with record_attention(model) as record:
        view = AttentionView(record, PROBE)
        for number in range(1, 6):
            view.update(step=number, loss=loss.fill_(float(number)))
    assert decode(bytes(view.data)).series["loss"].tolist() == [1, 2, 3, 4, 5]


def test_attention_view_waits_for_nothing(gpu: Gpu, record_property: Any) -> None:
    model = make("transformer", torch.float32).to("cuda")
    waits = []
    with record_attention(model) as record:
        view = eager(AttentionView(record, PROBE))
        for step in train(model, batches(), steps=6):
            with gpu.counting() as found:
                view.update(step)
            waits.append(sum(found.values()))
    record_property("waits", f"transformer, looked at in each step: waits of AttentionView: {waits}")
    assert waits == [0] * 6


@pytest.mark.parametrize("measures", [[], ["value norms", "gradient", "rollout"]])
def test_attention_view_of_another_model_equals_cpu(measures: list[str]) -> None:
    def compute(device: str) -> Iterator[Any]:
        torch.manual_seed(1)
        model = Fused().to(device)
        with record_attention(model) as record:
            tokens = [list("abcde"), list("fghij")]
            view = eager(AttentionView(record, (numbers(2, 5, 16).to(device),), tokens=tokens, measures=measures))
            view.update(step=1, loss=1.0)
        yield decode(bytes(view.data)).frames[-1].codes

    compare(compute)


def shares(device: str, *shape: int) -> torch.Tensor:
    return torch.rand(shape, generator=torch.Generator().manual_seed(sum(shape))).to(device)


SHOWN: dict[str, Callable[[str], Any]] = {
    "attention": lambda d: attention_view(torch.eye(3).to(d), ["a", "b", "c"], gold=[(0, 0)]),
    "layers": lambda d: attention_view([shares(d, 1, 2, 3, 3).softmax(-1)] * 2, ["a", "b", "c"]),
    "window": lambda d: WindowView(shares(d, 2, 3).softmax(-1), shares(d, 2), list("abc"), list("xy")),
    "heads": lambda d: HeadsView(
        {"l": HeadLayer(shares(d, 2, 2, 2).softmax(-1), shares(d, 4), ["a", "b"], ["c", "d"])}
    ),
    "scene": lambda d: SceneView(
        ["cup", "book"], ["a"], shares(d, 2, 1), shares(d, 2, 1), ["o"], query=shares(d, 1), pull=0.5
    ),
    "scene of one thing": lambda d: SceneView(
        ["cup"], ["a"], shares(d, 1, 1), shares(d, 1, 1), ["o"], query=shares(d, 1), pull=0.5
    ),
    "kernel": lambda d: KernelView(
        shares(d, 3), shares(d, 3).sort().values, shares(d, 3), shares(d, 3), query=0.0, width=1.0
    ),
    "flash": lambda d: FlashView(*shares(d, 3, 6)),
    "rotary": lambda d: RotaryView(shares(d, 4), shares(d, 4)),
    "order": lambda d: OrderView(["a", "b", "c"], shares(d, 3, 2), shares(d, 2, 2), shares(d, 2, 2), shares(d, 2, 2)),
    "softmax": lambda d: SoftmaxView(shares(d, 1, 1, 3), [1], size=1),
}


@pytest.mark.parametrize("name", SHOWN)
def test_widget_of_tensors_equals_cpu(name: str) -> None:
    def compute(device: str) -> Iterator[Any]:
        state = SHOWN[name](device).get_state()
        state.get("header", {}).pop("id", None)  # which is random
        yield {key: value for key, value in state.items() if not key.startswith("_") and key != "layout"}

    compare(compute)


def test_beam_view_equals_cpu() -> None:
    def compute(device: str) -> Iterator[Any]:
        model, pair = make("transformer").to(device), PAIRS[0]
        yield search_steps(model, SOURCE.encode(pair.source), TARGET, beam_size=2, max_length=6)
        yield BeamView(model, (SOURCE, TARGET), [(pair.source, pair.target)]).sentences

    compare(compute)
