"""A page with one widget, and helpers to use it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from attnbook.widgets.static import saved_state, static_html, static_page


def write(widget: Any, folder: Path) -> Path:
    """Write a page with only the widget."""
    path = folder / f"{type(widget).__name__}.html"
    path.write_text(static_page(static_html(saved_state(widget)), title="Widget"), encoding="utf-8")
    return path


def stand(open_page: Callable[..., Any], path: str | Path, **options: Any) -> Any:
    """Open a watched page and wait until its widget is drawn."""
    watched = open_page(path, **options)
    watched.page.wait_for_selector("[data-attnbook-mounted=yes]")
    return watched


def reset(page: Any) -> Any:
    """Reset the widget of the page."""
    page.emulate_media(color_scheme="light")
    page.get_by_role("button", name="Reset", exact=True).click()
    return page


def said(page: Any) -> str:
    """The text of the widget."""
    text: str = page.locator("output").inner_text()
    return text


def slide(page: Any, label: str, place: float) -> None:
    """Move a slider."""
    page.get_by_role("slider", name=label).evaluate(
        "(node, place) => { node.value = place; node.dispatchEvent(new Event('input')); }", place
    )


# Press a button once it is enabled. The file that it saves comes back as name and text, and is not downloaded.
SAVED = """async (button) => {
  while (button.disabled) await new Promise(requestAnimationFrame);
  const { createObjectURL } = URL;
  const { click } = HTMLAnchorElement.prototype;
  let content = null;
  const name = await new Promise((found) => {
    URL.createObjectURL = (blob) => createObjectURL.call(URL, (content = blob));
    HTMLAnchorElement.prototype.click = function () {
      found(this.download);
    };
    button.click();
  });
  URL.createObjectURL = createObjectURL;
  HTMLAnchorElement.prototype.click = click;
  return [name, await content.text()];
}"""


def saved_text(button: Any) -> tuple[str, str]:
    """Name and content of the file that a button saves, without a download, which would take a second longer."""
    name, text = button.evaluate(SAVED)
    return name, text
