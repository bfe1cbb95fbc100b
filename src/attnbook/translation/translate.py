"""Translate sentences: tokens in, tokens out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from torch import Tensor

from attnbook._internal.validate import check_counts, check_range
from attnbook.data import TokenizerLike, pad
from attnbook.data.vocabulary import check_tokens
from attnbook.models.base import EncoderDecoder, check_vocabularies
from attnbook.translation.search import beam_search, check_length_penalty, cross_attention, greedy, written


@dataclass(frozen=True)
class Translation:
    """A sentence and its translation.

    Args:
        source: tokens.
        target: tokens.
        score: log-probability of the target in nats, including ``<eos>`` if present.
        finished: True if it ended with ``<eos>``, False if it was cut at ``max_length``.
        source_pieces: labels of the source ids.
        target_pieces: labels of the target ids, including ``<eos>`` if present.
        attention: weights ``(num_heads, target_pieces, source_pieces)`` by cross-attention module; empty unless
            requested.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> model = Seq2Seq(len(letters), len(letters), num_hiddens=16)
        >>> (found,) = translate(model, [("a", "b")], letters, letters, max_length=5)
        >>> found.source, len(found.target) <= 5
        (('a', 'b'), True)
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    score: float
    finished: bool
    source_pieces: tuple[str, ...]
    target_pieces: tuple[str, ...]
    attention: dict[str, Tensor] = field(default_factory=dict, repr=False, compare=False)


def translate(
    model: EncoderDecoder,
    sentences: Sequence[Sequence[str]],
    source_vocabulary: TokenizerLike,
    target_vocabulary: TokenizerLike,
    *,
    beam_size: int = 1,
    length_penalty: float = 0.6,
    max_length: int = 100,
    batch_size: int = 64,
    attention: bool = False,
) -> list[Translation]:
    """Translate sentences in batches of similar length.

    Args:
        model: used in eval mode on its own device; its mode is restored.
        sentences: the tokens of each sentence.
        source_vocabulary: the source vocabulary.
        target_vocabulary: the target vocabulary.
        beam_size: 1 uses ``greedy``, more uses ``beam_search``.
        length_penalty: see ``beam_search``.
        max_length: largest number of ids in a translation, including ``<eos>``; limited by the model's ``max_length``.
        batch_size: sentences per batch.
        attention: whether to return cross-attention weights.

    Returns:
        the translations, in the order of ``sentences``.

    Raises:
        ValueError: a sentence is empty or too long for the model, an option is not a number in its range, or a
            vocabulary does not match the model.
        TypeError: a sentence is not a sequence of strings, or the model or a vocabulary has a wrong type.
        FloatingPointError: the model returns NaN.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> model = Transformer(len(letters), len(letters), d_model=16, num_heads=4, num_layers=1)
        >>> (found,) = translate(model, [tuple("abc")], letters, letters, max_length=5, attention=True)
        >>> found.attention["decoder.0.cross_attention"].shape[0]  # heads
        4
    """
    check_counts(beam_size=beam_size, max_length=max_length, batch_size=batch_size)
    check_length_penalty(length_penalty)
    check_vocabularies(model, source_vocabulary, target_vocabulary)
    sentences = _listed(sentences)
    sources = _encoded(sentences, source_vocabulary, model.max_length or math.inf)
    search = greedy if beam_size == 1 else partial(beam_search, beam_size=beam_size, length_penalty=length_penalty)
    device = next(model.parameters()).device
    order = sorted(range(len(sources)), key=lambda i: len(sources[i]))
    found: dict[int, Translation] = {}
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        source, mask = (tensor.to(device) for tensor in pad([sources[i] for i in rows]))
        hypotheses = search(model, source, mask, max_length=max_length)
        weights = cross_attention(model, source, mask, hypotheses) if attention else [{} for _ in rows]
        for i, hypothesis, seen in zip(rows, hypotheses, weights, strict=True):
            found[i] = Translation(
                source=tuple(sentences[i]),
                target=tuple(target_vocabulary.decode(hypothesis.ids)),
                score=hypothesis.score,
                finished=hypothesis.finished,
                source_pieces=tuple(source_vocabulary.pieces(sources[i])),
                target_pieces=tuple(target_vocabulary.pieces(written(hypothesis))),
                attention=seen,
            )
    return [found[i] for i in range(len(sources))]


def _listed(sentences: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    if isinstance(sentences, str):
        raise TypeError("sentences must be a sequence of token sequences, got a string")
    if not isinstance(sentences, Iterable):
        raise TypeError(f"sentences must be a sequence of token sequences, got {type(sentences).__name__}")
    return list(sentences)


def _encoded(sentences: list[Sequence[str]], vocabulary: TokenizerLike, longest: float) -> list[list[int]]:
    """Encode sentences, and check that each has between 1 and ``longest`` ids."""
    for i, sentence in enumerate(sentences):
        check_tokens(f"sentences[{i}]", sentence)
    sources = [vocabulary.encode(sentence) for sentence in sentences]
    for i, ids in enumerate(sources):
        check_range(f"sentences[{i}]", sentences[i], len(ids) > 0, "non-empty")
        check_range(f"sentences[{i}]", len(ids), len(ids) <= longest, f"at most {longest} ids long")
    return sources
