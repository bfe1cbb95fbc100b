"""The folder of a training run: its options in ``run.json``, its checkpoint, and the ids of the user's own corpus."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attnbook._internal.files import LOCK, atomic_write
from attnbook._internal.validate import check_range
from attnbook.cli.options import BUILT_IN, Options
from attnbook.data import Batches, Corpus, Example, TokenizerLike, tatoeba
from attnbook.data.batch_source import BatchSource
from attnbook.data.corpus import grammar_corpus
from attnbook.data.pipeline import LONGEST, Settings
from attnbook.data.prepared_corpus import open_prepared, prepare
from attnbook.data.text import check_languages, is_punctuated
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.luong import Luong
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer
from attnbook.training.checkpoint import (
    CheckpointError,
    LoadedModel,
    expect_same,
    load_model,
    read_checkpoint,
    save_checkpoint,
)


def new_model(options: Options, vocabularies: tuple[TokenizerLike, TokenizerLike]) -> EncoderDecoder:
    """Build a new model with the family and sizes of the options."""
    source, target = map(len, vocabularies)
    if options.family == "transformer":
        return Transformer(
            source,
            target,
            d_model=options.size,
            d_ff=4 * options.size,
            num_layers=options.layers,
            dropout=options.dropout,
            pre_norm=True,
        )
    recurrent: dict[str, type[Seq2Seq | Bahdanau | Luong]] = {
        "seq2seq": Seq2Seq,
        "bahdanau": Bahdanau,
        "luong": Luong,
    }
    return recurrent[options.family](
        source,
        target,
        embed_size=options.size,
        num_hiddens=options.size,
        num_layers=options.layers,
        dropout=options.dropout,
        bidirectional=options.family != "seq2seq",  # so that a state has seen the words on both sides
    )


@dataclass(frozen=True)
class Files:
    """The files of the user's own corpus; each entry is one file of pairs, or a source file and a target file.

    Args:
        train: training pairs.
        held_out: by the name of the set, "valid" or "test"; a missing set is drawn from the training pairs.
    """

    train: tuple[Path, ...]
    held_out: Mapping[str, tuple[Path, ...]]


@dataclass(frozen=True)
class TrainingData:
    """A corpus, ready to train on.

    Args:
        vocabularies: of source and target.
        batches: batches of the training pairs.
        pairs: number of training pairs.
        held_out: examples by the name of the set.
        punctuated: whether almost all source sentences end with punctuation.
        report: report on the files that were read; empty if there are none.
    """

    vocabularies: tuple[TokenizerLike, TokenizerLike]
    batches: BatchSource
    pairs: int
    held_out: Mapping[str, Sequence[Example]]
    punctuated: bool
    report: str = ""


class RunFolder:
    """The folder of a run.

    Args:
        path: the folder.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.checkpoint = self.path / "checkpoint.safetensors"
        self.corpus = self.path / "corpus"
        self.description = self.path / "run.json"

    def check(self, options: Options) -> None:
        """Check that the folder is new, or holds a run with the same options.

        Raises:
            CheckpointError: the run has other options, or ``run.json`` was not written by ``attnbook train``.
            NotADirectoryError: ``path`` is a file.
        """
        if self.path.exists() and not self.path.is_dir():
            raise NotADirectoryError(f"run must be a folder, got the file {self.path}")
        if self.description.exists():
            found, _ = self.read()
            if self.checkpoint.exists():
                try:
                    expect_same(self.description, "options", asdict(found), asdict(options))
                except CheckpointError as error:
                    raise CheckpointError(f"{error}; choose another folder to train with other options") from error

    def owns(self, path: str | os.PathLike[str]) -> bool:
        """Whether a path is one of the run's own files, or inside the folder of its corpus."""
        own = [self.checkpoint, self.description, self.path / LOCK, self.corpus, self.path / f"{self.corpus.name}.part"]
        target = Path(os.path.realpath(path))
        return any(target.is_relative_to(os.path.realpath(place)) for place in own)

    def training_data(
        self,
        options: Options,
        *,
        files: Files | None = None,
        data: Path | None = None,
        progress: bool = False,
        prepared: bool = False,
    ) -> TrainingData:
        """Load the corpus that the options select.

        Args:
            options: options of the run.
            files: the user's own corpus if ``options.corpus`` is "files"; otherwise None.
            data: file or folder of the Tatoeba corpus; see ``tatoeba.read``.
            progress: whether to draw progress bars.
            prepared: open the corpus of ``files`` that another process has prepared in this folder.

        Raises:
            ValueError: ``files`` and ``options.corpus`` contradict each other.
            ValueError, FileNotFoundError, OSError: see ``prepare``, ``grammar_corpus`` and ``tatoeba.load``.
        """
        own_files = options.corpus == "files"
        required = f"{'given' if own_files else 'None'} if the corpus is {options.corpus!r}"
        check_range("files", files, (files is not None) is own_files, required)
        if files is not None:
            if prepared:
                own = open_prepared(self.corpus)
            else:
                settings, trained = _settings(options), self.checkpoint.exists
                own = prepare(self.corpus, settings, files.train, files.held_out, keep=trained, progress=progress)
            batches = own.batches(batch_size=options.batch_size, seed=options.seed)
            facts = own.facts
            return TrainingData(
                own.vocabularies, batches, facts["pairs"], own.held_out, facts["punctuated"], facts["report"]
            )
        corpus = load_corpus(options, data=data, progress=progress)
        vocabularies = corpus.vocabularies(subwords=options.subwords, min_count=options.min_count)
        return TrainingData(
            vocabularies,
            Batches(corpus.train, *vocabularies, batch_size=options.batch_size, seed=options.seed),
            len(corpus.train),
            corpus.held_out,
            sum(is_punctuated(pair.source) for pair in corpus.train) >= 0.9 * len(corpus.train),
        )

    def create(self, options: Options, *, punctuated: bool) -> None:
        """Write ``run.json``.

        Raises:
            OSError: the file cannot be written.
        """
        content = {"options": asdict(options), "punctuated": punctuated}
        atomic_write(self.description, json.dumps(content, indent=2) + "\n")

    def read(self) -> tuple[Options, bool]:
        """Read the content of ``run.json``.

        Raises:
            FileNotFoundError: the folder has no run.
            CheckpointError: ``run.json`` is damaged, or was not written by ``attnbook train``.
        """
        if not self.description.is_file():
            raise FileNotFoundError(f"run must be a folder written by `attnbook train`, got {self.path}")
        try:
            return _described(json.loads(self.description.read_text(encoding="utf-8")))
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise CheckpointError(f"{self.description} was not written by `attnbook train`: {error}") from error


