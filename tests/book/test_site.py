"""The built book as files: nothing comes from outside, nothing inside is missing, every picture is described."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

import pytest
from fontTools.ttLib import TTFont

from tests.book.pages import parsed

LOADS = {  # what a browser fetches by itself
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
    "object": "data",
    "link": "href",
}
FOLLOWED = {"canonical", "author", "license", "index", "search", "next", "prev", "up", "top"}  # links, not loads


@lru_cache(maxsize=64)
def places(path: Path) -> frozenset[str]:
    """The anchors of a page."""
    return frozenset(str(element["id"]) for element in parsed(path).find_all(id=True))


@pytest.fixture(scope="module")
def pages(built_book: Path) -> list[Path]:
    found = sorted(built_book.rglob("*.html"))
    found = [path for path in found if "_static" not in path.parts and "_sphinx_design_static" not in path.parts]
    assert {"index.html", "search.html", "intro.html", "status.html"} <= {path.name for path in found}
    return found


def test_pages_load_nothing_from_other_hosts(pages: list[Path]) -> None:
    outside = []
    for page in pages:
        for element in parsed(page).find_all(list(LOADS)):
            address = str(element.get(LOADS[element.name], ""))
            followed = element.name == "link" and set(element.get("rel") or []) & FOLLOWED
            if urlparse(address).netloc and not followed:
                outside.append((page.name, element.name, address))
    assert outside == []


def test_style_sheets_load_nothing_from_other_hosts(built_book: Path) -> None:
    outside = []
    for sheet in built_book.rglob("*.css"):
        text = re.sub(r"/\*.*?\*/", "", sheet.read_text(encoding="utf-8"), flags=re.S)
        outside += [
            (sheet.name, url) for url in re.findall(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^)\"']+)", text)
        ]
    assert outside == []


def test_script_tags_name_no_cdn(pages: list[Path]) -> None:
    """Checks inline scripts that would load something later."""
    pattern = re.compile(r"cdn\.|unpkg\.com|jsdelivr|cdnjs|googleapis|require\.js|html-manager", re.I)
    named = [
        (page.name, found[0])
        for page in pages
        for script in parsed(page).select("script:not([type='application/json'])")
        if (found := pattern.search(script.get_text()))
    ]
    assert named == []


def test_internal_links_resolve(pages: list[Path]) -> None:
    broken = []
    for page in pages:
        for element in parsed(page).find_all(["a", "link", "script", "img"]):
            target, fragment = urldefrag(str(element.get("href") or element.get("src") or ""))
            parts = urlparse(target)
            if parts.scheme or parts.netloc:
                continue
            path = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if path.is_dir():
                path = path / "index.html"
            if not path.is_file():
                broken.append((page.name, target, "no such file"))
            elif fragment and path.suffix == ".html" and unquote(fragment) not in places(path):
                broken.append((page.name, f"{target}#{fragment}", "no such place"))
    assert broken == []


def test_pictures_have_alt_text(pages: list[Path]) -> None:
    silent = []
    for page in pages:
        for image in parsed(page).select("article img"):
            alt = str(image.get("alt", "")).strip()
            if not alt or alt == image.get("src") or alt.startswith(("../_images", "_images")):
                silent.append((page.name, image.get("src")))
    assert silent == []


def test_status_page_lists_notebooks_without_private_paths(built_book: Path, root: Path) -> None:
    text = parsed(built_book / "book" / "status.html").get_text()
    for word in ("Python", "torch", "jupyter-book", "Processor", "Cores", "System"):
        assert word in text
    for page in sorted((root / "book").glob("*.md")):
        source = page.read_text(encoding="utf-8")
        if "{code-cell}" in source and page.with_suffix("").relative_to(root).as_posix() in toc(root):
            title = re.search(r"^# (.+)$", source, re.M)
            assert title and title[1] in text
    assert str(root) not in text and str(Path.home()) not in text


def toc(root: Path) -> str:
    return (root / "_toc.yml").read_text(encoding="utf-8")


def test_pages_hold_no_path_of_the_machine(pages: list[Path], root: Path) -> None:
    assert [page.name for page in pages if str(root) in page.read_text(encoding="utf-8")] == []


def test_subset_fonts_contain_every_used_icon(built_book: Path, pages: list[Path]) -> None:
    static = built_book / "_static"
    style = "".join(sheet.read_text(encoding="utf-8") for sheet in static.rglob("*.css"))
    rules = {
        name: code
        for names, code in re.findall(r'((?:\.fa-[a-z0-9-]+:before,?)+)\{content:"\\([0-9a-f]+)"\}', style)
        for name in re.findall(r"fa-[a-z0-9-]+", names)
    }
    fonts = (static / "vendor" / "fontawesome").rglob("*.woff2")
    drawn = {code for font in fonts for code in TTFont(font).getBestCmap() or ()}
    kinds = {"fa-solid", "fa-regular", "fa-brands", "fa-lg", "fa-fw"}
    used = {
        name
        for page in pages
        for icon in parsed(page).select("i[class*='fa-'], span[class*='fa-']")
        for name in icon["class"]
        if name.startswith("fa-") and name not in kinds
    }
    assert {"fa-bars", "fa-magnifying-glass", "fa-list"} <= used
    assert {name for name in used if int(rules.get(name, "0"), 16) not in drawn} == set()
    # the theme's own, before a box's title and behind a link; they stand in the sheet as they are
    shown = dict(re.findall(r'--pst-icon-([a-z-]+): *"(.)"', style))
    assert {"lightbulb", "exclamation-triangle"} <= shown.keys()
    assert {name for name, icon in shown.items() if ord(icon) not in drawn} == set()
