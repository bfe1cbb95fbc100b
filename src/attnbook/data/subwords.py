"""Subword vocabularies: byte-pair encoding by the tokenizers library."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from attnbook._internal.optional import needs
from attnbook._internal.validate import check_range, check_type, is_integer
from attnbook.data.vocabulary import (
    SPECIALS,
    UNK,
    Vocabulary,
    check_kind,
    check_tokens,
    checked_ids,
    count_tokens,
    sentence_ids,
)

LONGEST = 1000  # characters; longer tokens are split for learning

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True)
class Subwords:
    """Byte-pair encoding (Sennrich et al. 2016, https://arxiv.org/abs/1508.07909), by the tokenizers library.

    Subwords consist of bytes, so no character becomes ``<unk>``. A subword never crosses a token boundary;
    the first subword of a token begins with a space, which its label shows as ``▁``.

    Args:
        symbols: the subwords, spelled with the library's character for each byte; the first has the id 4.
        merges: pairs of symbols, in the order in which they are merged.

    Raises:
        ValueError: a symbol occurs twice, a byte is missing, or a merge does not consist of symbols.
        TypeError: ``symbols`` are not strings, or ``merges`` is not a sequence.

    Example:
        >>> pieces = Subwords.build([["lower"], ["lowest"], ["low"]], size=270)
        >>> pieces.decode(pieces.encode(["lowest", "lower"]))
        ['lowest', 'lower']
    """

    symbols: tuple[str, ...]
    merges: tuple[tuple[str, str], ...]
    _tokenizer: Tokenizer = field(init=False, repr=False, compare=False)
    _bytes: tuple[bytes, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_tokens("symbols", self.symbols)
        check_type("merges", self.merges, isinstance(self.merges, Sequence), "a sequence of pairs")
        ids = {symbol: i for i, symbol in enumerate(self.symbols)}
        if len(ids) < len(self.symbols):
            raise ValueError(f"symbols must all be different, got {len(self.symbols) - len(ids)} repeated")
        byte_of = _byte_of_character()
        if not byte_of.keys() <= ids.keys():
            raise ValueError(f"symbols must contain all 256 bytes, got {len(byte_of.keys() & ids.keys())}")
        for merge in self.merges:
            if (
                len(merge) != 2
                or not all(isinstance(s, str) for s in merge)
                or not {*merge, "".join(merge)} <= ids.keys()
            ):
                raise ValueError(f"merges must hold pairs of symbols that join to a third symbol, got {merge!r}")
        for symbol in self.symbols:
            if not symbol or not set(symbol) <= byte_of.keys():
                raise ValueError(f"symbols must consist of byte characters, got {symbol!r}")
        object.__setattr__(self, "symbols", tuple(self.symbols))
        object.__setattr__(self, "merges", tuple(tuple(merge) for merge in self.merges))
        tokenizer = _tokenizer(vocab=ids, merges=list(self.merges))
        object.__setattr__(self, "_tokenizer", tokenizer)
        object.__setattr__(self, "_bytes", tuple(bytes(byte_of[c] for c in s) for s in self.symbols))

    @classmethod
    def build(cls, sentences: Iterable[Sequence[str]], *, size: int) -> Subwords:
        """Learn the subwords of a corpus. The result depends only on the sentences and the size.

        Args:
            sentences: each a sequence of tokens without spaces.
            size: number of ids, including 4 special ids and 256 bytes; a small corpus may give fewer.

        Raises:
            TypeError: a sentence is not a sequence of strings.
            ValueError: the corpus is empty, a token has a space or is not valid Unicode, or ``size`` is below 260.
        """
        least = len(SPECIALS) + 256
        fits = is_integer(size) and size >= least
        check_range("size", size, fits, f"an integer >= {least} (4 special ids and 256 bytes)")
        counts = count_tokens(sentences)
        if not counts:
            raise ValueError("sentences must contain at least one token, got none")
        _check_encodable(counts)
        tokenizer = _tokenizer()
        from tokenizers import pre_tokenizers, trainers

        # A corpus has at most as many subwords as bytes; the library allocates memory for vocab_size.
        most = least + sum(1 + len(token.encode()) for token in counts)
        trainer = trainers.BpeTrainer(
            vocab_size=min(size, most) - len(SPECIALS),
            show_progress=False,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        )
        tokenizer.train_from_iterator(_cut(counts.elements()), trainer)
        model = json.loads(tokenizer.to_str())["model"]
        symbols = sorted(model["vocab"], key=model["vocab"].__getitem__)
        # Before version 0.20 a merge was one string.
        merges = [m.split(" ") if isinstance(m, str) else m for m in model["merges"]]
        return cls(tuple(symbols), tuple((left, right) for left, right in merges))

    def __len__(self) -> int:
        return len(SPECIALS) + len(self.symbols)

    def encode(self, tokens: Sequence[str]) -> list[int]:
        """Encode tokens, with one or more ids per token.

        Raises:
            TypeError: ``tokens`` is not a sequence of strings.
            ValueError: a token is empty, has a space or is not valid Unicode.
        """
        check_tokens("tokens", tokens)
        _check_encodable(tokens)
        encoding = self._tokenizer.encode(list(tokens), is_pretokenized=True)
        return [i + len(SPECIALS) for i in encoding.ids]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Decode ids up to ``<eos>`` to tokens. Invalid UTF-8, which a model may produce, becomes U+FFFD.

        Raises:
            ValueError: an id is outside the vocabulary.
            TypeError: an id is not an integer.
        """
        spelled = b"".join(
            b" <unk> " if i == UNK else self._bytes[i - len(SPECIALS)]
            for i in checked_ids(sentence_ids(ids), len(self))
        )
        return [token for token in spelled.decode("utf-8", errors="replace").split(" ") if token]

    def pieces(self, ids: Iterable[int]) -> list[str]:
        """Return a label for each id: ``▁`` is the space before a token, ``⟨e7⟩`` a byte that is not a character.

        Raises:
            ValueError: an id is outside the vocabulary.
            TypeError: an id is not an integer.
        """
        return [
            SPECIALS[i] if i < len(SPECIALS) else _label(self._bytes[i - len(SPECIALS)])
            for i in checked_ids(ids, len(self))
        ]

    def to_json(self) -> dict[str, Any]:
        """``{"kind": "subwords", "symbols": [...], "merges": [[left, right], ...]}``."""
        return {"kind": "subwords", "symbols": list(self.symbols), "merges": [list(m) for m in self.merges]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Subwords:
        """Rebuild the vocabulary from the output of ``to_json``.

        Raises:
            ValueError: ``data`` is not such output.
        """
        check_kind(data, "subwords", ("symbols",))
        merges = data.get("merges")
        if not isinstance(merges, list) or not all(isinstance(merge, list) for merge in merges):
            raise ValueError(f"data['merges'] must be a list of pairs, got {merges!r:.100}")
        return cls(tuple(data["symbols"]), tuple(tuple(merge) for merge in merges))


def tokenizer_from_json(data: Mapping[str, Any]) -> Vocabulary | Subwords:
    """Rebuild a vocabulary of either kind from the output of ``to_json``.

    Raises:
        ValueError: ``data`` is not such output.
    """
    kind = data.get("kind") if isinstance(data, Mapping) else None
    if kind == "subwords":
        return Subwords.from_json(data)
    return Vocabulary.from_json(data)


def _cut(tokens: Iterable[str]) -> Iterator[str]:
    """Split long tokens: learning time grows with the square of a token's length."""
    for token in tokens:
        for start in range(0, len(token), LONGEST):
            yield token[start : start + LONGEST]


def _tokenizer(**options: Any) -> Tokenizer:
    with needs("data"):
        from tokenizers import Tokenizer, models, pre_tokenizers
    tokenizer = Tokenizer(models.BPE(**options))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True, use_regex=False)
    return tokenizer


def _byte_of_character() -> dict[str, int]:
    """Map the library's character for each byte to the byte: printable bytes as themselves, others from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}


def _label(spelled: bytes) -> str:
    text = spelled.decode("utf-8", errors="surrogateescape")
    shown = (f"⟨{ord(c) - 0xDC00:02x}⟩" if 0xDC80 <= ord(c) <= 0xDCFF else c for c in text)
    return "".join(shown).replace(" ", "▁")


def _check_encodable(tokens: Iterable[str]) -> None:
    for token in tokens:
        if not token or " " in token:
            raise ValueError(f"tokens must be non-empty and contain no space, got {token!r}")
        try:
            token.encode("utf-8")
        except UnicodeEncodeError as error:  # a lone surrogate
            raise ValueError(f"tokens must be valid Unicode, got {token!r}") from error
