"""Figures of runs that are too long for a page: JSON files in the book's ``results`` folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def load_result(name: str, *, start: Path | None = None) -> dict[str, Any] | None:
    """The committed figures of one run.

    The folder ``results`` is looked for beside the page and above it, since a page may be run from anywhere in a
    copy of the book.

    Args:
        name: path below ``results``, without ``.json``.
        start: where to begin; the current folder if None.

    Returns:
        what the file holds; None where there is no copy of the book, as when a single notebook was downloaded.

    Raises:
        FileNotFoundError: the folder is there and has no such file.
    """
    start = Path.cwd() if start is None else start
    for folder in (start.resolve(), *start.resolve().parents):
        if (folder / "results").is_dir() and (folder / "_toc.yml").is_file():
            path = folder / "results" / f"{name}.json"
            if not path.is_file():
                raise FileNotFoundError(f"name is {name!r}: wanted one of {_names(folder / 'results')}")
            result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            return result
    return None


def _names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.json"))
