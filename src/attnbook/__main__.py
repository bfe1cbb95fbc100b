"""The command ``attnbook``, also as ``python -m attnbook`` and ``torchrun -m attnbook``."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Iterator
from types import FrameType

from attnbook._internal.optional import needs


def main() -> None:
    """Run the command line. Ctrl-C ends it with one line at any time, also during imports."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:  # a parent such as nohup may have chosen to ignore it
        signal.signal(signal.SIGINT, _leave)
    _open_closed_streams()
    with _processes():
        sys.exit(_run())


def _open_closed_streams() -> None:
    """Replace closed standard streams, as after ``>&-``, by the null device: for Python they are None."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8"))


def _run() -> str | int | None:
    """Run the command and flush its output.

    Returns:
        the exit status, or an error message.
    """
    try:
        with needs("cli"):
            from attnbook.cli import app
    except ModuleNotFoundError as error:
        return str(error)
    status: str | int | None = None
    try:
        app()
    except SystemExit as end:
        status = end.code
    except OSError as error:
        status = _unwritable(error)
    try:
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Python flushes again when it exits
        status = status or _unwritable(error)
    return status


def _unwritable(error: OSError) -> str | int:
    return 1 if isinstance(error, BrokenPipeError) else f"error: standard output cannot be written: {error.strerror}"


@contextlib.contextmanager
def _processes() -> Iterator[None]:
    """Join the process group if ``torchrun`` has started this process. Process 0 prints for all of them."""
    if "TORCHELASTIC_RUN_ID" not in os.environ:
        yield
        return
    from attnbook.training.distributed import processes, rank, reporting

    errors = io.StringIO()
    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(processes())
        except ConnectionError as error:
            sys.exit(f"error: {error}")
        if rank() > 0:
            stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
            stack.enter_context(contextlib.redirect_stderr(errors))
        try:
            yield
        except SystemExit as end:
            if end.code in (None, 0):
                raise
            # torchrun ends the other processes as soon as one has failed, so process 0 has to print before that.
            with reporting(wait=rank() > 0) as first:
                message = f"{end.code}\n" if isinstance(end.code, str) else ""
                if rank() == 0:
                    sys.stderr.write(message)
                elif first and end.code != 130:  # process 0 reports Ctrl-C
                    os.write(2, f"\n{errors.getvalue()}{message}".encode())  # after the progress bar of process 0
            sys.exit(1 if message else end.code)


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: a KeyboardInterrupt during an import would become a different exception."""
    if "TORCHELASTIC_RUN_ID" not in os.environ or os.environ["RANK"] == "0":
        os.write(2, b"stopped\n")
    os._exit(130)


if __name__ == "__main__":
    main()
