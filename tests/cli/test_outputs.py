"""Outputs: no command overwrites a run's own files or its inputs; errors of standard output are one line."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import SMALL, run

OWN = ["checkpoint.safetensors", "run.json", ".lock", "corpus/source.npy", "corpus/new.npy", "corpus.part/x"]


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize(
    "command",
    [
        ["evaluate", "{run}", "--limit", "2", "--json"],
        ["attend", "{run}", "She is happy.", "--html"],
        ["export", "{run}"],
    ],
    ids=["evaluate", "attend", "export"],
)
def test_output_does_not_replace_files_of_a_run(command: list[str], name: str, trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "run")
    (tmp_path / "run" / "corpus").mkdir()
    (tmp_path / "run" / "corpus" / "source.npy").write_bytes(b"ids")
    (tmp_path / "link").symlink_to(tmp_path / "run" / name)
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    # The run's own file, a link to it, and the file of another run.
    for source, out in (
        (tmp_path / "run", tmp_path / "run" / name),
        (tmp_path / "run", tmp_path / "link"),
        (trained, tmp_path / "run" / name),
    ):
        result = run(*(part.format(run=source) for part in command), out, code=1)
        assert result.stderr.startswith(("error: json must", "error: html must", "error: out must")), result.output
    assert {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()} == before


def test_output_does_not_replace_an_input(trained: Path, tmp_path: Path) -> None:
    exported, pairs = tmp_path / "model.safetensors", tmp_path / "pairs.tsv"
    run("export", trained, exported)
    pairs.write_text("She is happy.\tElle est heureuse.\n")
    before = exported.read_bytes()
    assert "out must be" in run("export", exported, exported, code=1).output
    assert "json must be" in run("evaluate", exported, "--file", pairs, "--json", pairs, code=1).output
    assert "html must be" in run("attend", exported, "She is happy.", "--html", exported, code=1).output
    assert exported.read_bytes() == before and pairs.read_text().startswith("She")


def test_output_in_the_folder_of_a_run_is_written(trained: Path, tmp_path: Path) -> None:
    shutil.copytree(trained, tmp_path / "run")
    run("evaluate", tmp_path / "run", "--limit", 2, "--json", tmp_path / "run" / "scores.json")
    assert (tmp_path / "run" / "scores.json").stat().st_size > 0


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("arguments", [["--help"], ["train", "--help"], ["--version"]])
def test_full_standard_output_is_one_line(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        found = subprocess.run(
            [sys.executable, "-m", "attnbook", *arguments], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert found.returncode == 1
    assert found.stderr.startswith("error: ") and found.stderr.endswith("No space left on device\n")
    assert found.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no POSIX shell on this system")
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_change_no_result(closed: str, trained: Path, tmp_path: Path) -> None:
    commands: list[list[str | Path]] = [
        ["--version"],
        ["train", tmp_path / "run", *SMALL, "--epochs", "1"],
        ["translate", trained, *(["She is happy."] if "<" not in closed else [])],
        ["export", trained, tmp_path / "model.safetensors"],
    ]
    for command in commands:
        shell = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "attnbook"]
        found = subprocess.run([*shell, *map(str, command)], capture_output=True, text=True)
        assert found.returncode == 0 and "Error" not in found.stderr, (command, found.stderr)
    assert (tmp_path / "run" / "checkpoint.safetensors").exists() and (tmp_path / "model.safetensors").exists()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_sigint_ignored_by_the_parent_stays_ignored(tmp_path: Path) -> None:
    """As in a background job of a script."""
    program = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
from attnbook.training.trainer import Trainer
step = Trainer.step
def interrupted(trainer):
    os.kill(os.getpid(), signal.SIGINT)
    return step(trainer)
Trainer.step = interrupted
from attnbook.__main__ import main
main()
"""
    command = [sys.executable, "-c", program, "train", str(tmp_path / "run"), *SMALL, "--epochs", "1"]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0 and "trained" in found.stdout, found.stderr
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN  # here
