"""The checks behind the errata: small programs, each of which tries to reproduce one fault of the notes.

They do not contain the notes' code. Each was written from a description of what the notes do.
"""

from bookkit.errata import attention, d2l_code, examples, heads, layers, positions, translators, unsaid
from bookkit.errata.core import CHECKS, run

__all__ = [
    "CHECKS",
    "attention",
    "d2l_code",
    "examples",
    "heads",
    "layers",
    "positions",
    "run",
    "translators",
    "unsaid",
]
