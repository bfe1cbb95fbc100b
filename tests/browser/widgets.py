"""One of each widget that is a card, and ways to use them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from attnbook.widgets.static import saved_state, static_html, static_page


def write(widget: Any, folder: Path) -> Path:
    """A page with the widget alone."""
    path = folder / "widget.html"
    path.write_text(static_page(static_html(saved_state(widget)), title="Widget"), encoding="utf-8")
    return path


def stand(watched: Any) -> Any:
    """The page, once its widgets stand."""
    watched.page.wait_for_selector("[data-attnbook-mounted=yes]")
    return watched.page


def said(page: Any) -> str:
    """What the widget says."""
    text: str = page.locator("output").inner_text()
    return text


def slide(page: Any, label: str, place: float) -> None:
    """Move a slider."""
    page.get_by_role("slider", name=label).evaluate(
        "(node, place) => { node.value = place; node.dispatchEvent(new Event('input')); }", place
    )
