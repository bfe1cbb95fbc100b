"""Atomic writes, files that must not be replaced, and the lock for folders."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from attnbook._internal.files import LOCK, atomic_write, check_writable, locked

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


def test_atomic_write_replaces_text_and_bytes(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "a[1].txt"
    assert atomic_write(path, "é\n") == path and path.read_bytes() == "é\n".encode()
    atomic_write(str(path), b"\0")
    assert path.read_bytes() == b"\0" and names(path.parent) == ["a[1].txt"]


def test_atomic_write_keeps_link_and_writes_target(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    link, target = tmp_path / "link", tmp_path / "disk" / "target"
    link.symlink_to(target)
    for content in ("first", "second"):  # the link dangles at first
        check_writable(link)
        atomic_write(link, content)
        assert link.is_symlink() and target.read_text() == content and not target.is_symlink()
    assert names(tmp_path) == ["disk", "link"] and names(target.parent) == ["target"]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL on this system")
def test_atomic_write_when_killed_keeps_old_file_and_next_write_cleans_up(tmp_path: Path) -> None:
    path = tmp_path / "file"
    atomic_write(path, "old")
    assert subprocess.run([sys.executable, "-c", DYING, str(path)], check=False).returncode == -signal.SIGKILL
    assert path.read_text() == "old" and len(names(tmp_path)) == 2
    atomic_write(tmp_path / "file2", "")  # does not clean up for other files
    assert len(names(tmp_path)) == 3
    atomic_write(path, "newer")
    assert path.read_text() == "newer" and names(tmp_path) == ["file", "file2"]


@pytest.mark.skipif(os.name == "nt", reason="Windows itself does not remove open files")
def test_atomic_write_leaves_temporary_file_of_running_process(tmp_path: Path) -> None:
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


def test_atomic_write_on_full_disk_keeps_old_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    atomic_write(path, "old")

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"file cannot be written \(1.5 MB\): No space left") as raised:
        atomic_write(path, b"x" * 1_500_000)
    assert raised.value.errno == errno.ENOSPC
    assert path.read_text() == "old" and names(tmp_path) == ["file"]


def test_check_writable_refuses_folders(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (".", "file/inside"):
        with pytest.raises(OSError, match="cannot be written"):
            check_writable(tmp_path / place)
        with pytest.raises(OSError, match="cannot be written"):
            atomic_write(tmp_path / place, "")
    assert names(tmp_path) == ["file"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no FIFOs on this system")
def test_atomic_write_writes_fifo_in_place(tmp_path: Path) -> None:
    path = tmp_path / "fifo"
    os.mkfifo(path)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    while True:  # until the reader has opened it
        try:
            check_writable(path)
            atomic_write(path, b"x" * 200_000)  # more than fits into a pipe
            break
        except OSError as error:
            assert error.errno == errno.ENXIO
    reader.join()
    assert found == [b"x" * 200_000] and stat.S_ISFIFO(path.stat().st_mode)
    with pytest.raises(OSError, match="cannot be written"):  # and does not wait for a reader
        atomic_write(path, b"x")
    assert names(tmp_path) == ["fifo"]


def test_atomic_write_writes_device_in_place(tmp_path: Path) -> None:
    path = tmp_path / "null"
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, 3))
        path.write_bytes(b"")
    except (AttributeError, OSError):
        pytest.skip("no permission to make a device")
    check_writable(path)
    atomic_write(path, "text")
    assert stat.S_ISCHR(path.stat().st_mode) and names(tmp_path) == ["null"]


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout on this system")
@pytest.mark.parametrize("redirected", [False, True], ids=["pipe", "file"])
def test_atomic_write_appends_to_standard_output(redirected: bool, tmp_path: Path) -> None:
    program = "from attnbook._internal.files import *; print('a'); check_writable('/dev/stdout'); "
    program += "atomic_write('/dev/stdout', 'b'); print('c')"
    command = [sys.executable, "-c", program]
    if redirected:
        with (tmp_path / "out").open("wb") as out:
            subprocess.run(command, check=True, stdout=out)
        found = (tmp_path / "out").read_text()
    else:
        found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert found == "a\nbc\n"
    assert names(tmp_path) == ["out"] * redirected


@pytest.mark.parametrize("name", ["a\0b", "a" * 5000])
def test_invalid_path_is_an_os_error(name: str, tmp_path: Path) -> None:
    for call in (check_writable, lambda path: atomic_write(path, "")):
        with pytest.raises(OSError, match="cannot be written"):
            call(tmp_path / name)  # type: ignore[operator]
    assert names(tmp_path) == []


def test_locked_removes_new_empty_folder_and_keeps_others(tmp_path: Path) -> None:
    with locked(tmp_path / "empty"), locked(tmp_path / "empty", wait=True):
        assert names(tmp_path / "empty") == [LOCK]
    with locked(tmp_path / "full"):
        (tmp_path / "full" / "file").touch()
    with locked(tmp_path / "full"):
        pass
    assert names(tmp_path) == ["full"] and names(tmp_path / "full") == [LOCK, "file"]


def test_locked_refuses_folder_of_another_thread(tmp_path: Path) -> None:
    errors: list[BaseException] = []

    def second() -> None:
        try:
            with locked(tmp_path):
                pass
        except BlockingIOError as error:
            errors.append(error)

    with locked(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        thread.join()
    assert len(errors) == 1
