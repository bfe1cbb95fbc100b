"""A map of the Transformer, whose parts can be switched off while a trained model writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import traitlets

from attnbook._internal.validate import check_range
from attnbook.data import Vocabulary
from attnbook.data.grammar import join, tokenize
from attnbook.models.transformer import Transformer
from attnbook.observe.ablation import PARTS, switched_off
from attnbook.translation.translate import translate
from attnbook.widgets.shown import ShownWidget, bundle

LONGEST = 12  # tokens of a translation: without its parts a model may never end
BOXES = ("embedding", *PARTS[:6], "add_norm", "head")


class ArchitectureView(ShownWidget):
    """The boxes of encoder and decoder: each tells its shapes for a sentence, and can be switched off.

    What the model writes with each set of parts switched off is computed here, since the page has no kernel.

    Args:
        model: post-norm, with the vocabularies below.
        vocabularies: of source and target.
        sentences: English, of words that the vocabulary has.
        sections: the page's anchor for boxes, of `BOXES`; a box without one has no link.

    Raises:
        ValueError: there is no sentence, a word is unknown, the model is pre-norm, or there is no such box.
    """

    _esm = bundle("architecture_view")
    sentences = traitlets.List(traitlets.Dict()).tag(sync=True)
    sizes = traitlets.Dict().tag(sync=True)
    parameters = traitlets.Dict().tag(sync=True)
    sections = traitlets.Dict().tag(sync=True)
    parts = traitlets.List(traitlets.Unicode()).tag(sync=True)
    sentence = traitlets.Int(0).tag(sync=True)
    chosen = traitlets.Unicode("encoder.self_attention").tag(sync=True)
    off = traitlets.List(traitlets.Unicode()).tag(sync=True)

    def __init__(
        self,
        model: Transformer,
        vocabularies: tuple[Vocabulary, Vocabulary],
        sentences: Sequence[str],
        *,
        sections: Mapping[str, str] | None = None,
    ) -> None:
        check_range("sentences", list(sentences), len(sentences) > 0, "at least one sentence")
        check_range("pre_norm", model.config["pre_norm"], not model.config["pre_norm"], "False")
        sources = [tokenize(sentence, "english") for sentence in sentences]
        for source in sources:
            unknown = [word for word in source if word not in vocabularies[0]]
            check_range(
                "sentences",
                " ".join(source),
                bool(source) and not unknown,
                f"sentences of known words, without {unknown}",
            )
        for box in sections or {}:
            check_range("sections", box, box in BOXES, f"one of {', '.join(BOXES)}")
        whole = translate(model, sources, *vocabularies, max_length=LONGEST)
        written = [_written(model, vocabularies, sources, off) for off in _subsets()]
        shown: list[dict[str, Any]] = [
            {"text": text, "source": len(source), "target": len(first.target) + 1, "writes": list(outputs)}
            for text, source, first, outputs in zip(sentences, sources, whole, zip(*written, strict=True), strict=True)
        ]
        names = ("d_model", "num_heads", "d_ff", "num_layers")
        super().__init__(
            sentences=shown,
            sizes={**{name: model.config[name] for name in names}, "vocab_size": len(vocabularies[1])},
            parameters=_parameters(model),
            sections=dict(sections or {}),
            parts=list(PARTS),
            alt=f"A map of a Transformer: encoder and decoder of {model.config['num_layers']} layers each. An encoder "
            "layer: self-attention, feed-forward. A decoder layer: masked self-attention, cross-attention to the "
            f"encoder's output, feed-forward. Each is followed by add and norm. It writes: {shown[0]['writes'][0]}",
        )

    def draw(self, axes: Any) -> None:
        rows = {
            0: ["embedding", "+ positions", "self-attention", "add & norm", "feed-forward", "add & norm"],
            1: ["embedding", "+ positions", "masked self-attention", "add & norm", "cross-attention", "add & norm",
                "feed-forward", "add & norm", "linear, softmax"],
        }  # fmt: skip
        for column, names in rows.items():
            for row, name in enumerate(names):
                axes.text(column, row, name, ha="center", va="center", bbox={"boxstyle": "round", "fc": "none"})
        axes.set(xlim=(-0.6, 1.6), ylim=(-0.7, 8.7))
        axes.axis("off")


def _subsets() -> list[tuple[str, ...]]:
    """All sets of parts; a set's place in the list has a bit for each of its parts."""
    every = [off for size in range(len(PARTS) + 1) for off in combinations(PARTS, size)]
    return sorted(every, key=lambda off: sum(2 ** PARTS.index(part) for part in off))


def _written(
    model: Transformer,
    vocabularies: tuple[Vocabulary, Vocabulary],
    sources: Sequence[tuple[str, ...]],
    off: tuple[str, ...],
) -> list[str]:
    """What the model writes for each source without some parts."""
    with switched_off(model, off):
        outputs = translate(model, sources, *vocabularies, max_length=LONGEST)
    return [join(output.target, "french") + ("" if output.finished else " …") for output in outputs]


def _parameters(model: Transformer) -> dict[str, int]:
    """How many weights each box has, in all layers."""
    named = dict(model.named_parameters())
    of = {
        **{part: (part.split(".")[0] + ".", part.split(".")[1] + ".") for part in PARTS[1:6]},
        "embedding": ("", "_embedding"),
        "add_norm": ("", "add_norm"),
        "head": ("head", ""),
    }
    counts = {
        box: sum(p.numel() for name, p in named.items() if name.startswith(start) and middle in name)
        for box, (start, middle) in of.items()
    }
    return {**counts, "positions": 0}
