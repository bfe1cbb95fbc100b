"""A training run as a folder: what was asked for in ``run.json``, what came of it in ``checkpoint.safetensors``."""

from __future__ import annotations

import json
import math
import os
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from attnbook.bahdanau import Bahdanau
from attnbook.checkpoint import (
    CheckpointError,
    LoadedModel,
    expect_same,
    load_model,
    read_checkpoint,
    save_checkpoint,
)
from attnbook.checks import check_range
from attnbook.data import Corpus, grammar, tatoeba
from attnbook.data.corpus import embedded
from attnbook.encoder_decoder import EncoderDecoder
from attnbook.files import atomic_write
from attnbook.luong import Luong
from attnbook.recurrent import Seq2Seq
from attnbook.transformer import Transformer

CORPORA = ("grammar", "tatoeba")
TARGETS = ("french", "chinese")
FAMILIES: dict[str, Callable[[int, int, int, int, float], EncoderDecoder]] = {
    "seq2seq": lambda s, t, size, layers, dropout: Seq2Seq(
        s, t, embed_size=size, num_hiddens=size, num_layers=layers, dropout=dropout
    ),
    "bahdanau": lambda s, t, size, layers, dropout: Bahdanau(
        s, t, embed_size=size, num_hiddens=size, num_layers=layers, dropout=dropout
    ),
    "luong": lambda s, t, size, layers, dropout: Luong(
        s, t, embed_size=size, num_hiddens=size, num_layers=layers, dropout=dropout
    ),
    "transformer": lambda s, t, size, layers, dropout: Transformer(
        s, t, d_model=size, d_ff=4 * size, num_layers=layers, dropout=dropout, pre_norm=True
    ),
}


@dataclass(frozen=True)
class Options:
    """What a run was asked for; together with the corpus it decides every weight.

    Args:
        corpus: "grammar", the embedded one, or "tatoeba", the real one.
        target: "french" or "chinese"; the source is English.
        family: "seq2seq", "bahdanau", "luong" or "transformer".
        size: of embeddings, hidden states and ``d_model``.
        layers: in encoder and decoder.
        dropout: see the models.
        pairs: training pairs; all there are if None, 20,000 of the grammar.
        subwords: size of a byte-pair vocabulary; None is a vocabulary of words.
        min_count: how often a word must occur to be in the vocabulary.
        max_length: leave out longer sentences of the real corpus.
        batch_size: pairs in a batch.
        epochs: times to go through the training pairs.
        lr: the highest learning rate.
        warmup: steps until it is reached, at most a tenth of all; it falls linearly afterwards.
        label_smoothing: see :func:`attnbook.training.train`.
        seed: of weights, dropout and batches.
        bf16: see :func:`attnbook.training.train`.

    Raises:
        ValueError: a name is unknown or a number out of its range.
    """

    corpus: str = "grammar"
    target: str = "french"
    family: str = "bahdanau"
    size: int = 128
    layers: int = 1
    dropout: float = 0.1
    pairs: int | None = None
    subwords: int | None = None
    min_count: int = 1
    max_length: int | None = None
    batch_size: int = 64
    epochs: int = 8
    lr: float = 4e-3
    warmup: int = 100
    label_smoothing: float = 0.0
    seed: int = 0
    bf16: bool = False

    def __post_init__(self) -> None:
        named = {"corpus": CORPORA, "target": TARGETS, "family": tuple(FAMILIES)}
        for name, allowed in named.items():
            value = getattr(self, name)
            check_range(name, value, value in allowed, f"one of {', '.join(allowed)}")
        for name in ("size", "layers", "pairs", "min_count", "max_length", "batch_size", "epochs"):
            value = getattr(self, name)
            check_range(name, value, value is None or value >= 1, "1 or more")
        check_range("dropout", self.dropout, 0 <= self.dropout < 1, "0 <= dropout < 1")
        check_range("lr", self.lr, 0 < self.lr < math.inf, "above 0, and finite")
        check_range("warmup", self.warmup, self.warmup >= 0, "0 or more")
        smoothing = self.label_smoothing
        check_range("label_smoothing", smoothing, 0 <= smoothing < 1, "0 <= label_smoothing < 1")
        check_range("seed", self.seed, 0 <= self.seed < 2**63, "0 <= seed < 2**63")
        fits = self.family != "transformer" or self.size % 4 == 0
        check_range("size", self.size, fits, "a multiple of 4, the heads of the transformer")

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Options:
        """What :func:`dataclasses.asdict` made.

        Raises:
            ValueError: an option is unknown or out of its range.
            TypeError: ``data`` is no mapping, or an option of another type.
        """
        if not isinstance(data, Mapping):
            raise TypeError(f"options is {data!r}: wanted an object")
        unknown = data.keys() - {field.name for field in fields(cls)}
        check_range("options", sorted(unknown), not unknown, "none that is unknown")
        return cls(**data)

    def tokenize(self, text: str) -> tuple[str, ...]:
        """An English sentence as the corpus writes it: accents are part of their letters."""
        text = unicodedata.normalize("NFC", text)
        if self.corpus == "grammar":
            return grammar.tokenize(text, "english")
        return tatoeba.tokenize(text, "english")

    def join(self, tokens: Sequence[str]) -> str:
        """Target tokens as a reader expects them."""
        if self.corpus == "grammar":
            return grammar.join(tokens, self.target)
        return "".join(tokens) if self.target == "chinese" else re.sub(r" ([,.!?])", r"\1", " ".join(tokens))


