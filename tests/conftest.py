"""Fixtures that tests of several folders share."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def built_book() -> Path:
    """The folder of the built book."""
    folder = ROOT / "_build" / "html"
    if not (ROOT / "_build" / ".complete").is_file():
        pytest.fail("the book is not built, or its last build failed: run `make book` (`make test` does)")
    return folder
