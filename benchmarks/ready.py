"""Seconds until the widgets of the built book can be used: ``python -m benchmarks.ready``.

Every page is loaded from a local server, each time with an empty browser cache. The time is measured in the page: from
the start of the navigation to the first frame in which every widget is drawn.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from benchmarks import site
from benchmarks.harness import Settings, spread
from bookkit.serve_book import open_server

REACH = 1.0  # seconds
WAIT = """count => new Promise(done => {
  const look = () => document.querySelectorAll("[data-attnbook-mounted=yes]").length === count
    ? requestAnimationFrame(() => done(performance.now() / 1000)) : requestAnimationFrame(look);
  look();
})"""


def ready(browser: Browser, address: str, widgets: int) -> float:
    """Seconds until all widgets of a page are drawn."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(address, wait_until="commit")
    seconds = float(page.evaluate(WAIT, widgets))
    context.close()
    return seconds


def run(settings: Settings, built: Path) -> tuple[site.Rows, dict[str, Any]]:
    rows = []
    with site.opened() as browser, open_server(built, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for path in sorted((built / "book").glob("*.html")):
            widgets = path.read_text(encoding="utf-8").count("data-attnbook-state>")
            if widgets:
                address = f"http://127.0.0.1:{server.server_port}/book/{path.name}"
                ready(browser, address, widgets)  # warm up the server
                seconds = spread([ready(browser, address, widgets) for _ in range(settings.rounds(9))])
                row = {"work": path.stem, "widgets": widgets, "ready_seconds": seconds}
                rows.append({**row, "reach": REACH, "reached": seconds["median"] <= REACH})
        more = site.about(browser)
        server.shutdown()
    return rows, more


if __name__ == "__main__":
    site.main("ready", __doc__, run, lambda row: f"{row['ready_seconds']['median']:6.2f} s  {row['work']}")
