"""Half a surrogate pair, which no message and no file can carry, breaks no widget."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from attnbook.data import Vocabulary
from attnbook.widgets.beam_view import BeamView
from attnbook.widgets.bleu_view import BleuView
from attnbook.widgets.curves_view import CurvesView
from attnbook.widgets.from_weights import attention_view
from attnbook.widgets.heads_view import HeadLayer, HeadsView
from attnbook.widgets.page_model import export_page
from attnbook.widgets.ranking_view import RankingView, Scored
from attnbook.widgets.scene_view import SceneView
from attnbook.widgets.static import saved_state, static_html
from attnbook.widgets.train_view import TrainView
from attnbook.widgets.translate_view import TranslateView
from attnbook.widgets.walk_view import WalkView
from attnbook.widgets.weights_view import Weighed, WeightsView
from attnbook.widgets.window_view import WindowView
from tests.support.js_engine import number_vocabulary
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY, build
from tests.support.stored_comparison import stored

HALF = "half\ud83d"
VOCABULARIES = number_vocabulary(SOURCE_VOCABULARY), number_vocabulary(TARGET_VOCABULARY)


def page(name: str = "bahdanau") -> dict[int, bytes]:
    return {1: export_page(build(name), VOCABULARIES)}


def renamed(name: str) -> dict[str, Any]:
    """A stored comparison whose first contestant and unit have this name."""
    text = json.dumps(stored()).replace('"fast"', json.dumps(name)).replace('"% of words"', json.dumps(name))
    content: dict[str, Any] = json.loads(text)
    return content


WIDGETS: dict[str, Callable[[], Any]] = {
    "attention": lambda: attention_view(torch.eye(1), [HALF], title=HALF),
    "others": lambda: attention_view(torch.eye(1), ["a"], others={HALF: torch.eye(1)}),
    "train": lambda: TrainView(title=HALF, tip=HALF, name=HALF),
    "translate": lambda: TranslateView(page(), f"3 {HALF}", title=HALF, tip=HALF, name=HALF),
    "bleu": lambda: BleuView(HALF, HALF, [HALF]),
    "heads": lambda: HeadsView({HALF: HeadLayer(torch.ones(1, 1, 1), torch.ones(2), [HALF], [HALF])}, score_name=HALF),
    "walk": lambda: WalkView(page("transformer-sinusoidal")[1], [f"3 {HALF}"], title=HALF, tip=HALF),
    "scene": lambda: SceneView(
        ["cup"], [HALF], torch.ones(1, 1), torch.ones(1, 1), [HALF], query=torch.ones(1), pull=1.0
    ),
    "ranking": lambda: RankingView({HALF: [Scored(HALF, 1, {HALF: (1.0, None)})]}, {HALF: True}, show=HALF),
    "curves": lambda: CurvesView(renamed(HALF)),
    "window": lambda: WindowView(torch.ones(1, 1), torch.ones(1), [HALF], [HALF]),
}


@pytest.mark.parametrize("make", WIDGETS.values(), ids=WIDGETS)
def test_hostile_text_shows_lone_surrogate_as_question_mark(make: Callable[[], Any], tmp_path: Path) -> None:
    widget = make()
    html = static_html(saved_state(widget))
    (tmp_path / "widget.html").write_text(html, encoding="utf-8")
    assert "\\ud83d" not in html and "half?" in html
    data, _ = widget._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and data["text/plain"].encode("utf-8")


FORMULA = r"$\frac{$"  # matplotlib would take it for a formula, and a wrong one
DOLLARS = [Vocabulary((*(str(i) for i in range(size - 5)), FORMULA)) for size in (SOURCE_VOCABULARY, TARGET_VOCABULARY)]


def searching() -> BeamView:
    """A model that likes to begin with the formula."""
    model = build("bahdanau")
    with torch.no_grad():
        model.head.bias[-1] = 100.0
    return BeamView(model, (DOLLARS[0], DOLLARS[1]), [(("3",), ("4",))])


def translating() -> TranslateView:
    model = build("bahdanau")
    with torch.no_grad():
        model.head.bias[-1] = 100.0
    return TranslateView({1: export_page(model, (DOLLARS[0], DOLLARS[1]))}, "3 5.")


DRAWN: dict[str, Callable[[], Any]] = {
    "beam": searching,
    "ranking": lambda: RankingView({"a": [Scored(FORMULA, 1, {FORMULA: (1.0, None)})]}, {FORMULA: True}, show=FORMULA),
    "curves": lambda: CurvesView(renamed(FORMULA)),
    "translate": translating,
    "weights": lambda: WeightsView({"a": Weighed([FORMULA], [1.0], [1.0])}, bias=0.0, question="?"),
}


@pytest.mark.parametrize("make", DRAWN.values(), ids=DRAWN)
def test_hostile_text_shows_dollar_as_text(make: Callable[[], Any]) -> None:
    data, _ = make()._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
