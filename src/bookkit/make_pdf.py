"""Print the whole book, the built site's ``single.html``, as a PDF; called by ``make pdf``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

from attnbook.files import atomic_write
from bookkit.chromium import MISSING, find

FOOT = """\
<div style="font-size: 8px; width: 100%; text-align: center; color: #555">
<span class="pageNumber"></span> / <span class="totalPages"></span></div>"""


def print_pdf(page: Path, target: Path, program: str) -> None:
    """Print a page with numbered sheets, an outline and tags for screen readers."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        sheet = browser.new_page()
        sheet.set_default_timeout(600_000)  # milliseconds: the whole book, on a machine that may be busy
        sheet.goto(page.as_uri())
        sheet.wait_for_load_state("networkidle")
        margin = {"top": "18mm", "bottom": "18mm", "left": "16mm", "right": "16mm"}
        content = sheet.pdf(
            format="A4",
            margin=margin,  # type: ignore[arg-type]
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=FOOT,
            outline=True,
            tagged=True,
        )
        browser.close()
    atomic_write(target, content)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path, default=Path("_build/html"))
    parser.add_argument("--out", type=Path, default=Path("_build/the-attention-book.pdf"))
    options = parser.parse_args()
    page = (options.site / "single.html").resolve()
    if not page.is_file():
        print(f"{options.site} holds no book: run `make book` first", file=sys.stderr)
        return 1
    program = find()
    if program is None:
        print(MISSING, file=sys.stderr)
        return 1
    print_pdf(page, options.out, program)
    print(f"{options.out} ({options.out.stat().st_size / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
