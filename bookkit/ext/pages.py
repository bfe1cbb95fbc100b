"""Finish the HTML of pages after the build: valid roles, sizes of pictures, and the content security policy.

Also write a 404 page and, if the site's address is known, a sitemap. sphinx-notfound-page is no option because it makes
all addresses of its page absolute, while the book must work from any folder. sphinx-sitemap is no option because it
lists only the pages that the last build wrote, and warns if the site's address is unknown, which fails the build.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from contextlib import suppress
from html import escape
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

from bookkit.ext.origin import Origin

SCRIPT = re.compile(r"<script(?P<attributes>[^>]*)>(?P<code>.*?)</script>", re.S)
# Defects of the theme's HTML: invalid or outdated roles, a label that hides the text below it, and page-specific
# variables that no script reads.
REPAIRS = (
    (re.compile(r'<div role="list" class="citation-list">'), '<div class="citation-list">'),
    (re.compile(r' role="doc-(?:biblioentry|backlink|bibliography|noteref|footnote)"'), ""),
    (re.compile(r"<th class=\"head([^\"]*)\">\s*<p>\s*</p>\s*</th>"), r'<td class="head\1"></td>'),
    (re.compile(r'<summary aria-label="Toggle hidden content">'), "<summary>"),
    (re.compile(r'<section id="(?:exercise|solution)-content">'), "<section>"),
    (re.compile(r'(<html [^>]*data-theme=)"auto"'), r'\1"light"'),  # used only without scripts, which set it at once
    (re.compile(r'<meta property="og:url" content="(?!https?:)[^>]*>\n?'), ""),  # if the site's address is unknown
    (re.compile(r'\s*<meta name="docsearch:[^>]*>'), ""),
    (re.compile(r"<title>(.*?) &#8212; \1</title>"), r"<title>\1</title>"),
    (re.compile(r"<script[^>]*/sphinx_highlight\.js[^>]*></script>\s*"), ""),  # for results of Sphinx's own search
    (re.compile(r"<script>DOCUMENTATION_OPTIONS\.pagename = '[^']*';</script>\n?"), ""),
)
# If a browser blocks storage, the theme's access to it throws. This fallback keeps values while the page is open.
STORAGE_FALLBACK = """\
for (const name of ["localStorage", "sessionStorage"]) try { window[name]; } catch {
      const kept = {};
      const getItem = (key) => kept[key] ?? null;
      const setItem = (key, value) => { kept[key] = String(value); };
      const removeItem = (key) => { delete kept[key]; };
      Object.defineProperty(window, name, { value: { getItem, setItem, removeItem } });
    }
    """
THEME = "document.documentElement.dataset.mode = localStorage"
VIEWPORT = re.compile(r'<meta name="viewport"[^>]*>\n?')
# Styles and script of cards and tabs, which most pages do not use: 62 KB per page.
DESIGN = re.compile(r"<link[^>]*/sphinx-design[^>]*>|<script[^>]*/design-tabs\.js[^>]*></script>")
# Sphinx's search and its index, 220 KB per page: the book has its own search (bookkit.ext.search).
SEARCH = re.compile(r"<script[^>]*/?(?:searchtools|language_data|searchindex)\.js[^>]*></script>\n?")
# Spans around code in its default color, and around dots: about half of the HTML of a page's code.
CODE = re.compile(r'<div class="highlight"><pre>.*?</pre>', re.S)
COLORLESS = re.compile(r'<span class="(?:n|nn|nx|p|w|o(?=">\.<))">([^<]*)</span>')
# A widget's program, which a page may contain twice, once from a directive and once from a cell.
WIDGET_PROGRAM = r'<script type="application/json" data-attnbook-(?:module|bytes)="({key})">.*?</script>\n?'
PICTURE = re.compile(r'<img(?P<rest> [^>]*?src="(?P<source>[^":]*_images/[^"]+)")')
DRAWN = re.compile(r'<svg [^>]*?width="(\d+)" height="(\d+)"')
POLICY = (
    "default-src 'none'",
    "script-src 'self' blob: {hashes}",  # blob: the widgets' modules
    "style-src 'self' 'unsafe-inline'",  # formulas are placed by style attributes
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",  # excerpts of search results
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
)
NOT_FOUND = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>No such page - The Attention Book</title>
<link rel="icon" href="data:,">
<style>
:root {{ color-scheme: light dark; }}
body {{ background: #fff; color: #1a1d21; font: 1.1rem/1.6 system-ui, sans-serif; margin: 4rem auto; max-width: 36rem;
  padding: 0 1rem; }}
a {{ color: #0a58bd; }}
@media (prefers-color-scheme: dark) {{
  body {{ background: #14161a; color: #e8eaed; }}
  a {{ color: #8ab4f8; }}
}}
</style>
</head>
<body>
<main>
<h1>No such page</h1>
<p>This book has no page at this address. Perhaps it moved:</p>
<ul>
<li><a href="{start}book/intro.html">the table of contents</a></li>
<li><a href="{start}search.html">the search</a></li>
</ul>
</main>
</body>
</html>
"""


