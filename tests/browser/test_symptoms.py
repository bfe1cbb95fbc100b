"""The page of symptoms can be filtered and searched, and links open their entries, without a network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bookkit.symptoms.entries import load
from tests.browser.conftest import Watched

GROUPS, SYMPTOMS = load()


@pytest.fixture(scope="module")
def address(built_book: Path) -> str:
    return (built_book / "book" / "symptoms.html").as_uri()


@pytest.fixture
def symptoms(address: str, open_page: Callable[..., Watched]) -> Watched:
    return open_page(address, width=360, height=740, has_touch=True)


def test_words_filter_the_entries_and_the_page_reports_how_many_are_left(symptoms: Watched) -> None:
    page = symptoms.page
    shown, said = page.locator("details.symptom:visible"), page.locator(".symptom-tools output")
    assert shown.count() == len(SYMPTOMS)
    assert said.inner_text() == f"{len(SYMPTOMS)} of {len(SYMPTOMS)} symptoms"
    search = page.get_by_role("searchbox", name="What do you see?")
    search.fill("Padding WEIGHT")
    left = shown.count()
    assert 0 < left < len(SYMPTOMS) / 2 and said.inner_text() == f"{left} of {len(SYMPTOMS)} symptoms"
    assert page.locator("#symptom-padding-gets-weight").is_visible()
    assert page.get_by_role("heading", name="Data and vocabulary").is_hidden(), "a group without entries is hidden"
    search.fill("Padding zebra WEIGHT")
    assert shown.count() == left and said.inner_text().startswith("No symptom has all of these words.")
    search.fill("zebra")
    assert shown.count() == 0 and said.inner_text().startswith("No symptom has any of these words.")
    symptoms.assert_quiet()


def test_chips_choose_a_group_by_touch(symptoms: Watched) -> None:
    page = symptoms.page
    chip = page.get_by_role("button", name=GROUPS["speed"])
    chip.tap()
    assert chip.get_attribute("aria-pressed") == "true"
    assert page.locator("details.symptom:visible").count() == sum(symptom.group == "speed" for symptom in SYMPTOMS)
    page.get_by_role("button", name="All groups").tap()
    assert page.locator("details.symptom:visible").count() == len(SYMPTOMS)
    assert chip.get_attribute("aria-pressed") == "false"


def test_keyboard_reaches_chips_and_entries(symptoms: Watched) -> None:
    page = symptoms.page
    page.get_by_role("searchbox", name="What do you see?").focus()
    page.keyboard.type("learned bias")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "All groups"
    for _ in GROUPS:
        page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("details.symptom[open]").count() == len(SYMPTOMS), "Open all"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.locator("#symptom-mask-needs-memory").get_attribute("open") is not None


def test_link_opens_its_entry_even_where_the_filter_hides_it(address: str, open_page: Callable[..., Watched]) -> None:
    watched = open_page(f"{address}#symptom-never-stops")
    entry = watched.page.locator("#symptom-never-stops")
    assert entry.get_attribute("open") is not None and entry.get_by_text("Explained in").is_visible()
    watched.page.get_by_role("searchbox", name="What do you see?").fill("uniform")
    watched.page.evaluate("location.hash = '#symptom-mask-needs-memory'")
    other = watched.page.locator("#symptom-mask-needs-memory[open]")
    other.wait_for()
    assert watched.page.locator("details.symptom:visible").count() == len(SYMPTOMS)


def test_link_shows_its_group_even_where_the_filter_hides_it(address: str, open_page: Callable[..., Watched]) -> None:
    page = open_page(address).page
    search = page.get_by_role("searchbox", name="What do you see?")
    group, link = page.locator("#speed-and-memory"), page.locator("a[href='#speed-and-memory']").first
    for _ in range(2):  # the second time, the address does not change
        search.fill("nan")
        assert group.is_hidden()
        link.evaluate("link => link.click()")
        group.wait_for()
        assert abs(group.bounding_box()["y"]) < 200  # type: ignore[index]
    assert page.locator("details.symptom:visible").count() == len(SYMPTOMS)


MOVES = """new Promise((resolve) => {
  setTimeout(() => resolve([]), 1000);
  new PerformanceObserver((list) => {
    const sources = list.getEntries().flatMap((entry) => entry.sources);
    resolve(sources.map(({ previousRect, currentRect }) => Math.abs(currentRect.y - previousRect.y)));
  }).observe({ type: "layout-shift", buffered: true });
})"""


@pytest.mark.parametrize("width", [360, 1280])
def test_tools_have_their_room_before_the_script_runs(
    address: str, open_page: Callable[..., Watched], width: int
) -> None:
    page = open_page(address, width=width).page
    assert page.locator(".symptom-tools").is_visible()
    assert max(page.evaluate(MOVES), default=0) < 100


def test_entries_open_without_scripts(address: str, open_page: Callable[..., Watched]) -> None:
    page = open_page(address, java_script_enabled=False).page
    assert page.locator("details.symptom:visible").count() == len(SYMPTOMS)
    assert page.locator(".symptom-tools").count() == 0
    entry = page.locator("#symptom-never-stops")
    entry.locator("> summary").click()
    assert entry.get_by_text("Explained in").is_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_open_page_fits_a_phone(address: str, open_page: Callable[..., Watched], theme: str) -> None:
    page = open_page(address, width=360, color_scheme=theme).page
    page.get_by_role("button", name="Open all").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    small = page.eval_on_selector_all(
        ".symptom-tools :is(button, input), details.symptom > summary",
        "all => all.filter((e) => e.getBoundingClientRect().height < 40).length",
    )
    assert small == 0, "something is too small to touch"
