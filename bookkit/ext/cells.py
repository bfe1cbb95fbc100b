"""What a reader sees of code: what teaches. Two tags of a cell say what does not.

``imports`` folds the code into one line. ``plumbing`` keeps it out of sight: plotting, numbers for the prose, checks,
reports. What the cell shows stays. The button "Code" in a page's head shows all.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx

FOLD = '<details class="code-fold"><summary>Imports and settings</summary>'


def fold(app: Sphinx, doctree: nodes.document) -> None:
    """Put the code of cells with the tag ``imports`` into a line that opens."""
    for cell in doctree.findall(nodes.container):
        if cell.get("nb_element") == "cell_code" and "tag_imports" in cell["classes"]:
            code = cell.children[0]
            cell.insert(cell.index(code), nodes.raw("", FOLD, format="html"))
            cell.insert(cell.index(code) + 1, nodes.raw("", "</details>", format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("doctree-read", fold)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
