"""Write one notebook for each chapter into ``_build/notebooks``; called by ``make notebooks``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bookkit.ext.origin import find_origin
from bookkit.notebook.syntax import Unreadable
from bookkit.notebook.writer import write_notebooks


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the checkout (default: the current folder)")
    parser.add_argument("--out", type=Path, help="where to write (default: _build/notebooks)")
    options = parser.parse_args()
    root = options.root.resolve()
    origin = find_origin(root)
    try:
        written = write_notebooks(root, options.out or root / "_build" / "notebooks", origin)
    except Unreadable as error:
        print(
            f"{error}\nTeach bookkit/notebook/markdown.py to write it, or say it in plain Markdown.",
            file=sys.stderr,
        )
        return 1
    for path in written:
        print(path)
    print(f"They install the package from {origin.requirement()}" if origin else NO_ORIGIN)
    return 0


NO_ORIGIN = """\
No repository is known (no git remote, no GITHUB_REPOSITORY): the notebooks ask the reader to install the package.
With one:  ATTNBOOK_REPOSITORY=https://github.com/OWNER/NAME make notebooks"""

if __name__ == "__main__":
    sys.exit(main())
