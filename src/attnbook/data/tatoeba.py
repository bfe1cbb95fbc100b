"""The real corpus: sentences of tatoeba.org in English and French, or English and Chinese.

The text is published under CC BY 2.0 FR by the contributors of tatoeba.org, and packaged by manythings.org/anki.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass

from attnbook._internal.validate import check_sizes, check_type
from attnbook.data.corpus import Corpus, Example, split_key
from attnbook.data.pairs import Pair
from attnbook.data.tatoeba_file import EDITIONS, read_text, rows

ATTRIBUTION = (
    "Sentences by the contributors of tatoeba.org, CC BY 2.0 FR (https://creativecommons.org/licenses/by/2.0/fr/), "
    "sentence pairs packaged by www.manythings.org/anki"
)
HELD_OUT = 0.02  # of the source sentences, for validation and for test each

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_PUNCTUATION = re.compile("([,.!?])")
_SPACES = re.compile("[ \t\r\n\u00a0\u202f]+")
_LATIN = r"[\da-zß-öø-ɏ]"
_CHINESE = re.compile(rf"\d+(?:[.,:]\d+)+|{_LATIN}+(?:['’-]{_LATIN}+)*|\S")


@dataclass(frozen=True)
class TatoebaPair(Pair):
    """A sentence pair and who wrote it.

    Args:
        attribution: the line's own, where the file has one for each line; otherwise ``ATTRIBUTION``.
    """

    attribution: str = ATTRIBUTION


def tokenize(text: str, language: str) -> tuple[str, ...]:
    """Cut a sentence into tokens, in lower case.

    English and French exactly as in D2L: ``,`` ``.`` ``!`` ``?`` begin a new token, and so does what follows a
    space, a no-break space or a narrow no-break space; no other kind of space does. Chinese by character, except
    that a number or a word in Latin letters stays whole; spaces and characters that cannot be seen are dropped.

    Raises:
        ValueError: ``language`` is not one of the three.
    """
    if language not in ("english", "french", "chinese"):
        raise ValueError(f"language must be 'english', 'french' or 'chinese', got {language!r}")
    check_type("text", text, isinstance(text, str), "a string")
    text = text.lower()
    if language == "chinese":
        return tuple(_CHINESE.findall(_INVISIBLE.sub("", text)))
    return tuple(token for token in _SPACES.split(_PUNCTUATION.sub(r" \1", text)) if token)


def read(
    language: str = "french",
    *,
    path: str | os.PathLike[str] | None = None,
    sha256: str | None = None,
    count: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> list[TatoebaPair]:
    """The pairs in the order of the file, shortest English sentences first, nothing left out.

    ``read("french", count=600)`` are the first 600 rows, D2L's training set. (The loop in d2l 1.0.3's
    ``load_data_nmt(num_examples=600)`` stops one row late, at 601.)

    The file is ``path``; or it lies in the folder named by the environment variable ATTNBOOK_DATA; or it is
    downloaded once and kept. The French file is checked against the sha256 of its text. So is a local Chinese file;
    the publisher of the Chinese file replaces it now and then, so that a downloaded one is checked for its form
    only, and a warning names the edition it is.

    Args:
        language: "french" or "chinese"; the source is English.
        path: fra-eng.zip or cmn-eng.txt, or the folder that holds it. A name in .zip is read as a zip, any other
            as text.
        sha256: of the text, where you mean another edition.
        count: rows wanted; all if None.
        cache: folder of downloaded files; the user's cache folder if None.
        progress: draw a bar while downloading.

    Raises:
        ValueError: the file is not what it should be (the message names file and line), or an argument is wrong.
        FileNotFoundError: there is no file at ``path``.
        OSError: no mirror could give the file; the message names what was tried.
    """
    if language not in tuple(EDITIONS):
        raise ValueError(f"language must be 'french' or 'chinese', got {language!r}")
    check_sizes(count=count)
    name, text = read_text(language, path=path, sha256=sha256, cache=cache, progress=progress)
    pairs: list[TatoebaPair] = []
    for row in rows(text, name):
        if len(pairs) == count:
            break
        try:
            pair = TatoebaPair(
                source=tokenize(row.source, "english"),
                target=tokenize(row.target, language),
                attribution=row.attribution or ATTRIBUTION,
            )
        except ValueError as error:
            raise ValueError(f"{row.place}: {error}") from error
        pairs.append(pair)
    return pairs


def load(
    language: str = "french",
    *,
    path: str | os.PathLike[str] | None = None,
    sha256: str | None = None,
    max_length: int | None = None,
    train_pairs: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> Corpus:
    """The corpus, split by source sentence.

    The split of a sentence is decided by the sha256 of ``split_key``, which knows neither case nor punctuation:
    2 % of the sentences are for validation, 2 % for test, whatever else is asked for, in every language and on every
    machine. Order is by the same hash, so that the first few of a split are a fair sample of it. Pairs that
    are equal after tokenising are kept once.

    Args:
        language, path, sha256, cache, progress: as in ``read``.
        max_length: leave out pairs of which one side has more tokens, in all three splits.
        train_pairs: how many pairs to train on; all if None. Fewer are always a part of more.

    Raises:
        ValueError, FileNotFoundError, OSError: as ``read``; or no training pair is left, or there are fewer than
            ``train_pairs``.
    """
    check_sizes(max_length=max_length, train_pairs=train_pairs)
    pairs = read(language, path=path, sha256=sha256, cache=cache, progress=progress)
    if max_length is not None:
        pairs = [p for p in pairs if len(p.source) <= max_length and len(p.target) <= max_length]
    groups: dict[tuple[str, ...], dict[tuple[str, ...], TatoebaPair]] = {}
    for pair in pairs:
        groups.setdefault(pair.source, {}).setdefault(pair.target, pair)
    train: list[TatoebaPair] = []
    valid: list[Example] = []
    test: list[Example] = []
    for position, source in sorted((_position(source), source) for source in groups):
        translations = tuple(groups[source].values())
        if position < HELD_OUT:
            test.append(Example(translations))
        elif position < 2 * HELD_OUT:
            valid.append(Example(translations))
        else:
            train.extend(translations)
    if not train:
        raise ValueError(f"max_length must leave at least one training pair of {len(pairs)}, got {max_length}")
    if train_pairs is not None and train_pairs > len(train):
        raise ValueError(f"train_pairs must be <= {len(train)}, the number of training pairs, got {train_pairs}")
    return Corpus(tuple(train[:train_pairs]), {"valid": tuple(valid), "test": tuple(test)}, ATTRIBUTION)


def _position(source: tuple[str, ...]) -> float:
    """A number from 0 to 1 that depends on the sentence alone."""
    digest = hashlib.sha256(split_key(source).encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56
