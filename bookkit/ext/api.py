"""Links from chapters to the API reference: the role ``{api}``, as in ``{api}`masked_softmax```.

``sphinx.ext.autodoc`` writes the reference itself on the pages ``book/api-*.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx import addnodes
from sphinx.application import Sphinx


def api(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Inliner,
    options: Mapping[str, Any] | None = None,
    content: Sequence[str] = (),
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    page = inliner.document.settings.env.docname
    link = addnodes.pending_xref(
        "", refdomain="py", reftype="obj", reftarget=f"attnbook.{text}", refwarn=True, refdoc=page, refexplicit=True
    )
    link += nodes.literal("", text, classes=["xref", "py", "py-obj"])
    return [link], []


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_role("api", api)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
