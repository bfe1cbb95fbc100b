"""The command ``attnbook``, and ``python -m attnbook``."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

from attnbook.extras import needs


def main() -> None:
    """Run the command line. Ctrl-C ends it with one line at any time, while modules are imported too."""
    signal.signal(signal.SIGINT, _leave)
    try:
        with needs("cli"):
            from attnbook.cli import app
    except ModuleNotFoundError as error:
        sys.exit(str(error))
    app()


def _leave(number: int, frame: FrameType | None) -> None:
    """End at once: an exception inside an import would become another one."""
    os.write(2, b"stopped\n")
    os._exit(130)


if __name__ == "__main__":
    main()
