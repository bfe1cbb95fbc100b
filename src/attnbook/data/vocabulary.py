"""Vocabularies: the interface, and the vocabulary of whole words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import Any, Protocol

from attnbook._internal.validate import check_counts

SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")
PAD, BOS, EOS, UNK = range(len(SPECIALS))


class TokenizerLike(Protocol):
    """Interface of vocabularies: maps the tokens of a sentence to ids and back. Ids 0 to 3 are ``SPECIALS``."""

    def __len__(self) -> int:
        """Number of ids, including the special ones."""
        ...

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Ids of a sentence, without ``<bos>`` and ``<eos>``. Text is never encoded as PAD, BOS or EOS."""
        ...

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Tokens of a sentence up to ``<eos>``; ``<pad>`` and ``<bos>`` are dropped."""
        ...

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """One label per id, including special ids, for the axes of a heatmap."""
        ...

    def to_json(self) -> dict[str, Any]:
        """Plain data from which ``tokenizer_from_json`` rebuilds the vocabulary."""
        ...


@dataclass(frozen=True)
class Vocabulary:
    """One id per word.

    Special ids are not words: a word spelled ``<pad>`` in a corpus gets its own id.

    Args:
        words: all different; the first has the id 4.

    Raises:
        TypeError: ``words`` is not a sequence of strings.
        ValueError: a word occurs twice, or there is no word.

    Example:
        >>> words = Vocabulary.build([["the", "cat"], ["the", "dog"]])
        >>> ids = words.encode(["the", "bird"])
        >>> ids, words.decode(ids)
        ([4, 3], ['the', '<unk>'])
    """

    words: tuple[str, ...]
    _ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_tokens("words", self.words)
        if not self.words:
            raise ValueError("words must contain at least one word, got none")
        ids = {word: i for i, word in enumerate(self.words, start=len(SPECIALS))}
        if len(ids) < len(self.words):
            word, count = Counter(self.words).most_common(1)[0]
            raise ValueError(f"words must all be different, got {word!r} {count} times")
        object.__setattr__(self, "words", tuple(self.words))
        object.__setattr__(self, "_ids", ids)

    @classmethod
    def build(cls, sentences: Iterable[Sequence[str]], *, min_count: int = 1) -> Vocabulary:
        """Build the vocabulary of a corpus, most frequent words first, ties in alphabetical order.

        Args:
            sentences: each a sequence of tokens.
            min_count: rarer words become ``<unk>``.

        Raises:
            TypeError: a sentence is not a sequence of strings.
            ValueError: no word is frequent enough, or ``min_count`` is below 1.
        """
        check_counts(min_count=min_count)
        return cls(frequent_words(count_tokens(sentences), min_count))

    def __len__(self) -> int:
        return len(SPECIALS) + len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self._ids

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Encode tokens, one id per token; unknown words become UNK.

        Raises:
            TypeError: ``tokens`` is not a sequence of strings.
        """
        check_tokens("tokens", tokens)
        return [self._ids.get(token, UNK) for token in tokens]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Decode ids up to ``<eos>`` to words; UNK becomes ``<unk>``.

        Raises:
            ValueError: an id is outside the vocabulary.
            TypeError: an id is not an integer.
        """
        return self.pieces(sentence_ids(ids))

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """Return the word of each id, or the name of the special id.

        Raises:
            ValueError: an id is outside the vocabulary.
            TypeError: an id is not an integer.
        """
        labels = SPECIALS + self.words
        return [labels[i] for i in checked_ids(ids, len(self))]

    def to_json(self) -> dict[str, Any]:
        """``{"kind": "words", "words": [...]}``."""
        return {"kind": "words", "words": list(self.words)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Vocabulary:
        """Rebuild the vocabulary from the output of ``to_json``.

        Raises:
            ValueError: ``data`` is not such output.
        """
        check_kind(data, "words", ("words",))
        return cls(tuple(data["words"]))


def count_tokens(sentences: Iterable[Sequence[str]]) -> Counter[str]:
    """Count the occurrences of each token.

    Raises:
        TypeError: ``sentences`` is not a sequence of sequences of strings.
    """
    if isinstance(sentences, str):
        raise TypeError("sentences must be a sequence of token sequences, got a string")
    if not isinstance(sentences, Iterable):
        raise TypeError(f"sentences must be a sequence of token sequences, got {type(sentences).__name__}")
    counts: Counter[str] = Counter()
    for sentence in sentences:
        check_tokens("each sentence", sentence)
        counts.update(sentence)
    return counts


def frequent_words(counts: Mapping[str, int], min_count: int) -> tuple[str, ...]:
    """Return the words that occur at least ``min_count`` times, most frequent first, ties in alphabetical order.

    Raises:
        ValueError: no word is frequent enough.
    """
    if not counts:
        raise ValueError("sentences must contain at least one token, got none")
    words = [word for word, count in counts.items() if count >= min_count]
    if not words:
        raise ValueError(f"min_count must be smaller, got {min_count}: none of {len(counts):,} words occurs that often")
    return tuple(sorted(words, key=lambda word: (-counts[word], word)))


def check_tokens(name: str, tokens: Sequence[str]) -> None:
    """Raise a TypeError unless ``tokens`` is a sequence of strings and not a string."""
    if isinstance(tokens, str) or not isinstance(tokens, Sequence):
        raise TypeError(f"{name} must be a sequence of tokens, got {tokens!r}")
    for token in tokens:
        if not isinstance(token, str):
            raise TypeError(f"{name} must hold strings, got {token!r}")


def check_tokenizer(name: str, value: object) -> None:
    """Raise a TypeError unless a value has the ``encode`` of a vocabulary."""
    if isinstance(value, str) or not hasattr(value, "encode"):
        raise TypeError(f"{name} must be a Vocabulary or Subwords, got {type(value).__name__}")


def check_kind(data: Mapping[str, Any], kind: str, lists: Sequence[str]) -> None:
    """Raise a ValueError unless ``data`` is output of ``to_json`` for this kind of vocabulary."""
    if not isinstance(data, Mapping) or data.get("kind") != kind:
        found = data.get("kind") if isinstance(data, Mapping) else data
        raise ValueError(f"data['kind'] must be {kind!r}, got {found!r:.100}")
    for name in lists:
        items = data.get(name)
        strings = isinstance(items, list) and all(isinstance(item, str) for item in items)
        if not strings:
            raise ValueError(f"data[{name!r}] must be a list of strings, got {items!r:.100}")


def _as_integers(ids: Iterable[int]) -> Iterator[int]:
    """Yield ids as Python integers; they may be NumPy integers or tensors, but not floats."""
    if not isinstance(ids, Iterable):
        raise TypeError(f"ids must be a sequence of integers, got {type(ids).__name__}")
    for value in ids:
        try:
            yield index(value)
        except TypeError as error:
            raise TypeError(f"ids must be integers, got {value!r}") from error


def sentence_ids(ids: Iterable[int]) -> Iterator[int]:
    """Yield the ids up to EOS, without PAD and BOS."""
    for i in _as_integers(ids):
        if i == EOS:
            return
        if i not in (PAD, BOS):
            yield i


def checked_ids(ids: Iterable[int], size: int) -> Iterator[int]:
    """Yield the ids, and check them.

    Raises:
        ValueError: an id is negative or >= ``size``.
        TypeError: an id is not an integer.
    """
    for i in _as_integers(ids):
        if not 0 <= i < size:
            raise ValueError(f"ids must be between 0 and {size - 1}, the largest id of the vocabulary, got {i}")
        yield i
