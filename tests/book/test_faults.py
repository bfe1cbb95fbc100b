"""Faults around a build: killed, no home, no network, no colours. Each ends well or in a clear message.

Others are held elsewhere: two builds at once and a changed package in ``test_build.py``, a port in use in
``test_project.py``, a full disk in ``tests/training/test_checkpoint.py``, no network for the Tatoeba corpus in
``tests/data``.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.book.small_books import SmallBook

PAGE = """\
# A page

```{code-cell} ipython3
import matplotlib.pyplot as plt
plt.plot([1, 2])
plt.show()
```
"""


def hostile(book: SmallBook) -> dict[str, str]:
    """No home, a proxy that is not there, a terminal that can do nothing."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "JUPYTER", "MPL", "COLUMNS"))
    }
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    return {
        **kept,
        **nowhere,
        "HOME": "/proc/none",
        "TERM": "dumb",
        "PYTHONPATH": os.pathsep.join([str(book.root / "src"), str(book.root)]),
    }


@pytest.mark.skipif(sys.platform != "linux", reason="/proc, and groups of processes")
def test_build_succeeds_after_killed_build_without_home_or_network(small_book: SmallBook) -> None:
    small_book.write("page", PAGE)
    command = [sys.executable, "-m", "bookkit.build_book", "--root", str(small_book.root)]
    environment = hostile(small_book)
    log = small_book.root / "first.log"
    with log.open("w") as output:
        first = subprocess.Popen(command, stdout=output, stderr=output, env=environment, start_new_session=True)
        deadline = time.monotonic() + 120
        while "reading sources" not in log.read_text() and first.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert first.poll() is None, log.read_text()
        os.killpg(first.pid, signal.SIGKILL)
        first.wait()
    assert not (small_book.root / "_build" / ".complete").exists()
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "The book: file://" in done.stdout and "\x1b" not in done.stdout + done.stderr
    assert "<img" in small_book.html("page")
    assert not Path("/proc/none").exists()


@pytest.mark.parametrize("columns", ["20", "200"])
def test_command_line_help_works_without_color_or_width(columns: str) -> None:
    environment = {**os.environ, "TERM": "dumb", "NO_COLOR": "1", "COLUMNS": columns}
    code = "from attnbook.cli import app; app()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0 and "\x1b" not in done.stdout
    assert all(name in done.stdout for name in ("train", "translate", "evaluate", "attend", "export"))
