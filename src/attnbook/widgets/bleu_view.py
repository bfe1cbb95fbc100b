"""BLEU of a translation that the reader writes: the n-grams that match a reference, and the score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import traitlets

from attnbook._internal.validate import check_range
from attnbook.translation.metrics import corpus_bleu
from attnbook.widgets.base import BaseWidget, bundle
from attnbook.widgets.layout import encodable


class BleuView(BaseWidget):
    """A text field for a translation, scored against references that can be switched off.

    The score is ``corpus_bleu`` of one sentence, whose tokens are separated by spaces.

    Args:
        source: the sentence that is translated.
        output: initial text of the field.
        references: one or more correct translations; all of them count at first.

    Raises:
        ValueError: there is no reference, or one has no token.
        TypeError: ``references`` is a str.
    """

    _esm = bundle("bleu_view")
    source = traitlets.Unicode().tag(sync=True)
    output = traitlets.Unicode().tag(sync=True)
    references = traitlets.List(traitlets.Unicode()).tag(sync=True)
    counted = traitlets.List(traitlets.Bool()).tag(sync=True)
    size = traitlets.Int(2).tag(sync=True)  # n of the n-grams that are marked

    def __init__(self, source: str, output: str, references: Sequence[str]) -> None:
        if isinstance(references, str):
            raise TypeError(f"references must be a list of translations, got {references!r}")
        check_range("references", references, len(references) > 0, "at least one translation")
        for i, reference in enumerate(references):
            check_range(f"references[{i}]", reference, bool(reference.split()), "a translation of at least one token")
        score = corpus_bleu([output.split()], [[reference.split() for reference in references]])
        super().__init__(
            source=encodable(source),
            output=encodable(output),
            references=[encodable(reference) for reference in references],
            counted=[True] * len(references),
            alt=encodable(f"“{output}” has BLEU {score:.1f} against: {'; '.join(references)}"),
        )

    def draw(self, axes: Any) -> None:
        references = [reference.split() for reference in self.references]
        outputs = {"the output": self.output, "its first half": _half(self.output)}
        scores = [corpus_bleu([text.split()], [references]) for text in outputs.values()]
        axes.barh(list(outputs), scores)
        axes.set(xlim=(0, 100), xlabel="BLEU")


def _half(text: str) -> str:
    tokens = text.split()
    return " ".join(tokens[: (len(tokens) + 1) // 2])
