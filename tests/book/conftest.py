"""Small books, built as the real one is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.book.history import Step, tell
from tests.book.small_books import SmallBook, new_book
from tests.support.once import once


@pytest.fixture
def small_book(tmp_path: Path, root: Path) -> SmallBook:
    return new_book(tmp_path, root)


@pytest.fixture(scope="session")
def history(tmp_path_factory: pytest.TempPathFactory, root: Path) -> dict[str, Step]:
    """The builds of a book, four of them and one that is killed; see ``history``."""
    return once(tmp_path_factory, "history", lambda folder: tell(new_book(folder, root)))
