"""A walk through a trained Transformer: every array that it computes to translate the reader's sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
import traitlets

from attnbook._internal.validate import check_range, check_type
from attnbook.models.transformer import Transformer
from attnbook.widgets.base import BaseWidget, bundle, plain
from attnbook.widgets.layout import encodable
from attnbook.widgets.page_model import read_page
from attnbook.widgets.translate_view import record_translation, text_functions

TITLE = "A walk through the trained translator"
TIP = (
    "press Next to follow the sentence from array to array. Point at a number to see how it was computed. "
    "Then switch a part off."
)
TOPICS = (
    "embedding",
    "positions",
    "encoder.self_attention",
    "encoder.feed_forward",
    "decoder.self_attention",
    "decoder.cross_attention",
    "decoder.feed_forward",
    "add_norm",
    "head",
)
STACKS = {
    "encoder": ("self_attention", "feed_forward"),
    "decoder": ("self_attention", "cross_attention", "feed_forward"),
}
DRAWN = {"positions": "+ positions", "add_norm": "add & norm", "head": "linear, softmax"}  # labels in the picture


class WalkView(BaseWidget):
    """A map of a trained Transformer whose boxes open into its arrays, computed in the page for any sentence.

    In a built book the model is a file next to the page, loaded when the reader scrolls near the widget.

    Args:
        model: bytes of a `Transformer`, from `export_page`.
        sentences: English examples; the first one is shown first.
        target: language of the translation, "french" or "chinese".
        corpus: the corpus whose tokenizer the model was trained with, "grammar" or "tatoeba".
        sections: anchors of the page's sections that explain the `TOPICS`, by topic.
        box: the box that is open at first, such as "encoder.self_attention"; the first box if None.
        array: the array of this box that is shown first, such as "scores"; its first one if None.
        title: of the widget.
        tip: what to try.

    Raises:
        ValueError: there is no sentence, a sentence has no word, or a choice, a topic or a box is unknown.
        TypeError: ``model`` is not bytes of a Transformer.
        PageError: the bytes are damaged.
    """

    _esm = bundle("walk_view")
    weights = traitlets.List(traitlets.Bytes()).tag(sync=True)
    config = traitlets.Dict().tag(sync=True)
    sentences = traitlets.List(traitlets.Unicode()).tag(sync=True)
    recorded = traitlets.List(traitlets.Unicode()).tag(sync=True)
    target = traitlets.Unicode().tag(sync=True)
    corpus = traitlets.Unicode().tag(sync=True)
    capitals = traitlets.List(traitlets.Unicode()).tag(sync=True)
    sections = traitlets.Dict().tag(sync=True)
    title = traitlets.Unicode().tag(sync=True)
    tip = traitlets.Unicode().tag(sync=True)
    at = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        model: bytes,
        sentences: Sequence[str],
        *,
        target: str = "french",
        corpus: str = "grammar",
        sections: Mapping[str, str] | None = None,
        box: str | None = None,
        array: str | None = None,
        title: str = TITLE,
        tip: str = TIP,
    ) -> None:
        check_type("model", model, isinstance(model, bytes), "bytes")
        check_type("sentences", sentences, not isinstance(sentences, str), "a sequence of sentences")
        check_range("sentences", list(sentences), len(sentences) > 0, "at least one sentence")
        tokenize, capitals = text_functions(corpus, target)
        for topic in sections or {}:
            check_range("sections", topic, topic in TOPICS, f"one of {', '.join(TOPICS)}")
        sentences = [encodable(sentence) for sentence in sentences]
        tokens = [tokenize(sentence, "english") for sentence in sentences]
        for sentence, words in zip(sentences, tokens, strict=True):
            check_range("sentences", sentence, len(words) > 0, "at least one word each")
        loaded = read_page(model)
        check_type("model", loaded.model, isinstance(loaded.model, Transformer), "bytes of a Transformer")
        boxes = _boxes(loaded.model.config)
        box = boxes[0] if box is None else box
        check_range("box", box, box in boxes, f"one of {', '.join(boxes)}")
        self._shown = record_translation(loaded, tokens[0])
        written = [row["piece"] for row in self._shown["rows"]]
        super().__init__(
            weights=[model],
            config=loaded.model.config,
            sentences=sentences,
            recorded=[piece.removeprefix("▁") or piece for piece in written],
            target=target,
            corpus=corpus,
            capitals=capitals,
            sections=dict(sections or {}),
            title=encodable(title),
            tip=encodable(tip),
            at={
                "sentence": sentences[0],
                "position": 0,
                "box": box,
                "layer": 0,
                "head": 0,
                "array": array or "",
                "rows": {"source": 0, "target": None, "words": 0},
                "columns": {"features": 0, "source": 0, "target": None, "words": 0},
                "off": [],
            },
            alt=f"“{sentences[0]}” translated by a Transformer with {loaded.model.config['num_layers']} layers: "
            f"{' '.join(self._shown['outcome']['target'])} The picture shows its parts from the bottom up, and in blue "
            "the last decoder layer's attention from each written word (row) to the source (column), mean over heads.",
        )

    def draw_figure(self, figure: Any) -> None:
        parts, weights = figure.subplots(1, 2, width_ratios=(1.1, 1))
        boxes = _boxes(self.config)
        for column, side in enumerate(STACKS):
            stack = [name.removeprefix(f"{side}.") for name in boxes if name.startswith(f"{side}.")]
            for row, name in enumerate(stack):
                kind = name.rstrip("_123")
                label = DRAWN.get(kind, kind.replace("_", "-"))
                box = {"boxstyle": "round", "fc": "none"}
                parts.text(column, row, label, ha="center", va="center", fontsize=8, bbox=box)
        decoder = sum(name.startswith("decoder.") for name in boxes)
        parts.set(xlim=(-0.6, 1.6), ylim=(-0.7, decoder - 0.3))
        parts.axis("off")
        self.draw(weights)

    def draw(self, axes: Any) -> None:
        rows, source = self._shown["rows"], self._shown["outcome"]["sourcePieces"]
        name = f"decoder.{self.config['num_layers'] - 1}.cross_attention"
        looked = torch.tensor([row["attention"][name] for row in rows]).mean(1)
        axes.imshow(looked, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        axes.set_xticks(range(len(source)), plain(source), rotation=45, fontsize=8)
        axes.set_yticks(range(len(rows)), plain(row["piece"] for row in rows), fontsize=8)


def _boxes(config: Mapping[str, Any]) -> list[str]:
    """Names of the boxes of the map, from the bottom up, as in ``js/walk/boxes.js``."""
    found = []
    for side, sublayers in STACKS.items():
        found += [f"{side}.embedding", *([] if config["positions"] == "rotary" else [f"{side}.positions"])]
        for number, name in enumerate(sublayers, start=1):
            if config["pre_norm"]:
                found += [f"{side}.norm_{number}", f"{side}.{name}", f"{side}.add_{number}"]
            else:
                found += [f"{side}.{name}", f"{side}.add_norm_{number}"]
        found += [f"{side}.norm"] * config["pre_norm"]
    return [*found, "decoder.head"]
