"""The map's Python side: what it records of a model, and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from attnbook.data import Vocabulary
from attnbook.data.grammar import join, tokenize
from attnbook.models.transformer import Transformer
from attnbook.observe.ablation import PARTS, switched_off
from attnbook.translation.translate import translate
from attnbook.widgets.architecture_view import LONGEST, ArchitectureView
from attnbook.widgets.static import saved_state

pytestmark = pytest.mark.slow
SENTENCES = ["She sees the old house.", "He sleeps."]
VOCABULARIES = (
    Vocabulary.build([tokenize(sentence, "english") for sentence in SENTENCES]),
    Vocabulary.build([["elle", "voit", "la", "vieille", "maison", "."], ["il", "dort", "."]]),
)


def model(**changes: Any) -> Transformer:
    torch.manual_seed(0)
    sizes = {"d_model": 8, "num_heads": 2, "d_ff": 12, "num_layers": 2} | changes
    return Transformer(*map(len, VOCABULARIES), **sizes).eval()


def view(**changes: Any) -> ArchitectureView:
    arguments: dict[str, Any] = {"model": model(), "sentences": SENTENCES} | changes
    return ArchitectureView(arguments.pop("model"), VOCABULARIES, arguments.pop("sentences"), **arguments)


def test_every_set_of_parts_has_what_the_model_writes_without_them() -> None:
    used = model()
    shown = view(model=used)
    for off in ((), ("norm",), ("positions", "decoder.feed_forward"), PARTS):
        place = sum(2 ** shown.parts.index(part) for part in off)
        with switched_off(used, off):
            outputs = translate(used, [tokenize(s, "english") for s in SENTENCES], *VOCABULARIES, max_length=LONGEST)
        for sentence, output in zip(shown.sentences, outputs, strict=True):
            wanted = join(output.target, "french") + ("" if output.finished else " …")
            assert sentence["writes"][place] == wanted
    assert [sentence["source"] for sentence in shown.sentences] == [6, 3]
    assert all(len(sentence["writes"]) == 2 ** len(PARTS) for sentence in shown.sentences)


def test_the_weights_of_all_boxes_are_those_of_the_model() -> None:
    used = model()
    assert sum(view(model=used).parameters.values()) == sum(p.numel() for p in used.parameters())


def test_the_output_carries_a_picture_and_a_sentence() -> None:
    data, metadata = view()._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert "2 layers each" in data["text/plain"]
    assert data["text/plain"] == metadata["image/png"]["alt"]
    assert saved_state(view())["state"]["parts"] == list(PARTS)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sentences": []}, "sentences"),
        ({"sentences": ["He sings."]}, "sentences"),
        ({"model": model(pre_norm=True)}, "^pre_norm must be False"),
        ({"sections": {"softmax": "x"}}, "^sections must"),
    ],
)
def test_bad_input_is_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        view(**changes)
