"""Keep pages independent of other hosts: a widget that needs one fails the build.

The package's own widgets need neither kernel nor network (``attnbook.widgets.sphinx``). Other widgets need a loader
from a CDN, which the pages of this book do not load.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from myst_nb.sphinx_ import NbMetadataCollector
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def reject_widgets_without_kernel(app: Sphinx, doctree: nodes.document) -> None:
    env: Any = app.env
    if "ipywidgets_state" in NbMetadataCollector.get_js_files(env, env.docname):
        logger.warning(
            "the page has a widget that needs a kernel; use one of attnbook.widgets",
            location=env.docname,
            type="book_offline",
        )


def setup(app: Sphinx) -> dict[str, Any]:
    # Jupyter Book sets this value for sphinx_comments, which we do not load, because it adds a comment service to
    # pages.
    app.add_config_value("comments_config", {}, "", dict)
    app.connect("doctree-read", reject_widgets_without_kernel)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
