"""Turn text files into a corpus of ids on disk, in bounded memory.

There are three passes. The first reads, checks and tokenizes the rows. The second finds duplicates, sets held-out
sentences aside, and counts the words of the training pairs. The third writes the ids of the training pairs. While
duplicates are searched, each pair takes 8 bytes of memory, for its hash.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from attnbook._internal.files import sha256
from attnbook.data.corpus import Example, split_key
from attnbook.data.memmap import SIDES, Column, PairWriter
from attnbook.data.pairs import Pair
from attnbook.data.reader import EMPTY, Report, read_pairs
from attnbook.data.text import is_punctuated, tokenize
from attnbook.data.vocabulary import TokenizerLike
from attnbook.data.vocabulary_stream import Encoder, build_subwords, build_vocabulary, drop_rare_words, fast_encoder

IDENTICAL = "identical source and target"
DUPLICATE = "duplicate pair"
HELD_OUT = "source is held out"
HELD_OUT_SHARE = 0.02  # proportion of source sentences in "valid" and in "test"
MOST_HELD_OUT = 2000  # approximate largest number of pairs in each, unless a proportion is given
LONGEST = 200  # words or subwords per sentence
PART = 1 << 22  # number of hashes sorted at a time

Tokens = tuple[str, ...]


@dataclass(frozen=True)
class Settings:
    """Settings that determine how files become a corpus.

    Args:
        languages: codes of source and target, see ``check_languages``.
        subwords: size of the two byte-pair vocabularies; None builds vocabularies of words.
        min_count: rarer words become ``<unk>``.
        max_length: largest number of words or subwords in a sentence; longer pairs are dropped.
        pairs: number of training pairs, taken from the start of the file; None takes all. Those with more than
            ``max_length`` subwords are dropped afterwards.
        held_out: proportion of source sentences for "valid" and for "test"; None means ``HELD_OUT_SHARE``, limited
            to about ``MOST_HELD_OUT`` pairs.
    """

    languages: tuple[str, str]
    subwords: int | None = None
    min_count: int = 1
    max_length: int = LONGEST
    pairs: int | None = None
    held_out: float | None = None


@dataclass
class Pipeline:
    """Prepare one corpus.

    Args:
        settings: see ``Settings``.
        folder: an empty folder for the files.
        progress: whether to draw progress bars.
    """

    settings: Settings
    folder: Path
    progress: bool = False
    reports: list[Report] = field(default_factory=list)
    held: dict[str, dict[Tokens, dict[Tokens, None]]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # on vocabularies that cannot hold all words
    punctuated: int = 0  # number of training sources that end with a full stop or similar

    def run(self, train: Sequence[Path], held_out: dict[str, Sequence[Path]]) -> dict[str, Any]:
        """Run all three passes.

        Args:
            train: one file of pairs, or a source and a target file.
            held_out: such files by set name. "valid" and "test" are drawn from ``train`` if missing.

        Returns:
            facts about the corpus as plain data.

        Raises:
            ValueError: a file is rejected, it has fewer than ``settings.pairs`` training pairs, or no pair is left.
            OSError: a file cannot be read, or the disk is full.
        """
        for name, paths in held_out.items():
            self.held[name] = self._given(paths)
        self._clean(train)
        state = self._state()
        vocabularies = self._vocabularies(*self._count(state))
        (self.folder / "vocabularies.json").write_text(
            json.dumps([vocabulary.to_json() for vocabulary in vocabularies]), encoding="utf-8"
        )
        encoders = [fast_encoder(vocabulary) for vocabulary in vocabularies]
        writer = self._write(state, encoders, (len(vocabularies[0]), len(vocabularies[1])))
        sets = {name: self._short(groups, encoders) for name, groups in self.held.items()}
        left_out = [self._left_out(name, found) for name, found in sets.items()]
        (self.folder / "held_out.json").write_text(json.dumps(sets, ensure_ascii=False), encoding="utf-8")
        (self.folder / CLEAN).unlink()
        for name in HASHES:
            (self.folder / name).unlink()
        return {
            "pairs": writer.pairs,
            "tokens": writer.tokens,
            "digest": writer.close(),
            "vocabularies": [len(vocabulary) for vocabulary in vocabularies],
            "held_out": {name: len(groups) for name, groups in sets.items()},
            "punctuated": self.punctuated >= 0.9 * writer.pairs,
            "report": "\n".join([*map(str, self.reports), *filter(None, left_out), *self.notes]),
            "sha256": {name: sha256(self.folder / name) for name in ("vocabularies.json", "held_out.json")},
        }

    def _rows(self, paths: Sequence[Path]) -> Iterator[tuple[int, Tokens, Tokens]]:
        """Yield line number and tokens of the valid rows."""
        report = Report(" and ".join(path.name for path in paths))
        self.reports.append(report)
        source, target = self.settings.languages
        longest = self.settings.max_length
        size = sum(path.stat().st_size for path in paths if path.is_file())
        with self._bar("reading", size, unit="B", unit_scale=True) as bar:
            for row in read_pairs(paths, report, advance=bar.update):
                if report.rows % 65536 == 0:
                    bar.set_postfix_str(f"{report.rows:,} rows")
                pair = tokenize(row.source, source), tokenize(row.target, target)
                if not pair[0] or not pair[1]:
                    report.add(EMPTY, row.line)
                elif max(map(len, pair)) > longest:
                    report.add(_too_long(longest), row.line)
                elif pair[0] == pair[1]:
                    report.add(IDENTICAL, row.line)
                else:
                    yield row.line, *pair

    def _given(self, paths: Sequence[Path]) -> dict[Tokens, dict[Tokens, None]]:
        groups: dict[Tokens, dict[Tokens, None]] = {}
        for _, source, target in self._rows(paths):
            groups.setdefault(source, {})[target] = None
        return groups

    def _clean(self, paths: Sequence[Path]) -> None:
        """First pass: write the tokens and two hashes of each pair."""
        hashes, keys = (Column(self.folder / name, "Q") for name in HASHES)
        with (self.folder / CLEAN).open("w", encoding="utf-8", newline="\n") as file:
            for line, source, target in self._rows(paths):
                text = f"{' '.join(source)}\t{' '.join(target)}"
                file.write(f"{line}\t{text}\n")
                hashes.extend([_hash(text)])
                keys.extend([_hash(split_key(source))])
        hashes.close()
        keys.close()

    def _state(self) -> np.ndarray:
        """Decide what each row of the clean file is used for, as an index into ``STATES``."""
        hashes, keys = (np.asarray(np.load(self.folder / name, mmap_mode="r")) for name in HASHES)
        if not len(hashes):
            raise ValueError(f"{self.reports[-1].name} contains no usable pair\n{self.reports[-1]}")
        state = np.where(_first_of_each(hashes), STATES.index("train"), STATES.index(DUPLICATE)).astype(np.uint8)
        distinct = int((state == STATES.index("train")).sum())
        share = self.settings.held_out
        share = min(HELD_OUT_SHARE, MOST_HELD_OUT / distinct) if share is None else share
        drawn = [name for name in ("test", "valid") if name not in self.held]
        for i, name in enumerate(drawn):
            low, high = (np.uint64(min(int(share * k * 2**64), 2**64 - 1)) for k in (i, i + 1))
            state[(state == STATES.index("train")) & (low <= keys) & (keys < high)] = STATES.index(name)
            self.held[name] = {}
        given = [_hash(split_key(source)) for name in self.held if name not in drawn for source in self.held[name]]
        if given:
            state[np.isin(keys, np.array(given, dtype=np.uint64))] = STATES.index(HELD_OUT)
        return state

    def _count(self, state: np.ndarray) -> tuple[Counter[str], Counter[str]]:
        """Second pass: collect held-out sentences and count the words of the training pairs."""
        report, limit, found = self.reports[-1], self.settings.pairs, 0
        counts: tuple[Counter[str], Counter[str]] = (Counter(), Counter())
        for row, line, source, target in self._cleaned("counting words", len(state)):
            kind = STATES[state[row]]
            if kind in ("valid", "test"):
                self.held[kind].setdefault(source, {})[target] = None
            elif kind != "train":
                report.add(kind, line)
            elif found == limit:
                state[row] = STATES.index("surplus")
            else:
                found += 1
                for count, tokens in zip(counts, (source, target), strict=True):
                    count.update(tokens)
                    drop_rare_words(count)
        if not found or (limit is not None and found < limit):
            raise ValueError(f"{report.name} must give at least {limit or 1:,} training pairs, got {found:,}\n{report}")
        return counts

    def _vocabularies(self, *counts: Counter[str]) -> tuple[TokenizerLike, TokenizerLike]:
        size, least = self.settings.subwords, self.settings.min_count
        if size is not None:
            return build_subwords(counts[0], size), build_subwords(counts[1], size)
        source, target = (build_vocabulary(count, least) for count in counts)
        for side, count, vocabulary in zip(SIDES, counts, (source, target), strict=True):
            frequent, known = sum(number >= least for number in count.values()), len(vocabulary.words)
            if known < frequent:
                self.notes.append(f"{side}: the vocabulary holds the {known:,} most frequent of {frequent:,} words")
        return source, target

    def _write(self, state: np.ndarray, encoders: Sequence[Encoder], sizes: tuple[int, int]) -> PairWriter:
        """Third pass: write the ids of the training pairs."""
        writer, longest = PairWriter(self.folder, sizes), self.settings.max_length
        train = STATES.index("train")
        for row, line, *pair in self._cleaned("writing ids", len(state)):
            if state[row] == train:
                source, target = (encode(tokens) for encode, tokens in zip(encoders, pair, strict=True))
                if max(len(source), len(target)) <= longest:
                    writer.add(source, target)
                    self.punctuated += is_punctuated(pair[0])
                else:
                    self.reports[-1].add(_too_long(longest), line)
        if not writer.pairs:
            raise ValueError(f"max_length must be larger, got {longest}: every pair is longer\n{self.reports[-1]}")
        return writer

    def _short(self, groups: dict[Tokens, dict[Tokens, None]], encoders: Sequence[Encoder]) -> list[list[Any]]:
        """Return held-out examples as plain data: source and references, without sentences that are too long."""
        longest = self.settings.max_length
        found = []
        for source, references in groups.items():
            kept = [reference for reference in references if len(encoders[1](reference)) <= longest]
            if kept and len(encoders[0](source)) <= longest:
                found.append([source, kept])
        return found

    def _left_out(self, name: str, found: list[list[Any]]) -> str:
        """Describe how many pairs ``_short`` dropped; an empty string if none."""
        number = sum(map(len, self.held[name].values())) - sum(len(references) for _, references in found)
        return f"{name}: {number:,} dropped, {_too_long(self.settings.max_length)}" if number else ""

    def _cleaned(self, name: str, rows: int) -> Iterator[tuple[int, int, Tokens, Tokens]]:
        """Yield the rows of the clean file: index, original line number, and tokens."""
        with (
            (self.folder / CLEAN).open(encoding="utf-8", newline="\n") as file,
            self._bar(name, rows, unit="pair", unit_scale=True) as bar,
        ):
            for row, text in enumerate(file):
                line, source, target = text.rstrip("\n").split("\t")
                yield row, int(line), tuple(source.split(" ")), tuple(target.split(" "))
                bar.update()

    def _bar(self, name: str, total: int, **options: Any) -> tqdm[Any]:
        return tqdm(total=total, desc=name, dynamic_ncols=True, disable=not self.progress, **options)


CLEAN = "clean.tsv"
HASHES = ("hashes.npy", "keys.npy")
STATES = ("train", "valid", "test", "surplus", DUPLICATE, HELD_OUT)


def read_held_out(folder: Path) -> dict[str, tuple[Example, ...]]:
    """Read the held-out examples written by a ``Pipeline``."""
    data = json.loads((folder / "held_out.json").read_text(encoding="utf-8"))
    return {
        name: tuple(
            Example(tuple(Pair(tuple(source), tuple(target)) for target in references))
            for source, references in examples
        )
        for name, examples in data.items()
    }


def _hash(text: str) -> int:
    """Return a 64-bit hash. Among five million pairs, the probability of a collision is one in a million."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def _first_of_each(hashes: np.ndarray) -> np.ndarray:
    """Mark the first occurrence of each value, in parts to bound the memory."""
    first = np.zeros(len(hashes), dtype=bool)
    parts = np.uint64(len(hashes) // PART + 1)
    for part in range(int(parts)):
        rows = np.flatnonzero(hashes % parts == np.uint64(part))
        first[rows[np.unique(hashes[rows], return_index=True)[1]]] = True
    return first


def _too_long(longest: int) -> str:
    return f"longer than {longest} words or subwords"
