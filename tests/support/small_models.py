"""A small instance of every translation model, and batches to feed it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from attnbook.data import BOS, EOS, SPECIALS, Batch, Pair, pad
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.luong import SCORES, WINDOWS, Luong
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer

SOURCE_VOCABULARY, TARGET_VOCABULARY = 19, 23
RECURRENT = {"embed_size": 6, "num_hiddens": 8}
TRANSFORMER = {"d_model": 8, "num_heads": 2, "d_ff": 12, "num_layers": 2}
SOURCE_LENGTHS, TARGET_LENGTHS = (5, 1, 7), (6, 4, 1)  # of the fixture ``batch``

Build = Callable[..., EncoderDecoder]


def _variants() -> Iterator[tuple[str, type[EncoderDecoder], dict[str, Any]]]:
    yield "seq2seq", Seq2Seq, RECURRENT
    yield "seq2seq-bidirectional-2-layers", Seq2Seq, {**RECURRENT, "bidirectional": True, "num_layers": 2}
    yield "bahdanau", Bahdanau, RECURRENT
    yield "bahdanau-2-layers", Bahdanau, {**RECURRENT, "num_layers": 2}
    yield "bahdanau-paper", Bahdanau, {**RECURRENT, "bidirectional": True, "readout": "maxout"}
    for score in SCORES:
        for window in WINDOWS:
            for feeding in (True, False):
                options = {"score": score, "window": window, "half_width": 2, "input_feeding": feeding}
                yield f"luong-{score}-{window}-{'fed' if feeding else 'unfed'}", Luong, {**RECURRENT, **options}
    for score in ("dot", "general"):
        yield f"luong-{score}-scaled", Luong, {**RECURRENT, "score": score, "scaled": True}
    both_ends = {**RECURRENT, "bidirectional": True, "num_layers": 2, "score": "concat"}
    yield "luong-bidirectional-2-layers", Luong, both_ends
    for positions in ("sinusoidal", "learned", "rotary"):
        yield f"transformer-{positions}", Transformer, {**TRANSFORMER, "positions": positions}
        options = {"positions": positions, "pre_norm": True, "tied": False}
        yield f"transformer-{positions}-pre-norm-untied", Transformer, {**TRANSFORMER, **options}
    yield "transformer-odd-one-head", Transformer, {**TRANSFORMER, "d_model": 7, "num_heads": 1}


VARIANTS = {name: (kind, options) for name, kind, options in _variants()}
NAMES = tuple(VARIANTS)
FAMILIES = (
    "seq2seq",
    "bahdanau",
    "bahdanau-paper",
    "luong-general-global-fed",
    "luong-dot-local-m-unfed",
    "luong-concat-local-p-fed",
    "transformer-sinusoidal",
    "transformer-rotary-pre-norm-untied",
)


def build(
    name: str, seed: int = 0, *, dropout: float = 0.0, gain: float | None = None, **changes: Any
) -> EncoderDecoder:
    """Build a model by name, with random weights.

    Args:
        name: one of ``NAMES``.
        seed: seed of the weights.
        dropout: an option of every model.
        gain: factor of every weight; None: 2 for recurrent models and 1 for the Transformer. With gain 1, small
            recurrent models attend almost uniformly and hardly depend on their input.
        changes: overwrite the options.
    """
    kind, options = VARIANTS[name]
    torch.manual_seed(seed)
    sizes = {"source_vocab_size": SOURCE_VOCABULARY, "target_vocab_size": TARGET_VOCABULARY}
    model = kind(**{**sizes, **options, "dropout": dropout, **changes})
    factor = (1.0 if kind is Transformer else 2.0) if gain is None else gain
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(factor)
    return model


def random_batch(
    source_lengths: Sequence[int],
    target_lengths: Sequence[int],
    seed: int = 0,
    *,
    source_vocabulary: int = SOURCE_VOCABULARY,
    target_vocabulary: int = TARGET_VOCABULARY,
) -> Batch:
    """Sentences of random words; a target length counts ``<eos>``."""
    generator = torch.Generator().manual_seed(seed)

    def words(length: int, vocabulary: int) -> list[int]:
        return torch.randint(len(SPECIALS), vocabulary, (length,), generator=generator).tolist()

    sources = [words(length, source_vocabulary) for length in source_lengths]
    targets = [words(length - 1, target_vocabulary) for length in target_lengths]
    source, source_mask = pad(sources)
    target_in, _ = pad([[BOS, *target] for target in targets])
    target_out, target_mask = pad([[*target, EOS] for target in targets])
    pairs = tuple(
        Pair(tuple(map(str, source)), tuple(map(str, target)) or ("-",))
        for source, target in zip(sources, targets, strict=True)
    )
    return Batch(source, source_mask, target_in, target_out, target_mask, sum(target_lengths), pairs)


def decode_in_pieces(model: EncoderDecoder, batch: Batch, pieces: Sequence[int]) -> Tensor:
    """Logits of a whole target, decoded in pieces of the given lengths."""
    state = model.encode(batch.source, batch.source_mask)
    logits = []
    for piece in batch.target_in.split(list(pieces), 1):
        now, state = model.decode(piece, state)
        logits.append(now)
    return torch.cat(logits, 1)