def load_corpus(options: Options, *, data: Path | None = None, progress: bool = False) -> Corpus:
    """The corpus that a run was asked to use.

    Args:
        options: which corpus, and how much of it.
        data: file or folder of the real corpus; see :func:`attnbook.data.tatoeba.read`.
        progress: draw a bar while downloading.

    Raises:
        ValueError, FileNotFoundError, OSError: see :func:`attnbook.data.corpus.embedded` and
            :func:`attnbook.data.tatoeba.load`.
    """
    if options.corpus == "grammar":
        size = options.pairs or 20000
        # Few pairs do not have all words that the composition set needs.
        return embedded(options.target, train=size, composition=1000 if size >= 2000 else 0)
    return tatoeba.load(
        options.target, path=data, max_length=options.max_length, train_pairs=options.pairs, progress=progress
    )


class RunFolder:
    """The folder of a run.

    Args:
        path: the folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.checkpoint = self.path / "checkpoint.safetensors"
        self._description = self.path / "run.json"

    def check(self, options: Options) -> None:
        """Make sure that the folder, if it is there, is of a run with these options.

        Raises:
            CheckpointError: it is of another run.
        """
        if self._description.exists():
            expect_same(self._description, "options", asdict(self.options), asdict(options))

    def create(self, options: Options) -> None:
        """Make the folder of a run with these options, or go on with it.

        Raises:
            CheckpointError: it is of another run.
            OSError: it cannot be written.
        """
        self.check(options)
        atomic_write(self._description, json.dumps(asdict(options), indent=2) + "\n")

    @cached_property
    def options(self) -> Options:
        """What the run was asked for.

        Raises:
            FileNotFoundError: there is no run.
            CheckpointError: ``run.json`` is not what :meth:`create` writes.
        """
        if not self._description.is_file():
            raise FileNotFoundError(f"{self.path} is no run: wanted a folder that `attnbook train` made")
        try:
            return Options.from_json(json.loads(self._description.read_text(encoding="utf-8")))
        except (ValueError, TypeError, RecursionError) as error:
            raise CheckpointError(f"{self._description} is not what `attnbook train` writes: {error}") from error


def load_run(path: str | os.PathLike[str], device: str = "cpu") -> tuple[Options, LoadedModel]:
    """The options and the model of a run's folder, or of a file that :func:`export_run` made.

    Raises:
        FileNotFoundError: there is neither.
        CheckpointError: a file is damaged or of something else.
    """
    if Path(path).is_file():
        progress = read_checkpoint(path).progress
        if "options" not in progress:
            raise CheckpointError(
                f"{path} does not say how it was trained: wanted a file of `attnbook export`, or a run"
            )
        try:
            options = Options.from_json(progress["options"])
        except (ValueError, TypeError) as error:
            raise CheckpointError(f"{path} is not what `attnbook export` writes: {error}") from error
        return options, load_model(path, device=device)
    run = RunFolder(path)
    options = run.options
    if not run.checkpoint.is_file():
        raise FileNotFoundError(f"{path} has no checkpoint yet: wanted a run that has trained for a while")
    return options, load_model(run.checkpoint, device=device)


def export_run(path: str | os.PathLike[str], out: str | os.PathLike[str]) -> None:
    """Write what translating needs, and no more, into one file: weights, vocabularies and options.

    Raises:
        FileNotFoundError, CheckpointError: see :func:`load_run`.
    """
    options, (model, source, target) = load_run(path)
    save_checkpoint(out, model, vocabularies=(source, target), progress={"options": asdict(options)})
