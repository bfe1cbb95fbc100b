"""Seconds from the last key to a translation, and whether the page stutters: ``python -m benchmarks.typing_in``.

The translators of the built book are opened from disk, and the end of a sentence is typed, key by key. Time is measured
in the page. A frame counts as long if it comes more than 50 ms after the one before.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

from benchmarks import site
from benchmarks.harness import Settings, spread

REACH = 0.15  # seconds from the last key to the first new token
LONG = 0.05  # seconds between two frames
FIELD = "English sentence to translate"
# Page, index of its translator, the initial text, and the last words, which are typed.
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
  const noteChange = () => { seen.last = performance.now() - seen.key; seen.first ||= seen.last; };
  const compare = field.getRootNode().querySelector(".compare");
  new MutationObserver(noteChange).observe(compare, { childList: true, subtree: true, characterData: true });
  let before = performance.now();
  const frame = (now) => { seen.frames.push(now - before); before = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
}"""
QUIET = 1200  # milliseconds without change after which a translation is complete


def type_end(page: Page, field: Locator, begun: str, end: str) -> dict[str, float]:
    """Seconds from the last key to the first and last change of the translation, and the longest frame.

    Raises:
        RuntimeError: the translation did not change, so nothing was measured.
    """
    field.fill(begun)
    page.wait_for_timeout(QUIET)
    field.press_sequentially(end, delay=80)
    page.wait_for_timeout(QUIET)
    seen = page.evaluate("window.seen")
    if not seen["first"]:
        raise RuntimeError(f"the translation of {begun + end!r} must change with the last key, but stayed the same")
    return {"first": seen["first"] / 1000, "last": seen["last"] / 1000, "frame": max(seen["frames"]) / 1000}


def run(settings: Settings, built: Path) -> tuple[site.Rows, dict[str, Any]]:
    rows = []
    with site.opened() as browser:
        for name, which, begun, ends in CASES:
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto((built / "book" / f"{name}.html").as_uri())
            page.wait_for_selector("[data-attnbook-mounted=yes]")
            field = page.get_by_role("combobox", name=FIELD).nth(which)
            field.click()
            page.wait_for_timeout(3 * QUIET)  # the model is loaded
            field.evaluate(WATCH)
            found = [type_end(page, field, begun, end) for end in ends for _ in range(settings.rounds(5))]
            until = {part: spread([one[part] for one in found]) for part in ("first", "last", "frame")}
            reached = until["first"]["median"] <= REACH and until["frame"]["high"] <= LONG
            rows.append({"work": name, "seconds_until": until, "reach": REACH, "reached": reached})
            page.close()
        more = site.about(browser)
    return rows, more


def describe(row: dict[str, Any]) -> str:
    """The medians of a row, as a line."""
    found = (f"{part} {1000 * seconds['median']:.0f} ms" for part, seconds in row["seconds_until"].items())
    return f"{row['work']}: {', '.join(found)}"


if __name__ == "__main__":
    site.main("typing_in", __doc__, run, describe)
