"""The translator in a browser without network, from the disk: what it writes is what the package writes."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe

from attnbook.data import BOS, EOS
from attnbook.intervening import Cell, intervening
from attnbook.page_export import read_page
from attnbook.search import greedy
from attnbook.transformer import Transformer
from attnbook.widgets.static import saved_state, static_html, static_page
from attnbook.widgets.translate_view import TranslateView
from tests.browser.translators import MODELS, SENTENCE, SOURCE, model

TYPED = "she sees a big car ."
POLICY = "default-src 'none'; script-src 'self' 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data:"
CROSS = "decoder.cross_attention"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A page as the book has it: under a strict policy, the models beside it."""
    folder = tmp_path_factory.mktemp("site")
    transformer = model(3, Transformer, 1.5, d_model=16, num_heads=2, d_ff=16, num_layers=2)
    for name, models in (("index", MODELS), ("transformer", {1: transformer})):
        body = static_html(saved_state(TranslateView(models, SENTENCE)), beside=folder / "_widgets")
        meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        page = static_page(body, title="Translate").replace("<head>", f"<head>{meta}")
        (folder / f"{name}.html").write_text(page, encoding="utf-8")
    return folder


@pytest.fixture
def view(open_page: Any, folder: Any) -> Any:
    watched = stand(open_page, folder / "index.html")
    yield watched
    watched.assert_quiet()


def stand(open_page: Any, place: Any, **options: Any) -> Any:
    watched = open_page(place, reduced_motion="reduce", **options)
    watched.page.wait_for_selector("[data-attnbook-mounted=yes]")
    return watched


def field(page: Any) -> Any:
    return page.get_by_role("combobox", name="English sentence to translate")


def enter(page: Any, text: str) -> None:
    """Type a sentence and wait for its translation."""
    field(page).fill(text)
    settle(page)


def settle(page: Any) -> None:
    """Wait until nothing is written any more: the live region has said what was written last."""
    page.wait_for_timeout(50)
    page.wait_for_function("() => document.querySelector('.attnbook-static div > div').shadowRoot")
    before = None
    while before != (before := page.locator(".compare").inner_text()):
        page.wait_for_timeout(250)


def written(page: Any) -> dict[str, Any]:
    """What the reader can keep as JSON."""
    page.get_by_role("tab", name="Keep").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="JSON").click()
    found: dict[str, Any] = json.loads(download.value.path().read_text(encoding="utf-8"))
    return found


def expected(tokens: str, step: int = 200, **changes: Any) -> tuple[list[int], float]:
    """Ids and probability of the package's own translation."""
    loaded = read_page(MODELS[step]).model
    source = torch.tensor([SOURCE.encode(tokens.split())])
    with intervening(loaded, **changes):
        (found,) = greedy(loaded, source, torch.ones_like(source, dtype=torch.bool), max_length=30)
    return [*found.ids, *([EOS] if found.finished else [])], float(torch.tensor(found.score).exp())


def ids(data: dict[str, Any]) -> list[int]:
    return [row["id"] for row in data["written"]]


def probabilities(page: Any) -> list[float]:
    text = " ".join(page.locator(".compare .p").all_inner_texts())
    return [float(number) for number in re.findall(r"[\d.]+(?:e-\d+)?", text)]


def close(value: float) -> Any:
    return pytest.approx(value, rel=0.6, abs=1e-9)  # the page shows few digits


def test_nothing_is_loaded_before_the_reader_asks(view: Any) -> None:
    page = view.page
    assert not [name for name in view.loaded if "_widgets" in name]
    assert page.locator(".compare dd").first.inner_text() != ""
    field(page).click()
    page.wait_for_function("() => performance.getEntriesByType('resource').length >= 0")
    enter(page, TYPED)
    assert len([name for name in view.loaded if "_widgets" in name]) == 1


def test_a_typed_sentence_is_translated_as_by_the_package(view: Any) -> None:
    page = view.page
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


def test_words_are_offered_and_an_unknown_one_is_named(view: Any) -> None:
    page = view.page
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


def test_a_forbidden_cell_changes_what_follows(view: Any) -> None:
    page = view.page
    enter(page, TYPED)
    _, p_before = expected(TYPED)
    page.get_by_role("tab", name="Change").click()
    page.locator(".picture").focus()
    for key in ("ArrowUp",) * 30 + ("ArrowRight",) * 3:  # the first row, the third word
        page.keyboard.press(key)
    page.get_by_role("button", name="Forbid to look").click()
    settle(page)
    wanted, p_now = expected(TYPED, cells=[Cell(CROSS, row=0, column=2)])
    data = written(page)
    assert ids(data) == wanted
    assert data["written"][0]["attention"][CROSS][0][2] == 0
    before, judged, now = probabilities(page)
    assert (before, now) == (close(p_before), close(p_now))
    assert judged == close(judged_by(TYPED, expected(TYPED)[0], cells=[Cell(CROSS, row=0, column=2)]))
    page.get_by_role("tab", name="Change").click()
    page.get_by_role("button", name="Undo all changes").click()
    settle(page)
    assert ids(written(page)) == expected(TYPED)[0]


def judged_by(tokens: str, target: list[int], **changes: Any) -> float:
    loaded = read_page(MODELS[200]).model
    source = torch.tensor([SOURCE.encode(tokens.split())])
    with intervening(loaded, **changes), torch.no_grad():
        state = loaded.encode(source, torch.ones_like(source, dtype=torch.bool))
        logits, _ = loaded.decode(torch.tensor([[BOS, *target[:-1]]]), state)
    return float(logits[0].log_softmax(-1)[range(len(target)), target].sum().exp())


