"""Read sentence pairs from files line by line, and report every faulty row.

A ``Report`` counts faulty rows with their first line numbers. There are four cases:

- The row is repaired: a byte-order mark, a carriage return at the end, bidirectional controls and other invisible
  characters are removed.
- The row is not changed: a cell is in quotation marks. A spreadsheet may have added them, but it can also be direct
  speech.
- The row is dropped: it has a different number of columns, an empty source or target, invalid UTF-8, a NUL or other
  control character, or more than ``LONGEST_LINE`` bytes.
- The file is rejected: more than one row in ten is faulty, two aligned files differ in length, or a compressed file is
  damaged.

Rows dropped later for other reasons (duplicates, long sentences) are counted in the same ``Report``.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, cast

from attnbook._internal.validate import check_range

LONGEST_LINE = 65536  # bytes; a sentence has a few hundred
MOST_FAULTY = 0.1  # proportion of rows above which a file is rejected
FIRST_LINES = 3  # line numbers that a report lists for each kind

BOM = "byte-order mark removed"
CARRIAGE_RETURN = "carriage return at the end removed"
INVISIBLE = "bidirectional controls or other invisible characters removed"
COLUMNS = "different number of columns"
EMPTY = "empty source or target"
ENCODING = "not UTF-8"
CONTROL = "NUL or other control character"
QUOTED = "quotation marks around a whole cell"
LONG_LINE = f"longer than {LONGEST_LINE:,} bytes"
FAULTS = (COLUMNS, EMPTY, ENCODING, CONTROL, LONG_LINE)

_INVISIBLE = re.compile("[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_QUOTED = re.compile('"(?:[^"]|"")+"')  # as spreadsheets write a cell, with quotation marks inside it doubled
_CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f]")


@dataclass
class Report:
    """Number of rows of each kind, and their first line numbers.

    Args:
        name: name of the file or files.
        rows: number of rows read.
        columns: number of columns in a file of pairs.
        counts: number of rows by kind.
        lines: the first ``FIRST_LINES`` line numbers by kind.
    """

    name: str
    rows: int = 0
    columns: int = 2
    counts: dict[str, int] = field(default_factory=dict)
    lines: dict[str, list[int]] = field(default_factory=dict)

    def add(self, kind: str, line: int) -> None:
        """Count a row."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        first = self.lines.setdefault(kind, [])
        if len(first) < FIRST_LINES:
            first.append(line)

    def __str__(self) -> str:
        more = f" of {self.columns} columns, of which the first two are read" if self.columns > 2 else ""
        found = [f"{self.name}: {self.rows:,} rows{more}"]
        for kind, number in self.counts.items():
            first = ", ".join(map(str, self.lines[kind])) + (", ..." if number > FIRST_LINES else "")
            found.append(f"  {kind}: {number:,} ({'line' if number == 1 else 'lines'} {first})")
        return "\n".join(found)

    def check(self) -> None:
        """Raise an error if too many rows are faulty.

        Raises:
            ValueError: more than one row in ten is faulty, or there is no row.
        """
        if self.rows == 0:
            raise ValueError(f"{self.name} is empty")
        faulty = sum(self.counts.get(kind, 0) for kind in FAULTS)
        if faulty > MOST_FAULTY * self.rows:
            raise ValueError(
                f"{self.name} must be UTF-8 text with one pair per line (source, tab, target), got {faulty:,} faulty "
                f"rows of {self.rows:,}; at most one in ten is allowed\n{self}"
            )


@dataclass(frozen=True)
class Row:
    """A sentence pair as text, and the number of its line."""

    source: str
    target: str
    line: int


