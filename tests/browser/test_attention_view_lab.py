"""A real model trains in a real JupyterLab: frames arrive while the cell runs, and stay after an interrupt."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from playwright.sync_api import expect

from attnbook.widgets.encoding import decode
from tests.browser.attention_samples import colors, control, settle

TRAIN = """
import torch
from attnbook.models.bahdanau import Bahdanau
from attnbook.data import Batches, Vocabulary, collate
from attnbook.data.grammar import sample
from attnbook.observe.recorder import record_attention
from attnbook.training.loop import train
from attnbook.widgets.attention_view import AttentionView

torch.set_num_threads(1)
pairs = sample(400, seed=0)
source, target = (Vocabulary.build([getattr(p, side) for p in pairs]) for side in ("source", "target"))
model = Bahdanau(len(source), len(target), embed_size=32, num_hiddens=32)
with record_attention(model) as record:
    view = AttentionView(record, probe=collate(pairs[:2], source, target))
    display(view)
    for step in train(model, Batches(pairs, source, target, batch_size=32), epochs=10_000, lr=5e-3):
        view.update(step)
"""
LOOKS = r"step (\d+), frame (\d+) of (\d+)"


class Lab:
    """A JupyterLab server that is isolated from the user's configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        runtime = folder / "runtime"
        # As a user chooses in the menu: Settings, Save Widget State Automatically.
        setting = folder / "settings" / "@jupyter-widgets" / "jupyterlab-manager" / "plugin.jupyterlab-settings"
        setting.parent.mkdir(parents=True)
        setting.write_text('{"saveState": true}')
        environment = os.environ | {
            "JUPYTER_CONFIG_DIR": str(folder / "config"),
            "JUPYTER_DATA_DIR": str(folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(runtime),
            "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
            "IPYTHONDIR": str(folder / "ipython"),
        }
        command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--port=0", "--ip=127.0.0.1", "--allow-root"]
        command += [
            f"--ServerApp.root_dir={folder}",
            "--IdentityProvider.token=",
            "--ServerApp.disable_check_xsrf=True",
        ]
        command += ["--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
        with (folder / "server.log").open("w") as log:
            self.process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=log, start_new_session=True, cwd=folder
            )
        deadline = time.monotonic() + 90
        while not (found := list(runtime.glob("jpserver-*.json"))):
            assert self.process.poll() is None and time.monotonic() < deadline, (folder / "server.log").read_text()
            time.sleep(0.2)
        self.url = json.loads(found[0].read_text())["url"].rstrip("/")

    def ask(self, path: str, method: str = "GET") -> Any:
        request = urllib.request.Request(f"{self.url}/api/{path}", method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def close(self) -> None:
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(30)


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    server = Lab(tmp_path_factory.mktemp("lab"))
    yield server
    server.close()


def looks(page: Any) -> tuple[int, int, int]:
    """The displayed step, its frame number, and the number of frames."""
    text = page.get_by_label("Training step", exact=True).get_attribute("aria-valuetext")
    return tuple(int(number) for number in re.match(LOOKS, text).groups())


def wait_for_looks(page: Any, count: int) -> tuple[int, int, int]:
    deadline = time.monotonic() + 60
    while looks(page)[2] < count:
        assert time.monotonic() < deadline, f"{looks(page)[2]} looks, expected {count}"
        page.wait_for_timeout(100)
    return looks(page)


def start(page: Any) -> None:
    """Execute the cell, and wait until it trains."""
    expect(page.locator("#jp-main-statusbar")).to_contain_text("Idle", timeout=60000)
    page.locator(".jp-Notebook .cm-content").first.click()
    page.keyboard.press("Shift+Enter")
    page.locator(".heatmap canvas").first.wait_for(timeout=60000)
    expect(page.locator(".progress-text")).to_contain_text("left", timeout=30000)


def scrub(page: Any, count: int) -> None:
    """Scrubbing works while the cell runs, and stays; arrow keys move in the widget, not between cells."""
    page.get_by_label("Training step", exact=True).focus()
    page.keyboard.press("Home")
    settle(page)
    assert looks(page)[0] == 0
    untrained = colors(page)
    page.keyboard.press("ArrowRight")
    settle(page)
    assert looks(page)[1] == 2 and (colors(page) != untrained).any()
    assert wait_for_looks(page, count + 1)[1] == 2
    page.locator("[role=grid]").focus()
    page.keyboard.press("ArrowDown")
    settle(page)
    assert page.locator("[role=row]").get_attribute("aria-rowindex") == "2"


def stop(lab: Lab, page: Any) -> None:
    """After an interrupt all frames are kept, the selected step stays, and training has stopped."""
    page.get_by_label("Training step", exact=True).focus()
    seen = looks(page)[2]
    lab.ask(f"kernels/{lab.ask('kernels')[0]['id']}/interrupt", "POST")
    expect(page.locator(".jp-OutputArea-output").filter(has_text="KeyboardInterrupt").first).to_be_visible(
        timeout=20000
    )
    page.wait_for_timeout(1500)
    assert page.locator(".heatmap canvas").locator("visible=true").count() == 1
    assert looks(page)[1] == 2 and looks(page)[2] >= seen
    expect(page.locator(".progress-text").locator("visible=true")).to_contain_text("stopped at step")


def saved_states(file: Path, page: Any) -> tuple[Any, list[Any]]:
    """The notebook as it was saved, and the states of the view in it."""
    page.keyboard.press("Control+s")
    for _ in range(100):
        saved = nbformat.read(file, as_version=4)
        states = saved.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
        mine = [s for s in states.values() if "data" in str(s.get("buffers", "")) and "header" in s["state"]]
        if mine:
            break
        page.wait_for_timeout(200)
    return saved, mine


def test_frames_arrive_while_the_cell_runs_and_stay_after_interrupt(lab, open_page):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(TRAIN)])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    file = lab.folder / "train.ipynb"
    nbformat.write(notebook, file)
    page = open_page(f"{lab.url}/lab/tree/train.ipynb").page
    page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=60000)
    prompt = page.locator(".jp-InputPrompt").first
    start(page)
    expect(prompt).to_have_text("[*]:")

    # Frames arrive, and following shows each newest one.
    before = looks(page)
    after = wait_for_looks(page, before[2] + 3)
    assert after[0] > before[0] and after[1] == after[2]
    scrub(page, after[2])
    expect(prompt).to_have_text("[*]:")
    stop(lab, page)
    control(page, "latest").click()
    settle(page)
    shown, trained = looks(page), colors(page)

    # Saved with the notebook, and interactive again in a page without a kernel.
    saved, mine = saved_states(file, page)
    log = decode(base64.b64decode(mine[0]["buffers"][0]["data"]))
    assert len(log.frames) == shown[2] and log.frames[-1].step == shown[0]
    bundle = saved.cells[0].outputs[0].data
    assert {"image/png", "text/plain", "application/vnd.jupyter.widget-view+json"} <= set(bundle)
    for kernel in lab.ask("kernels"):
        lab.ask(f"kernels/{kernel['id']}", "DELETE")
    page.close()
    page = open_page(f"{lab.url}/lab/tree/train.ipynb").page
    page.locator(".heatmap canvas").first.wait_for(timeout=60000)
    page.get_by_label("Training step", exact=True).press("End")
    settle(page)
    assert looks(page) == shown
    assert (colors(page) == trained).all()
