"""The built book's pages, each parsed once for all that is asked of it."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from bs4 import BeautifulSoup


@lru_cache(maxsize=64)
def parsed(path: Path) -> BeautifulSoup:
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
