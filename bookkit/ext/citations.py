"""Speed up citations: register pybtex's backend, which it otherwise looks up in all packages for each citation."""

from __future__ import annotations

from typing import Any

from pybtex.plugin import find_plugin, register_plugin
from sphinx.application import Sphinx

BACKEND = ("pybtex.backends", "plaintext")


def setup(app: Sphinx) -> dict[str, Any]:
    register_plugin(*BACKEND, find_plugin(*BACKEND), force=True)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
