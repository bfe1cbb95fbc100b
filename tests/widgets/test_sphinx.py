"""The package's widgets become part of a built page; all others are left alone."""

from __future__ import annotations

import base64
import json
from importlib.metadata import entry_points
from types import SimpleNamespace
from typing import Any

import anywidget
import pytest
import traitlets
from bs4 import BeautifulSoup

from attnbook.widgets.sphinx import STATE, VIEW, StaticWidgets

PNG = base64.b64encode(b"\x89PNG picture").decode()


class Ours(anywidget.AnyWidget):
    _anywidget_id = traitlets.Unicode("attnbook.tests.Ours").tag(sync=True)
    _esm = "export default { render() {} };"
    words = traitlets.List([]).tag(sync=True)
    alt = traitlets.Unicode("").tag(sync=True)


class Theirs(Ours):
    _anywidget_id = traitlets.Unicode("other.Theirs").tag(sync=True)


def page(*widgets: anywidget.AnyWidget) -> tuple[Any, dict[str, Any]]:
    """A renderer that shows each widget in a cell of its own, and the widgets saved in its notebook."""
    states: dict[str, Any] = {}
    cells = []
    for widget in widgets:
        for model in (widget, widget.layout):
            state = {name: value for name, value in model.get_state().items() if not isinstance(value, bytes)}
            states[model.model_id] = {"model_module": "anywidget", "state": state}
        data = {VIEW: {"model_id": widget.model_id}, "image/png": PNG}
        cells.append({"outputs": [{"data": data}]})
    notebook = {"cells": cells, "metadata": {"widgets": {STATE: {"state": states}}}}
    client = type("Client", (), {"notebook": notebook})()
    return SimpleNamespace(renderer=SimpleNamespace(nb_client=client)), states


def show(renderer: Any, widget: anywidget.AnyWidget, *, cell: int = 0, mime_type: str = VIEW) -> Any:
    data = SimpleNamespace(mime_type=mime_type, content={"model_id": widget.model_id}, cell_index=cell, output_index=0)
    return StaticWidgets.handle_mime(renderer, data, False)


def soup(shown: Any) -> BeautifulSoup:
    (node,) = shown
    return BeautifulSoup(node.astext(), "html.parser")


def test_myst_nb_finds_the_renderer() -> None:
    (found,) = [entry for entry in entry_points(group="myst_nb.mime_renderers") if entry.name == "attnbook"]
    assert found.load() is StaticWidgets


def test_widget_of_the_package_needs_no_loader() -> None:
    widget = Ours(words=["a"], alt="Two < three.")
    renderer, states = page(widget)
    html = soup(show(renderer, widget))
    state = json.loads(html.select_one("[data-attnbook-state]").get_text())  # type: ignore[union-attr]
    assert state["state"]["words"] == ["a"]
    image = html.select_one("img")
    assert image and image["alt"] == "Two < three." and str(image["src"]).endswith(PNG)
    assert states == {}


def test_other_widgets_and_outputs_are_unchanged() -> None:
    theirs = Theirs()
    renderer, states = page(theirs)
    before = json.dumps(sorted(states))
    assert show(renderer, theirs) is None
    assert show(renderer, theirs, mime_type="text/html") is None
    assert json.dumps(sorted(states)) == before


def test_module_is_written_once_per_page() -> None:
    first, second = Ours(), Ours()
    renderer, _ = page(first, second)
    modules = [
        len(soup(show(renderer, widget, cell=n)).select("[data-attnbook-module]"))
        for n, widget in enumerate((first, second))
    ]
    assert modules == [1, 0]
    renderer, _ = page(first)
    assert len(soup(show(renderer, first)).select("[data-attnbook-module]")) == 1


def test_widget_can_be_displayed_twice() -> None:
    widget = Ours(words=["again"])
    renderer, _ = page(widget)
    for _ in range(2):
        assert "again" in str(soup(show(renderer, widget)))


@pytest.mark.parametrize("text", ["</script><script>alert(1)</script>", "<!--", "]]>"])
def test_external_text_is_escaped(text: str) -> None:
    widget = Ours(words=[text], alt=text)
    renderer, _ = page(widget)
    html = soup(show(renderer, widget))
    assert all(
        "alert(1)" not in script.get_text() or "data-attnbook-state" in script.attrs for script in html.select("script")
    )
    state = json.loads(html.select_one("[data-attnbook-state]").get_text())  # type: ignore[union-attr]
    assert state["state"]["words"] == [text]


def test_page_without_saved_widgets_is_rendered_by_myst_nb() -> None:
    widget = Ours()
    renderer, _ = page()
    renderer.renderer.nb_client.notebook["metadata"] = {}
    assert show(renderer, widget) is None