def test_two_words_change_places_and_back(view: Any) -> None:
    page = view.page
    enter(page, TYPED)
    page.get_by_role("tab", name="Change").click()
    page.locator(".picture").focus()
    for key in ("ArrowUp",) * 30 + ("ArrowRight",) * 4:  # the fourth word
        page.keyboard.press(key)
    page.get_by_role("button", name="Swap with next").click()
    settle(page)
    data = written(page)
    swapped = "she sees a car big ."
    assert data["source"] == swapped.split() and data["experiment"]["swap"] == 3
    assert ids(data) == expected(swapped)[0]
    page.get_by_role("tab", name="Change").click()
    page.get_by_role("button", name="Swap back").click()
    settle(page)
    assert written(page)["source"] == TYPED.split() and ids(written(page)) == expected(TYPED)[0]


def test_a_word_of_the_readers_goes_on_from_there(view: Any) -> None:
    page = view.page
    enter(page, TYPED)
    page.locator(".picture").focus()
    for _ in range(30):
        page.keyboard.press("ArrowUp")
    page.locator(".candidate").nth(3).click()
    settle(page)
    data = written(page)
    loaded = read_page(MODELS[200]).model
    source = torch.tensor([SOURCE.encode(TYPED.split())])
    state = loaded.encode(source, torch.ones_like(source, dtype=torch.bool))
    first = int(loaded.decode(torch.tensor([[BOS]]), state)[0][0, 0].topk(4).indices[3])
    assert data["experiment"]["begin"] == [first] and ids(data)[0] == first
    second = int(loaded.decode(torch.tensor([[BOS, first]]), state)[0][0, 1].argmax())
    assert first == EOS or ids(data)[1] == second


def test_the_address_keeps_it(view: Any, open_page: Any) -> None:
    page = view.page
    enter(page, TYPED)
    page.get_by_role("tab", name="Change").click()
    page.get_by_role("slider", name="Softmax").fill("1")
    settle(page)
    data = written(page)
    page.wait_for_function("() => location.hash.includes('translate.temperature=')")
    again = stand(open_page, page.url).page
    settle(again)
    assert written(again)["experiment"] == data["experiment"]
    assert ids(written(again)) == ids(data) == expected(TYPED, temperatures={CROSS: 2.718281828})[0]
    again.context.close()


def test_pictures_can_be_kept(view: Any) -> None:
    page = view.page
    page.get_by_role("tab", name="Keep").click()
    begins = {"PNG": b"\x89PNG", "SVG": b"<svg "}
    for name, begin in begins.items():
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        content = download.value.path().read_bytes()
        assert content.startswith(begin) and len(content) > 2000
    assert b"var(--" not in content and b">house</text>" in content


def test_without_a_worker_it_computes_beside_the_page(open_page: Any, folder: Any) -> None:
    watched = open_page("about:blank")
    watched.page.add_init_script("delete globalThis.Worker;")
    watched.page.goto((folder / "index.html").as_uri())
    watched.page.wait_for_selector("[data-attnbook-mounted=yes]")
    enter(watched.page, TYPED)
    assert ids(written(watched.page)) == expected(TYPED)[0]
    watched.assert_quiet()


def test_the_next_key_interrupts(view: Any) -> None:
    page = view.page
    field(page).press_sequentially(" ".join([TYPED] * 2), delay=0)
    enter(page, "a car .")
    data = written(page)
    assert data["source"] == ["a", "car", "."] and ids(data) == expected("a car .")[0]


def test_a_file_that_is_not_there_is_said(open_page: Any, folder: Any, tmp_path: Any) -> None:
    alone = tmp_path / "index.html"
    alone.write_text((folder / "index.html").read_text(encoding="utf-8"), encoding="utf-8")
    page = stand(open_page, alone).page
    field(page).fill("a car")
    page.wait_for_selector(".note.warns")
    assert "cannot be loaded" in page.locator(".note").inner_text()


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (360, 780)])
@pytest.mark.parametrize("name", ["index", "transformer"])
def test_the_card_fits_and_never_jumps(open_page: Any, folder: Any, name: str, width: int, height: int) -> None:
    watched = stand(open_page, folder / f"{name}.html", width=width, height=height)
    page = watched.page
    heights = set()
    for tab in ("Words", "Change", "Keep"):
        page.get_by_role("tab", name=tab).click()
        for kind in ("lines", "cells"):
            page.get_by_role("combobox", name="Attention as").select_option(kind)
            heights.add(page.locator("section.card").evaluate("node => node.offsetHeight"))
    enter(page, f"{TYPED} {TYPED}")
    heights.add(page.locator("section.card").evaluate("node => node.offsetHeight"))
    assert len(heights) == 1 and heights.pop() <= height
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_selector(f"section.card[data-theme={scheme}]")
        found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"]})
        assert [(v["id"], [n["target"] for n in v["nodes"]]) for v in found.response["violations"]] == []
    watched.assert_quiet()


def test_heads_and_positions_of_a_transformer(open_page: Any, folder: Any) -> None:
    watched = stand(open_page, folder / "transformer.html")
    page = watched.page
    enter(page, TYPED)
    page.get_by_role("combobox", name="Layer and head").select_option("decoder.1.cross_attention/1")
    page.get_by_role("tab", name="Change").click()
    page.get_by_role("checkbox", name="this head is off").check()
    page.get_by_role("checkbox", name="Positions").uncheck()
    settle(page)
    data = written(page)
    assert set(data["written"][0]["attention"]["decoder.1.cross_attention"][1]) == {0}
    assert data["experiment"]["positions"] is False
    watched.assert_quiet()
