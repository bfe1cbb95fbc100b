"""Shared parts of the benchmarks of the built book: command line and browser."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from benchmarks.harness import RESULTS, Settings, write
from bookkit import ROOT
from bookkit.chromium import find

Rows = list[dict[str, Any]]


@contextmanager
def opened() -> Iterator[Browser]:
    """Open a headless browser, for pages from a server or from disk."""
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
        browser = playwright.chromium.launch(executable_path=find(), args=arguments)
        yield browser
        browser.close()


def about(browser: Browser) -> dict[str, Any]:
    """The facts about the browser that are stored with a result."""
    return {"browser": browser.version, "screen": "headless, drawn without a GPU, 60 Hz"}


def main(
    name: str,
    description: str | None,
    run: Callable[[Settings, Path], tuple[Rows, dict[str, Any]]],
    describe: Callable[[dict[str, Any]], str],
) -> None:
    """Measure the built book, write the results, and print one line per row."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=description)
    parser.add_argument("--quick", action="store_true", help="two rounds, to see that everything runs")
    parser.add_argument("--site", type=Path, default=ROOT / "_build" / "html", help="the built book")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the figures are written")
    options = parser.parse_args()
    if not (options.site / "book").is_dir():
        parser.error(f"--site must be a built book, got {options.site}; `make book` builds one")
    settings = Settings(quick=options.quick)
    rows, more = run(settings, options.site)
    path = write(name, settings, rows, folder=options.folder, command=f"python -m benchmarks.{name}", **more)
    for row in rows:
        print(describe(row))
    print(os.path.relpath(path))
