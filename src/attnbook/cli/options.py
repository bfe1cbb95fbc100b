"""The options of a training run."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, get_args

from attnbook._internal.validate import check_range

if TYPE_CHECKING:
    from attnbook.data.languages import Language, Target

CorpusName = Literal["grammar", "tatoeba", "files"]
Family = Literal["seq2seq", "bahdanau", "luong", "transformer"]
FAMILIES: tuple[Family, ...] = get_args(Family)
# Language pairs of the grammar and of Tatoeba, with their name for the target language.
BUILT_IN: dict[str, Target] = {"en-fr": "french", "en-zh": "chinese"}
MAX_GRAMMAR_PAIRS = 1_000_000  # sentences are generated one by one
TYPES: dict[str, Any] = {"str": str, "int": int, "float": (int, float), "bool": bool}
MIN_SUBWORDS, MAX_SUBWORDS = 260, 1_000_000  # every byte and 4 special ids need 260


@dataclass(frozen=True)
class Options:
    """The options of a run. With the same corpus, only rounding can make two runs differ.

    Args:
        corpus: "grammar" (included), "tatoeba" (real sentences) or "files" (the user's own).
        languages: codes of source and target, such as "en-fr"; grammar and tatoeba have "en-fr" and "en-zh".
        family: the model; encoders of "bahdanau" and "luong" read in both directions.
        size: size of embeddings and hidden states, or ``d_model``.
        layers: number of layers in the encoder, and in the decoder.
        dropout: see the models.
        pairs: number of training pairs; None: 20,000 of grammar, all of another corpus.
        subwords: size of the byte-pair vocabularies; None: vocabularies of words.
        min_count: words that occur less often become ``<unk>``.
        max_length: leave out longer sentences; None: 200 words or pieces for own files, otherwise no limit.
        held_out: fraction of the source sentences of own files to draw for validation, and again for testing; None:
            2 %, and at most about 2,000 pairs.
        batch_size: pairs per batch.
        accumulate: batches per step.
        epochs: passes over the training pairs.
        lr: peak learning rate.
        warmup: steps until the peak, at most a tenth of all steps; afterwards the rate decreases linearly to zero.
        label_smoothing: see ``train``.
        seed: seed of weights, dropout and batches.
        bf16: see ``train``.

    Raises:
        ValueError: an option is out of range.
        TypeError: an option has the wrong type.
    """

    corpus: CorpusName = "grammar"
    languages: str = "en-fr"
    family: Family = "bahdanau"
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
        for name, allowed in (("corpus", get_args(CorpusName)), ("family", FAMILIES)):
            value = getattr(self, name)
            check_range(name, value, value in allowed, f"one of {', '.join(allowed)}")
        for name in ("size", "layers", "pairs", "min_count", "max_length", "batch_size", "accumulate", "epochs"):
            value = getattr(self, name)
            check_range(name, value, value is None or value >= 1, ">= 1")
        self._check_corpus()
        check_range("dropout", self.dropout, 0 <= self.dropout < 1, ">= 0 and < 1")
        check_range("lr", self.lr, 0 < self.lr < math.inf, "> 0 and finite")
        check_range("warmup", self.warmup, self.warmup >= 0, ">= 0")
        check_range("label_smoothing", self.label_smoothing, 0 <= self.label_smoothing < 1, ">= 0 and < 1")
        check_range("seed", self.seed, 0 <= self.seed < 2**63, ">= 0 and < 2**63")
        fits = self.family != "transformer" or self.size % 4 == 0
        check_range("size", self.size, fits, "divisible by 4, the number of heads of the transformer")

    def _check_types(self) -> None:
        for option in fields(self):
            expected = re.sub("CorpusName|Family", "str", str(option.type))
            value, (kind, *none) = getattr(self, option.name), expected.split(" | ")
            if hasattr(value, "item"):  # a NumPy number, which JSON cannot store
                value = value.item()
                object.__setattr__(self, option.name, value)
            fits = isinstance(value, TYPES[kind]) and isinstance(value, bool) is (kind == "bool")
            if not fits and not (none and value is None):
                raise TypeError(f"{option.name} must be {expected}, got {value!r} ({type(value).__name__})")

    def _check_corpus(self) -> None:
        own = self.corpus == "files"
        if own:
            from attnbook.data.text import check_languages

            check_languages(self.languages)
        else:
            fits = self.languages in BUILT_IN
            check_range("languages", self.languages, fits, f"{' or '.join(BUILT_IN)} for the {self.corpus} corpus")
        fits = self.subwords is None or MIN_SUBWORDS <= self.subwords <= MAX_SUBWORDS
        check_range("subwords", self.subwords, fits, f">= {MIN_SUBWORDS} and <= {MAX_SUBWORDS}")
        fits = self.corpus != "grammar" or self.pairs is None or self.pairs <= MAX_GRAMMAR_PAIRS
        check_range("pairs", self.pairs, fits, f"<= {MAX_GRAMMAR_PAIRS} for the grammar corpus")
        fits = self.held_out is None or (own and 0 < self.held_out < 0.5)
        check_range("held_out", self.held_out, fits, "> 0 and < 0.5, and used with your own files")

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Options:
        """Rebuild the options from the output of ``asdict``.

        Raises:
            ValueError: an option is unknown or out of range.
            TypeError: ``data`` is not a mapping, or an option has the wrong type.
        """
        if not isinstance(data, Mapping):
            raise TypeError(f"options must be an object, got {data!r}")
        unknown = data.keys() - {field.name for field in fields(cls)}
        check_range("options", sorted(data), not unknown, f"free of unknown names ({', '.join(map(repr, unknown))})")
        return cls(**data)

    def tokenize(self, text: str, *, side: str = "source") -> tuple[str, ...]:
        """Split a sentence into tokens, normalized like the sentences of the corpus."""
        text = unicodedata.normalize("NFC", text)
        if self.corpus == "files":
            from attnbook.data.reader import visible
            from attnbook.data.text import tokenize

            return tokenize(visible(text), self.languages.split("-")[side == "target"])
        from attnbook.data import grammar, tatoeba

        language: Language = "english" if side == "source" else BUILT_IN[self.languages]
        return grammar.tokenize(text, language) if self.corpus == "grammar" else tatoeba.tokenize(text, language)

    def join(self, tokens: Sequence[str]) -> str:
        """Join target tokens to text."""
        if self.corpus == "files":
            from attnbook.data.text import join

            return join(tokens, self.languages.split("-")[1])
        language = BUILT_IN[self.languages]
        if self.corpus == "grammar":
            from attnbook.data import grammar

            return grammar.join(tokens, language)
        return "".join(tokens) if language == "chinese" else re.sub(r" ([,.!?])", r"\1", " ".join(tokens))
