"""What builds, checks and publishes the book. A checkout installs it beside attnbook; it is no part of the wheel.

``ext`` holds the Sphinx extensions, ``notebook`` what turns a chapter into a notebook, ``errata`` the checks behind the
errata; the other modules are the programs that make calls.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]  # the checkout
