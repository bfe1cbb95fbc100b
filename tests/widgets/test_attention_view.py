"""The recorder: it changes no number, keeps to its budget, keeps what it has seen, and never waits for a device."""

from __future__ import annotations

import base64
import copy
import dataclasses
import io
import json
import stat
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nbformat
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from nbclient import NotebookClient

from attnbook.bahdanau import Bahdanau
from attnbook.data import Batch, Pair, Vocabulary, collate
from attnbook.recording import record_attention
from attnbook.transformer import Transformer
from attnbook.widgets.attention_view import AttentionView, read_step
from attnbook.widgets.budget import TimeBudget
from attnbook.widgets.capture import Capture, PendingPoint
from attnbook.widgets.encoding import decode, dequantise, quantise
from attnbook.widgets.layout import Layout, kinds_of_model
from attnbook.widgets.measures import Measures
from attnbook.widgets.sentences import probe_sentences

PAIRS = [
    Pair(("the", "cat", "sleeps"), ("le", "chat", "dort", "!"), frozenset({(0, 0), (1, 1), (2, 2)})),
    Pair(("a", "cat"), ("un", "chat"), frozenset({(0, 0), (1, 1)})),
    Pair(("the", "dog", "sees", "a", "cat"), ("le", "chien", "voit", "un", "chat")),
]
SOURCE, TARGET = (Vocabulary.build([getattr(p, side) for p in PAIRS]) for side in ("source", "target"))


@pytest.fixture
def batch() -> Batch:
    return collate(PAIRS, SOURCE, TARGET)


@pytest.fixture(params=["recurrent", "transformer"])
def model(request: pytest.FixtureRequest) -> Any:
    torch.manual_seed(1)
    if request.param == "recurrent":
        return Bahdanau(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8, dropout=0.2)
    return Transformer(len(SOURCE), len(TARGET), d_model=16, num_heads=2, d_ff=16, num_layers=2, dropout=0.2)


def steps(model: Any, batch: Batch, count: int) -> Any:
    torch.manual_seed(7)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    model.train()
    for number in range(1, count + 1):
        loss = F.cross_entropy(model(batch)[batch.target_mask], batch.target_out[batch.target_mask])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield {"number": number, "total": count, "loss": loss.detach(), "tokens": batch.num_tokens, "lr": 1e-2}


def eager(view: AttentionView) -> AttentionView:
    """A view that looks at every step."""
    view._budget.due = lambda: True  # type: ignore[method-assign]
    return view


def test_losses_are_bit_identical_with_a_view_that_looks_at_every_step(model, batch):
    silent = [s["loss"] for s in steps(copy.deepcopy(model), batch, 50)]
    seen = []
    with record_attention(model) as record:
        view = eager(AttentionView(record, batch))
        for step in steps(model, batch, 50):
            view.update(step)
            seen.append(step["loss"])
    assert all(torch.equal(a, b) for a, b in zip(silent, seen, strict=True))
    assert [f.step for f in view.frame_log.frames] == list(range(51))


def test_frames_are_what_the_model_attends_to(model, batch):
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
    assert frame.step == 3 and np.abs(dequantise(frame.codes) - packed.numpy()).max() < 0.004
    assert np.allclose(frame.measures, Measures(view.frame_layout)(exact).numpy(), equal_nan=True)


def test_what_python_keeps_is_what_is_saved(model, batch):
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
def test_however_training_ends_everything_seen_is_kept(model, batch, end):
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


def test_an_interrupt_inside_a_look_leaves_a_sound_log(model, batch, monkeypatch):
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


def test_training_passes_are_not_recorded_while_a_view_is_there(model, batch):
    with record_attention(model) as record:
        AttentionView(record, batch)
        model(batch)
        assert len(record) == 0


def test_live_messages_carry_new_frames_and_points_once(model, batch):
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
        assert len(buffers[0]) == view.frame_layout.size and len(buffers[1]) == 4 * Measures(view.frame_layout).size
        assert content["progress"]["step"] == content["steps"][0]
        assert json.dumps(content)


def test_a_second_training_is_counted_on(model, batch):
    with record_attention(model) as record:
        view = eager(AttentionView(record, batch))
        for _ in range(2):
            for step in steps(model, batch, 4):
                view.update(step)
    saved = decode(view.data)
    assert [f.step for f in saved.frames] == list(range(9)) and list(saved.points) == list(range(1, 9))
    assert saved.progress["total"] == 8


