"""Data for tests that are not part of the repository: real corpora, and the study notes that the book answers."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_SHARED = Path(__file__).resolve().parents[3] / "shared"
DATA = Path(os.environ.get("ATTNBOOK_DATA") or _SHARED / "data")
SEEDS = Path(os.environ.get("ATTNBOOK_NOTES") or _SHARED / "seeds")
notes_are_here = pytest.mark.skipif(
    not SEEDS.is_dir(), reason="the notes are not part of the repository: set ATTNBOOK_NOTES to their folder"
)
