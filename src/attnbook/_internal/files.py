"""Atomic writes, a lock for folders, and digests of files."""

from __future__ import annotations

import contextlib
import errno
import glob
import hashlib
import os
import shutil
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from filelock import FileLock, Timeout

LOCK = ".lock"  # the file in a folder that its owner keeps locked


def atomic_write(path: str | os.PathLike[str], content: bytes | str) -> Path:
    """Write a file completely or not at all.

    The bytes go to a temporary file in the same folder, which then replaces the old file. A process that is killed at
    any moment leaves either the old file or the new one; the temporary file it leaves is removed by the next process
    that writes the same file. If ``path`` is a symbolic link, its target is written and the link stays. A device, a
    pipe, a FIFO and the file behind ``/dev/stdout`` cannot be replaced and are written in place.

    Args:
        path: the file; missing folders are created.
        content: text is encoded as UTF-8.

    Returns:
        ``path``.

    Raises:
        OSError: the file cannot be written. An existing file is unchanged.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    temporary: Path | None = None
    try:
        if _in_place(path):
            _write_in_place(path, data)
            return path
        target = Path(os.path.realpath(path))
        temporary = _temporary(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException as error:
        if temporary is not None:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        if not isinstance(error, OSError | ValueError):
            raise
        unchanged = "" if temporary is None else "; an existing file is unchanged"
        raise _write_error(path, error, f" ({len(data) / 1e6:.1f} MB)", unchanged) from error
    return path


def check_writable(path: str | os.PathLike[str]) -> None:
    """Check that ``atomic_write`` can write a file, before work is done that would be lost.

    Raises:
        OSError: the folder cannot be created or written, or ``path`` is a folder.
    """
    path = Path(path)
    try:
        if _in_place(path):
            if not os.access(path, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            return
        target = Path(os.path.realpath(path))
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        temporary = _temporary(target)
        temporary.touch()
        temporary.unlink()
    except (OSError, ValueError) as error:
        raise _write_error(path, error) from error


@contextmanager
def locked(folder: str | os.PathLike[str], *, wait: bool = False) -> Iterator[None]:
    """Lock a folder for this thread; a second ``locked`` in the same thread has no effect.

    The folder is created if necessary, and removed again if it is new and stays empty. The lock is also released if
    the process is killed.

    Args:
        folder: the folder to lock.
        wait: wait until another process releases the folder; False raises an error instead.

    Raises:
        BlockingIOError: another process holds the lock.
        OSError: the folder cannot be created.
    """
    place = Path(os.path.realpath(folder))
    new = not place.exists()
    place.mkdir(parents=True, exist_ok=True)
    lock = FileLock(place / LOCK, is_singleton=True)
    try:
        lock.acquire(timeout=-1 if wait else 0)
    except Timeout:
        raise BlockingIOError(
            f"{folder} is in use by another process; wait until it ends, or use another folder"
        ) from None
    try:
        yield
    finally:
        if new and [path.name for path in place.iterdir()] == [LOCK]:
            shutil.rmtree(place, ignore_errors=True)
        lock.release()


def sha256(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal.

    Raises:
        OSError: the file cannot be read.
    """
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _in_place(path: Path) -> bool:
    """Whether something exists at ``path`` that must not be replaced by a regular file.

    Raises:
        IsADirectoryError: ``path`` is a folder.
        ValueError: ``path`` contains a null character.
    """
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return not stat.S_ISREG(status.st_mode) or _standard_stream(status) is not None


def _standard_stream(status: os.stat_result) -> int | None:
    """Return 1 or 2 if the file is this process's standard output or standard error, otherwise None."""
    for descriptor in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(status, os.fstat(descriptor)):
                return descriptor
    return None


def _write_in_place(path: Path, data: bytes) -> None:
    stream = _standard_stream(path.stat())
    if stream is None:
        # Without O_NONBLOCK, opening a FIFO that has no reader would wait forever.
        descriptor = os.open(path, os.O_WRONLY | getattr(os, "O_NONBLOCK", getattr(os, "O_BINARY", 0)))
    else:
        sys.stdout.flush()  # earlier output comes first
        descriptor = os.dup(stream)
    with os.fdopen(descriptor, "wb") as file:
        if os.name != "nt":
            os.set_blocking(descriptor, True)
        file.write(data)


def _write_error(path: Path, error: OSError | ValueError, size: str = "", after: str = "") -> OSError:
    code, reason = (error.errno, error.strerror) if isinstance(error, OSError) else (errno.EINVAL, str(error))
    return OSError(code, f"{path} cannot be written{size}: {reason or error}{after}")


def _temporary(target: Path) -> Path:
    """A temporary name with this process's id, so that no other process removes the file while it is written."""
    return target.with_name(f".{target.name}.{socket.gethostname()}.{os.getpid()}.{uuid4().hex[:8]}.tmp")


def _remove_leftovers(target: Path) -> None:
    """Remove the temporary files of killed processes of this machine."""
    prefix = f".{target.name}.{socket.gethostname()}."
    for leftover in target.parent.glob(f"{glob.escape(prefix)}*.tmp"):
        owner = leftover.name.removeprefix(prefix).partition(".")[0]
        if owner.isdecimal() and not _is_running(int(owner)):
            with contextlib.suppress(OSError):
                leftover.unlink()


def _is_running(process: int) -> bool:
    if os.name == "nt":  # os.kill would end the process; Windows itself keeps open files from being removed
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
