"""Files that are there in full or not at all."""

from __future__ import annotations

import contextlib
import glob
import os
import socket
from pathlib import Path
from uuid import uuid4


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
    """Make sure that :func:`atomic_write` will be able to write, before work is done that would be lost.

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
