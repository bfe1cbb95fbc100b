"""Write one notebook for each chapter into ``_build/notebooks``; called by ``make notebooks``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bookkit.ext.origin import find_origin
from bookkit.notebook.syntax import UnsupportedMarkup
from bookkit.notebook.writer import write_notebooks


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the checkout (default: the current folder)")
    parser.add_argument("--out", type=Path, help="output folder (default: _build/notebooks)")
    options = parser.parse_args()
    root = options.root.resolve()
    origin = find_origin(root)
    try:
        written = write_notebooks(root, options.out or root / "_build" / "notebooks", origin)
    except UnsupportedMarkup as error:
        print(
            f"{error}\nAdd it to bookkit/notebook/markdown.py, or use plain Markdown instead.",
            file=sys.stderr,
        )
        return 1
    for path in written:
        print(path)
    print(f"They install the package from {origin.requirement()}" if origin else NO_ORIGIN)
    return 0


NO_ORIGIN = """\
No repository is known (no git remote, no GITHUB_REPOSITORY), so the notebooks ask the reader to install the package.
To set one:  ATTNBOOK_REPOSITORY=https://github.com/OWNER/NAME make notebooks"""

if __name__ == "__main__":
    sys.exit(main())
