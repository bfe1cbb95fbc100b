"""Rules that every widget follows, in a browser without network."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe

from attnbook.data import Vocabulary
from attnbook.widgets.beam_view import BeamView
from attnbook.widgets.bleu_view import BleuView
from attnbook.widgets.cache_view import CacheView
from attnbook.widgets.curves_view import CurvesView
from attnbook.widgets.flash_view import FlashView
from attnbook.widgets.heads_view import HeadLayer, HeadsView
from attnbook.widgets.kernel_view import KernelView
from attnbook.widgets.language_page import export_language_model
from attnbook.widgets.mask_view import MaskView
from attnbook.widgets.order_view import OrderView
from attnbook.widgets.position_view import PositionView
from attnbook.widgets.ranking_view import RankingView, Scored
from attnbook.widgets.rotary_view import RotaryView
from attnbook.widgets.scene_view import SceneView
from attnbook.widgets.softmax_view import SoftmaxView
from attnbook.widgets.train_view import TrainView
from attnbook.widgets.translate_view import TranslateView
from attnbook.widgets.vectors_view import VectorsView
from attnbook.widgets.walk_view import WalkView
from attnbook.widgets.weights_view import Weighed, WeightsView
from attnbook.widgets.window_view import WindowView
from attnbook.widgets.wiring_view import WiringView
from attnbook.widgets.write_view import SpeculateView, WriteView
from tests.browser.attention_samples import sample, settle
from tests.browser.conftest import Watched
from tests.browser.translators import MODELS, SENTENCE, TRANSFORMER
from tests.browser.widgets import reset, said, stand, write
from tests.support.js_engine import number_vocabulary
from tests.support.small_language_models import build_language_model, random_draft
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY, build
from tests.support.stored_comparison import stored

WORDS = ["the", "red", "house", "is", "old"]


def beam_view() -> BeamView:
    vocabularies = number_vocabulary(SOURCE_VOCABULARY), number_vocabulary(TARGET_VOCABULARY)
    sentences = [(["3", "2", "5"], ["4"]), (["6"], ["7", "8"])]
    return BeamView(build("transformer-sinusoidal"), vocabularies, sentences)


def bleu_view() -> BleuView:
    return BleuView("The cat sleeps.", "le chat chat dort", ["le chat dort .", "le matou dort , lui ."])


def ranking_view() -> RankingView:
    models = [Scored(f"model {i}", 3, {"BLEU": (30.0 + i, 1.5), "errors": (0.4 + i / 9, None)}) for i in range(4)]
    return RankingView({"French": models, "Chinese": models[:2]}, {"BLEU": True, "errors": False}, show="BLEU")


def heads_view() -> HeadsView:
    layers = {
        f"{heads} heads": HeadLayer(torch.rand(heads, 5, 5).softmax(-1), torch.rand(2**heads) * 100, WORDS, WORDS)
        for heads in (4, 2)
    }
    return HeadsView(layers)


def kernel_view() -> KernelView:
    key, grid = torch.rand(30).mul(5).sort().values, torch.linspace(0, 5, 51)
    return KernelView(key, key.sin(), grid, grid.sin(), query=2.0, width=0.7)


def scene_view() -> SceneView:
    names, features = ["cup", "book", "plant"], ["red", "printed", "drink"]
    return SceneView(names, features, torch.rand(3, 3), torch.eye(3), list("abc"), query=torch.ones(3), pull=1.0)


def weights_view() -> WeightsView:
    sentences = {
        "one": Weighed(WORDS, [0.1, 0.2, 0.4, 0.2, 0.1], [1.0, 2.0, -3.0, 0.5, 4.0]),
        "two": Weighed(WORDS[:2], [0.9, 0.1], [1.0, 2.0]),
    }
    return WeightsView(sentences, bias=0.5, question="“Negated” has the probability")


def language_page() -> bytes:
    words = Vocabulary((*WORDS, *"abcdefghij"))
    model = build_language_model("today", vocab_size=len(words))
    return export_language_model(model, words, draft=random_draft(len(words)))


WIDGETS: dict[str, Callable[[], Any]] = {
    "attention": lambda: sample().widget,
    "beam": beam_view,
    "bleu": bleu_view,
    "cache": CacheView,
    "curves": lambda: CurvesView(stored()),
    "flash": lambda: FlashView(*torch.randn(3, 6)),
    "heads": heads_view,
    "kernel": kernel_view,
    "order": lambda: OrderView(WORDS, torch.randn(5, 4), *torch.randn(3, 4, 4)),
    "mask": MaskView,
    "position": PositionView,
    "rotary": lambda: RotaryView(torch.ones(4), torch.ones(4)),
    "scene": scene_view,
    "ranking": ranking_view,
    "vectors": VectorsView,
    "speculate": lambda: SpeculateView(language_page(), "the"),
    "write": lambda: WriteView(language_page(), ["the", "", "the red house"]),
    "softmax": lambda: SoftmaxView(torch.randn(3, 2, 8), [4, 64], size=4),
    "train": TrainView,
    "translate": lambda: TranslateView(MODELS, SENTENCE),
    "walk": lambda: WalkView(TRANSFORMER, [SENTENCE, "She sees a big car."], box="encoder.self_attention"),
    "weights": weights_view,
    "window": lambda: WindowView(torch.randn(5, 5), torch.rand(5) * 5, WORDS, WORDS, window="local-p"),
    "wiring": WiringView,
}
FOCUSED = """() => {
    const { activeElement } = document.activeElement?.shadowRoot ?? {};
    if (!activeElement) return null;
    const { top, bottom } = activeElement.getBoundingClientRect();
    const named = activeElement.labels?.[0]?.textContent || activeElement.textContent;
    const { outlineStyle } = getComputedStyle(activeElement);
    return [activeElement.type, named, outlineStyle !== "none" && top < innerHeight && bottom > 0];
}"""
# What a reader sees and hears of the widget.
SEEN = """node => {
    const own = [...node.querySelectorAll("input, select")].map(({ value, checked }) => [value, checked]);
    return JSON.stringify([own, node.querySelector("output").textContent, node.querySelector(".figure").innerHTML]);
}"""
# Every control in use, one after the other; what it answers is every height that the card had meanwhile.
HEIGHTS = """node => {
    const heights = new Set([node.offsetHeight]);
    const use = (control, event) => {
        control.dispatchEvent(new Event(event));
        heights.add(node.offsetHeight);
    };
    for (const control of node.querySelectorAll("select, input, button")) {
        if (control.type === "range")
            for (const part of [0, 1, 0.3, 0.7]) {
                control.value = Number(control.min) + part * (control.max - control.min);
                use(control, "input");
            }
        else if (control.type === "select-one")
            for (let i = 0; i < control.options.length; i++) {
                control.selectedIndex = i;
                use(control, "change");
            }
        else
            for (let i = 0; i < 2; i++) {
                control.click();
                heights.add(node.offsetHeight);
            }
    }
    return [...heights];
}"""
# Where each control can be touched.
BOXES = """all => all.map((node) => {
    const { left, right } = node.getBoundingClientRect();
    return [node.labels?.[0]?.offsetHeight ?? node.offsetHeight, left, right];
})"""
OWN = "all => all.map(n => [n.type, n.labels?.[0]?.textContent || n.textContent])"
# Presses every button, many times, and says which of them let the focus fall to the page's start.
PRESSED = """async (node) => {
    const fell = [];
    const seen = () => [...node.querySelectorAll("button:not([role=tab])")].filter((one) => one.checkVisibility());
    const tabs = node.querySelectorAll("[role=tab]");
    for (const tab of tabs.length ? tabs : [node]) {
        tab.click();
        for (let i = 0; i < seen().length; i++)
            for (let times = 0; times < (tabs.length ? 2 : 6) && seen()[i]; times++) {
                const button = seen()[i];
                const name = button.ariaLabel || button.textContent;
                if (/Full screen|PNG|SVG|JSON|CSV/.test(name)) break;
                button.focus();
                button.click();
                await new Promise((go) => setTimeout(go, tabs.length ? 150 : 20)); // its model computes in a worker
                if (!node.getRootNode().activeElement) fell.push(name);
            }
    }
    return fell;
}"""
# Of tabs, Tab reaches the one that is open, and arrows the others.
CONTROLS = ":is(button, select, input):not(:disabled, [aria-hidden] *, [role=tab][aria-selected=false]):visible"
# Rows of tokens and of numbers are lower, so that all of them are on the screen, and so is all that writes.
TOUCHED = f"{CONTROLS}:not([type=range], table *, .tokens *, .bars *, .write :is(.keys, .controls) *)"
LETTERS = """all => all.map((text) => {
    const { a, b } = text.getScreenCTM();
    return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(a, b);
})"""
# Labels that their picture or the card cuts off; a line of text is up to 2 pixels higher than its letters.
CUT = """all => all.filter((text) => {
    const picture = text.ownerSVGElement;
    const room = getComputedStyle(picture).overflow === "visible" ? picture.closest(".card") : picture;
    const [own, { left, right, top, bottom }] = [text, room].map((node) => node.getBoundingClientRect());
    return own.left < left - 1 || own.right > right + 1 || own.top < top - 2 || own.bottom > bottom + 2;
}).map((text) => text.textContent)"""
KEYS = {"range": ("End", "Home"), "select-one": ("ArrowDown", "ArrowUp"), "checkbox": ("Space",)}


@pytest.fixture(scope="module", params=WIDGETS)
def watched(request: Any, keep_page: Any, tmp_path_factory: Any) -> Iterator[Watched]:
    torch.manual_seed(0)
    path = write(WIDGETS[request.param](), tmp_path_factory.mktemp("widget"))
    watched: Watched = stand(keep_page, path, width=360, height=780, reduced_motion="reduce")
    yield watched
    watched.page.context.close()


@pytest.fixture
def page(watched: Watched) -> Iterator[Any]:
    watched.page.set_viewport_size({"width": 360, "height": 780})
    settle(reset(watched.page))
    unfold(watched.page)
    yield watched.page
    watched.assert_quiet()


def unfold(page: Any) -> None:
    for more in page.locator("details").all():
        more.evaluate("node => { node.open = true }")


def card(page: Any) -> Any:
    return page.locator("section.card")


def at_rest(page: Any) -> str:
    """The visible state after a widget with a worker has finished computing."""
    settle(page)
    seen: str = card(page).evaluate(SEEN)
    while page.locator(".translate, .walk").count():
        page.wait_for_timeout(250)
        before, seen = seen, card(page).evaluate(SEEN)
        if before == seen:
            break
    return seen


def test_card_has_title_description_and_suggestion(page: Any) -> None:
    assert page.locator("header .title").inner_text() == card(page).get_attribute("aria-label")
    assert len(said(page)) > 30 and page.locator("output").get_attribute("aria-live") == "polite"
    assert page.locator(".tip").inner_text().startswith("Try this:")
    for slider in page.locator(".field").get_by_role("slider").all():
        value = slider.locator("xpath=..").locator(".value").inner_text()
        assert value == slider.get_attribute("aria-valuetext") != ""
        for end in ("Home", "End"):
            slider.press(end)
            settle(page)
            shown = slider.locator("xpath=..").locator(".value")
            assert shown.evaluate("node => node.scrollWidth <= node.clientWidth"), f"{shown.inner_text()} is cut"


def test_card_fits_phone(page: Any) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert card(page).evaluate("node => node.scrollWidth <= node.clientWidth")
    assert min(page.locator("svg text:visible").evaluate_all(LETTERS), default=11) >= 11
    assert page.locator("svg text:visible").evaluate_all(CUT) == []
    for height, left, right in page.locator(f"{CONTROLS}:not(.walk .written *)").evaluate_all(BOXES):  # they scroll
        assert height >= 24, "WCAG 2.5.8"
        assert left >= 0 and right <= 360


def test_controls_are_large_enough_to_touch(page: Any) -> None:
    touch = page.context.new_cdp_session(page)
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    heights = [height for height, *_ in page.locator(TOUCHED).evaluate_all(BOXES)]
    overflow = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    touch.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    assert heights and min(heights) >= 44 and overflow <= 0


def test_keyboard_reaches_and_uses_every_control(page: Any) -> None:
    wanted = page.locator(CONTROLS).evaluate_all(OWN)
    page.locator("h1").click()
    reached = []
    while (page.keyboard.press("Tab"), (focused := page.evaluate(FOCUSED)))[1]:
        kind, name, visible = focused
        assert visible, f"{name} shows no focus"
        reached += [[kind, name]] if kind else []
    assert sorted(reached) == sorted(wanted)
    first = at_rest(page)
    for i, (kind, name) in enumerate(wanted):
        if kind not in KEYS:
            continue
        seen = {first}
        page.locator(CONTROLS).nth(i).focus()
        for key in KEYS[kind]:
            page.keyboard.press(key)
            settle(page)
            seen.add(card(page).evaluate(SEEN))
        assert len(seen) > 1, f"{name} changes nothing"
        assert at_rest(reset(page)) == first, f"Reset leaves what {name} did"


def test_pressed_button_keeps_focus(page: Any) -> None:
    assert card(page).evaluate(PRESSED) == []


@pytest.mark.parametrize("width", [360, 900])
def test_layout_is_stable(page: Any, width: int) -> None:
    if page.locator(".attention").count():
        pytest.skip("sentences of other lengths have heatmaps of other heights; see test_attention_view_layout.py")
    page.set_viewport_size({"width": width, "height": 780})
    page.goto(page.url.partition("#")[0])  # anew: nothing is announced yet, and the address has no state
    page.wait_for_selector("[data-attnbook-mounted=yes]")
    unfold(page)
    settle(page)
    assert len(card(page).evaluate(HEIGHTS)) == 1


def test_light_and_dark_follow_the_page(page: Any) -> None:
    """Runs axe in dark mode with everything open; test_access.py checks the initial state in both modes."""
    seen = set()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_selector(f"section.card[data-theme={scheme}]")
        seen.add(card(page).evaluate("node => getComputedStyle(node).backgroundColor"))
    assert len(seen) == 2
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]})
    assert [(v["id"], [n["target"] for n in v["nodes"]]) for v in found.response["violations"]] == []
