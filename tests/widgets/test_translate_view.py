"""Tests of the translator's Python side: the recorded translation equals the package's; errors and files."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
import torch

from attnbook.data.grammar import tokenize
from attnbook.translation.search import cross_attention, greedy
from attnbook.widgets.page_model import PageError, export_page, read_page
from attnbook.widgets.static import saved_state, static_html
from attnbook.widgets.translate_view import TranslateView
from tests.support.js_engine import number_vocabulary
from tests.support.small_models import FAMILIES, SOURCE_VOCABULARY, TARGET_VOCABULARY, build

VOCABULARIES = number_vocabulary(SOURCE_VOCABULARY), number_vocabulary(TARGET_VOCABULARY)
SENTENCE = "3 what 5."


@pytest.mark.parametrize("name", FAMILIES)
def test_recorded_translation_equals_greedy_search(name: str) -> None:
    content = export_page(build(name), VOCABULARIES)
    view = TranslateView({7: content}, SENTENCE)
    model = read_page(content).model
    source = torch.tensor([VOCABULARIES[0].encode(tokenize(SENTENCE, "english"))])
    mask = torch.ones_like(source, dtype=torch.bool)
    found = greedy(model, source, mask, max_length=30)
    rows, outcome = view.recorded["rows"], view.recorded["outcome"]
    assert [row["id"] for row in rows] == outcome["ids"]
    assert tuple(i for i in outcome["ids"] if i != 2) == found[0].ids
    assert outcome["logP"] == pytest.approx(found[0].score, abs=1e-3)
    assert outcome["unknown"] == [False, True, False, True]
    for module, weights in cross_attention(model, source, mask, found)[0].items():
        recorded = torch.tensor([row["attention"][module] for row in rows]).transpose(0, 1)
        assert torch.allclose(recorded, weights, atol=1e-3)
    assert view.alt and view._png()[:4] == b"\x89PNG"


def test_models_are_saved_next_to_the_page(tmp_path: Path) -> None:
    models = {5: export_page(build("bahdanau", 1), VOCABULARIES), 2: export_page(build("bahdanau"), VOCABULARIES)}
    view = TranslateView(models, SENTENCE)
    assert view.steps == [2, 5] and view.weights == [models[2], models[5]]
    inside = static_html(saved_state(view))
    outside = static_html(saved_state(view), sidecars=tmp_path)
    assert base64.b64encode(models[5]).decode() in inside and base64.b64encode(models[5]).decode() not in outside
    found = set()
    for file in tmp_path.iterdir():
        name, data = re.fullmatch(
            r'attnbookFile\("(\w+)", "([\w+/=]+)"\);\n', file.read_text(encoding="ascii")
        ).groups()
        assert file.name == f"{name}.js" and f'"file":"{name}"' in outside
        found.add(base64.b64decode(data))
    assert found == set(models.values())


def test_translate_view_raises_for_invalid_arguments() -> None:
    content = export_page(build("bahdanau"), VOCABULARIES)
    with pytest.raises(ValueError, match=r"^models must"):
        TranslateView({}, SENTENCE)
    with pytest.raises(TypeError, match=r"^models must"):
        TranslateView(content, SENTENCE)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"^sentence must"):
        TranslateView({1: content}, " ")
    with pytest.raises(ValueError, match=r"^target must"):
        TranslateView({1: content}, SENTENCE, target="german")
    with pytest.raises(PageError, match="damaged"):
        TranslateView({1: content[:-9]}, SENTENCE)


def test_translate_view_stops_at_max_length_of_the_model() -> None:
    model = build("transformer-learned", max_length=6)
    with torch.no_grad():
        model.head.bias[2] = -100.0  # it never ends by itself
    assert len(TranslateView({1: export_page(model, VOCABULARIES)}, SENTENCE).recorded["rows"]) == 6
