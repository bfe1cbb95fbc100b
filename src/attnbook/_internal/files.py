"""Files that are there in full or not at all."""

from __future__ import annotations

import contextlib
import glob
import hashlib
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class _Ours(threading.local):
    """The folders that a thread keeps to itself."""

    def __init__(self) -> None:
        self.folders: set[Path] = set()


_OURS = _Ours()


def atomic_write(path: str | os.PathLike[str], content: bytes | str) -> Path:
    """Write a file, in full or not at all.

    The bytes go to a temporary file in the same folder, which then takes the place of the old one. A process killed
    at any moment leaves the old file or the new one, and its temporary file goes when the same file is written next,
    by whatever process. Of a symbolic link the target is written.

    Args:
        path: the file; its folder is made if it is not there.
        content: text is written as UTF-8.

    Returns:
        the path.

    Raises:
        OSError: it cannot be written; an earlier file is as it was.
    """
    path = Path(path)
    data = content.encode() if isinstance(content, str) else content
    target = Path(os.path.realpath(path))
    temporary = _temporary(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise OSError(
            error.errno, f"{path} cannot be written ({len(data) / 1e6:.1f} MB): {error}; an earlier file is as it was"
        ) from error
    return path


def check_writable(path: str | os.PathLike[str]) -> None:
    """Make sure that ``atomic_write`` will be able to write, before work is done that would be lost.

    Raises:
        OSError: the folder cannot be made or written, or ``path`` is a folder itself.
    """
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        temporary = _temporary(target)
        temporary.touch()
        temporary.unlink()
    except OSError as error:
        raise OSError(error.errno, f"{path} cannot be written: {error}") from error
    if target.is_dir():
        raise IsADirectoryError(f"{path} cannot be written: it is a folder, wanted a file")


@contextmanager
def alone(folder: str | os.PathLike[str], *, wait: bool = False) -> Iterator[None]:
    """Keep a folder to this thread, as far as others ask by this function too. A process that dies lets go.

    The folder is made if it is not there, and goes again if it stays empty. Nothing is done where the thread has it
    already, and on Windows, where nobody can remove files that another process has open.

    Args:
        folder: to write into.
        wait: until another process lets go; else that is an error.

    Raises:
        BlockingIOError: another process has it.
        OSError: it cannot be made.
    """
    place = Path(os.path.realpath(folder))
    if fcntl is None or place in _OURS.folders:
        yield
        return
    new = not place.exists()
    try:
        handle = _locked(place, wait)
    except BlockingIOError:
        wanted = "wait until it ends, or name another folder"
        raise BlockingIOError(f"{folder} is used by another process, which writes into it: {wanted}") from None
    try:
        _OURS.folders.add(place)
        yield
    finally:
        _OURS.folders.discard(place)
        if new and not any(place.iterdir()):
            place.rmdir()
        os.close(handle)


def _locked(place: Path, wait: bool) -> int:
    """A handle of the folder, locked; it is made again where another process removes it meanwhile."""
    while True:
        place.mkdir(parents=True, exist_ok=True)
        handle = os.open(place, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            if place.exists() and os.path.samestat(os.fstat(handle), place.stat()):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def sha256(path: str | os.PathLike[str]) -> str:
    """The digest of a file's bytes, in hexadecimal.

    Raises:
        OSError: it cannot be read.
    """
    digest = hashlib.sha256()
    with Path(path).open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def _temporary(target: Path) -> Path:
    """A name that says whose it is: another process must not remove it while its owner writes."""
    return target.with_name(f".{target.name}.{socket.gethostname()}.{os.getpid()}.{uuid4().hex[:8]}.tmp")


def _remove_leftovers(target: Path) -> None:
    """Remove what killed processes of this machine left of the file's temporary copies."""
    prefix = f".{target.name}.{socket.gethostname()}."
    for leftover in target.parent.glob(f"{glob.escape(prefix)}*.tmp"):
        owner = leftover.name.removeprefix(prefix).partition(".")[0]
        if owner.isdecimal() and not _is_running(int(owner)):
            with contextlib.suppress(OSError):
                leftover.unlink()


def _is_running(process: int) -> bool:
    if os.name == "nt":  # a signal would end it; Windows keeps an open file from being removed by itself
        return process == os.getpid()
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
