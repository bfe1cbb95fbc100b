"""Frames survive their encoding, stay small, and are thinned evenly."""

from __future__ import annotations

import json
import struct
import zlib

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attnbook.widgets.encoding import Frame, FrameLog, Series, decode, dequantize, quantize


def frame(step: int, size: int = 50, seed: int | None = None) -> Frame:
    random = np.random.default_rng(step if seed is None else seed)
    return Frame(step, random.integers(0, 256, size, dtype=np.uint8), random.random(3, dtype=np.float32))


def test_quantized_weights_are_close_and_keep_small_values():
    weights = torch.rand(200_000, dtype=torch.float64) ** 4
    back = torch.from_numpy(dequantize(quantize(weights).numpy())).double()
    assert float((back - weights).abs().max()) < 0.0040
    small = (weights > 1e-4) & (weights < 0.01)
    assert float(((back - weights).abs() / weights)[small].median()) < 0.05
    assert quantize(torch.tensor([0.0, 1.0])).tolist() == [0, 255]


@settings(max_examples=30)
@given(
    steps=st.lists(st.integers(0, 10**6), min_size=1, max_size=20, unique=True).map(sorted),
    size=st.integers(1, 300),
    final=st.booleans(),
    points=st.integers(0, 30),
)
def test_decode_inverts_encode(steps, size, final, points):
    log = FrameLog(size, max_frames=100, max_bytes=10**6)
    frames = [frame(step, size) for step in steps]
    for one in frames:
        log.add(one)
    series = Series()
    for i in range(points):
        series.add(i + 1, {"loss": 1 / (i + 1), **({"lr": 0.5} if i % 2 else {})})
    decoded = decode(log.encode(series=series, progress={"step": 3}, final=final))
    assert [f.step for f in decoded.frames] == steps
    for one, other in zip(frames, decoded.frames, strict=True):
        assert np.array_equal(one.codes, other.codes) and np.array_equal(one.measures, other.measures)
    assert decoded.progress == {"step": 3} and len(decoded.points) == points
    if points > 1:
        assert np.allclose(decoded.series["loss"], 1 / np.arange(1, points + 1))
        assert np.isnan(decoded.series["lr"][0]) and decoded.series["lr"][1] == 0.5


def test_log_encodes_any_range_of_frames():
    log = FrameLog(50, max_frames=100, max_bytes=10**6)
    for step in range(20):
        log.add(frame(step))
        decoded = decode(log.encode(series=Series(), progress={}))
        assert np.array_equal(decoded.frames[-1].codes, frame(step).codes) and len(decoded.frames) == step + 1


@pytest.mark.parametrize(("max_frames", "max_bytes"), [(16, 10**6), (10**6, 4000)])
def test_log_thins_frames_evenly_and_keeps_first_and_newest(max_frames, max_bytes):
    log = FrameLog(200, max_frames, max_bytes)
    for step in range(1000):
        log.add(frame(step, 200))
        assert log.frames[-1].step == step and log.frames[0].step == 0
        assert len(log.frames) <= max_frames
    steps = np.array([f.step for f in log.frames])
    gaps = np.diff(steps[:-1])
    assert len(steps) >= 6 and gaps.max() <= 2 * gaps.min()
    data = log.encode(series=Series(), progress={})
    assert len(data) < max_bytes * 1.2 + 1000
    for one in decode(data).frames:
        assert np.array_equal(one.codes, frame(one.step, 200).codes)


def test_log_of_sixty_frames_is_far_below_the_size_limit():
    """Size of FINDINGS' case: 60 frames, 207k weights."""
    torch.manual_seed(0)
    log = FrameLog(3456, max_frames=120, max_bytes=10**6)
    start, end = torch.randn(2, 3 * 8, 12, 12)
    for step in range(60):
        weights = (start + (end * 3 - start) * step / 60).softmax(-1).flatten()
        log.add(Frame(step, quantize(weights).numpy(), np.zeros(1, np.float32)))
    assert len(log.encode(series=Series(), progress={}, final=True)) < 160_000


def test_series_keeps_few_points_of_equal_weight():
    series = Series(max_points=100)
    for step in range(1, 10_001):
        series.add(step, {"loss": float(step)} | ({"bleu": step / 100} if step % 1000 == 0 else {}))
    steps, loss, bleu = series.arrays()
    assert 50 <= len(steps) <= 100
    assert steps[-1] == 10_000 and np.allclose(np.diff(steps[:-1]), np.diff(steps[:-1])[0])
    assert np.allclose(loss[:-1], steps[:-1] - (steps[1] - steps[0] - 1) / 2)  # the mean of its steps
    assert np.nanmax(bleu) == 100 and np.isfinite(bleu).sum() == 10


def test_nan_loss_leaves_a_gap():
    series = Series()
    for step, loss in enumerate([1.0, float("nan"), float("inf"), 0.5]):
        series.add(step, {"loss": loss})
    assert np.isnan(series.arrays()[1]).tolist() == [False, True, True, False]


@pytest.mark.parametrize("damage", [lambda d: d[:10], lambda d: d[:-5], lambda d: b"", lambda d: b"\xff" * 40])
def test_encoding_decode_raises_for_damaged_bytes(damage):
    log = FrameLog(50, 100, 10**6)
    log.add(frame(0))
    with pytest.raises(ValueError, match=r"^data must"):
        decode(damage(log.encode(series=Series(), progress={})))


def test_encoding_log_raises_for_frame_of_another_size():
    with pytest.raises(ValueError, match=r"^frame must"):
        FrameLog(49, 100, 10**6).add(frame(0))


def test_encoding_log_of_three_frames_keeps_first_and_newest():
    log = FrameLog(50, max_frames=3, max_bytes=10**6)
    for step in range(100):
        log.add(frame(step))
        assert len(log.frames) <= 3 and (log.frames[0].step, log.frames[-1].step) == (0, step)
    with pytest.raises(ValueError, match=r"^max_frames must"):
        FrameLog(50, max_frames=2, max_bytes=10**6)


def test_decode_raises_for_huge_size():
    index = {"size": 10**30, "steps": [0], "frames": 8, "measures": 0, "points": 0, "series": [], "progress": {}}
    text = json.dumps(index).encode()
    with pytest.raises(ValueError, match=r"^data must"):
        decode(struct.pack("<I", len(text)) + text + zlib.compress(b"") + zlib.compress(b""))


def test_frame_log_keeps_the_newest_frame_when_changes_are_sparse() -> None:
    generator = np.random.default_rng(0)
    log, codes = FrameLog(20_000, max_frames=120, max_bytes=20_000), np.zeros(20_000, np.uint8)
    for step in range(260):  # at step 248 it thins twice in a row
        codes = codes.copy()
        codes[generator.integers(0, codes.size, 20)] = generator.integers(0, 255, 20)
        log.add(Frame(step, codes, np.zeros(0, np.float32)))
        assert log.frames[-1].step == step
