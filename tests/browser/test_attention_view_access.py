"""Accessibility of the attention view: keyboard, touch, screen readers, light and dark mode, no scripts."""

from __future__ import annotations

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.attention_samples import (
    CROSS,
    JAVASCRIPT,
    LAST,
    SOURCES,
    TARGETS,
    assert_shows,
    call,
    choose,
    control,
    open_more,
    settle,
    shades,
    to_the_end,
)


def test_arrow_keys_move_through_grid(path, known, open_page):
    page = to_the_end(open_page(path, reduced_motion="reduce").page)
    matrix = known.matrix(LAST, CROSS, 0, 1, "mean")
    grid = page.locator("[role=grid]")
    page.get_by_label("Training step", exact=True).focus()
    page.keyboard.press("Tab")  # More
    page.keyboard.press("Tab")
    settle(page)

    def assert_at(row: int, column: int) -> None:
        settle(page)
        cell = page.locator("[role=gridcell]")
        assert page.locator("[role=row]").get_attribute("aria-rowindex") == str(row + 1)
        assert cell.get_attribute("aria-colindex") == str(column + 1)
        assert abs(float(cell.text_content().strip("<")) - matrix[row, column]) < 0.01
        spoken = page.locator("output").text_content()
        assert f"“{TARGETS[0][row]}” attends to “{SOURCES[0][column]}” with weight " in spoken
        box, ring = grid.bounding_box(), page.locator(".cells .here").bounding_box()
        assert abs(ring["x"] + ring["width"] / 2 - box["x"] - (column + 0.5) * box["width"] / 6) < 2
        assert abs(ring["y"] + ring["height"] / 2 - box["y"] - (row + 0.5) * box["height"] / 7) < 2

    assert grid.get_attribute("aria-rowcount") == "7" and grid.get_attribute("aria-colcount") == "6"
    assert_at(0, 0)
    for key, place in [
        ("ArrowRight", (0, 1)),
        ("ArrowDown", (1, 1)),
        ("End", (1, 5)),
        ("ArrowRight", (1, 5)),
        ("PageDown", (6, 5)),
        ("Control+Home", (0, 0)),
        ("Control+End", (6, 5)),
        ("Home", (6, 0)),
        ("ArrowUp", (5, 0)),
    ]:
        page.keyboard.press(key)
        assert_at(*place)
    page.keyboard.press("Enter")
    settle(page)
    assert "pinned" in page.locator(".rows .token").nth(5).get_attribute("class")
    page.keyboard.press("Escape")
    page.keyboard.press("Shift+Enter")
    settle(page)
    assert "pinned" in page.locator(".columns .token").nth(0).get_attribute("class")
    assert page.locator(".cells .veil").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1100])
def test_axe_finds_nothing(path, open_page, scheme, width):
    axe = Axe()
    page = to_the_end(open_page(path, width=width, color_scheme=scheme, reduced_motion="reduce").page)
    open_more(page)
    for view in ("map", "lines", "heads", "table"):
        control(page, f"view-{view}").click()
        settle(page)
        result = axe.run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]})
        found = [(v["id"], [n["target"] for n in v["nodes"]]) for v in result.response["violations"]]
        assert found == [], f"{view} at {width} px in {scheme}"
    choose(page, "compare", "step")
    settle(page)
    assert axe.run(page).response["violations"] == []


def test_touch_at_360_pixels(path, known, open_page):
    watched = open_page(path, width=360, has_touch=True, is_mobile=True, reduced_motion="reduce")
    page = to_the_end(watched.page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, "mean"))
    box = page.locator("[role=grid]").bounding_box()
    assert box["x"] + box["width"] <= 360
    page.touchscreen.tap(box["x"] + 3.5 * box["width"] / 6, box["y"] + 2.5 * box["height"] / 7)
    settle(page)
    assert f"“{TARGETS[0][2]}” attends to “{SOURCES[0][3]}”" in page.locator("output").inner_text()
    page.locator(".rows .token").nth(1).tap()
    settle(page)
    assert page.locator(".cells .veil").count() == 2
    page.get_by_text("Curves and bars").tap()
    settle(page)
    page.locator(".curves").scroll_into_view_if_needed()
    curves = page.locator(".curves").bounding_box()
    page.touchscreen.tap(curves["x"] + 35, curves["y"] + 40)
    assert_shows(page, known.matrix(0, CROSS, 0, 1, "mean"))
    control(page, "view-lines").tap()
    settle(page)
    lines = page.locator(".lines").bounding_box()
    assert lines["x"] >= 0 and lines["x"] + lines["width"] <= 360
    small = [
        b
        for b in (e.bounding_box() for e in page.locator("button, select, summary, .check").all() if e.is_visible())
        if min(b["height"], b["width"]) < 24
    ]
    assert small == [], "touch targets are at least 24 px (WCAG 2.5.8)"
    watched.assert_quiet()


