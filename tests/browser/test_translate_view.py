"""The translator in a browser without network, from disk: its translations equal the package's."""

from __future__ import annotations

from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.translators import TYPED, close, enter, expected, field, ids, probabilities, settle, show_as, written
from tests.browser.widgets import stand


def test_model_is_not_loaded_before_use(translator: Any) -> None:
    page = translator.page
    assert not [name for name in translator.loaded if "_widgets" in name]
    assert page.locator(".compare dd").first.inner_text() != ""
    field(page).click()
    page.wait_for_function("() => performance.getEntriesByType('resource').length >= 0")
    enter(page, TYPED)
    assert len([name for name in translator.loaded if "_widgets" in name]) == 1


def test_typed_sentence_translation_equals_package(translator: Any) -> None:
    page = translator.page
    recorded = written(page)
    assert ids(recorded) == expected("the red house is old .")[0]
    for step, place in ((200, None), (10, 0)):
        if place is not None:
            page.get_by_role("slider", name="Training step").fill(str(place))
        enter(page, TYPED)
        data = written(page)
        wanted, p = expected(TYPED, step)
        assert (data["step"], ids(data)) == (step, wanted)
        assert probabilities(page) == [close(p)]
    best = data["written"][0]["best"]
    assert [one["p"] for one in best] == sorted((one["p"] for one in best), reverse=True) and len(best) == 5


def test_translate_view_offers_words_and_reports_unknown_ones(translator: Any) -> None:
    page = translator.page
    enter(page, "the zebra is ol")
    field(page).press("Backspace")
    page.wait_for_selector(".sentence [role=option]")
    assert page.locator(".sentence [role=option]").all_inner_texts() == ["old"]
    field(page).press("ArrowDown")
    field(page).press("Enter")
    settle(page)
    assert field(page).input_value() == "the zebra is old "
    assert "“zebra”" in page.locator(".note").inner_text()
    assert written(page)["source"] == ["the", "<unk>", "is", "old"]


def test_pictures_can_be_kept(translator: Any) -> None:
    page = translator.page
    page.get_by_role("tab", name="More").click()
    begins = {"PNG": b"\x89PNG", "SVG": b"<svg "}
    for name, begin in begins.items():
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        content = download.value.path().read_bytes()
        assert content.startswith(begin) and len(content) > 2000
    assert b"var(--" not in content and b">house</text>" in content


def test_translation_without_worker_runs_in_page(open_page: Any, translators: Any) -> None:
    watched = open_page("about:blank")
    watched.page.add_init_script("delete globalThis.Worker;")
    watched.page.goto((translators / "index.html").as_uri())
    watched.page.wait_for_selector("[data-attnbook-mounted=yes]")
    enter(watched.page, TYPED)
    assert ids(written(watched.page)) == expected(TYPED)[0]
    watched.assert_quiet()


def test_next_key_interrupts_translation(translator: Any) -> None:
    page = translator.page
    field(page).press_sequentially(" ".join([TYPED] * 2), delay=0)
    enter(page, "a car .")
    data = written(page)
    assert data["source"] == ["a", "car", "."] and ids(data) == expected("a car .")[0]


def test_late_failure_of_a_model_left_behind_is_not_reported(translator: Any) -> None:
    page = translator.page
    enter(page, TYPED)
    page.evaluate("() => { document.head.append = script => { window.held = script; }; }")
    page.get_by_role("slider", name="Training step").fill("0")
    page.wait_for_function("() => window.held")
    page.get_by_role("slider", name="Training step").fill("1")
    settle(page)
    page.evaluate("() => held.onerror()")
    page.wait_for_timeout(100)
    assert "Cannot load" not in page.locator(".note").inner_text()


def test_missing_model_file_is_reported(open_page: Any, translators: Any, tmp_path: Any) -> None:
    alone = tmp_path / "index.html"
    alone.write_text((translators / "index.html").read_text(encoding="utf-8"), encoding="utf-8")
    page = stand(open_page, alone, reduced_motion="reduce").page
    field(page).fill("a car")
    page.wait_for_selector(".note.warns")
    assert "Cannot load the model" in page.locator(".note").inner_text()


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (360, 780)])
@pytest.mark.parametrize("name", ["index", "transformer"])
def test_card_fits_viewport_and_layout_is_stable(
    open_page: Any, translators: Any, name: str, width: int, height: int
) -> None:
    watched = stand(open_page, translators / f"{name}.html", width=width, height=height, reduced_motion="reduce")
    page = watched.page
    heights = set()
    for kind in ("lines", "cells"):
        show_as(page, kind)
        for tab in ("Words", "Change", "More"):
            page.get_by_role("tab", name=tab).click()
            heights.add(page.locator("section.card").evaluate("node => node.offsetHeight"))
    for preset in page.locator(".presets button[aria-pressed]").all():
        preset.click()
        settle(page)
    assert len(heights) == 1 and heights.pop() <= {720: 600, 780: 700}[height]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_selector(f"section.card[data-theme={scheme}]")
        found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
        assert [(v["id"], [n["target"] for n in v["nodes"]]) for v in found.response["violations"]] == []
    watched.assert_quiet()
