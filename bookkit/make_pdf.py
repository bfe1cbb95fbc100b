"""Print the whole book (``single.html`` of the built site) as a PDF; called by ``make pdf``."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

import pikepdf
from playwright.sync_api import Browser, sync_playwright

from attnbook._internal.files import atomic_write
from bookkit.chromium import MISSING, find

FOOTER = """\
<div style="font-size: 8px; width: 100%; text-align: center; color: #555">
<span class="pageNumber"></span> / <span class="totalPages"></span></div>"""


def print_page(browser: Browser, page: Path) -> bytes:
    """Print a page as a PDF with page numbers, an outline and tags for screen readers."""
    sheet = browser.new_page()
    sheet.set_default_timeout(600_000)  # milliseconds; the whole book takes long on a busy machine
    sheet.goto(page.as_uri())
    sheet.wait_for_load_state("networkidle")
    margin = {"top": "18mm", "bottom": "18mm", "left": "16mm", "right": "16mm"}
    content = sheet.pdf(
        format="A4",
        margin=margin,  # type: ignore[arg-type]
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=FOOTER,
        outline=True,
        tagged=True,
    )
    sheet.close()
    return compress(content)


def compress(content: bytes) -> bytes:
    """Compress the small objects of a PDF, such as its tags, which Chromium leaves uncompressed."""
    small = io.BytesIO()
    with pikepdf.open(io.BytesIO(content)) as document:
        document.save(small, object_stream_mode=pikepdf.ObjectStreamMode.generate, recompress_flate=True)
    return small.getvalue()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--site", type=Path, default=Path("_build/html"))
    parser.add_argument("--out", type=Path, default=Path("_build/the-attention-book.pdf"))
    options = parser.parse_args()
    page = (options.site / "single.html").resolve()
    if not page.is_file():
        print(f"{options.site} has no built book; run `make book` first", file=sys.stderr)
        return 1
    program = find()
    if program is None:
        print(MISSING, file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        atomic_write(options.out, print_page(browser, page))
        browser.close()
    print(f"{options.out} ({options.out.stat().st_size / 1e6:.1f} MB)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
