"""The checks behind the errata of the notes: small programs, each of which shows one fault, or fails to.

The code of the notes is not repeated here. What a check runs was written anew from what the notes do.
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