def belongs_to_run(path: str | os.PathLike[str], run: str | os.PathLike[str]) -> bool:
    """Whether a path is a file of the given run, or of any run whose folder contains it."""
    path = Path(os.path.realpath(path))
    others = (RunFolder(folder) for folder in path.parents[:2])
    return RunFolder(run).owns(path) or any(other.description.is_file() and other.owns(path) for other in others)


@dataclass(frozen=True)
class LoadedRun:
    """A trained model and the options of its run.

    Args:
        options: see ``Options``.
        punctuated: see ``TrainingData``.
        model: the model with its vocabularies.
    """

    options: Options
    punctuated: bool
    model: LoadedModel


def load_run(path: str | os.PathLike[str], device: str = "cpu") -> LoadedRun:
    """Load the model of a run's folder, or of a file written by ``export_run``.

    Raises:
        FileNotFoundError: ``path`` is neither.
        CheckpointError: a file is damaged, or was not written by attnbook.
    """
    if Path(path).is_file():
        progress = read_checkpoint(path).progress
        try:
            described = _described(progress)
        except (ValueError, TypeError, LookupError) as error:
            raise CheckpointError(f"{path} was not written by `attnbook export`: {error}") from error
        return LoadedRun(*described, load_model(path, device=device))
    run = RunFolder(path)
    described = run.read()
    if not run.checkpoint.is_file():
        raise FileNotFoundError(f"run must have a checkpoint, got {path}, which has not been trained yet")
    return LoadedRun(*described, load_model(run.checkpoint, device=device))


def load_held_out(
    path: str | os.PathLike[str], options: Options, *, data: Path | None = None, progress: bool = False
) -> Mapping[str, Sequence[Example]]:
    """Load the held-out examples of a run's corpus, by the name of the set.

    Args:
        path: folder of the run, or a file written by ``export_run``.
        options: options of the run.
        data, progress: see ``RunFolder.training_data``.

    Raises:
        FileNotFoundError: the user's own corpus is not in the folder, or ``path`` is an exported file.
        ValueError, OSError: see ``load_corpus``.
    """
    if options.corpus == "files":
        if Path(path).is_file():
            raise FileNotFoundError(f"file must be given for an exported model, got only {path}")
        return open_prepared(RunFolder(path).corpus).held_out
    return load_corpus(options, data=data, progress=progress).held_out


def load_corpus(options: Options, *, data: Path | None = None, progress: bool = False) -> Corpus:
    """Load the grammar corpus or the Tatoeba corpus.

    Args:
        options: which corpus, and how much of it.
        data: file or folder of the Tatoeba corpus; see ``tatoeba.read``.
        progress: whether to draw a progress bar while downloading.

    Raises:
        ValueError, FileNotFoundError, OSError: see ``grammar_corpus`` and ``tatoeba.load``.
    """
    check_range("corpus", options.corpus, options.corpus != "files", "'grammar' or 'tatoeba'")
    target = BUILT_IN[options.languages]
    if options.corpus == "grammar":
        size = options.pairs or 20000
        # Few pairs do not contain all words of the composition set.
        made = grammar_corpus(target, train=size, composition=1000 if size >= 2000 else 0)
        return made if options.max_length is None else made.up_to(options.max_length)
    return tatoeba.load(target, path=data, max_length=options.max_length, train_pairs=options.pairs, progress=progress)


def export_run(path: str | os.PathLike[str], out: str | os.PathLike[str]) -> tuple[int, int]:
    """Write what translation needs to one file: weights, vocabularies and options.

    Returns:
        the size of the file in bytes, and its number of tensors.

    Raises:
        FileNotFoundError, CheckpointError: see ``load_run``.
        ValueError: ``out`` is a run's own file.
    """
    check_range("out", os.fspath(out), not belongs_to_run(out, path), "a file that does not belong to a run")
    run = load_run(path)
    model, source, target = run.model
    progress = {"options": asdict(run.options), "punctuated": run.punctuated}
    size = save_checkpoint(out, model, vocabularies=(source, target), progress=progress)
    return size, len(model.state_dict())


def _settings(options: Options) -> Settings:
    return Settings(
        check_languages(options.languages),
        subwords=options.subwords,
        min_count=options.min_count,
        max_length=options.max_length or LONGEST,
        pairs=options.pairs,
        held_out=options.held_out,
    )


def _described(content: Mapping[str, Any]) -> tuple[Options, bool]:
    if not isinstance(content, Mapping):
        raise TypeError(f"the content must be a JSON object, got {content!r}")
    missing = [name for name in ("options", "punctuated") if name not in content]
    if missing:
        raise ValueError(f"it has no entry {missing[0]!r}")
    return Options.from_json(content["options"]), bool(content["punctuated"])
