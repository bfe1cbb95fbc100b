"""How good a translation, an alignment or a model is."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import torch
from torch import Tensor

from attnbook.checks import check_range
from attnbook.data import Batch, Codec, Pair, collate
from attnbook.data.batching import check_pairs
from attnbook.data.vocabulary import check_tokens
from attnbook.encoder_decoder import EncoderDecoder, check_vocabularies, eval_mode
from attnbook.extras import needs
from attnbook.optim import cross_entropy
from attnbook.search import Hypothesis, cross_attention

Sentence = str | Sequence[str]
Links = Iterable[tuple[int, int]]


def corpus_bleu(
    hypotheses: Sequence[Sentence], references: Sequence[Sequence[Sentence]], *, tokenize: str | None = None
) -> float:
    r"""BLEU of a corpus (Papineni et al. 2002), computed by sacrebleu (Post 2018).

    Where no hypothesis is long enough for a 4-gram, the n-grams that there are count alone (sacrebleu's effective
    order); else a perfect translation of short sentences would score 0.

    A sentence is a list of tokens or a string, and all of them are the same. Tokens are counted as they are
    (sacrebleu's ``tokenize="none"``): they went through a tokeniser, and a second one would split ``l'`` or ``<unk>``
    and change the score. A string is tokenised as WMT does, ``"13a"``; for Chinese give ``"zh"``.

    Args:
        hypotheses: one sentence each.
        references: for each hypothesis a list of one or more sentences; their number may differ.
        tokenize: a name that sacrebleu knows; None chooses as described.

    Returns:
        0 to 100.

    Raises:
        ValueError: there is no sentence, the numbers of hypotheses and references differ, one has no reference, or
            ``tokenize`` is unknown.
        TypeError: strings and lists of tokens are mixed, tokens are not strings, or references are not lists of
            sentences.
    """
    given_tokens = _check_corpus(hypotheses, references)
    chosen = tokenize or ("none" if given_tokens else "13a")
    with needs("metrics"):
        from sacrebleu.metrics.bleu import BLEU
    if chosen not in BLEU.TOKENIZERS:
        raise ValueError(f"tokenize is {tokenize!r}: wanted one of {', '.join(BLEU.TOKENIZERS)}")
    if chosen == "none" and given_tokens:
        hypotheses, references = (
            [_unsplit(h) for h in hypotheses],
            [[_unsplit(r) for r in group] for group in references],
        )
    return _corpus_score(BLEU(tokenize=chosen, force=True, effective_order=True).corpus_score, hypotheses, references)


def corpus_chrf(hypotheses: Sequence[Sentence], references: Sequence[Sequence[Sentence]]) -> float:
    """chrF2 of a corpus (Popović 2015), computed by sacrebleu.

    It is the F-score of character n-grams up to 6, recall counting double.
    Spaces do not count, so tokens and the string they make score alike. Arguments and errors as :func:`corpus_bleu`.

    Returns:
        0 to 100.
    """
    _check_corpus(hypotheses, references)
    with needs("metrics"):
        from sacrebleu.metrics.chrf import CHRF
    return _corpus_score(CHRF().corpus_score, hypotheses, references)


def exact_match(hypotheses: Sequence[Sentence], references: Sequence[Sequence[Sentence]]) -> float:
    """Share of hypotheses, 0 to 1, that equal one of their references. Arguments and errors as :func:`corpus_bleu`."""
    _check_corpus(hypotheses, references)
    hits = sum(
        _whole(hypothesis) in {_whole(reference) for reference in group}
        for hypothesis, group in zip(hypotheses, references, strict=True)
    )
    return hits / len(hypotheses)


def bleu_d2l(hypothesis: Sentence, reference: Sentence, k: int = 2) -> float:
    r"""The score of one sentence that "Dive into Deep Learning" prints; no corpus BLEU, and not comparable with one.

    .. math:: \exp\left(\min\left(0, 1 - \frac{|y|}{|\hat y|}\right)\right) \prod_{n=1}^{\min(k, |\hat y|)} p_n^{1/2^n}

    with :math:`p_n` the clipped precision of n-grams. A hypothesis shorter than ``k`` is scored by the n-grams it has;
    an empty one scores 0.

    Args:
        hypothesis: tokens, or a string that is split at spaces.
        reference: tokens, or a string that is split at spaces.
        k: longest n-gram.

    Returns:
        0 to 1.

    Raises:
        ValueError: the reference is empty, or ``k`` is below 1.
    """
    found, wanted = _tokens(hypothesis), _tokens(reference)
    if not wanted:
        raise ValueError("reference is empty: wanted at least one token")
    if k < 1:
        raise ValueError(f"k is {k}: wanted 1 or more")
    if not found:
        return 0.0
    score = math.exp(min(0.0, 1 - len(wanted) / len(found)))
    for n in range(1, min(k, len(found)) + 1):
        matches = (_ngrams(found, n) & _ngrams(wanted, n)).total()
        score *= (matches / (len(found) - n + 1)) ** (0.5**n)
    return score


def links_from_weights(weights: Tensor) -> frozenset[tuple[int, int]]:
    """Link each target token to the source token with the largest weight; heads are averaged.

    A target token without any weight gets no link.

    Args:
        weights: ``(target_len, source_len)`` or ``(num_heads, target_len, source_len)``; rows for ``<eos>`` and
            columns that are no source words left out.

    Returns:
        links ``(source index, target index)``, as in :class:`attnbook.data.Pair`.

    Raises:
        ValueError: another rank, no source token, or NaN.
    """
    if weights.dim() not in (2, 3) or weights.shape[-1] == 0:
        raise ValueError(
            f"weights has shape {tuple(weights.shape)}: wanted ([num_heads,] target_len, source_len), source_len > 0"
        )
    mean = weights.float() if weights.dim() == 2 else weights.float().mean(0)
    if mean.isnan().any():
        raise ValueError("weights has NaN: wanted numbers")
    largest = mean.max(-1)
    return frozenset(
        (source, target)
        for target, (source, weight) in enumerate(zip(largest.indices.tolist(), largest.values.tolist(), strict=True))
        if weight > 0
    )


def alignment_error_rate(
    found: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None
) -> float:
    r"""Alignment error rate of a corpus (Och and Ney 2003, eq. 20).

    .. math:: 1 - \frac{|A \cap S| + |A \cap P|}{|A| + |S|}

    Args:
        found: for each sentence the links :math:`A`, see :func:`links_from_weights`.
        sure: for each sentence the gold links :math:`S`.
        possible: for each sentence further links that are not wrong; :math:`P` is these and the sure ones.

    Returns:
        0 (every sure link found, and no wrong one) to 1.

    Raises:
        ValueError: the numbers of sentences differ, or there is no link at all.
        TypeError: a link is no pair of indices.
    """
    possible = [()] * len(sure) if possible is None else possible
    for name, value in (("found", found), ("possible", possible)):
        if len(value) != len(sure):
            raise ValueError(f"{name} has {len(value)} sentences: wanted as many as sure, {len(sure)}")
    hits = size = 0
    for a, s, p in zip(_links("found", found), _links("sure", sure), _links("possible", possible), strict=True):
        hits += len(a & s) + len(a & (s | p))
        size += len(a) + len(s)
    if size == 0:
        raise ValueError("found and sure have no link: wanted at least one")
    return 1 - hits / size


def alignment_error_rates(
    model: EncoderDecoder,
    pairs: Sequence[Pair],
    source_vocabulary: Codec,
    target_vocabulary: Codec,
    *,
    batch_size: int = 64,
    heads: bool = False,
) -> dict[str, float]:
    """How far each cross-attention module looks where the gold alignment points.

    Every pair's own target is forced, and every target word linked by :func:`links_from_weights`, from the weights of
    the step that predicts it; the step of ``<eos>`` is left out.

    Args:
        model: used in eval mode, where its parameters lie, and left in the mode it was in.
        pairs: with gold alignment.
        source_vocabulary: one id for each source token.
        target_vocabulary: one id for each target token.
        batch_size: pairs at a time.
        heads: score every head of a module with several too, as ``module[head]``.

    Returns:
        the :func:`alignment_error_rate` by the name of the module; empty for a model without cross-attention.

    Raises:
        ValueError: there is no pair, a pair has no alignment, a vocabulary cuts tokens into pieces or is not the
            model's, or ``batch_size`` is below 1.
        TypeError: an item is not a :class:`attnbook.data.Pair`.
    """
    check_pairs(pairs)
    check_vocabularies(model, source_vocabulary, target_vocabulary)
    check_range("batch_size", batch_size, batch_size >= 1, "1 or more")
    for pair in pairs:
        if pair.alignment is None:
            raise ValueError(f"pairs has {' '.join(pair.source)!r} without alignment: wanted gold links")
    device = next(model.parameters()).device
    found: dict[str, list[Links]] = {}
    sure: list[Links] = []
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i].source))
    for start in range(0, len(order), batch_size):
        rows = [pairs[i] for i in order[start : start + batch_size]]
        batch = collate(rows, source_vocabulary, target_vocabulary)
        for pair, length, ids in zip(
            rows, batch.source_mask.sum(1).tolist(), batch.target_mask.sum(1).tolist(), strict=True
        ):
            if (length, ids) != (len(pair.source), len(pair.target) + 1):
                raise ValueError(f"{' '.join(pair.source)!r} is cut into pieces: wanted vocabularies of whole words")
            sure.append(pair.alignment or ())
        forced = [Hypothesis(tuple(target_vocabulary.encode(pair.target)), 0.0, True) for pair in rows]
        seen = cross_attention(model, batch.source.to(device), batch.source_mask.to(device), forced)
        for weights in seen:
            for name, module_weights in weights.items():
                words = module_weights[:, :-1]  # without <eos>: (num_heads, target_len, source_len)
                found.setdefault(name, []).append(links_from_weights(words))
                for head in range(len(words) if heads and len(words) > 1 else 0):
                    found.setdefault(f"{name}[{head}]", []).append(links_from_weights(words[head]))
    return {name: alignment_error_rate(links, sure) for name, links in found.items()}


def perplexity(model: EncoderDecoder, batches: Iterable[Batch]) -> float:
    r""":math:`\exp` of the mean cross-entropy per real target token, ``<eos>`` included, without label smoothing.

    Args:
        model: used in eval mode, where its parameters lie, and left in the mode it was in.
        batches: sentence pairs, for instance one epoch.

    Returns:
        1 or more; the size of the vocabulary for a model that knows nothing, infinity where a float is too small.

    Raises:
        ValueError: there is no batch.
        FloatingPointError: the model gives NaN.
    """
    device = next(model.parameters()).device
    total = torch.zeros((), dtype=torch.float64, device=device)
    tokens = 0
    with torch.inference_mode(), eval_mode(model):
        for batch in batches:
            logits = model(batch := batch.to(device))
            total += cross_entropy(logits, batch.target_out, batch.target_mask, reduction="sum")
            tokens += batch.num_tokens
    if tokens == 0:
        raise ValueError("batches is empty: wanted at least one batch")
    mean = float(total / tokens)
    if math.isnan(mean):
        raise FloatingPointError("the model gives NaN: its perplexity cannot be computed")
    return float(torch.tensor(mean, dtype=torch.float64).exp())


def _check_corpus(hypotheses: Sequence[Sentence], references: Sequence[Sequence[Sentence]]) -> bool:
    """Check both, and say whether sentences are lists of tokens."""
    for name, value in (("hypotheses", hypotheses), ("references", references)):
        if isinstance(value, str):
            raise TypeError(f"{name} is a bare string: wanted a sequence with one entry a sentence")
    if len(hypotheses) == 0:
        raise ValueError("hypotheses is empty: wanted at least one sentence")
    if len(hypotheses) != len(references):
        raise ValueError(f"references has {len(references)} entries: wanted as many as hypotheses, {len(hypotheses)}")
    strings = isinstance(hypotheses[0], str)
    wanted = "a string" if strings else "a sequence of tokens"
    for i, (hypothesis, group) in enumerate(zip(hypotheses, references, strict=True)):
        if isinstance(group, str) or len(group) == 0:
            error = TypeError if isinstance(group, str) else ValueError
            raise error(f"references[{i}] is {group!r}: wanted a list of one or more references")
        named = [(f"hypotheses[{i}]", hypothesis), *((f"references[{i}][{j}]", r) for j, r in enumerate(group))]
        for name, sentence in named:
            if isinstance(sentence, str) != strings:
                raise TypeError(f"{name} is {sentence!r}: wanted {wanted}, as hypotheses[0] is")
            if not isinstance(sentence, str):
                check_tokens(name, sentence)
            if name.startswith("references") and not _text(sentence).strip():
                raise ValueError(f"{name} is empty: wanted at least one token")
    return not strings


def _links(name: str, sentences: Sequence[Links]) -> Iterator[frozenset[tuple[int, int]]]:
    """The links of each sentence as a set, also where they were lists, as JSON has them."""
    for i, given in enumerate(sentences):
        links = list(given)
        for link in links:
            if not isinstance(link, Sequence) or isinstance(link, str) or len(link) != 2:
                raise TypeError(f"{name}[{i}] has {link!r}: wanted links (source index, target index)")
        yield frozenset((source, target) for source, target in links)


def _corpus_score(
    score: Callable[..., object], hypotheses: Sequence[Sentence], references: Sequence[Sequence[Sentence]]
) -> float:
    """Hand sacrebleu its streams: every sentence's first reference, every second one, ...; None where there is none."""
    most = max(map(len, references))
    streams = [[_text(group[j]) if j < len(group) else None for group in references] for j in range(most)]
    return float(score([_text(hypothesis) for hypothesis in hypotheses], streams).score)  # type: ignore[attr-defined]


def _unsplit(sentence: Sentence) -> list[str]:
    """Tokens in which no space of Unicode is left, where sacrebleu would split them: each has a private character."""
    return [re.sub(r"\s", lambda space: chr(0xF0000 + ord(space.group())), token) for token in sentence]


def _whole(sentence: Sentence) -> str | tuple[str, ...]:
    return sentence if isinstance(sentence, str) else tuple(sentence)


def _text(sentence: Sentence) -> str:
    return sentence if isinstance(sentence, str) else " ".join(sentence)


def _tokens(sentence: Sentence) -> list[str]:
    return sentence.split() if isinstance(sentence, str) else list(sentence)


def _ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
