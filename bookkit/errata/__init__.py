"""The checks behind the errata: small programs, each of which tries to reproduce one fault of the study notes.

They contain no code of the notes; each was written from a description of it.
"""

from bookkit.errata import attention, d2l_code, examples, heads, layers, omissions, positions, translators
from bookkit.errata.core import CHECKS, run

__all__ = [
    "CHECKS",
    "attention",
    "d2l_code",
    "examples",
    "heads",
    "layers",
    "omissions",
    "positions",
    "run",
    "translators",
]
