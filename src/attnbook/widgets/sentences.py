"""Create probe sentences from a batch: the token of every row and column, and the gold links between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from attnbook.data import Batch, Pair, TokenizerLike
from attnbook.widgets.layout import Links, Sentence

WORD_START = "▁"


def check_batch(probe: Batch, *, tokens: Any, pictures: Any, measures: Sequence[str]) -> None:
    """Check that a batch has sentences, and that the other options apply to a batch.

    Raises:
        ValueError: there is no sentence, or a measure is not "rollout".
        TypeError: tokens or pictures are given; a batch has tokens of its own.
    """
    if tokens is not None or pictures is not None:
        raise TypeError("tokens and pictures must not be given for a probe that is a Batch")
    if any(measure != "rollout" for measure in measures):
        raise ValueError(f"measures must be [] or ['rollout'] for a probe that is a Batch, got {measures!r}")
    if not probe.pairs:
        raise ValueError("probe must have at least one sentence, got none")


def probe_sentences(
    probe: Batch, source_vocabulary: TokenizerLike | None = None, target_vocabulary: TokenizerLike | None = None
) -> tuple[Sentence, ...]:
    """Label the rows and columns of a translation model's attention.

    Rows of cross-attention are labeled with the token they produce (``target_out``), rows and columns of decoder
    self-attention with the token that is read (``target_in``).

    Args:
        probe: the batch.
        source_vocabulary: names the source ids of a sentence that does not have one id per token.
        target_vocabulary: names the target ids in the same way.

    Returns:
        one sentence for each row of the batch, with the axes ``source``, ``target_in`` and ``target_out``.

    Raises:
        ValueError: a sentence has more or fewer ids than tokens, and no vocabulary names them.
    """
    sentences = []
    for row, pair in enumerate(probe.pairs):
        source = _labels("source", pair.source, probe.source[row], probe.source_mask[row], source_vocabulary)
        out_mask = probe.target_mask[row].clone()
        out_mask[out_mask.sum() - 1] = False  # without <eos>
        target = _labels("target", pair.target, probe.target_out[row], out_mask, target_vocabulary)
        sentences.append(
            Sentence(
                label=" ".join(pair.source),
                axes={"source": source, "target_in": ("<bos>", *target), "target_out": (*target, "<eos>")},
                gold=_links(pair, source, target),
            )
        )
    return tuple(sentences)


def _labels(
    side: str, tokens: Sequence[str], ids: Tensor, mask: Tensor, vocabulary: TokenizerLike | None
) -> tuple[str, ...]:
    real = ids[mask].tolist()
    if len(real) == len(tokens):
        return tuple(tokens)
    if vocabulary is None:
        raise ValueError(
            f"probe must have one {side} id per token of {' '.join(tokens)!r}, {len(tokens)}, got {len(real)}; "
            f"otherwise {side}_vocabulary is needed to name them"
        )
    return tuple(vocabulary.pieces(real))


def _links(pair: Pair, source: Sequence[str], target: Sequence[str]) -> Links | None:
    """Gold links between labels; every piece of a word gets the links of the word."""
    if pair.alignment is None:
        return None
    words = [_word_of_label(pair.source, source), _word_of_label(pair.target, target)]
    return frozenset(
        (i, j)
        for i, source_word in enumerate(words[0])
        for j, target_word in enumerate(words[1])
        if (source_word, target_word) in pair.alignment
    )


def _word_of_label(tokens: Sequence[str], labels: Sequence[str]) -> list[int]:
    if len(labels) == len(tokens):
        return list(range(len(tokens)))
    starts = 0
    words = []
    for label in labels:
        starts += label.startswith(WORD_START)
        words.append(starts - 1)
    return words
