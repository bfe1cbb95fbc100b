"""Settings shared by all contestants: sizes, learning rate, budget, and the corpus as files of ids."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from attnbook._internal.files import atomic_write
from attnbook.data import SPECIALS, Corpus, Example, TokenizerLike

FILE = "setting.json"
TRANSLATIONS = "translations.txt"
SOURCE, TARGET = "en", "fr"  # how the names of files end
LOOKED_AT = 100  # validation pairs for toolkits that require some; no result depends on them


@dataclass(frozen=True)
class Setting:
    """One comparison.

    Args:
        corpus: name in ``CORPORA``.
        budget: CPU seconds of training, including the loading of batches.
        turn: CPU seconds of one turn.
        d_model, num_heads, d_ff, num_layers, dropout: options of the Transformer.
        lr: highest learning rate; it falls linearly to zero at the end of the budget.
        warmup: steps over which it rises.
        max_tokens: rows of a batch times its longest row.
        most_ids: maximum ids of a translation.
        batch_size: sentences per batch of translations.
        seed: seed of all contestants.
    """

    corpus: str
    budget: float
    turn: float
    d_model: int
    num_heads: int
    d_ff: int
    num_layers: int
    dropout: float
    lr: float
    warmup: int
    max_tokens: int
    most_ids: int = 80
    batch_size: int = 128
    seed: int = 0

    def write(self, folder: Path) -> None:
        """Write the settings to a file that ``read`` reads."""
        atomic_write(folder / FILE, json.dumps(asdict(self)))

    @classmethod
    def read(cls, folder: Path) -> Setting:
        """Read settings that ``write`` wrote."""
        return cls(**json.loads((folder / FILE).read_text(encoding="utf-8")))


def write_corpus(folder: Path, corpus: Corpus, source: TokenizerLike, target: TokenizerLike) -> None:
    """Write the corpus with one sentence per line; subwords are the digits of their ids, which no toolkit splits.

    There are ``train``, ``valid`` and ``test``, the last with sources alone, and the ``vocab`` of each side.
    """
    valid = [example.pairs[0] for example in corpus.held_out["valid"][:LOOKED_AT]]
    for name, pairs in (("train", corpus.train), ("valid", valid)):
        _write(folder / f"{name}.{SOURCE}", (source.encode(pair.source) for pair in pairs))
        _write(folder / f"{name}.{TARGET}", (target.encode(pair.target) for pair in pairs))
    _write(folder / f"test.{SOURCE}", (source.encode(example.source) for example in unseen(corpus)))
    for side, codec in ((SOURCE, source), (TARGET, target)):
        _write(folder / f"vocab.{side}", ([i] for i in range(len(SPECIALS), len(codec))))


def unseen(corpus: Corpus) -> list[Example]:
    """The sentences to translate, shortest first, because not every toolkit groups sentences by length."""
    return sorted(corpus.held_out["test"], key=lambda example: len(example.source))


def write_translations(folder: Path, sentences: Iterable[Sequence[int]]) -> None:
    """Write translations to a file that ``read_ids`` reads."""
    _write(folder / TRANSLATIONS, sentences)


def read_ids(path: Path) -> list[list[int]]:
    """The ids in each line of a file, up to the toolkit's end mark."""
    return [_ids(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _ids(line: str) -> list[int]:
    words = line.split()
    end = next((i for i, word in enumerate(words) if not word.isdigit()), len(words))
    return [int(word) for word in words[:end]]


def _write(path: Path, sentences: Iterable[Sequence[int]]) -> None:
    atomic_write(path, "".join(" ".join(map(str, ids)) + "\n" for ids in sentences))
