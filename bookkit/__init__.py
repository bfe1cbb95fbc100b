"""Build, check and publish the book. A checkout installs it next to attnbook; the wheel does not contain it.

``ext`` has the Sphinx extensions, ``notebook`` converts a chapter into a notebook, ``errata`` has the checks behind the
errata; the other modules are the programs that ``make`` calls.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]  # the checkout
