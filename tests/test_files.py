"""Writing a file in full or not at all, beside other processes, and through links."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from attnbook._internal.files import atomic_write, check_writable

DYING = """
import os, signal, sys
from attnbook._internal.files import atomic_write
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)  # written, and not yet in place
atomic_write(sys.argv[1], "new")
"""
WAITING = """
import os, sys
from attnbook._internal.files import atomic_write
fsync = os.fsync
def slowly(handle):
    print("writing", flush=True)
    sys.stdin.readline()
    fsync(handle)
os.fsync = slowly
atomic_write(sys.argv[1], "of the first")
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_text_and_bytes_replace_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "a[1].txt"
    assert atomic_write(path, "é\n") == path and path.read_bytes() == "é\n".encode()
    atomic_write(str(path), b"\0")
    assert path.read_bytes() == b"\0" and names(path.parent) == ["a[1].txt"]


def test_a_link_is_kept_and_its_target_written(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    link, target = tmp_path / "link", tmp_path / "disk" / "target"
    link.symlink_to(target)
    for content in ("made", "made anew"):  # the link dangles at first
        check_writable(link)
        atomic_write(link, content)
        assert link.is_symlink() and target.read_text() == content and not target.is_symlink()
    assert names(tmp_path) == ["disk", "link"] and names(target.parent) == ["target"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_a_killed_process_leaves_the_old_file_and_the_next_one_clears_up(tmp_path: Path) -> None:
    path = tmp_path / "file"
    atomic_write(path, "old")
    assert subprocess.run([sys.executable, "-c", DYING, str(path)], check=False).returncode == -signal.SIGKILL
    assert path.read_text() == "old" and len(names(tmp_path)) == 2
    atomic_write(tmp_path / "file2", "")  # not its own
    assert len(names(tmp_path)) == 3
    atomic_write(path, "newer")
    assert path.read_text() == "newer" and names(tmp_path) == ["file", "file2"]


@pytest.mark.skipif(os.name == "nt", reason="a file that is open stays by itself")
def test_what_another_process_is_writing_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with subprocess.Popen(
        [sys.executable, "-c", WAITING, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdin is not None and first.stdout is not None
        assert first.stdout.readline() == "writing\n"
        check_writable(path)
        atomic_write(path, "of the second")
        assert path.read_text() == "of the second"
        first.stdin.write("\n")
        first.stdin.flush()
        assert first.wait() == 0
    assert path.read_text() == "of the first" and names(tmp_path) == ["file"]


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    atomic_write(path, "old")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(
        OSError, match=r"file cannot be written \(1.5 MB\): .*No space left.* an earlier file"
    ) as raised:
        atomic_write(path, b"x" * 1_500_000)
    assert raised.value.errno == errno.ENOSPC
    assert path.read_text() == "old" and names(tmp_path) == ["file"]


def test_a_place_that_cannot_be_written_is_known_before(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (".", "file/inside"):
        with pytest.raises(OSError, match="cannot be written"):
            check_writable(tmp_path / place)
        with pytest.raises(OSError, match="cannot be written"):
            atomic_write(tmp_path / place, "")
    assert names(tmp_path) == ["file"]
