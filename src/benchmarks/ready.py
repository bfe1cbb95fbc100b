"""How soon the widgets of the built book can be used: ``python -m benchmarks.ready``.

Every page is opened from a server on this machine, each time in a browser profile that has nothing in its cache. The
clock is the page's own: it starts with the navigation, and ends with the first picture in which every widget stands.
"""

from __future__ import annotations

import argparse
import os
import threading
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from benchmarks.harness import RESULTS, Settings, spread, write
from bookkit import ROOT
from bookkit.chromium import find
from bookkit.serve_book import open_server

REACH = 1.0  # seconds
WAIT = """count => new Promise(done => {
  const look = () => document.querySelectorAll("[data-attnbook-mounted=yes]").length === count
    ? requestAnimationFrame(() => done(performance.now() / 1000)) : requestAnimationFrame(look);
  look();
})"""


def ready(browser: Browser, address: str, widgets: int) -> float:
    """Seconds until all widgets of a page stand."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(address, wait_until="commit")
    seconds = float(page.evaluate(WAIT, widgets))
    context.close()
    return seconds


def run(settings: Settings, site: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    rows = []
    with sync_playwright() as playwright, open_server(site, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        browser = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        for path in sorted((site / "book").glob("*.html")):
            widgets = path.read_text(encoding="utf-8").count("data-attnbook-state>")
            if widgets:
                address = f"http://127.0.0.1:{server.server_port}/book/{path.name}"
                ready(browser, address, widgets)  # warm up the server
                seconds = spread([ready(browser, address, widgets) for _ in range(settings.rounds(9))])
                row = {"work": path.stem, "widgets": widgets, "ready_seconds": seconds}
                rows.append({**row, "reach": REACH, "reached": seconds["median"] <= REACH})
        more = {"browser": browser.version, "screen": "headless, drawn without a GPU, 60 Hz"}
        browser.close()
        server.shutdown()
    return rows, more


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ready", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two loads a page, to see that everything runs")
    parser.add_argument("--site", type=Path, default=ROOT / "_build" / "html", help="the built book")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the figures are written")
    options = parser.parse_args()
    if not (options.site / "book").is_dir():
        parser.error(f"--site is {options.site}: wanted a built book; `make book` builds one")
    settings = Settings(quick=options.quick)
    rows, more = run(settings, options.site)
    path = write("ready", settings, rows, folder=options.folder, command="python -m benchmarks.ready", **more)
    for row in rows:
        print(f"{row['ready_seconds']['median']:6.2f} s  {row['work']}")
    print(os.path.relpath(path))


if __name__ == "__main__":
    main()
