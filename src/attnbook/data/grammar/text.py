"""Tokenize written text, and join tokens to text: ``tokenize(join(tokens, language), language) == tokens``.

Tokens are lower case, and the last one is "." or "?" ("。" or "？" in Chinese).

English: a clitic is a separate token: "i 'm", "does n't", "tom 's". French: an elided word is a token with its
apostrophe: "l' eau", "qu' il"; "aujourd'hui" and words with a hyphen are one token. Chinese: tokens are words of the
lexicon; an unknown character is a token.

``join`` capitalizes the first word and names, and writes no space before "." and "," or around an apostrophe. French
has a narrow no-break space before "?", Chinese has no spaces.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from attnbook._internal.validate import check_type
from attnbook.data.grammar import lexicon, words
from attnbook.data.languages import Language
from attnbook.data.vocabulary import check_tokens

NARROW_SPACE = "\u202f"
_ENGLISH = re.compile(r"o'clock|n't|'\w+|\w+(?=n't)|[\w-]+|[^\w\s]")
_FRENCH = re.compile(r"aujourd'hui|\w+'|[\w-]+|[^\w\s]")
_DAYS = ("monday", "friday", "saturday", "sunday")
_FUNCTION_WORDS = """
他 她 它 们 的 了 过 着 在 把 给 跟 是 不 没 没有 有 很 会 要 打算 请 别 吗 什么 谁 哪里 时候 为什么 因为 但是 从来
， 。 ？ 一 两 三 四 五 六 七 八 九 十 这 那 这些 那些 一些 很多
"""


def tokenize(text: str, language: Language) -> tuple[str, ...]:
    """Split ``text`` into lower-case tokens.

    Raises:
        ValueError: ``language`` is not "english", "french" or "chinese".
        TypeError: ``text`` is not a string.
    """
    _check_language(language)
    check_type("text", text, isinstance(text, str), "a string")
    text = text.lower().replace("’", "'")
    if language == "chinese":
        return tuple(_segment(text))
    return tuple((_ENGLISH if language == "english" else _FRENCH).findall(text))


def join(tokens: Sequence[str], language: Language) -> str:
    """Join tokens to properly written text.

    Raises:
        ValueError: ``language`` is not "english", "french" or "chinese".
        TypeError: ``tokens`` is not a sequence of strings.
    """
    _check_language(language)
    check_tokens("tokens", tokens)
    if language == "chinese":
        return "".join(tokens)
    text = " ".join(_capital(token) if token in capitals(language) else token for token in tokens)
    if language == "english":
        text = re.sub(r" (n't|'\w+|[.,?])", r"\1", text)
    else:
        text = re.sub(r" ([.,])", r"\1", text.replace("' ", "'")).replace(" ?", NARROW_SPACE + "?")
    return text[:1].upper() + text[1:]


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


@cache
def capitals(language: Language) -> frozenset[str]:
    """The words of "english" or "french" that are always capitalized."""
    named = [noun for noun in lexicon.NOUNS if noun.tags & {"name", "country"}]
    if language == "french":
        return frozenset(noun.french for noun in named)
    languages = [noun.singular for noun in lexicon.NOUNS if "language" in noun.tags]
    return frozenset([*(noun.singular for noun in named), *languages, *_DAYS, "i"])


@cache
def _chinese_words() -> frozenset[str]:
    found = set(_FUNCTION_WORDS.split())
    for noun in lexicon.NOUNS:
        found |= {noun.chinese, noun.measure, noun.at.chinese if noun.at else ""}
    for verb in lexicon.VERBS.values():
        found |= {*verb.chinese.split(), verb.coverb, "不".join(verb.chinese)}
    for adjective in lexicon.ADJECTIVES:
        found.update(adjective.attribute.split(), adjective.predicate.split())
    for pronoun in (*words.PERSONS, words.THEY_FEMININE, words.IT, words.THINGS, words.SKY):
        found.add(pronoun.chinese)
    for preposition in (words.IN, words.ON, words.UNDER, words.BEHIND, words.IN_FRONT_OF, words.NEXT_TO, words.NEAR):
        found.add(preposition.chinese)
    fixed = (
        *words.TIMES,
        *words.CLOCK,
        *words.AGES,
        words.OFTEN,
        words.ALWAYS,
        words.SOMETIMES,
        words.ALREADY,
        words.VERY,
    )
    for phrase in fixed:
        found.update(form for form, _ in phrase.chinese)
    return frozenset(found - {""})


def _segment(text: str) -> list[str]:
    """Segment Chinese text: fewest unknown characters, then fewest words, then longest first word."""
    vocabulary = _chinese_words()
    longest = max(map(len, vocabulary))
    tokens: list[str] = []
    for run in text.split():
        best: list[tuple[int, int, tuple[str, ...]]] = [(0, 0, ())]  # the best cut of the rest, from the end backwards
        for start in reversed(range(len(run))):
            candidates = [run[start:end] for end in range(min(len(run), start + longest), start, -1)]
            cuts = [
                (unknown + (word not in vocabulary), count + 1, (word, *rest))
                for word in candidates
                if word in vocabulary or len(word) == 1
                for unknown, count, rest in [best[len(run) - start - len(word)]]
            ]
            best.append(min(cuts, key=lambda cut: cut[:2]))
        tokens.extend(best[-1][2])
    return tokens


def _check_language(language: Language) -> None:
    if language not in ("english", "french", "chinese"):
        raise ValueError(f"language must be 'english', 'french' or 'chinese', got {language!r}")
