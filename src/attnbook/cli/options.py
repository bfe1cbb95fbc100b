"""What a run was asked for."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from attnbook._internal.validate import check_range

CORPORA = ("grammar", "tatoeba", "files")
FAMILIES = ("seq2seq", "bahdanau", "luong", "transformer")
BUILT_IN = {"en-fr": "french", "en-zh": "chinese"}  # what grammar and tatoeba have, and what they call the target
MOST_OF_GRAMMAR = 1_000_000  # pairs; its sentences are invented one by one
TYPES: dict[str, Any] = {"str": str, "int": int, "float": (int, float), "bool": bool}
PIECES = (260, 1_000_000)  # in a byte-pair vocabulary: 256 bytes and 4 special ids at least


@dataclass(frozen=True)
class Options:
    """What a run was asked for; together with the corpus it decides every weight.

    Args:
        corpus: "grammar", the embedded one, "tatoeba", the real one, or "files", one's own.
        languages: codes of source and target, such as "en-fr"; the first two corpora have "en-fr" and "en-zh".
        family: "seq2seq", "bahdanau", "luong" or "transformer".
        size: of embeddings, hidden states and ``d_model``.
        layers: in encoder and decoder.
        dropout: see the models.
        pairs: training pairs; all there are if None, 20,000 of the grammar.
        subwords: size of a byte-pair vocabulary; None is a vocabulary of words.
        min_count: how often a word must occur to be in the vocabulary.
        max_length: leave out longer sentences; None: none of the first two corpora, those of more than 200 words or
            pieces of one's own.
        held_out: of one's own, the share of source sentences for validation and for test each; None: 2 %, and no
            more than about 2,000.
        batch_size: pairs in a batch.
        accumulate: batches in a step.
        epochs: times to go through the training pairs.
        lr: the highest learning rate.
        warmup: steps until it is reached, at most a tenth of all; it falls linearly afterwards.
        label_smoothing: see ``train``.
        seed: of weights, dropout and batches.
        bf16: see ``train``.

    Raises:
        ValueError: a name is unknown or a number out of its range.
        TypeError: an option is of another type.
    """

    corpus: str = "grammar"
    languages: str = "en-fr"
    family: str = "bahdanau"
    size: int = 128
    layers: int = 1
    dropout: float = 0.1
    pairs: int | None = None
    subwords: int | None = None
    min_count: int = 1
    max_length: int | None = None
    held_out: float | None = None
    batch_size: int = 64
    accumulate: int = 1
    epochs: int = 8
    lr: float = 4e-3
    warmup: int = 100
    label_smoothing: float = 0.0
    seed: int = 0
    bf16: bool = False

    def __post_init__(self) -> None:
        self._check_types()
        for name, allowed in (("corpus", CORPORA), ("family", FAMILIES)):
            value = getattr(self, name)
            check_range(name, value, value in allowed, f"one of {', '.join(allowed)}")
        for name in ("size", "layers", "pairs", "min_count", "max_length", "batch_size", "accumulate", "epochs"):
            value = getattr(self, name)
            check_range(name, value, value is None or value >= 1, "1 or more")
        self._check_corpus()
        check_range("dropout", self.dropout, 0 <= self.dropout < 1, "0 <= dropout < 1")
        check_range("lr", self.lr, 0 < self.lr < math.inf, "above 0, and finite")
        check_range("warmup", self.warmup, self.warmup >= 0, "0 or more")
        smoothing = self.label_smoothing
        check_range("label_smoothing", smoothing, 0 <= smoothing < 1, "0 <= label_smoothing < 1")
        check_range("seed", self.seed, 0 <= self.seed < 2**63, "0 <= seed < 2**63")
        fits = self.family != "transformer" or self.size % 4 == 0
        check_range("size", self.size, fits, "a multiple of 4, the heads of the transformer")

    def _check_types(self) -> None:
        for option in fields(self):
            value, (kind, *none) = getattr(self, option.name), str(option.type).split(" | ")
            if hasattr(value, "item"):  # a number of NumPy, which JSON cannot hold
                value = value.item()
                object.__setattr__(self, option.name, value)
            fits = isinstance(value, TYPES[kind]) and isinstance(value, bool) is (kind == "bool")
            if not fits and not (none and value is None):
                raise TypeError(f"{option.name} is {value!r} of type {type(value).__name__}: wanted {option.type}")

    def _check_corpus(self) -> None:
        own = self.corpus == "files"
        if own:
            from attnbook.data.text import check_languages

            check_languages(self.languages)
        else:
            wanted = f"{' or '.join(BUILT_IN)}, what {self.corpus} has"
            check_range("languages", self.languages, self.languages in BUILT_IN, wanted)
        least, most = PIECES
        fits = self.subwords is None or least <= self.subwords <= most
        check_range("subwords", self.subwords, fits, f"{least} (every byte and 4 special ids) to {most}")
        fits = self.corpus != "grammar" or self.pairs is None or self.pairs <= MOST_OF_GRAMMAR
        check_range("pairs", self.pairs, fits, f"at most {MOST_OF_GRAMMAR} of the grammar")
        fits = self.held_out is None or (own and 0 < self.held_out < 0.5)
        check_range("held_out", self.held_out, fits, "above 0 and below 0.5, and a corpus of your own")

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Options:
        """What ``asdict`` made.

        Raises:
            ValueError: an option is unknown or out of its range.
            TypeError: ``data`` is no mapping, or an option of another type.
        """
        if not isinstance(data, Mapping):
            raise TypeError(f"options is {data!r}: wanted an object")
        unknown = data.keys() - {field.name for field in fields(cls)}
        check_range("options", sorted(unknown), not unknown, "none that is unknown")
        return cls(**data)

    def tokenize(self, text: str, *, side: str = "source") -> tuple[str, ...]:
        """A sentence as the corpus writes it: accents are part of their letters, and of files all marks can be seen."""
        text = unicodedata.normalize("NFC", text)
        if self.corpus == "files":
            from attnbook.data.reader import visible
            from attnbook.data.text import tokenize

            return tokenize(visible(text), self.languages.split("-")[side == "target"])
        from attnbook.data import grammar, tatoeba

        language = "english" if side == "source" else BUILT_IN[self.languages]
        return grammar.tokenize(text, language) if self.corpus == "grammar" else tatoeba.tokenize(text, language)

    def join(self, tokens: Sequence[str]) -> str:
        """Target tokens as a reader expects them."""
        if self.corpus == "files":
            from attnbook.data.text import join

            return join(tokens, self.languages.split("-")[1])
        language = BUILT_IN[self.languages]
        if self.corpus == "grammar":
            from attnbook.data import grammar

            return grammar.join(tokens, language)
        return "".join(tokens) if language == "chinese" else re.sub(r" ([,.!?])", r"\1", " ".join(tokens))
