"""Interactive widgets in a book built by MyST-NB, without kernel, network or loader.

MyST-NB finds ``StaticWidgets`` through the entry point group ``myst_nb.mime_renderers``. For a widget of this package,
``StaticWidgets`` writes the saved state into the page (see ``static``) and removes the widget from the notebook's
metadata, so that MyST-NB adds no loader from a CDN. Any other widget is left to MyST-NB.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

from docutils import nodes

from attnbook.widgets.static import static_html

VIEW = "application/vnd.jupyter.widget-view+json"
STATE = "application/vnd.jupyter.widget-state+json"


@dataclass
class _Page:
    """What one page already contains."""

    taken: dict[str, dict[str, Any]] = field(default_factory=dict)
    emitted: set[str] = field(default_factory=set)


_pages: WeakKeyDictionary[Any, _Page] = WeakKeyDictionary()


class StaticWidgets:
    """A MIME renderer of MyST-NB."""

    mime_priority_overrides: ClassVar[Sequence[tuple[str, str, int | None]]] = ()

    @staticmethod
    def handle_mime(renderer: Any, data: Any, inline: bool) -> list[nodes.Element] | None:
        """Return the nodes of one output, or None if it is not a widget of this package.

        Raises:
            ValueError: a widget of this package was saved without its state.
        """
        if data.mime_type != VIEW:
            return None
        client = renderer.renderer.nb_client
        page = _pages.setdefault(client, _Page())
        model = str(data.content["model_id"])
        saved = page.taken.get(model) or _take(client.notebook, model)
        if saved is None:
            return None
        page.taken[model] = saved
        picture = _output(client.notebook, data).get("image/png")
        png = None if picture is None else base64.b64decode(picture)
        html = static_html(saved, png=png, emitted=page.emitted, sidecars=_sidecars(renderer.renderer))
        return [nodes.raw("", html, format="html", classes=["output", "attnbook-widget"])]


def _sidecars(renderer: Any) -> Path | None:
    """The site's folder of files that widgets load on demand, or None if the page is not part of a site."""
    environment = getattr(renderer, "sphinx_env", None)
    return None if environment is None else Path(environment.app.outdir) / "_widgets"


def _take(notebook: Any, model: str) -> dict[str, Any] | None:
    """Remove a widget of this package, and its layout, from the notebook's saved widgets."""
    states: dict[str, Any] = notebook["metadata"].get("widgets", {}).get(STATE, {}).get("state", {})
    saved = states.get(model)
    if saved is None or not str(saved["state"].get("_anywidget_id", "")).startswith("attnbook."):
        return None
    layout = str(saved["state"].get("layout", "")).removeprefix("IPY_MODEL_")
    states.pop(layout, None)
    return dict(states.pop(model))


def _output(notebook: Any, data: Any) -> dict[str, Any]:
    """The output, with all its MIME types, that contains ``data``."""
    if data.cell_index is None or data.output_index is None:
        return {}
    return dict(notebook["cells"][data.cell_index]["outputs"][data.output_index].get("data", {}))
