"""Word alignment from attention weights, compared with gold alignments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from numbers import Integral

import torch
from torch import Tensor

from attnbook._internal.validate import check_counts, check_tensors
from attnbook.data import Pair, TokenizerLike, collate
from attnbook.data.batching import check_pairs
from attnbook.models.base import EncoderDecoder, check_vocabularies
from attnbook.translation.search import Hypothesis, cross_attention

Links = Iterable[tuple[int, int]]


def links_from_weights(weights: Tensor) -> frozenset[tuple[int, int]]:
    """Link each target token to the source token with the largest weight, averaged over heads.

    A target token whose weights are all zero gets no link.

    Args:
        weights: ``(target_len, source_len)`` or ``(num_heads, target_len, source_len)``; without the row
            of ``<eos>`` and columns that are not source words.

    Returns:
        links ``(source index, target index)``, as in ``Pair``.

    Raises:
        ValueError: ``weights`` has another rank, no source token or no head, or contains NaN.
        TypeError: ``weights`` is not a dense tensor of real numbers.

    Example:
        >>> sorted(links_from_weights(torch.tensor([[0.9, 0.1], [0.2, 0.8]])))  # (source, target)
        [(0, 0), (1, 1)]
    """
    check_tensors(weights=weights)
    if weights.dim() not in (2, 3) or weights.shape[-1] == 0 or (weights.dim() == 3 and weights.shape[0] == 0):
        raise ValueError(
            "weights must have shape ([num_heads,] target_len, source_len) with num_heads, source_len >= 1, got "
            f"{tuple(weights.shape)}"
        )
    if weights.is_complex():
        raise TypeError(f"weights must be real, got {weights.dtype}")
    exact = weights.to(torch.promote_types(weights.dtype, torch.float32))
    mean = exact if exact.dim() == 2 else exact.mean(0)
    if mean.isnan().any():
        raise ValueError("weights must be numbers, got NaN")
    largest = mean.max(-1)
    return frozenset(
        (source, target)
        for target, (source, weight) in enumerate(zip(largest.indices.tolist(), largest.values.tolist(), strict=True))
        if weight > 0
    )


def alignment_error_rate(found: Sequence[Links], gold: Sequence[Links]) -> float:
    r"""Alignment error rate of a corpus (Och and Ney 2003, eq. 20), with every gold link counted as sure.

    .. math:: 1 - \frac{2 |A \cap S|}{|A| + |S|}

    Args:
        found: the links :math:`A` of each sentence, see ``links_from_weights``.
        gold: the links :math:`S` of each sentence.

    Returns:
        between 0 (exactly the gold links were found) and 1.

    Raises:
        ValueError: the numbers of sentences differ, or there is no link.
        TypeError: a link is not a pair of indices, or ``found`` or ``gold`` is not a sequence.

    Example:
        >>> alignment_error_rate([{(0, 0), (1, 1)}], gold=[{(0, 0), (1, 0)}])
        0.5
    """
    for name, sentences in (("found", found), ("gold", gold)):
        if not isinstance(sentences, Sized):
            raise TypeError(
                f"{name} must be a sequence with the links of each sentence, got {type(sentences).__name__}"
            )
    if len(found) != len(gold):
        raise ValueError(f"found must have as many sentences as gold, {len(gold)}, got {len(found)}")
    hits = size = 0
    for a, s in zip(_links("found", found), _links("gold", gold), strict=True):
        hits += len(a & s)
        size += len(a) + len(s)
    if size == 0:
        raise ValueError("found and gold must contain at least one link, got none")
    return 1 - 2 * hits / size


def alignment_error_rates(
    model: EncoderDecoder,
    pairs: Sequence[Pair],
    source_vocabulary: TokenizerLike,
    target_vocabulary: TokenizerLike,
    *,
    batch_size: int = 64,
    heads: bool = False,
) -> dict[str, float]:
    """Compute the alignment error rate of each cross-attention module.

    The model is teacher-forced with each pair's target. ``links_from_weights`` links every target word by the weights
    of the step that predicts it; the step of ``<eos>`` is ignored.

    Args:
        model: used in eval mode on its own device; its mode is restored.
        pairs: pairs with gold alignment.
        source_vocabulary: a vocabulary with one id per source token.
        target_vocabulary: a vocabulary with one id per target token.
        batch_size: pairs per batch.
        heads: whether to score each head of a multi-head module too, as ``module[head]``.

    Returns:
        the ``alignment_error_rate`` by module name; empty for a model without cross-attention.

    Raises:
        ValueError: there is no pair, a pair has no alignment, a vocabulary splits tokens or does not match the
            model, or ``batch_size`` is below 1.
        TypeError: an item is not a ``Pair``.
    """
    check_pairs(pairs)
    check_vocabularies(model, source_vocabulary, target_vocabulary)
    check_counts(batch_size=batch_size)
    for pair in pairs:
        if pair.alignment is None:
            raise ValueError(f"pairs must all have an alignment, got {' '.join(pair.source)!r} without one")
    device = next(model.parameters()).device
    found: dict[str, list[Links]] = {}
    gold: list[Links] = []
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i].source))
    for start in range(0, len(order), batch_size):
        rows = [pairs[i] for i in order[start : start + batch_size]]
        batch = collate(rows, source_vocabulary, target_vocabulary)
        for pair, length, ids in zip(
            rows, batch.source_mask.sum(1).tolist(), batch.target_mask.sum(1).tolist(), strict=True
        ):
            if (length, ids) != (len(pair.source), len(pair.target) + 1):
                raise ValueError(
                    f"pairs must have one id per token, got {length} source and {ids - 1} target ids for the "
                    f"{len(pair.source)} and {len(pair.target)} tokens of {' '.join(pair.source)!r}"
                )
            gold.append(pair.alignment or ())
        forced = [Hypothesis(tuple(target_vocabulary.encode(pair.target)), 0.0, True) for pair in rows]
        seen = cross_attention(model, batch.source.to(device), batch.source_mask.to(device), forced)
        for weights in seen:
            for name, module_weights in weights.items():
                words = module_weights[:, :-1]  # without <eos>: (num_heads, target_len, source_len)
                found.setdefault(name, []).append(links_from_weights(words))
                for head in range(len(words) if heads and len(words) > 1 else 0):
                    found.setdefault(f"{name}[{head}]", []).append(links_from_weights(words[head]))
    return {name: alignment_error_rate(links, gold) for name, links in found.items()}


def _links(name: str, sentences: Sequence[Links]) -> Iterator[frozenset[tuple[int, int]]]:
    """Yield the links of each sentence as a set; links may be lists, as in JSON."""
    for i, given in enumerate(sentences):
        if not isinstance(given, Iterable):
            raise TypeError(f"{name}[{i}] must hold links (source index, target index), got {given!r}")
        links = list(given)
        for link in links:
            pair = isinstance(link, Sequence) and len(link) == 2
            if not pair or not all(isinstance(index, Integral) for index in link):
                raise TypeError(f"{name}[{i}] must hold links (source index, target index), got {link!r}")
        yield frozenset((source, target) for source, target in links)
