"""The Tatoeba corpus: English sentences with French or Chinese translations.

The contributors of tatoeba.org publish the text under CC BY 2.0 FR; manythings.org/anki packages it.
"""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass

from attnbook._internal.validate import check_sizes, check_type
from attnbook.data.corpus import Corpus, Example, split_key
from attnbook.data.languages import Language, Target
from attnbook.data.pairs import Pair
from attnbook.data.tatoeba_file import EDITIONS, read_text, rows

ATTRIBUTION = (
    "Sentences by the contributors of tatoeba.org, CC BY 2.0 FR (https://creativecommons.org/licenses/by/2.0/fr/), "
    "sentence pairs packaged by www.manythings.org/anki"
)
HELD_OUT = 0.02  # proportion of source sentences in "valid" and in "test"

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_PUNCTUATION = re.compile("([,.!?])")
_SPACES = re.compile("[ \t\r\n\u00a0\u202f]+")
_LATIN = r"[\da-zß-öø-ɏ]"
_CHINESE = re.compile(rf"\d+(?:[.,:]\d+)+|{_LATIN}+(?:['’-]{_LATIN}+)*|\S")


@dataclass(frozen=True)
class TatoebaPair(Pair):
    """A sentence pair with its authors.

    Args:
        attribution: that of the line if the file has one per line, otherwise ``ATTRIBUTION``.
    """

    attribution: str = ATTRIBUTION


def tokenize(text: str, language: Language) -> tuple[str, ...]:
    """Split a sentence into lower-case tokens.

    English and French are tokenized exactly as in D2L: at spaces, no-break spaces and narrow no-break spaces, and
    before ``,`` ``.`` ``!`` ``?``. Chinese is split into characters, except for numbers and words in Latin letters;
    spaces and invisible characters are dropped.

    Raises:
        ValueError: ``language`` is not "english", "french" or "chinese".
        TypeError: ``text`` is not a string.
    """
    if language not in ("english", "french", "chinese"):
        raise ValueError(f"language must be 'english', 'french' or 'chinese', got {language!r}")
    check_type("text", text, isinstance(text, str), "a string")
    text = text.lower()
    if language == "chinese":
        return tuple(_CHINESE.findall(_INVISIBLE.sub("", text)))
    return tuple(token for token in _SPACES.split(_PUNCTUATION.sub(r" \1", text)) if token)


def read(
    language: Target = "french",
    *,
    path: str | os.PathLike[str] | None = None,
    sha256: str | None = None,
    count: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> list[TatoebaPair]:
    """Read all pairs in the order of the file, shortest English sentences first.

    ``read("french", count=600)`` returns the first 600 rows, D2L's training set. (The loop in d2l 1.0.3's
    ``load_data_nmt(num_examples=600)`` stops one row late, at 601.)

    The file is ``path``, or is found in the folder ATTNBOOK_DATA (an environment variable), or is downloaded once and
    cached. The French file and a local Chinese file are checked against the sha256 of their text. The publisher
    sometimes replaces the Chinese file, so for a downloaded one only the format is checked, and a warning names its
    sha256.

    Args:
        language: "french" or "chinese"; the source is English.
        path: fra-eng.zip or cmn-eng.txt, or the folder that contains it. A name ending in .zip is read as a zip file,
            any other as text.
        sha256: sha256 of the text, to use another edition.
        count: number of rows; None reads all.
        cache: folder of downloaded files; None means the user's cache folder.
        progress: whether to draw a progress bar while downloading.

    Raises:
        ValueError: the file is malformed (the message names file and line), or an argument is out of range.
        TypeError: ``path`` or ``sha256`` has a wrong type.
        FileNotFoundError: ``path`` does not exist.
        OSError: every mirror failed; the message lists them.
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
    language: Target = "french",
    *,
    path: str | os.PathLike[str] | None = None,
    sha256: str | None = None,
    max_length: int | None = None,
    train_pairs: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    progress: bool = False,
) -> Corpus:
    """Load the corpus, split by source sentence.

    The sha256 of ``split_key``, which ignores case and punctuation, assigns 2 % of the sentences to "valid" and 2 % to
    "test", independently of all other arguments, the language and the machine. Sentences are sorted by the same hash,
    so the first ones of a split are a fair sample. Pairs that are equal after tokenization are kept once.

    Args:
        language, path, sha256, cache, progress: see ``read``.
        max_length: drop pairs whose source or target has more tokens, in all three splits.
        train_pairs: number of training pairs; None takes all. A smaller set is a subset of a larger one.

    Raises:
        ValueError: as in ``read``, or fewer than ``train_pairs`` training pairs are left, or none.
        FileNotFoundError, OSError: as in ``read``.
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
    """A number between 0 and 1 that depends only on the sentence."""
    digest = hashlib.sha256(split_key(source).encode()).digest()
    return int.from_bytes(digest[:7], "big") / 2**56