def repair(html: str) -> str:
    for pattern, new in REPAIRS:
        html = pattern.sub(new, html)
    html = html.replace(THEME, STORAGE_FALLBACK + THEME, 1) if STORAGE_FALLBACK not in html else html
    html = once(VIEWPORT, html)
    html = CODE.sub(lambda match: COLORLESS.sub(r"\1", match[0]), SEARCH.sub("", html))
    for key in set(re.findall(WIDGET_PROGRAM.format(key=r"\w+"), html, re.S)):
        html = once(re.compile(WIDGET_PROGRAM.format(key=key), re.S), html)
    return html if re.search(r'class="[^"]*\bsd-', html) else DESIGN.sub("", html)


def once(pattern: re.Pattern[str], html: str) -> str:
    """Remove all matches of a pattern but the first."""
    if not (first := pattern.search(html)):
        return html
    return html[: first.end()] + pattern.sub("", html[first.end() :])


def size_of(picture: Path) -> tuple[int, int] | None:
    """Width and height of a PNG, or of an SVG that the book drew."""
    with suppress(OSError):
        if picture.suffix == ".svg":
            sizes = DRAWN.search(picture.read_text(encoding="utf-8")[:400])
            return (int(sizes[1]), int(sizes[2])) if sizes else None
        head = picture.read_bytes()[:24]
        if head.startswith(b"\x89PNG") and len(head) == 24:
            width, height = struct.unpack(">II", head[16:24])
            return int(width), int(height)
    return None


def size_pictures(html: str, folder: Path) -> str:
    """Add sizes to pictures, so that the text does not jump, and load all but the first lazily."""
    count = 0

    def place(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        if "loading=" in match[0] or " width=" in match[0]:
            return match[0]
        size = size_of(folder / match["source"])
        sized = f' width="{size[0]}" height="{size[1]}"' if size else ""
        lazy = ' loading="lazy"' if count > 1 else ""
        return f"<img{sized}{lazy}{match['rest']}"

    return PICTURE.sub(place, html)


def inline_scripts(html: str) -> set[str]:
    """The inline scripts of a page that a browser executes."""
    return {
        match["code"]
        for match in SCRIPT.finditer(html)
        if match["code"] and "src=" not in match["attributes"] and "json" not in match["attributes"]
    }


def policy(scripts: set[str]) -> str:
    """A content security policy that allows these inline scripts and no others."""
    digests = (base64.b64encode(hashlib.sha256(code.encode()).digest()).decode() for code in scripts)
    hashes = " ".join(sorted(f"'sha256-{digest}'" for digest in digests))
    return "; ".join(POLICY).format(hashes=hashes)


def site_map(site: str, names: list[str]) -> str:
    places = "".join(f"<url><loc>{escape(site + name)}</loc></url>\n" for name in names)
    head = '<?xml version="1.0" encoding="utf-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
    return f"{head}{places}</urlset>\n"


def finish(app: Sphinx, exception: Exception | None) -> None:
    if exception or app.builder.format != "html":
        return
    out = Path(app.outdir)
    origin: Origin | None = app.book_origin  # type: ignore[attr-defined]
    site = origin.site if origin else ""
    (out / "404.html").write_text(NOT_FOUND.format(start=site), encoding="utf-8")
    if site:
        names = [f"{name}.html" for name in sorted(app.env.found_docs)]
        (out / "sitemap.xml").write_text(site_map(site, names), encoding="utf-8")
    scripts: set[str] = set()
    for page in out.rglob("*.html"):
        if "_static" in page.parts:
            continue
        html = page.read_text(encoding="utf-8")
        if (mended := size_pictures(repair(html), page.parent)) != html:
            page.write_text(mended, encoding="utf-8")
        scripts |= inline_scripts(mended)
    # Read by `make serve`, and by hosts such as Netlify and Cloudflare Pages.
    headers = f"/*\n  Content-Security-Policy: {policy(scripts)}\n  X-Content-Type-Options: nosniff\n"
    (out / "_headers").write_text(headers, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("build-finished", finish, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