def read_pairs(
    paths: Sequence[Path], report: Report, *, advance: Callable[[int], object] = lambda _: None
) -> Iterator[Row]:
    """Yield the valid rows of one file of pairs or of two aligned files.

    In a file of pairs, the first row with a tab determines the number of columns; the first two are read.

    Args:
        paths: one tab-separated file, or a source and a target file. Gzip is detected by its content.
        report: the report that counts the rows.
        advance: called with the number of bytes read since the last call.

    Raises:
        ValueError: the file is rejected, see above, or there are not one or two files.
        OSError: a file cannot be read.
    """
    check_range(
        "paths", list(map(str, paths)), len(paths) in (1, 2), "one file of pairs, or a source and a target file"
    )
    with ExitStack() as stack:
        files = [_Lines(Path(path), stack) for path in paths]
        columns = 0
        for line, raw in enumerate(_together(files), start=1):
            report.rows += 1
            if line % 1024 == 0:
                advance(sum(file.read_since() for file in files))
            cells = _cells(raw, report, line)
            if cells is not None and len(files) == 1:
                if columns == 0 and len(cells) > 1:
                    report.columns = columns = len(cells)
                if len(cells) != columns:
                    report.add(COLUMNS, line)
                    continue
            if cells is not None:
                source, target = (" ".join(cell.split()) for cell in cells[:2])
                if source and target:
                    if _QUOTED.fullmatch(source) or _QUOTED.fullmatch(target):
                        report.add(QUOTED, line)
                    yield Row(source, target, line)
                else:
                    report.add(EMPTY, line)
        advance(sum(file.read_since() for file in files))
    report.check()


class _Lines:
    """The lines of a file as bytes, or None for a line longer than ``LONGEST_LINE``."""

    def __init__(self, path: Path, stack: ExitStack) -> None:
        self.path = path
        if not path.is_file():
            kind = "a folder" if path.is_dir() else "a device or pipe"
            raise FileNotFoundError(f"{path} is {kind}, not a file" if path.exists() else f"{path} does not exist")
        self._raw = stack.enter_context(path.open("rb"))
        magic = self._raw.peek(4)[:4]
        if magic == b"PK\x03\x04":
            raise ValueError(f"{path} is a zip archive; extract the text, or compress it with gzip")
        zipped = magic[:2] == b"\x1f\x8b"
        self._file = cast(BinaryIO, stack.enter_context(gzip.GzipFile(fileobj=self._raw)) if zipped else self._raw)
        self._reported = 0

    def __iter__(self) -> Iterator[bytes | None]:
        line = 0
        try:
            while raw := self._file.readline(LONGEST_LINE + 1):
                line += 1
                rest = raw
                while rest and not rest.endswith(b"\n"):
                    rest = self._file.readline(LONGEST_LINE)
                yield raw if len(raw.removesuffix(b"\n")) <= LONGEST_LINE else None
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise ValueError(f"{self.path} is a damaged gzip file after line {line} ({error})") from error

    def read_since(self) -> int:
        reported, self._reported = self._reported, self._raw.tell()
        return self._reported - reported


def _together(files: Sequence[_Lines]) -> Iterator[tuple[bytes | None, ...]]:
    """Yield the lines of one file, or pairs of lines of two files."""
    if len(files) == 1:
        yield from ((line,) for line in files[0])
        return
    streams = [iter(file) for file in files]
    ended: Any = object()
    for number in count(1):
        row = tuple(next(stream, ended) for stream in streams)
        if ended in row:
            if row != (ended, ended):
                short, long = (0, 1) if row[0] is ended else (1, 0)
                more = number + sum(1 for _ in streams[long])
                raise ValueError(
                    f"{files[short].path} and {files[long].path} must have the same number of lines, got "
                    f"{number - 1:,} and {more:,}; line n of one translates line n of the other"
                )
            return
        yield row


def _cells(raw: tuple[bytes | None, ...], report: Report, line: int) -> list[str] | None:
    """Return the repaired columns of a row, or None if it is dropped."""
    if None in raw:
        report.add(LONG_LINE, line)
        return None
    try:
        texts = [cast(bytes, part).removesuffix(b"\n").decode("utf-8") for part in raw]
    except UnicodeDecodeError:
        report.add(ENCODING, line)
        return None
    for kind, repair in (
        (BOM, _without_bom if line == 1 else None),
        (CARRIAGE_RETURN, _without_return),
        (INVISIBLE, visible),
    ):
        repaired = [repair(text) for text in texts] if repair else texts
        if repaired != texts:
            report.add(kind, line)
            texts = repaired
    if any(_CONTROL.search(text) for text in texts):
        report.add(CONTROL, line)
        return None
    return texts[0].split("\t") if len(texts) == 1 else [text.replace("\t", " ") for text in texts]


def _without_bom(text: str) -> str:
    return text.removeprefix("\ufeff")


def _without_return(text: str) -> str:
    return text.removesuffix("\r")


def visible(text: str) -> str:
    """Remove bidirectional controls and other invisible characters."""
    return _INVISIBLE.sub("", text)