def test_reduced_motion_removes_transitions_and_keeps_play(path, known, open_page):
    page = to_the_end(open_page(path, reduced_motion="reduce").page)
    assert page.locator(".fill").first.evaluate("n => getComputedStyle(n).transitionDuration") == "0s"
    control(page, "play").click()
    expect(page.locator(".step")).to_have_text("step 10")
    page.emulate_media(reduced_motion="no-preference")
    assert page.locator(".fill").first.evaluate("n => getComputedStyle(n).transitionDuration") != "0s"


THEMES = [
    ("document.documentElement.dataset.theme = 'dark'", "document.documentElement.dataset.theme = 'light'"),
    ("document.body.dataset.jpThemeLight = 'false'", "document.body.dataset.jpThemeLight = 'true'"),
    ("document.body.className = 'vscode-dark'", "document.body.className = 'vscode-light'"),
    ("document.body.className = 'vscode-high-contrast'", "document.body.className = 'vscode-high-contrast-light'"),
    (
        "document.documentElement.setAttribute('theme', 'dark')",
        "document.documentElement.setAttribute('theme', 'light')",
    ),
    ("document.body.style.background = '#111'", "document.body.style.background = '#fff'"),
]


@pytest.mark.parametrize(("dark", "light"), THEMES)
def test_dark_and_light_follow_the_page_at_once(path, known, open_page, dark, light):
    page = to_the_end(open_page(path, reduced_motion="reduce").page)
    matrix = known.matrix(LAST, CROSS, 0, 1, "mean")
    for script, theme in ((dark, "dark"), (light, "light"), (dark, "dark")):
        page.evaluate(script)
        assert_shows(page, matrix, theme=theme)
        surface = page.locator("section.card").evaluate("n => getComputedStyle(n).backgroundColor")
        assert surface == {"dark": "rgb(20, 22, 26)", "light": "rgb(255, 255, 255)"}[theme]


def test_theme_follows_reader_when_page_has_none(path, known, open_page):
    page = to_the_end(open_page(path, color_scheme="dark", reduced_motion="reduce").page)
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, "mean"), theme="dark")
    page.emulate_media(color_scheme="light")
    assert_shows(page, known.matrix(LAST, CROSS, 0, 1, "mean"), theme="light")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_color_scale_is_monotonic_in_luminance(path, open_page, theme):
    page = to_the_end(open_page(path, reduced_motion="reduce").page)
    linear = (shades(page, theme) / 255.0) ** 2.2
    luminance = linear @ [0.2126, 0.7152, 0.0722]
    steps = np.diff(luminance) * (-1 if theme == "light" else 1)
    assert steps.min() > -1e-3 and np.diff(luminance[::16]).min() * np.diff(luminance[::16]).max() > 0
    contrast = (max(luminance) + 0.05) / (min(luminance) + 0.05)
    assert contrast > 12


def test_output_without_scripts_has_picture_and_text(path, known, open_page):
    page = open_page(path, java_script_enabled=False).page
    picture = page.locator("[data-attnbook-picture] img")
    assert picture.is_visible() and picture.bounding_box()["width"] > 150
    alt = picture.get_attribute("alt")
    assert "step 200" in alt and "cross-attention" in alt and SOURCES[0][1] in alt


def test_failing_script_leaves_picture(path, open_page, tmp_path):
    text = path.read_text(encoding="utf-8").replace("DecompressionStream", "x").replace("attachShadow", "noSuchThing")
    broken = tmp_path / "broken.html"
    broken.write_text(text, encoding="utf-8")
    watched = open_page(broken)
    watched.page.wait_for_timeout(500)
    assert watched.page.locator("[data-attnbook-picture] img").is_visible()
    assert any("cannot mount a widget" in text for text in watched.complaints)


def test_module_is_small_and_makes_no_requests():
    import gzip

    assert len(gzip.compress(JAVASCRIPT.encode(), 9)) <= 34_500
    assert "import " not in JAVASCRIPT.replace("imports", "") and "innerHTML" not in JAVASCRIPT
    assert "http" not in JAVASCRIPT.replace("http://www.w3.org/2000/svg", "")


def test_modules_can_be_called_outside_of_a_page(path, open_page):
    page = to_the_end(open_page(path, reduced_motion="reduce").page)
    assert call(page, "module => Object.keys(module).sort()") == ["decode", "default", "shades"]
