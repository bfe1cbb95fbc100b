"""Fold or hide code that does not teach, as two tags of a cell ask.

``imports`` folds the code into one line. ``plumbing`` hides it: plotting, numbers for the text, checks, reports. The
output of the cell stays visible. The button "Code" at the top of a page shows all code.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

FOLD = '<details class="code-fold"><summary>Imports and settings</summary>'


def fold(app: Sphinx, doctree: nodes.document) -> None:
    """Fold the code of cells with the tag ``imports``; the style sheet hides that of ``plumbing``."""
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") == "cell_code" and "tag_imports" in cell["classes"]:
            code = cell.children[0]
            cell.insert(cell.index(code), nodes.raw("", FOLD, format="html"))
            cell.insert(cell.index(code) + 1, nodes.raw("", "</details>", format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", fold)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
