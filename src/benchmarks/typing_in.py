"""How soon a translation follows the last key, and whether the page stutters: ``python -m benchmarks.typing_in``.

The translators of the built book are opened from the disk, and the end of a sentence is typed into them, key by key.
The clock is the page's own. A frame is long if the one before it was more than 50 ms earlier.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, sync_playwright

from benchmarks.harness import RESULTS, Settings, spread, write
from bookkit import ROOT
from bookkit.chromium import find

REACH = 0.15  # seconds from the last key to the first new token
LONG = 0.05  # seconds between two frames
FIELD = "English sentence to translate"
# Page, which of its translators, what stands there, and the last words that are typed.
CASES = (
    ("intro", 0, "The old woman sees the big ", ("car.", "dog.", "house.", "red car.")),
    (
        "09-translation",
        -1,
        "Could you tell me where the ",
        ("station is?", "door is?", "nearest bank is?", "cat is?"),
    ),
)
WATCH = """field => {
  const seen = (window.seen = { key: 0, first: 0, last: 0, frames: [] });
  field.addEventListener("input", () => Object.assign(seen, { key: performance.now(), first: 0, frames: [] }));
  const told = () => { seen.last = performance.now() - seen.key; seen.first ||= seen.last; };
  const compare = field.getRootNode().querySelector(".compare");
  new MutationObserver(told).observe(compare, { childList: true, subtree: true, characterData: true });
  let before = performance.now();
  const frame = (now) => { seen.frames.push(now - before); before = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}"""
QUIET = 1200  # milliseconds after which a translation stands


def type_end(page: Page, field: Locator, begun: str, end: str) -> dict[str, float]:
    """Seconds from the last key to the first and last change of the translation, and the longest frame."""
    field.fill(begun)
    page.wait_for_timeout(QUIET)
    field.press_sequentially(end, delay=80)
    page.wait_for_timeout(QUIET)
    seen = page.evaluate("window.seen")
    return {"first": seen["first"] / 1000, "last": seen["last"] / 1000, "frame": max(seen["frames"]) / 1000}


def run(settings: Settings, site: Path) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    rows = []
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"]
        browser = playwright.chromium.launch(executable_path=find(), args=arguments)
        for name, which, begun, ends in CASES:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto((site / "book" / f"{name}.html").as_uri())
            page.wait_for_selector("[data-attnbook-mounted=yes]")
            field = page.get_by_role("combobox", name=FIELD).nth(which)
            field.click()
            page.wait_for_timeout(3 * QUIET)  # the model is loaded
            field.evaluate(WATCH)
            found = [type_end(page, field, begun, end) for end in ends for _ in range(settings.rounds(5))]
            of = {part: spread([one[part] for one in found]) for part in ("first", "last", "frame")}
            reached = of["first"]["median"] <= REACH and of["frame"]["high"] <= LONG
            rows.append({"work": name, "seconds_until": of, "reach": REACH, "reached": reached})
            page.close()
        more = {"browser": browser.version, "screen": "headless, drawn without a GPU, 60 Hz"}
        browser.close()
    return rows, more


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.typing_in", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two rounds, to see that everything runs")
    parser.add_argument("--site", type=Path, default=ROOT / "_build" / "html", help="the built book")
    parser.add_argument("--folder", type=Path, default=RESULTS, help="where the figures are written")
    options = parser.parse_args()
    if not (options.site / "book").is_dir():
        parser.error(f"--site is {options.site}: wanted a built book; `make book` builds one")
    settings = Settings(quick=options.quick)
    rows, more = run(settings, options.site)
    path = write("typing_in", settings, rows, folder=options.folder, command="python -m benchmarks.typing_in", **more)
    for row in rows:
        print(row["work"], {part: f"{1000 * found['median']:.0f} ms" for part, found in row["seconds_until"].items()})
    print(os.path.relpath(path))


if __name__ == "__main__":
    main()
