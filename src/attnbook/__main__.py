"""The command ``attnbook``, and ``python -m attnbook``, which ``torchrun -m attnbook`` starts several times."""

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
    """Run the command line. Ctrl-C ends it with one line at any time, while modules are imported too."""
    signal.signal(signal.SIGINT, _leave)
    with _processes():
        try:
            with needs("cli"):
                from attnbook.cli import app
        except ModuleNotFoundError as error:
            sys.exit(str(error))
        app()


@contextlib.contextmanager
def _processes() -> Iterator[None]:
    """Join those that torchrun has started, if it has. The first one alone prints, and draws a bar."""
    if "TORCHELASTIC_RUN_ID" not in os.environ:
        yield
        return
    from attnbook.training.distributed import processes, rank

    with contextlib.ExitStack() as stack:
        try:
            stack.enter_context(processes())
        except ConnectionError as error:
            sys.exit(f"error: {error}")
        if rank() > 0:
            os.environ["TQDM_DISABLE"] = "1"  # read when tqdm is imported
            stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        yield


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: an exception inside an import would become another one."""
    os.write(2, b"stopped\n")
    os._exit(130)


if __name__ == "__main__":
    main()
