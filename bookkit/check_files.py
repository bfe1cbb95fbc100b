#!/usr/bin/env python3
"""Refuse large files, and notebooks or Markdown with outputs in them; for ``pre-commit`` and ``make lint``.

Without names, every file that git knows is looked at.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LARGEST = 500_000  # bytes


def complaints(paths: list[Path]) -> list[str]:
    """What is wrong with files."""
    found = []
    for path in paths:
        if not path.is_file():
            continue
        size = path.stat().st_size
        if size > LARGEST:
            found.append(f"{path}: {size / 1000:.0f} KB, more than {LARGEST / 1000:.0f}")
        if path.suffix == ".ipynb":
            found.append(f"{path}: a notebook; chapters are Markdown, and `make notebooks` writes the notebooks")
    return found


def known() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True).stdout
    return [Path(name) for name in listed.split("\0") if name]


def main() -> int:
    found = complaints([Path(name) for name in sys.argv[1:]] or known())
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
