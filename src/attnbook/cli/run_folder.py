"""A run is one training, and its folder: what was asked for in ``run.json``, what came of it in a checkpoint.

A corpus of one's own lies in the folder too, as ids: see ``prepared``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attnbook._internal.files import atomic_write
from attnbook._internal.validate import check_range
from attnbook.cli.options import BUILT_IN, Options
from attnbook.data import Batches, Corpus, Example, TokenizerLike, tatoeba
from attnbook.data.batch_source import BatchSource
from attnbook.data.corpus import embedded
from attnbook.data.pipeline import LONGEST, Settings
from attnbook.data.prepared_corpus import open_prepared, prepare
from attnbook.data.text import check_languages, ends
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
    """The model that a run was asked to train, with fresh weights."""
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
    )


@dataclass(frozen=True)
class Files:
    """The files of a corpus of one's own: each one file of pairs, or the files of source and target.

    Args:
        train: to train on.
        held_out: by the name of the set, "valid" or "test"; one that is missing is drawn.
    """

    train: tuple[Path, ...]
    held_out: Mapping[str, tuple[Path, ...]]


@dataclass(frozen=True)
class TrainingData:
    """What training needs of a corpus.

    Args:
        vocabularies: of source and target.
        batches: of the training pairs.
        pairs: their number.
        held_out: examples by the name of the set.
        punctuated: nearly all source sentences end with a full stop or its like.
        report: on the files that it was made of; empty if there are none.
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
        self._description = self.path / "run.json"

    def check(self, options: Options) -> None:
        """Make sure that what has been trained here, if anything, was trained with these options.

        Raises:
            CheckpointError: it is of another run, or ``run.json`` is something else, which would be lost.
            NotADirectoryError: there is a file in place of the folder.
        """
        if self.path.exists() and not self.path.is_dir():
            raise NotADirectoryError(f"{self.path} is a file: wanted the folder of a run, or a new name")
        if self._description.exists():
            found, _ = self.read()
            if self.checkpoint.exists():
                expect_same(self._description, "options", asdict(found), asdict(options))

    def training_data(
        self, options: Options, *, files: Files | None = None, data: Path | None = None, progress: bool = False
    ) -> TrainingData:
        """The corpus that the run was asked to use.

        Args:
            options: which corpus, and how much of it.
            files: of one's own corpus, which is "files" in ``options``; None if it is another.
            data: file or folder of the real corpus; see ``read``.
            progress: draw bars.

        Raises:
            ValueError: ``files`` are given for another corpus, or none for one's own.
            ValueError, FileNotFoundError, OSError: see ``prepare``,
                ``embedded`` and ``load``.
        """
        wanted = f"{'Files' if options.corpus == 'files' else 'None'}, as the corpus of options is {options.corpus!r}"
        check_range("files", files, (files is not None) is (options.corpus == "files"), wanted)
        if files is not None:
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
            sum(ends(pair.source) for pair in corpus.train) >= 0.9 * len(corpus.train),
        )

    def create(self, options: Options, *, punctuated: bool) -> None:
        """Write down what the run was asked for.

        Raises:
            OSError: it cannot be written.
        """
        content = {"options": asdict(options), "punctuated": punctuated}
        atomic_write(self._description, json.dumps(content, indent=2) + "\n")

    def read(self) -> tuple[Options, bool]:
        """What ``create`` wrote.

        Raises:
            FileNotFoundError: there is no run.
            CheckpointError: ``run.json`` is something else.
        """
        if not self._description.is_file():
            raise FileNotFoundError(f"{self.path} is no run: wanted a folder that `attnbook train` made")
        try:
            return _described(json.loads(self._description.read_text(encoding="utf-8")))
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            raise CheckpointError(f"{self._description} is not what `attnbook train` writes: {error}") from error


@dataclass(frozen=True)
class LoadedRun:
    """A model that was trained, and what it was asked for.

    Args:
        options: see ``Options``.
        punctuated: see ``TrainingData``.
        model: with its vocabularies.
    """

    options: Options
    punctuated: bool
    model: LoadedModel


def load_run(path: str | os.PathLike[str], device: str = "cpu") -> LoadedRun:
    """A run's folder, or a file that ``export_run`` made, ready to translate.

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
            described = _described(progress)
        except (ValueError, TypeError, LookupError) as error:
            raise CheckpointError(f"{path} is not what `attnbook export` writes: {error}") from error
        return LoadedRun(*described, load_model(path, device=device))
    run = RunFolder(path)
    described = run.read()
    if not run.checkpoint.is_file():
        raise FileNotFoundError(f"{path} has no checkpoint yet: wanted a run that has trained for a while")
    return LoadedRun(*described, load_model(run.checkpoint, device=device))


def load_held_out(
    path: str | os.PathLike[str], options: Options, *, data: Path | None = None, progress: bool = False
) -> Mapping[str, Sequence[Example]]:
    """The examples that a run was not trained on, by the name of the set.

    Args:
        path: folder of the run, or a file that ``export_run`` made.
        options: of the run.
        data, progress: see ``training_data``.

    Raises:
        FileNotFoundError: the corpus is one's own and lies elsewhere.
        ValueError, OSError: see ``load_corpus``.
    """
    if options.corpus == "files":
        return open_prepared(RunFolder(path).corpus).held_out
    return load_corpus(options, data=data, progress=progress).held_out


def load_corpus(options: Options, *, data: Path | None = None, progress: bool = False) -> Corpus:
    """The embedded corpus or the real one.

    Args:
        options: which corpus, and how much of it.
        data: file or folder of the real corpus; see ``read``.
        progress: draw a bar while downloading.

    Raises:
        ValueError, FileNotFoundError, OSError: see ``embedded`` and
            ``load``.
    """
    check_range("corpus", options.corpus, options.corpus != "files", "grammar or tatoeba; one's own has files")
    target = BUILT_IN[options.languages]
    if options.corpus == "grammar":
        size = options.pairs or 20000
        # Few pairs do not have all words that the composition set needs.
        made = embedded(target, train=size, composition=1000 if size >= 2000 else 0)
        return made if options.max_length is None else made.up_to(options.max_length)
    return tatoeba.load(target, path=data, max_length=options.max_length, train_pairs=options.pairs, progress=progress)


def export_run(path: str | os.PathLike[str], out: str | os.PathLike[str]) -> None:
    """Write what translating needs, and no more, into one file: weights, vocabularies and options.

    Raises:
        FileNotFoundError, CheckpointError: see ``load_run``.
        ValueError: ``out`` is a file of the run, which could not go on without it.
    """
    run = load_run(path)
    for name in ("checkpoint.safetensors", "run.json"):
        own = (Path(path) / name).resolve() == Path(out).resolve()
        check_range("out", os.fspath(out), not own, "another file than the run's own")
    model, source, target = run.model
    progress = {"options": asdict(run.options), "punctuated": run.punctuated}
    save_checkpoint(out, model, vocabularies=(source, target), progress=progress)


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
        raise TypeError(f"it has {content!r}: wanted an object")
    return Options.from_json(content["options"]), bool(content["punctuated"])
