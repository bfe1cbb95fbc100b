"""Fixtures for tests of data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from attnbook.data.pipeline import Settings
from attnbook.data.prepared_corpus import PreparedCorpus, prepare


@pytest.fixture
def no_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset the folder of real corpora."""
    monkeypatch.delenv("ATTNBOOK_DATA", raising=False)


@pytest.fixture
def make(tmp_path: Path) -> Callable[..., PreparedCorpus]:
    """Write lines into files, and prepare a corpus from them."""

    def write_and_prepare(
        lines: list[str], *, test: list[str] | None = None, keep: Any = False, **settings: Any
    ) -> PreparedCorpus:
        (tmp_path / "p.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        held_out = {}
        if test is not None:
            (tmp_path / "test.tsv").write_text("\n".join(test) + "\n", encoding="utf-8")
            held_out["test"] = [tmp_path / "test.tsv"]
        chosen = Settings(("en", "de"), **settings)
        return prepare(tmp_path / "run" / "corpus", chosen, [tmp_path / "p.tsv"], held_out, keep=keep)

    return write_and_prepare
