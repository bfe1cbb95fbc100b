"""Faults around a build: killed, no home, no network, no colors. Each ends well or in a clear message.

Others are held elsewhere: two builds at once and a changed package in ``test_build.py``, a port in use in
``test_project.py``, a full disk in ``tests/training/test_checkpoint.py``, no network for the Tatoeba corpus in
``tests/data``.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.book.history import Step


@pytest.mark.skipif(sys.platform != "linux", reason="/proc, and groups of processes")
def test_build_succeeds_after_killed_build_without_home_or_network(history: dict[str, Step]) -> None:
    killed, done = history["killed"], history["mended"]
    assert killed.status == -signal.SIGKILL and "reading sources" in killed.output, killed.output
    assert not killed.complete
    assert done.status == 0 and done.complete, done.output
    assert "The book: file://" in done.output and "\x1b" not in done.output
    assert "<img" in done.html["plot"]


@pytest.mark.parametrize("columns", ["20", "200"])
def test_command_line_help_works_without_color_or_width(columns: str) -> None:
    environment = {**os.environ, "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": columns}
    code = "from attnbook.cli import app; app()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0 and "\x1b" not in done.stdout
    assert all(name in done.stdout for name in ("train", "translate", "evaluate", "attend", "export"))
