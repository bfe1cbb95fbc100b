"""Tokenize sentences of any language, and join tokens to written text.

Case is kept. Words are split at spaces, and punctuation is split off, except that apostrophes, hyphens, full stops,
colons, slashes and a few other marks stay inside a word ("don't", "3.14", "www.example.org"). Scripts written without
spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan) are split into characters, with combining vowel signs and
tone marks attached to their consonant. French, Italian, Catalan and Occitan words are split after an apostrophe:
"l' homme".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache

from attnbook._internal.validate import check_range, check_type
from attnbook.data.vocabulary import check_tokens

ELIDING = ("fr", "it", "ca", "oc")
TERMINAL = ".!?…‽。！？｡؟۔।॥։።។။"  # ends a sentence in some script
CLOSING = ",;:%)]}”’»›、，；：）」』】》〉،؛" + TERMINAL
OPENING = "([{«‹„‚¿¡「『【《〈（"
NARROW_SPACE = "\u202f"
_SHORT = 32  # characters; longer chunks are not cached
_SPACELESS = (
    "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9d\U00020000-\U000323af"
)
_STANDS_CLOSE = re.compile(f"[{_SPACELESS}\u3000-\u303f\uff01-\uff0f\uff1a-\uff20]")


def check_languages(languages: str) -> tuple[str, str]:
    """Split a pair of language codes such as "en-de", "pt_BR-ja" or "yue-en".

    Raises:
        ValueError: ``languages`` is not such a pair.
        TypeError: ``languages`` is not a string.
    """
    check_type("languages", languages, isinstance(languages, str), "a string")
    code = "[a-z]{2,3}(?:_[A-Za-z]{2,8})?"
    pair = "two language codes, such as en-de"
    check_range("languages", languages, re.fullmatch(f"{code}-{code}", languages) is not None, pair)
    source, target = languages.split("-")
    return source, target


def tokenize(text: str, language: str) -> tuple[str, ...]:
    """Split a sentence into tokens without spaces.

    Args:
        text: a sentence.
        language: language code, such as "en".

    Raises:
        TypeError: an argument is not a string.
    """
    check_type("text", text, isinstance(text, str), "a string")
    check_type("language", language, isinstance(language, str), "a language code")
    elides = _base(language) in ELIDING
    tokens: list[str] = []
    for chunk in unicodedata.normalize("NFC", text).split():
        tokens.extend(_cut(chunk, elides) if len(chunk) <= _SHORT else _cut.__wrapped__(chunk, elides))
    return tuple(tokens)


def join(tokens: Sequence[str], language: str) -> str:
    """Join tokens to written text. Empty tokens are ignored.

    There is no space before closing and after opening punctuation, next to a character of a script without spaces, or
    after an elision. French has a narrow no-break space inside « » and before ; : ! ?

    Raises:
        TypeError: ``tokens`` is not a sequence of strings, or ``language`` is not a string.
    """
    check_tokens("tokens", tokens)
    check_type("language", language, isinstance(language, str), "a language code")
    french = _base(language) == "fr"
    text, open_quote, glued = "", False, True
    for token in filter(None, tokens):
        closes, opens = token[0] in CLOSING, token[-1] in OPENING
        if token == '"':  # opens and closes
            closes, opens = open_quote, not open_quote
            open_quote = opens
        elif token == "“":  # closes in German, where „ opens
            closes, opens = "„" in text, "„" not in text
        close = not text or glued or closes or bool(_STANDS_CLOSE.match(token) or _STANDS_CLOSE.match(text[-1]))
        if french and ((token[0] in ";:!?»" and text) or text[-1:] == "«"):
            text += NARROW_SPACE + token
        else:
            text += token if close else f" {token}"
        glued = opens or (_base(language) in ELIDING and len(token) > 1 and token[-1] in "'’")
    return text


def is_punctuated(tokens: Sequence[str]) -> bool:
    """Whether a sentence ends with a full stop or similar, possibly followed by a closing quote."""
    closers = [token for token in tokens[-3:] if token[-1:] not in '"”’»)」』']
    return bool(closers) and closers[-1][-1] in TERMINAL


def _base(language: str) -> str:
    return language.split("_")[0]


@lru_cache(maxsize=1 << 17)
def _cut(chunk: str, elides: bool) -> tuple[str, ...]:
    """The tokens of a chunk without spaces; cached, because most chunks repeat."""
    return tuple(match[0] for match in _pattern(elides).finditer(chunk))


@cache
def _pattern(elides: bool) -> re.Pattern[str]:
    """Pattern of a token: a character of a script without spaces, a word, or a run of one other character."""
    every = map(chr, range(0x300, 0x20000))
    marks = "".join(c for c in every if unicodedata.category(c)[0] == "M") + "\u200c\u200d"
    word = rf"[^\W{_SPACELESS}]+(?:[{marks}]+[^\W{_SPACELESS}]*)*"
    inner = r"[.·@/&+:‐‑-]" if elides else r"[.·@/&+:'’‐‑-]"
    words = rf"{word}(?:(?:{inner}|(?<=\d),(?=\d)){word})*" + ("['’]?" if elides else "")
    return re.compile(rf"[{_SPACELESS}][{marks}]*|{words}|(\S)\1*")
