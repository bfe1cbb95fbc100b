"""The attention view shows the likeliest next tokens of the selected row, without changing its height."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from axe_playwright_python.sync_playwright import Axe

from attnbook.widgets.attention_map import AttentionMap
from attnbook.widgets.encoding import Frame, quantize
from attnbook.widgets.head_metrics import HeadMetrics
from attnbook.widgets.layout import Kind, Layout, Sentence
from attnbook.widgets.next_tokens import NextTokens
from tests.browser.attention_samples import choose, control, settle, to_the_end

WORDS = ["le", "la", "chat", "<img src=x onerror='window.hacked = 1'>", "dort", "_", "mange", "petit"]
TARGETS = [("<bos>", "le", "chat"), ("<bos>", "la")]
STEPS = (0, 50)


@pytest.fixture(scope="module")
def logits() -> torch.Tensor:
    return 2 * torch.randn(len(STEPS), 2, 3, 70_000, generator=torch.Generator().manual_seed(3))


@pytest.fixture(scope="module")
def path(logits: torch.Tensor, tmp_path_factory: pytest.TempPathFactory) -> Path:
    for frame in logits:  # one likely id that takes three bytes, the others with names
        frame[..., : len(WORDS)] += 12
        frame[..., 69_999] = frame[..., :8].amax(-1) + 1
    sentences = tuple(Sentence("a b", {"source": ("a", "b"), "target_in": target}) for target in TARGETS)
    kinds = (Kind("cross", "target_in", "source", ("c",), 1), Kind("encoder", "source", "source", ("e",), 1))
    layout = Layout(kinds, sentences)
    following = NextTokens(lambda ids: [f"last{i}" if i > 8 else WORDS[i] for i in ids], sentences)
    widget = AttentionMap(layout, title="Next", next_tokens=following)
    weights = {"c": torch.full((2, 1, 3, 2), 0.5), "e": torch.full((2, 1, 2, 2), 0.5)}
    for step, frame in zip(STEPS, logits, strict=True):
        codes = torch.cat((quantize(layout.pack(weights)), following(frame)))
        widget.frame_log.add(Frame(step, codes.numpy(), HeadMetrics(layout)(weights).numpy()))
    widget.flush({"done": True}, final=True)
    return widget.save_html(tmp_path_factory.mktemp("next") / "next.html")


def bars(page: Any) -> list[tuple[str, float]]:
    settle(page)
    names, shares = (page.locator(f".next .bar {part}").all_inner_texts() for part in ("bdi", ".weight"))
    return [(name, float(share.strip("<"))) for name, share in zip(names, shares, strict=True)]


def assert_shows(page: Any, logits: torch.Tensor) -> None:
    best = logits.softmax(-1).topk(5)
    names = [f"last{i}" if i > 8 else WORDS[i] for i in best.indices.tolist()]
    found = bars(page)
    assert [name for name, _ in found] == [name if len(name) <= 16 else f"{name[:15]}…" for name in names]
    assert np.allclose([share for _, share in found], best.values, atol=0.011)


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (1280, "light")])
def test_selected_row_shows_its_next_tokens(
    path: Path, logits: torch.Tensor, open_page: Callable[..., Any], width: int, scheme: str
) -> None:
    watched = open_page(path, width=width, color_scheme=scheme, reduced_motion="reduce")
    page = to_the_end(watched.page)
    if width == 360:
        page.get_by_text("Curves and bars").click()
    assert_shows(page, logits[1, 0, 0])
    assert page.locator(".next p").inner_text() == "after <bos>"
    height = page.locator("section.card").bounding_box()["height"]
    page.locator("[role=grid]").focus()
    page.keyboard.press("Control+End")
    assert_shows(page, logits[1, 0, 2])
    assert page.locator(".next p").inner_text() == "after chat"
    assert page.locator("section.card").bounding_box()["height"] == height
    page.get_by_label("Training step", exact=True).press("Home")
    page.locator(".rows .token").nth(1).click()
    assert_shows(page, logits[0, 0, 1])
    choose(page, "sentence", "1")
    page.locator(".rows .token").nth(1).hover()
    assert_shows(page, logits[0, 1, 1])
    assert page.evaluate("window.hacked") is None
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    result = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]})
    assert [(v["id"], [n["target"] for n in v["nodes"]]) for v in result.response["violations"]] == []
    choose(page, "kind", "1")
    settle(page)
    assert not page.locator(".next").is_visible(), "the encoder writes nothing"
    watched.assert_quiet()


@pytest.mark.parametrize("width", [360, 1280])
def test_next_tokens_have_bars_that_can_be_compared_or_none(
    path: Path, open_page: Callable[..., Any], width: int
) -> None:
    page = to_the_end(open_page(path, width=width, reduced_motion="reduce").page)
    if width == 360:
        page.get_by_text("Curves and bars").click()
    for view in ("map", "text"):  # the latter leaves least room next to it
        control(page, f"view-{view}").click()
        settle(page)
        lengths = page.locator(".side .track:visible").evaluate_all("all => all.map((node) => node.clientWidth)")
        assert min(lengths, default=40) >= 40
        assert bool(lengths) == (width == 360 or view == "map")
