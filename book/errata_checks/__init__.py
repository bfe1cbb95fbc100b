"""The checks behind the errata of the notes: small programs, each of which shows one fault, or fails to.

The code of the notes is not repeated here. What a check runs was written anew from what the notes do.
"""

from __future__ import annotations

import sys
from pathlib import Path

_ROOT = str(Path(__file__).resolve().parent.parent.parent)
if _ROOT not in sys.path:
    sys.path.append(_ROOT)  # for `benchmarks`, which has the decoders of D2L's pages

from . import attention, d2l_code, examples, layers, positions, translators, unsaid  # noqa: E402
from .core import CHECKS, Outcome, run  # noqa: E402

__all__ = [
    "CHECKS",
    "Outcome",
    "attention",
    "d2l_code",
    "examples",
    "layers",
    "positions",
    "run",
    "translators",
    "unsaid",
]
