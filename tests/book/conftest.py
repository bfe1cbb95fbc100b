"""Small books, built as the real one is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.book.history import Step, tell
from tests.book.small_books import SmallBook, new_book


@pytest.fixture
def small_book(tmp_path: Path, root: Path) -> SmallBook:
    return new_book(tmp_path, root)


@pytest.fixture(scope="session")
def history(tmp_path_factory: pytest.TempPathFactory, root: Path) -> dict[str, Step]:
    """A book that is built five times, see ``history``."""
    return tell(new_book(tmp_path_factory.mktemp("history"), root))