def test_a_training_that_goes_on_begins_where_it_goes_on(model, batch):
    with record_attention(model) as record:
        view = eager(AttentionView(record, batch))
        for step in steps(model, batch, 4):
            view.update({**step, "number": step["number"] + 500})
    assert [f.step for f in decode(view.data).frames] == list(range(500, 505))


# ---- what a step may be


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
def test_steps_of_many_makes_are_understood(step, number, loss, scalars):
    heard = read_step(step, 7)
    assert isfinite(heard.tokens) and (heard.total is None or isfinite(heard.total))
    assert (heard.number, heard.loss, heard.scalars) == (number, loss, scalars)


@pytest.mark.parametrize("step", [{}, {"loss": "low"}, {"loss": None}, 3.5, {"loss": torch.zeros(2)}])
def test_a_step_without_a_loss_is_refused(step):
    with pytest.raises(TypeError, match="step has the loss"):
        read_step(step, 0)


def test_a_loss_that_is_nan_is_shown_as_a_gap_and_not_refused(model, batch):
    with record_attention(model) as record:
        view = AttentionView(record, batch)
        view.update({"loss": float("nan")})
        view.update({"loss": 1.0})
    assert np.isnan(decode(view.data).series["loss"]).tolist() == [True, False]


def test_a_view_that_cannot_be_made_leaves_the_record_as_it_was(model, batch):
    words = Vocabulary(tuple(f"w{i}" for i in range(500)))
    stranger = collate([Pair(("w400",), ("w401",))], words, words)
    with record_attention(model) as record:
        with pytest.raises(ValueError, match="source has the id 404: wanted 0 <= id <"):
            AttentionView(record, stranger)
        with pytest.raises(ValueError, match="max_frames is 2: wanted 3 or more"):
            AttentionView(record, batch, max_frames=2)
        with pytest.raises(TypeError, match="probe is of type list: wanted a Batch, or tokens"):
            AttentionView(record, ["the cat"])
        with pytest.raises(TypeError, match=r"record is of type .*: wanted a Record, as record_attention\(\)"):
            AttentionView(model, batch)
        assert record.looking
        model(batch)
        assert len(record)
    with pytest.raises(RuntimeError, match="the recording is over"):
        AttentionView(record, batch)


# ---- the budget


def test_the_budget_spends_less_than_its_share():
    now = 0.0
    budget = TimeBudget(0.02, least=0.2, clock=lambda: now)
    spent = 0.0
    while now < 100:
        if budget.due():
            cost = 0.003 if now < 50 else 0.04
            spent += cost
            now += cost
            budget.spent(cost)
        now += 0.001
    assert 0.008 * 100 < spent < 0.02 * 100


@pytest.mark.parametrize("share", [0, -1, 1.5])
def test_a_budget_outside_its_range_is_refused(share):
    with pytest.raises(ValueError, match="share is"):
        TimeBudget(share, least=0.2)


# ---- capture


def weights_of(model: Any, batch: Batch) -> tuple[dict[str, torch.Tensor], Layout]:
    with record_attention(model) as record:
        weights = record.probe(batch)
    return weights, Layout(kinds_of_model(weights), probe_sentences(batch))


def test_capture_on_the_cpu(model, batch):
    weights, layout = weights_of(model, batch)
    capture = Capture(layout, Measures(layout), torch.device("cpu"))
    points = [PendingPoint(i, {"lr": 0.1}, torch.tensor(float(i))) for i in range(3000)]
    assert capture.submit(4, weights, points)
    (captured,) = capture.collect()
    assert captured.frame.step == 4
    assert np.array_equal(captured.frame.codes, quantise(layout.pack(weights)).numpy())
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
    measures = Measures(layout, device)
    capture = Capture(layout, measures, device)
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
        assert np.array_equal(one.frame.codes, quantise(layout.pack(exact)).cpu().numpy())
        assert np.allclose(one.frame.measures, measures(exact).cpu().numpy(), equal_nan=True)
        assert one.points == [(float(one.frame.step), {"loss": float(one.frame.step)})]
    assert capture.device_seconds > 0


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs CUDA")
def test_a_view_on_cuda_never_waits_between_first_and_last_step(batch):
    # A recurrent encoder waits by itself: packing wants the lengths on the host.
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


# ---- what a notebook keeps


