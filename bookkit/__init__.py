"""Build, check and publish the book. The package is imported from the checkout; the wheel does not contain it.

``ext`` has the Sphinx extensions, ``notebook`` converts a chapter into a notebook, and ``errata`` and ``symptoms`` have
the programs that check those pages. Most other modules are programs that ``make`` calls.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]  # the checkout
