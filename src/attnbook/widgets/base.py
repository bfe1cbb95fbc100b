"""Base class of the small widgets: each output also has a picture and a text."""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from attnbook.widgets.picture import with_palette


def bundle(name: str) -> Path:
    """Return the path of a widget's ES module, which `npm run build` makes from the modules in ``js``.

    Given a path, anywidget reloads the module when the file changes, if ``ANYWIDGET_HMR=1``.
    """
    return Path(str(files(__package__))) / "bundles" / f"{name}.js"


def plain(texts: Iterable[str]) -> list[str]:
    """Escape labels so that matplotlib draws them as text, not as formulas."""
    return [text.replace("$", r"\$") for text in texts]


class BaseWidget(anywidget.AnyWidget):
    """A widget whose output also has a picture and a text, for readers without JavaScript.

    A subclass sets ``alt``, which describes the picture, and draws it in ``draw``.
    """

    alt = traitlets.Unicode().tag(sync=True)

    @abstractmethod
    def draw(self, axes: Any) -> None:
        """Draw the first view into matplotlib ``axes``."""

    def draw_figure(self, figure: Any) -> None:
        """Draw the whole picture: a single view, unless a subclass draws several."""
        self.draw(figure.add_subplot())

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        view = {"version_major": 2, "version_minor": 0, "model_id": self.model_id}
        data = {
            "application/vnd.jupyter.widget-view+json": view,
            "text/plain": self.alt,
            "image/png": self._png(),
        }
        return data, {"image/png": {"alt": self.alt}}

    def _ipython_display_(self, **kwargs: Any) -> None:
        # ipywidgets 7 has a method of this name, whose output lacks the picture.
        from IPython.display import publish_display_data

        publish_display_data(*self._repr_mimebundle_())

    def _png(self) -> bytes:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.4, 3.6), dpi=100, layout="constrained")
        canvas = FigureCanvasAgg(figure)
        self.draw_figure(figure)
        out = io.BytesIO()
        canvas.print_png(out, metadata={"Software": None})
        return with_palette(out.getvalue())
