"""Commands that are interrupted or killed, and runs that are in use."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from attnbook.training import loop as training
from attnbook.training.checkpoint import read_checkpoint
from attnbook.translation import translate as decoding
from tests.support.command_line import SMALL, run

COMMANDS = """
import os, shutil, signal, sys
import torch
from attnbook.cli import app
torch.set_num_threads(1)
count, fsync = 0, os.fsync
def dying(handle):
    global count
    count += 1
    if count == 8:
        os.kill(os.getpid(), signal.SIGKILL)
    fsync(handle)
if os.fork() == 0:  # torch is already imported
    os.fsync = dying
    app()
_, status = os.wait()
assert os.WTERMSIG(status) == signal.SIGKILL
shutil.copytree(sys.argv[2], sys.argv[2] + "-killed")
app()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot remove open files")
def test_train_refuses_folder_in_use(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "run")
    before = {path: path.read_bytes() for path in (tmp_path / "run").iterdir()}
    keep = (
        "import sys; from attnbook._internal.files import locked\nwith locked(sys.argv[1]): print(flush=True); input()"
    )
    command = [sys.executable, "-c", keep, str(tmp_path / "run")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline()
        assert "run is in use by another process" in run("train", tmp_path / "run", *SMALL, code=1).output
        assert {path: path.read_bytes() for path in (tmp_path / "run").iterdir()} == before
        other.kill()
    run("train", tmp_path / "run", *SMALL)


def test_interrupted_train_resumes_with_same_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, calls = tmp_path / "run", []
    train_model = training.train

    def interrupted(*arguments: Any, **options: Any) -> Any:
        for step in train_model(*arguments, **options):
            yield step
            calls.append(step.number)
            if len(calls) == 7:
                raise KeyboardInterrupt

    monkeypatch.setattr(training, "train", interrupted)
    result = run("train", folder, *SMALL, code=130)
    assert "stopped after step 7 of 20; the same command resumes" in result.output
    assert read_checkpoint(folder / "checkpoint.safetensors").progress["number"] == 7
    run("train", folder, *SMALL)
    assert calls == list(range(1, 21))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_killed_train_resumes_to_same_weights(trained: Path, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    command = [sys.executable, "-c", COMMANDS, "train", str(folder), *SMALL, "--checkpoint-every", "1"]
    subprocess.run(command, check=True, capture_output=True)
    left = read_checkpoint(tmp_path / "killed-killed" / "checkpoint.safetensors")
    assert left.progress["number"] == 6  # one save is of run.json
    found, wanted = (read_checkpoint(f / "checkpoint.safetensors") for f in (folder, trained))
    assert found.tensors.keys() == wanted.tensors.keys()
    assert all(torch.equal(found.tensors[name], wanted.tensors[name]) for name in found.tensors)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
@pytest.mark.parametrize("module", ["attnbook.cli", "numpy", "torch.nn", "attnbook.models.transformer"])
def test_interrupt_during_import_is_one_line(module: str, trained: Path) -> None:
    program = f"""
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # tests in the background inherit SIG_IGN
class Finder:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder())
sys.argv = ["attnbook", "translate", {str(trained)!r}, "She is happy."]
from attnbook.__main__ import main
main()
"""
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "stopped\n")


def test_interrupt_in_command_is_one_line(trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(decoding, "translate", interrupted)
    assert run("translate", trained, "She is happy.", code=130).stderr == "stopped\n"
