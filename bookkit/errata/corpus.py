"""Find the Tatoeba corpus on this machine, without a download."""

from __future__ import annotations

import os
from pathlib import Path

from bookkit import ROOT


def corpus() -> Path | None:
    """The folder with fra-eng.zip: ATTNBOOK_DATA or a folder next to the checkout; None if neither has the file."""
    named = os.environ.get("ATTNBOOK_DATA")
    places = [Path(named)] if named else []
    places.append(ROOT.parent / "shared" / "data")
    return next((place for place in places if (place / "fra-eng.zip").is_file()), None)
