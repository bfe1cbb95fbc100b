"""No page asks another host for anything; a widget that would need it fails the build.

The package's own widgets are written by ``attnbook.widgets.sphinx`` and need neither kernel nor network. Any other
needs a loader from a CDN, which no page of this book asks for.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def refuse_dead_widgets(app: Sphinx, doctree: nodes.document) -> None:
    env: Any = app.env
    if "ipywidgets_state" in NbMetadataCollector.get_js_files(env, env.docname):
        logger.warning(
            "the page shows a widget that is dead without a kernel: show one of attnbook.widgets",
            location=env.docname,
            type="book_offline",
        )


def setup(app: Sphinx) -> dict[str, Any]:
    # Jupyter Book sets this for sphinx_comments, which is not loaded: it would bring a comment service into the pages.
    app.add_config_value("comments_config", {}, "", dict)
    app.connect("doctree-read", refuse_dead_widgets)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
