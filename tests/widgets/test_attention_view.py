"""The attention view records the model's attention, changes no number, and keeps its frames."""

from __future__ import annotations

import copy
import dataclasses
import json
from typing import Any

import numpy as np
import pytest
import torch

from attnbook.data import Pair, Vocabulary, collate
from attnbook.observe.recorder import record_attention
from attnbook.widgets.attention_view import AttentionView
from attnbook.widgets.encoding import decode, dequantize
from attnbook.widgets.head_metrics import HeadMetrics
from tests.widgets.trained import eager, steps


def test_losses_are_bit_identical_with_view_updated_every_step(model, batch):
    silent = [s["loss"] for s in steps(copy.deepcopy(model), batch, 50)]
    seen = []
    with record_attention(model) as record:
        view = eager(AttentionView(record, batch))
        for step in steps(model, batch, 50):
            view.update(step)
            seen.append(step["loss"])
    assert all(torch.equal(a, b) for a, b in zip(silent, seen, strict=True))
    assert [f.step for f in view.frame_log.frames] == list(range(51))


def test_frames_equal_attention_of_the_model(model, batch):
    with record_attention(model) as record:
        view = eager(AttentionView(record, batch))
        for step in steps(model, batch, 3):
            view.update(step)
    frame = decode(view.data).frames[-1]
    model.eval()
    with record_attention(model) as record, torch.no_grad():
        model(batch)
    exact = {name: record[name] for name in record.names}
    packed = view.frame_layout.pack(exact)
    assert frame.step == 3 and np.abs(dequantize(frame.codes) - packed.numpy()).max() < 0.004
    assert np.allclose(frame.measures, HeadMetrics(view.frame_layout)(exact).numpy(), equal_nan=True)


def test_saved_log_equals_log_in_python(model, batch):
    with record_attention(model) as record:
        view = eager(AttentionView(record, batch, max_frames=20))
        for step in steps(model, batch, 60):
            view.update(step)
    saved = decode(view.data)
    kept = [f.step for f in saved.frames]
    assert kept[0] == 0 and kept[-1] == 60 and len(kept) <= 20
    assert list(saved.points) == list(range(1, 61)) and set(saved.series) == {"loss", "lr"}
    assert saved.progress["step"] == 60 == saved.progress["total"] and saved.progress["done"]
    assert saved.progress["tokens_per_second"] > 0 and saved.progress["seconds_left"] == 0


@pytest.mark.parametrize("end", [KeyboardInterrupt, ValueError, None])
def test_attention_view_keeps_all_frames_however_training_ends(model, batch, end):
    sent = []
    with pytest.raises(end) if end else pytest.MonkeyPatch.context(), record_attention(model) as record:
        view = eager(AttentionView(record, batch))
        view.send = lambda content, buffers=None: sent.append(content)  # type: ignore[method-assign]
        for step in steps(model, batch, 10):
            view.update(step)
            if step["number"] == 4:
                if end:
                    raise end
                break
    frames = decode(view.data).frames
    assert [f.step for f in frames] == [0, 1, 2, 3, 4]
    assert [s for content in sent for s in content["steps"]] == [1, 2, 3, 4]
    assert decode(view.data).progress["done"]


def test_interrupt_during_recording_leaves_valid_log(model, batch, monkeypatch):
    with pytest.raises(KeyboardInterrupt), record_attention(model) as record:
        view = eager(AttentionView(record, batch))
        for step in steps(model, batch, 10):
            if step["number"] == 5:
                add = view.frame_log._stream.add

                def cut_short(codes: np.ndarray, add: Any = add) -> None:
                    add(codes)
                    raise KeyboardInterrupt

                monkeypatch.setattr(view.frame_log._stream, "add", cut_short)
            view.update(step)
    frames = decode(view.data).frames
    assert frames[-1].step == 5 and np.array_equal(frames[-1].codes, view.frame_log.frames[-1].codes)


def test_view_does_not_record_training_passes(model, batch):
    with record_attention(model) as record:
        AttentionView(record, batch)
        model(batch)
        assert len(record) == 0


def test_live_messages_send_new_frames_and_points_once(model, batch):
    messages = []
    with record_attention(model) as record:
        view = AttentionView(record, batch)
        view.send = lambda content, buffers=None: messages.append((content, buffers))  # type: ignore[method-assign]
        view._budget.due = lambda: view._step % 5 == 0  # type: ignore[method-assign]
        for step in steps(model, batch, 20):
            view.update(step)
    assert [content["steps"] for content, _ in messages] == [[5], [10], [15], [20]]
    points = [point for content, _ in messages for point in content["points"]]
    assert [step for step, _ in points] == list(range(1, 21)) and json.dumps(points)
    for content, buffers in messages:
        assert len(buffers[0]) == view.frame_layout.size and len(buffers[1]) == 4 * HeadMetrics(view.frame_layout).size
        assert content["progress"]["step"] == content["steps"][0]
        assert json.dumps(content)


def test_attention_view_continues_counting_in_second_training(model, batch):
    with record_attention(model) as record:
        view = eager(AttentionView(record, batch))
        for _ in range(2):
            for step in steps(model, batch, 4):
                view.update(step)
    saved = decode(view.data)
    assert [f.step for f in saved.frames] == list(range(9)) and list(saved.points) == list(range(1, 9))
    assert saved.progress["total"] == 8


def test_attention_view_continues_counting_in_resumed_training(model, batch):
    with record_attention(model) as record:
        view = eager(AttentionView(record, batch))
        for step in steps(model, batch, 4):
            view.update({**step, "number": step["number"] + 500})
    assert [f.step for f in decode(view.data).frames] == list(range(500, 505))


def test_attention_view_leaves_record_unchanged_when_it_raises(model, batch):
    words = Vocabulary(tuple(f"w{i}" for i in range(500)))
    stranger = collate([Pair(("w400",), ("w401",))], words, words)
    with record_attention(model) as record:
        with pytest.raises(ValueError, match=r"^source must"):
            AttentionView(record, stranger)
        with pytest.raises(ValueError, match=r"^max_frames must"):
            AttentionView(record, batch, max_frames=2)
        with pytest.raises(TypeError, match=r"^probe must"):
            AttentionView(record, ["the cat"])
        with pytest.raises(TypeError, match="record"):
            AttentionView(model, batch)
        assert record.is_recording
        model(batch)
        assert len(record)
    with pytest.raises(RuntimeError, match="recording"):
        AttentionView(record, batch)


def test_attention_view_raises_for_empty_probe(model, batch):
    empty = dataclasses.replace(batch, pairs=())
    with (
        record_attention(model) as record,
        pytest.raises(ValueError, match=r"^probe must"),
    ):
        AttentionView(record, empty)


def test_attention_view_raises_for_title_that_is_not_str(model, batch):
    with record_attention(model) as record, pytest.raises(TypeError, match=r"^title must"):
        AttentionView(record, batch, title=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("budget", [0, 1.5, None])
def test_attention_view_raises_for_budget_out_of_range(model, batch, budget):
    with record_attention(model) as record, pytest.raises(ValueError, match="budget"):
        AttentionView(record, batch, budget=budget)


def test_attention_view_raises_for_tokens_with_batch(model, batch):
    with record_attention(model) as record, pytest.raises(TypeError, match=r"^tokens and pictures must not"):
        AttentionView(record, batch, tokens=["a"])


def test_attention_view_raises_for_measures_without_rollout(model, batch):
    with record_attention(model) as record:
        with pytest.raises(ValueError, match="measures"):
            AttentionView(record, batch, measures=["gradient"])
        assert AttentionView(record, batch, measures=["rollout"]).header["kinds"]
