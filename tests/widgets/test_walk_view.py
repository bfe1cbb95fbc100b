"""Tests of the walk widget's Python side: saved data and errors."""

from __future__ import annotations

from typing import Any

import pytest
from matplotlib.figure import Figure

from attnbook.widgets.page_model import PageError, export_page, read_page
from attnbook.widgets.static import saved_state
from attnbook.widgets.translate_view import record_translation
from attnbook.widgets.walk_view import TOPICS, WalkView
from tests.support.js_engine import number_vocabulary
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY, build

VOCABULARIES = number_vocabulary(SOURCE_VOCABULARY), number_vocabulary(TARGET_VOCABULARY)
SENTENCES = ["3 1 2", "5"]


def page(name: str = "transformer-sinusoidal") -> bytes:
    return export_page(build(name), VOCABULARIES)


def view(**changes: Any) -> WalkView:
    arguments: dict[str, Any] = {"model": page(), "sentences": SENTENCES} | changes
    return WalkView(arguments.pop("model"), arguments.pop("sentences"), **arguments)


@pytest.mark.parametrize("name", ["transformer-sinusoidal", "transformer-rotary-pre-norm-untied"])
def test_walk_view_saves_model_and_translation(name: str) -> None:
    content = page(name)
    shown = view(model=content)
    recorded = record_translation(read_page(content), ("3", "1", "2"))
    assert shown.recorded == [row["piece"] for row in recorded["rows"]]
    assert shown.at["sentence"] == SENTENCES[0] and shown.at["box"] == "encoder.embedding"
    saved = saved_state(shown)
    assert [buffer["path"] for buffer in saved["buffers"]] == [["weights", 0]]
    assert saved["state"]["config"]["num_layers"] == 2


def test_walk_view_output_has_picture_and_description() -> None:
    data, metadata = view()._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "2 layers" in data["text/plain"]
    assert metadata["image/png"]["alt"] == data["text/plain"]


def test_walk_view_picture_has_the_boxes_of_the_model() -> None:
    texts = {}
    for name in ("transformer-sinusoidal", "transformer-rotary-pre-norm-untied"):
        figure = Figure()
        view(model=page(name)).draw_figure(figure)
        texts[name] = [text.get_text() for text in figure.axes[0].texts]
    post_norm, pre_norm = texts.values()
    assert post_norm[:4] == ["embedding", "+ positions", "self-attention", "add & norm"]
    assert pre_norm[:4] == ["embedding", "norm", "self-attention", "add"]


def test_walk_view_opens_the_requested_box() -> None:
    shown = view(box="decoder.cross_attention", array="weights", sections=dict.fromkeys(TOPICS, "x"))
    assert (shown.at["box"], shown.at["array"]) == ("decoder.cross_attention", "weights")
    with pytest.raises(ValueError, match="box"):  # rotary positions are added nowhere
        view(model=page("transformer-rotary"), box="encoder.positions")


@pytest.mark.parametrize(
    ("error", "argument", "changes"),
    [
        (ValueError, "sentences", {"sentences": []}),
        (ValueError, "sentences", {"sentences": ["3", " "]}),
        (TypeError, "sentences", {"sentences": "3 1"}),
        (ValueError, "target", {"target": "german"}),
        (ValueError, "corpus", {"corpus": "news"}),
        (ValueError, "sections", {"sections": {"softmax": "x"}}),
        (ValueError, "box", {"box": "encoder.gate"}),
        (TypeError, "model", {"model": "file.page"}),
        (TypeError, "model", {"model": page("bahdanau")}),
        (PageError, "content", {"model": b"damaged"}),
    ],
)
def test_walk_view_raises_for_invalid_argument(error: type[Exception], argument: str, changes: dict[str, Any]) -> None:
    with pytest.raises(error, match=rf"^{argument}\b"):
        view(**changes)
