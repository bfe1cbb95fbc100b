"""Wide formulas on a phone, and links on colored backgrounds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.browser.conftest import Watched

OpenPage = Callable[..., Watched]


def test_wide_formula_scrolls_next_to_its_number(built_book: Path, open_page: OpenPage) -> None:
    page = open_page(built_book / "book" / "intro.html", width=360).page
    formula = page.locator("div.math > .katex-display").first
    number = page.locator("div.math > .eqno").first
    formula.evaluate("element => element.style.fontSize = '3em'")
    assert formula.evaluate("element => element.scrollWidth > element.clientWidth")
    box, beside = formula.bounding_box(), number.bounding_box()
    assert box and beside and box["x"] + box["width"] <= beside["x"] and beside["x"] + beside["width"] <= 360
    formula.focus()
    assert formula.evaluate("element => element === document.activeElement")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.scrollLeft > 0")


def luminance(color: list[float]) -> float:
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in (v / 255 for v in color)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_text_has_contrast_with_its_background(built_book: Path, open_page: OpenPage) -> None:
    """WCAG AA asks for 4.5 to 1 in running text."""
    rgb = "getComputedStyle(element).{}.match(/[\\d.]+/g).slice(0, 3).map(Number)"
    for scheme in ("light", "dark"):
        page = open_page(built_book / "book" / "intro.html", color_scheme=scheme).page
        ground = page.locator("body").evaluate(f"element => {rgb.format('backgroundColor')}")
        for selector in ("article p", "article p a:not(.sd-btn)", "article h2", ".bd-sidebar-primary a", "footer p"):
            text = page.locator(selector).first.evaluate(f"element => {rgb.format('color')}")
            dark, light = sorted((luminance(text), luminance(ground)))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (scheme, selector)
