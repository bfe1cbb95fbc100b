"""Weights are captured as they are, and a device is never waited for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from attnbook.data import Batch
from attnbook.models.transformer import Transformer
from attnbook.observe.recorder import record_attention
from attnbook.widgets.attention_view import AttentionView
from attnbook.widgets.encoding import decode, quantize
from attnbook.widgets.frame_copier import FrameCopier, PendingPoint
from attnbook.widgets.head_metrics import HeadMetrics
from attnbook.widgets.layout import Layout, kinds_of_model
from attnbook.widgets.sentences import probe_sentences
from tests.widgets.trained import SOURCE, TARGET, eager, steps


def weights_of(model: Any, batch: Batch) -> tuple[dict[str, torch.Tensor], Layout]:
    with record_attention(model) as record:
        weights = record.probe(batch)
    return weights, Layout(kinds_of_model(weights), probe_sentences(batch))


def test_capture_on_cpu_copies_weights(model, batch):
    weights, layout = weights_of(model, batch)
    capture = FrameCopier(layout, HeadMetrics(layout), torch.device("cpu"))
    points = [PendingPoint(i, {"lr": 0.1}, torch.tensor(float(i))) for i in range(3000)]
    assert capture.submit(4, weights, points)
    (captured,) = capture.collect()
    assert captured.frame.step == 4
    assert np.array_equal(captured.frame.codes, quantize(layout.pack(weights)).numpy())
    assert captured.points == [(float(i), {"loss": float(i), "lr": 0.1}) for i in range(0, 3000, 3)]
    assert capture.collect() == []


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_capture_on_cuda_equals_a_blocking_copy_and_never_waits(model, batch):
    device = torch.device("cuda")
    model.to(device)
    batch = batch.to(device)
    with record_attention(model) as record:
        record.pause()
        weights = [record.probe(batch)]
        for _ in range(11):
            for parameter in model.parameters():
                parameter.data.add_(torch.randn_like(parameter) * 0.1)
            weights.append(record.probe(batch))
    layout = Layout(kinds_of_model(weights[0]), probe_sentences(batch))
    measures = HeadMetrics(layout, device)
    capture = FrameCopier(layout, measures, device)
    losses = [torch.tensor(float(i), device=device) for i in range(12)]
    torch.cuda.synchronize()
    taken, captured = [], []
    torch.cuda.set_sync_debug_mode("error")
    try:
        for i, one in enumerate(weights):
            busy = torch.rand(4000, 4000, device=device)
            for _ in range(5):
                busy = busy @ busy  # the device is behind the host
            if capture.submit(i, one, [PendingPoint(i, {}, losses[i])]):
                taken.append(i)
            captured += capture.collect()
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert capture.dropped == 12 - len(taken) > 0, "with the device behind, frames are dropped rather than waited for"
    captured += capture.collect(wait=True)
    assert [c.frame.step for c in captured] == taken
    for one in captured:
        exact = weights[one.frame.step]
        assert np.array_equal(one.frame.codes, quantize(layout.pack(exact)).cpu().numpy())
        assert np.allclose(one.frame.measures, measures(exact).cpu().numpy(), equal_nan=True)
        assert one.points == [(float(one.frame.step), {"loss": float(one.frame.step)})]
    assert capture.device_seconds > 0


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_view_on_cuda_does_not_wait_between_first_and_last_step(batch):
    model = Transformer(len(SOURCE), len(TARGET), d_model=16, num_heads=2, d_ff=16, num_layers=2).to("cuda")
    batch = batch.to("cuda")
    with record_attention(model) as record:
        view = eager(AttentionView(record, batch))
        for step in steps(model, batch, 30):
            torch.cuda.set_sync_debug_mode("error")
            try:
                view.update(step)
            finally:
                torch.cuda.set_sync_debug_mode("default")
    saved = decode(view.data)
    assert saved.frames[-1].step == 30 and list(saved.points) == list(range(1, 31))
    assert np.isfinite(saved.series["loss"]).all()
