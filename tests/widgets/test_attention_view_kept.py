"""What a notebook or a saved file has of a view: state, picture and text, written atomically."""

from __future__ import annotations

import base64
import io
import stat
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from attnbook.observe.recorder import record_attention
from attnbook.widgets.attention_view import AttentionView
from attnbook.widgets.encoding import decode


def test_mime_bundle_has_picture_and_text_after_training(model, batch):
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


def test_save_html_writes_atomically(model, batch, tmp_path, monkeypatch):
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


def test_saved_file_has_default_permissions(model, batch, tmp_path):
    with record_attention(model) as record:
        view = AttentionView(record, batch)
    other = tmp_path / "other"
    other.write_text("")
    saved = view.save_html(tmp_path / "view.html")
    assert stat.S_IMODE(saved.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)


IMPORTS = """
import torch
torch.set_num_threads(1)
from attnbook.models.bahdanau import Bahdanau
from attnbook.data import collate
from attnbook.observe.recorder import record_attention
from attnbook.widgets.attention_view import AttentionView
from tests.widgets.trained import PAIRS, SOURCE, TARGET, eager, steps
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
def test_executed_notebook_has_state_picture_and_text(executed, cell, stop):
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
