"""The printed book is small, tagged, and has an outline."""

from __future__ import annotations

import io
from pathlib import Path

import pikepdf
from playwright.sync_api import Browser

from bookkit.make_pdf import print_page

PAGE = f"""<!doctype html><html lang="en"><title>Small</title><link rel="stylesheet" href="book.css">
<style>.admonition {{ box-shadow: 0 4px 8px #0008 !important }}</style>
<h1>Title</h1><div class="admonition">{"<p>A sentence.</p>" * 40}</div></html>"""


def test_pdf_has_tags_and_outline_without_shadow_images(tmp_path: Path, chromium: Browser) -> None:
    style = Path("book/_static/book.css").read_text(encoding="utf-8")
    (tmp_path / "book.css").write_text(style, encoding="utf-8")
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    content = print_page(chromium, tmp_path / "page.html")
    with pikepdf.open(io.BytesIO(content)) as document:
        assert document.Root.MarkInfo.Marked and "/StructTreeRoot" in document.Root
        assert document.Root.Outlines.First.Title == "Title"
        streams = [item for item in document.objects if isinstance(item, pikepdf.Stream)]
    assert [item for item in streams if item.get("/Subtype") == "/Image"] == []
    assert any(item.get("/Type") == "/ObjStm" for item in streams), "small objects lie apart, uncompressed"
