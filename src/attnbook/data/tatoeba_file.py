"""Find, download, check and parse the files of the Tatoeba corpus. Archives are read in memory."""

from __future__ import annotations

import hashlib
import io
import os
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from attnbook._internal.optional import needs
from attnbook._internal.validate import check_type

LARGEST_TEXT = 2**28
# Exceptions that zipfile raises for a damaged file.
_DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OSError,
    LookupError,
    OverflowError,
)


@dataclass(frozen=True)
class Edition:
    """One published version of a corpus file.

    Args:
        name: file name in a local folder.
        text_name: name of the text file inside a zip.
        sha256: sha256 of the text; that of the zip changes with its dates.
        mirrors: URLs of zips, tried in this order.
        fixed: whether the mirrors always serve this edition, rather than the newest one.
    """

    name: str
    text_name: str
    sha256: str
    mirrors: tuple[str, ...]
    fixed: bool


EDITIONS = {
    # The 167,130 pairs of 2019-04-07 that D2L trains on, from D2L's own bucket.
    "french": Edition(
        name="fra-eng.zip",
        text_name="fra.txt",
        sha256="0bb85dbaa1c896844649094d7eaf2e34bee34e84fe362b26ce7e8f2e12aae104",
        mirrors=(
            "https://d2l-data.s3.amazonaws.com/fra-eng.zip",
            "http://d2l-data.s3-accelerate.amazonaws.com/fra-eng.zip",
        ),
        fixed=True,
    ),
    # No public address keeps the 26,388 pairs of this edition: the publisher replaces the file.
    "chinese": Edition(
        name="cmn-eng.txt",
        text_name="cmn.txt",
        sha256="af1099fbf65a5c7041ff4e960306b13138793887335b53b4d9f698faefa6593a",
        mirrors=("https://www.manythings.org/anki/cmn-eng.zip",),
        fixed=False,
    ),
}


@dataclass(frozen=True)
class Row:
    """One line of a corpus file, and its place for error messages."""

    source: str
    target: str
    attribution: str
    place: str


def read_text(
    language: str,
    *,
    path: str | os.PathLike[str] | None,
    sha256: str | None,
    cache: str | os.PathLike[str] | None,
    progress: bool,
) -> tuple[str, bytes]:
    """Return the name and the bytes of the corpus text; arguments as in ``tatoeba.read``."""
    check_type("sha256", sha256, sha256 is None or isinstance(sha256, str), "a string or None")
    edition = EDITIONS[language]
    folder = os.environ.get("ATTNBOOK_DATA")
    if path is None and folder:
        path = Path(folder)
    if path is None:
        return _download(edition, sha256, cache, progress)
    check_type("path", path, isinstance(path, str | os.PathLike), "a path")
    path = Path(path)
    if path.is_dir():
        path = path / edition.name
    if not path.is_file():
        raise FileNotFoundError(f"{path} does not exist; expected {edition.name}, or its folder in ATTNBOOK_DATA")
    text = extract(path.read_bytes(), str(path), edition.text_name)
    name = f"{path}, {edition.text_name}" if _is_zip(str(path)) else str(path)
    for _ in rows(text, name):  # report the first malformed line rather than a wrong hash
        pass
    found, expected = hashlib.sha256(text).hexdigest(), (sha256 or edition.sha256).lower()
    if found != expected:
        raise ValueError(
            f"{name} must have sha256 {expected}, got {found}. "
            f"It is another edition, or it was changed; to use it anyway, pass sha256={found!r} in Python, or train on "
            "it as on your own sentences with `attnbook train --corpus FILE`"
        )
    return name, text


def extract(data: bytes, name: str, text_name: str) -> bytes:
    """Return the corpus text: the data itself or, if ``name`` ends in .zip, its member ``text_name``.

    Raises:
        ValueError: the file is empty, or the zip is corrupt or does not have exactly one member of that name.
    """
    if not data:
        raise ValueError(f"{name} is empty")
    if not _is_zip(name):
        return data
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            found = [member for member in archive.infolist() if PurePosixPath(member.filename).name == text_name]
            size = found[0].file_size if len(found) == 1 else 0
            text = archive.read(found[0]) if 0 < size <= LARGEST_TEXT else b""
    except _DAMAGE as error:
        raise ValueError(f"{name} is a truncated or corrupt zip file of {len(data)} bytes ({error})") from error
    if len(found) != 1:
        raise ValueError(f"{name} must contain one file named {text_name}, got {len(found)}")
    if size > LARGEST_TEXT:
        raise ValueError(f"{name}, {found[0].filename} must have <= {LARGEST_TEXT} bytes, got {size}")
    return text


def rows(text: bytes, name: str) -> Iterator[Row]:
    """Yield the lines of a corpus text: source, target and optionally an attribution, separated by tabs.

    Raises:
        ValueError: the text is empty or not UTF-8, or a line has no tab or too many columns.
    """
    if not text:
        raise ValueError(f"{name} is empty")
    try:
        lines = text.decode("utf-8").removeprefix("\ufeff").split("\n")
    except UnicodeDecodeError as error:
        bad = text.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{name}, line {bad}: byte {error.start} is 0x{text[error.start]:02x}, not UTF-8") from error
    if not lines[-1]:
        lines.pop()
    for number, line in enumerate(lines, start=1):
        columns = line.removesuffix("\r").split("\t")
        place = f"{name}, line {number}"
        if len(columns) not in (2, 3):
            found = "no tab" if len(columns) == 1 else f"{len(columns)} columns"
            raise ValueError(
                f"{place} must be source, target and optionally an attribution, separated by tabs, got {found}"
            )
        yield Row(columns[0], columns[1], columns[2] if len(columns) == 3 else "", place)


def _is_zip(name: str) -> bool:
    return name.lower().endswith(".zip")


def _download(
    edition: Edition, sha256: str | None, cache: str | os.PathLike[str] | None, progress: bool
) -> tuple[str, bytes]:
    """Return the text from the cache or from the first mirror that works. The cache contains only checked files."""
    with needs("data"):
        import pooch

    def fetch(url: str, output_file: str, registry: Any) -> None:
        buffer = io.BytesIO()
        pooch.HTTPDownloader(progressbar=progress)(url, buffer, registry)
        text = extract(buffer.getvalue(), url, edition.text_name)
        for _ in rows(text, url):
            pass
        Path(output_file).write_bytes(text)

    expected = sha256 or (edition.sha256 if edition.fixed else None)
    folder = Path(cache) if cache is not None else Path(pooch.os_cache("attnbook"))
    failures = []
    for url in edition.mirrors:
        try:
            # pooch writes to a temporary file, and moves it into the cache once its hash is right.
            file = pooch.retrieve(url, expected, fname=edition.text_name, path=folder, downloader=fetch)
        except (OSError, ValueError) as error:
            failures.append(f"\n  {url}: {error}")
            continue
        text = Path(file).read_bytes()
        found = hashlib.sha256(text).hexdigest()
        if expected is None and found != edition.sha256:
            warnings.warn(
                f"{url} serves the newest edition, with sha256 {found}, which cannot be checked. "
                f"The book's figures come from {edition.sha256}; pass sha256= to require an edition",
                stacklevel=4,
            )
        return edition.text_name, text
    raise OSError(
        f"{edition.name} could not be downloaded. To work offline, pass a local copy as path= in Python or --data "
        f"on the command line, or set ATTNBOOK_DATA to the folder that holds {edition.name}. Tried:{''.join(failures)}"
    )
