"""Metrics of translations and models: BLEU, chrF, exact match, perplexity."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set, Sized

import torch
from torch import Tensor

from attnbook._internal.optional import needs
from attnbook._internal.validate import check_counts
from attnbook.data import Batch
from attnbook.data.vocabulary import check_tokens
from attnbook.models.base import EncoderDecoder, check_model, eval_mode
from attnbook.training.loss import cross_entropy

Sentence = str | Sequence[str]


def check_metrics() -> None:
    """Check that sacrebleu, which computes BLEU and chrF, is installed.

    Raises:
        ModuleNotFoundError: sacrebleu is not installed.
    """
    with needs("metrics"):
        import sacrebleu  # noqa: F401


def corpus_bleu(
    hypotheses: Sequence[Sentence], references: Sequence[Sequence[Sentence]], *, tokenize: str | None = None
) -> float:
    r"""BLEU of a corpus (Papineni et al. 2002), computed by sacrebleu (Post 2018).

    .. math:: 100 \cdot \min(1, e^{1 - r/c}) \cdot \Big(\prod_{n=1}^4 p_n\Big)^{1/4}

    with :math:`p_n` the clipped precision of n-grams, :math:`c` the length of all hypotheses and :math:`r` that of all
    references; of several references for a hypothesis, the one closest in length counts. A precision of zero is
    smoothed (sacrebleu's "exp") if any word matches. If no hypothesis is long enough for a 4-gram, only shorter n-grams
    count (sacrebleu's effective order); otherwise a perfect translation of short sentences would score 0.

    Sentences are all lists of tokens or all strings. Tokens are counted as they are (sacrebleu's ``tokenize="none"``),
    because a second tokenizer would split ``l'`` or ``<unk>`` and change the score. Strings are tokenized with WMT's
    ``"13a"``; for Chinese, pass ``"zh"``.

    Args:
        hypotheses: one sentence each.
        references: a list of one or more reference sentences per hypothesis.
        tokenize: a tokenizer of sacrebleu; None chooses as described above.

    Returns:
        between 0 and 100.

    Raises:
        ValueError: there is no sentence, the numbers of hypotheses and references differ, a reference is missing, or
            ``tokenize`` is unknown.
        TypeError: strings and lists of tokens are mixed, tokens are not strings, or references are not lists of
            sentences.
        ModuleNotFoundError: sacrebleu is not installed.

    Example:
        >>> corpus_bleu([["the", "old", "house", "is", "big"]], [[["the", "old", "house", "is", "small"]]]) > 60
        True
    """
    given_tokens = _check_corpus(hypotheses, references)
    chosen = ("none" if given_tokens else "13a") if tokenize is None else tokenize
    with needs("metrics"):
        from sacrebleu.metrics.bleu import BLEU
    if chosen not in list(BLEU.TOKENIZERS):
        raise ValueError(f"tokenize must be one of {', '.join(BLEU.TOKENIZERS)}, got {tokenize!r}")
    if chosen == "none" and given_tokens:
        hypotheses, references = (
            [_unsplit(h) for h in hypotheses],
            [[_unsplit(r) for r in group] for group in references],
        )
    return _corpus_score(BLEU(tokenize=chosen, force=True, effective_order=True).corpus_score, hypotheses, references)


def corpus_chrf(hypotheses: Sequence[Sentence], references: Sequence[Sequence[Sentence]]) -> float:
    """chrF2 of a corpus (Popović 2015), computed by sacrebleu.

    It is the F2-score of character n-grams up to length 6. Spaces do not count, so tokens and the string they form have
    the same score. Arguments and errors as in ``corpus_bleu``.

    Returns:
        0 to 100.
    """
    _check_corpus(hypotheses, references)
    with needs("metrics"):
        from sacrebleu.metrics.chrf import CHRF
    return _corpus_score(CHRF().corpus_score, hypotheses, references)


def exact_match(hypotheses: Sequence[Sentence], references: Sequence[Sequence[Sentence]]) -> float:
    """Proportion of hypotheses that equal one of their references.

    Args:
        hypotheses: as in ``corpus_bleu``.
        references: as in ``corpus_bleu``.

    Returns:
        between 0 and 1.

    Raises:
        ValueError, TypeError: as in ``corpus_bleu``; there is no ``tokenize``.

    Example:
        >>> exact_match([["a", "b"], ["c"]], [[["a", "b"]], [["d"], ["e"]]])
        0.5
    """
    _check_corpus(hypotheses, references)
    hits = sum(tuple(hypothesis) in map(tuple, group) for hypothesis, group in zip(hypotheses, references, strict=True))
    return hits / len(hypotheses)


def bleu_d2l(hypothesis: Sentence, reference: Sentence, k: int = 2) -> float:
    r"""The sentence score of "Dive into Deep Learning"; it is not comparable with corpus BLEU.

    .. math:: \exp\left(\min\left(0, 1 - \frac{|y|}{|\hat y|}\right)\right) \prod_{n=1}^{\min(k, |\hat y|)} p_n^{1/2^n}

    with :math:`p_n` the clipped precision of n-grams. A hypothesis shorter than ``k`` is scored by its shorter n-grams;
    an empty one scores 0.

    Args:
        hypothesis: tokens, or a string to split at spaces.
        reference: tokens, or a string to split at spaces.
        k: longest n-gram.

    Returns:
        between 0 and 1.

    Raises:
        ValueError: the reference is empty, or ``k`` is not an integer >= 1.
        TypeError: a sentence is neither a string nor a sequence of strings.
    """
    for name, sentence in (("hypothesis", hypothesis), ("reference", reference)):
        if not isinstance(sentence, str):
            check_tokens(name, sentence)
    found, expected = _tokens(hypothesis), _tokens(reference)
    if not expected:
        raise ValueError("reference must contain at least one token, got none")
    check_counts(k=k)
    if not found:
        return 0.0
    score = math.exp(min(0.0, 1 - len(expected) / len(found)))
    for n in range(1, min(k, len(found)) + 1):
        matches = (_ngrams(found, n) & _ngrams(expected, n)).total()
        score *= (matches / (len(found) - n + 1)) ** (0.5**n)
    return score


def perplexity(model: EncoderDecoder, batches: Iterable[Batch]) -> float:
    r""":math:`\exp` of the mean cross-entropy per real target token, ``<eos>`` included, without label smoothing.

    Args:
        model: used in eval mode on its own device; its mode is restored.
        batches: batches of sentence pairs, for example one epoch.

    Returns:
        at least 1; the vocabulary size for a uniform model, infinity on overflow.

    Raises:
        ValueError: there is no batch.
        TypeError: an item is not a ``Batch``, ``batches`` is not iterable, or ``model`` is not an EncoderDecoder.
        FloatingPointError: the model returns NaN.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> model = Seq2Seq(len(letters), len(letters), num_hiddens=16)
        >>> perplexity(model, Batches(pairs, letters, letters, batch_size=2)) > 1
        True
    """
    check_model(model)
    if not isinstance(batches, Iterable):
        raise TypeError(f"batches must be an iterable of Batch, such as [batch], got {type(batches).__name__}")
    device = next(model.parameters()).device
    totals: list[Tensor] = []
    tokens = 0
    with torch.inference_mode(), eval_mode(model):
        for batch in batches:
            if not isinstance(batch, Batch):
                raise TypeError(f"batches must hold Batch, got {type(batch).__name__}")
            logits = model(batch := batch.to(device))
            totals.append(cross_entropy(logits, batch.target_out, batch.target_mask, reduction="sum"))
            tokens += batch.num_tokens
    if tokens == 0:
        raise ValueError("batches must contain at least one batch, got none")
    mean = float(torch.stack(totals).cpu().double().sum() / tokens)  # in float64, which not every device has
    if math.isnan(mean):
        raise FloatingPointError("model returned NaN, so its perplexity is undefined")
    return float(torch.tensor(mean, dtype=torch.float64).exp())


def _check_corpus(hypotheses: Sequence[Sentence], references: Sequence[Sequence[Sentence]]) -> bool:
    """Check both arguments, and return whether sentences are lists of tokens."""
    for name, value in (("hypotheses", hypotheses), ("references", references)):
        if isinstance(value, str):
            raise TypeError(f"{name} must be a sequence with one entry per sentence, got a string")
        if not isinstance(value, Sized) or isinstance(value, Set | Mapping):
            raise TypeError(f"{name} must be a sequence with one entry per sentence, got {type(value).__name__}")
    if len(hypotheses) == 0:
        raise ValueError("hypotheses must contain at least one sentence, got none")
    if len(hypotheses) != len(references):
        raise ValueError(f"references must have one entry per hypothesis, {len(hypotheses)}, got {len(references)}")
    strings = isinstance(hypotheses[0], str)
    kind = "a string" if strings else "a sequence of tokens"
    for i, (hypothesis, group) in enumerate(zip(hypotheses, references, strict=True)):
        listed = isinstance(group, Sized) and not isinstance(group, str | Set | Mapping)
        if not listed or len(group) == 0:
            error = ValueError if listed else TypeError
            raise error(f"references[{i}] must be a list of one or more references, got {group!r}")
        named = [(f"hypotheses[{i}]", hypothesis), *((f"references[{i}][{j}]", r) for j, r in enumerate(group))]
        for name, sentence in named:
            if isinstance(sentence, str) != strings:
                raise TypeError(f"{name} must be {kind}, like hypotheses[0], got {sentence!r}")
            if not isinstance(sentence, str):
                check_tokens(name, sentence)
            if name.startswith("references") and not _text(sentence).strip():
                raise ValueError(f"{name} must contain at least one token, got {sentence!r}")
    return not strings


def _corpus_score(
    score: Callable[..., object], hypotheses: Sequence[Sentence], references: Sequence[Sequence[Sentence]]
) -> float:
    """Call sacrebleu with its reference streams: all first references, all second ones, ...; None if one is missing."""
    most = max(map(len, references))
    streams = [[_text(group[j]) if j < len(group) else None for group in references] for j in range(most)]
    found = score([_text(hypothesis) for hypothesis in hypotheses], streams)
    return min(100.0, float(found.score))  # type: ignore[attr-defined]  # sacrebleu's may be 100.00000000000004


def _unsplit(sentence: Sentence) -> list[str]:
    """Replace spaces and empty tokens by private-use characters, so that sacrebleu neither splits nor drops tokens."""
    return [re.sub(r"\s", lambda space: chr(0xF0000 + ord(space.group())), token) or "\U000f0000" for token in sentence]


def _text(sentence: Sentence) -> str:
    return sentence if isinstance(sentence, str) else " ".join(sentence)


def _tokens(sentence: Sentence) -> list[str]:
    return sentence.split() if isinstance(sentence, str) else list(sentence)


def _ngrams(tokens: Sequence[str], n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))