def test_the_bundle_has_a_picture_and_a_text_when_all_is_seen(model, batch):
    with record_attention(model) as record:
        view = AttentionView(record, batch)
        assert "image/png" not in view._repr_mimebundle_()[0], "no picture is drawn while training waits"
    data, metadata = view._repr_mimebundle_()
    from PIL import Image

    image = Image.open(io.BytesIO(data["image/png"]))
    assert image.width > 200 and len(np.unique(np.asarray(image.convert("L")))) > 10
    assert len(data["image/png"]) < 40_000
    assert "the cat sleeps" in metadata["image/png"]["alt"]
    lines = data["text/plain"].splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["le", "chat", "dort", "!", "<eos>"]
    assert all(0 <= float(word) <= 1 for line in lines[1:] for word in line.split()[2::2])


def test_save_html_writes_one_file_whole_or_not_at_all(model, batch, tmp_path, monkeypatch):
    with record_attention(model) as record:
        view = AttentionView(record, batch)
    path = view.save_html(tmp_path / "view.html")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list(tmp_path.iterdir()) == [path]
    path.write_text("before")

    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        view.save_html(path)
    assert path.read_text() == "before" and list(tmp_path.iterdir()) == [path]
    with pytest.raises(OSError, match="File name too long"):
        view.save_html(tmp_path / ("x" * 250))


def test_a_saved_file_can_be_read_by_others(model, batch, tmp_path):
    with record_attention(model) as record:
        view = AttentionView(record, batch)
    other = tmp_path / "other"
    other.write_text("")
    saved = view.save_html(tmp_path / "view.html")
    assert stat.S_IMODE(saved.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


IMPORTS = """
import torch
torch.set_num_threads(1)
from tests.widgets.test_attention_view import *
"""
CELL = """
torch.manual_seed(0)
model = Bahdanau(len(SOURCE), len(TARGET), embed_size=8, num_hiddens=8)
batch = collate(PAIRS, SOURCE, TARGET)
with record_attention(model) as record:
    view = eager(AttentionView(record, batch))
    display(view)
    for step in steps(model, batch, 12):
        view.update(step)
        if step["number"] == {stop}: raise KeyboardInterrupt
"""


@pytest.fixture(scope="module")
def executed(root):
    """A notebook whose second training is interrupted."""
    cells = [IMPORTS, *(CELL.replace("{stop}", str(stop)) for stop in (0, 8))]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, allow_errors=True, resources={"metadata": {"path": str(root)}}).execute()
    return notebook


@pytest.mark.slow
@pytest.mark.parametrize(("cell", "stop"), [(1, 0), (2, 8)])
def test_an_executed_notebook_keeps_state_picture_and_text(executed, cell, stop):
    outputs = executed.cells[cell].outputs
    assert [o.output_type for o in outputs] == (["display_data", "error"] if stop else ["display_data"])
    bundle = outputs[0].data
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    assert f"step {stop or 12}" in bundle["text/plain"]
    states = executed.metadata.widgets["application/vnd.jupyter.widget-state+json"]["state"]
    saved = states[bundle["application/vnd.jupyter.widget-view+json"]["model_id"]]
    assert [buffer["path"] for buffer in saved["buffers"]] == [["data"]]
    log = decode(base64.b64decode(saved["buffers"][0]["data"]))
    assert [frame.step for frame in log.frames] == list(range((stop or 12) + 1))
    assert saved["state"]["header"]["sentences"][0]["axes"]["source"] == ["the", "cat", "sleeps"]
    assert saved["state"]["alt"].startswith(f"Attention while training at step {stop or 12}")


def test_an_empty_probe_is_named(model, batch):
    empty = dataclasses.replace(batch, pairs=())
    with (
        record_attention(model) as record,
        pytest.raises(ValueError, match="probe has no sentences: wanted one or more"),
    ):
        AttentionView(record, empty)


def test_a_title_that_is_no_text_is_named(model, batch):
    with record_attention(model) as record, pytest.raises(TypeError, match="title is None: wanted a str"):
        AttentionView(record, batch, title=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("budget", [0, 1.5, None])
def test_a_budget_is_named_as_it_was_given(model, batch, budget):
    with record_attention(model) as record, pytest.raises(ValueError, match=r"budget is .*: wanted 0 < budget <= 1"):
        AttentionView(record, batch, budget=budget)


def test_tokens_beside_a_batch_are_not_ignored(model, batch):
    with record_attention(model) as record, pytest.raises(TypeError, match="probe is a Batch, and tokens or pictures"):
        AttentionView(record, batch, tokens=["a"])


def test_measures_that_our_own_models_do_not_have_are_named(model, batch):
    with record_attention(model) as record:
        with pytest.raises(ValueError, match=r"measures is \['gradient'\] and probe a Batch: wanted none but rollout"):
            AttentionView(record, batch, measures=["gradient"])
        assert AttentionView(record, batch, measures=["rollout"]).header["kinds"]
