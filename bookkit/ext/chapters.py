"""References between chapters: the role ``{chap}``.

``{chap}`05-luong``` prints "chapter 5", ``{chap}`tr-ids``` (the label of a section) "section 8.2", and
``{chap}`04-bahdanau, 05-luong``` "chapters 4 and 5". ``{Chap}`` begins with a capital letter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst.states import Inliner
from sphinx import addnodes
from sphinx.application import Sphinx

from bookkit.notebook.index import Index, make_index
from bookkit.references import UnknownReference, pieces


@lru_cache(maxsize=1)
def index_of(root: Path) -> Index:
    """Read the index of the book once per build."""
    return make_index(root)


def chap(
    name: str,
    rawtext: str,
    text: str,
    lineno: int,
    inliner: Inliner,
    options: Mapping[str, Any] | None = None,
    content: Sequence[str] = (),
) -> tuple[list[nodes.Node], list[nodes.system_message]]:
    environment = inliner.document.settings.env
    index = index_of(Path(environment.srcdir))
    try:
        found = pieces(index, text, capital=name.startswith("C"))
    except UnknownReference as error:
        message = inliner.reporter.error(str(error), line=lineno)
        return [inliner.problematic(rawtext, rawtext, message)], [message]
    return [_node(piece, index, environment.docname) for piece in found], []


def _node(piece: str | tuple[str, str], index: Index, page: str) -> nodes.Node:
    if isinstance(piece, str):
        return nodes.Text(piece)
    words, target = piece
    kind, place = ("doc", f"/{target}") if target in index.pages else ("ref", target)
    link = addnodes.pending_xref(
        "", refdomain="std", reftype=kind, reftarget=place, refexplicit=True, refwarn=True, refdoc=page
    )
    link += nodes.inline("", words, classes=["xref", "std", f"std-{kind}"])
    return link


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_role("chap", chap)
    app.connect("builder-inited", lambda _: index_of.cache_clear())
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
