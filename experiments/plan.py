"""The list of all long runs, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.luong import Luong
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer


@dataclass(frozen=True)
class Experiment:
    """One training run and its evaluation.

    Args:
        corpus: name in ``CORPORA``.
        family: name of the model in tables.
        kind: the model's class.
        options: its keyword arguments, without the vocabulary sizes.
        lr: highest learning rate; it falls linearly to zero at the end of the run.
        warmup: steps over which it rises.
        max_tokens: maximum size of a batch, see ``Batches``.
        epochs: length of the run; None: until the budget of CPU time is spent.
        minutes: budget of CPU time of this run; None: the default of ``experiments.run``.
        label_smoothing: label smoothing of the loss.
        seed: seed of weights, order of batches and dropout.
        threads: number of torch's threads; the budget is per thread.
        bf16: compute in bfloat16, which is faster on some processors.
    """

    corpus: str
    family: str
    kind: type[EncoderDecoder]
    options: dict[str, Any] = field(hash=False)
    lr: float
    warmup: int
    max_tokens: int
    epochs: int | None
    label_smoothing: float
    seed: int = 0
    minutes: float | None = None
    threads: int = 1
    bf16: bool = False

    @property
    def name(self) -> str:
        """``corpus.family.seed``, the name of the files of this run."""
        return f"{self.corpus}.{self.family}.{self.seed}"


SEEDS = (0, 1, 2)
EPOCHS = 3
TUNED = ("bahdanau", "luong-general", "no-attention")  # also run at twice the learning rate
LONGER = 8  # epochs of "transformer-longer": how far the best family gets
SIZES = (64, 128, 256, 384)  # d_model of the Transformers that are trained for MINUTES
MINUTES = 5.0  # CPU minutes: which size is best for such a small budget?
HOUR = 60.0  # CPU minutes of "transformer-hour": how far a Transformer gets on the real sentences
GRAMMAR_GRU = {"embed_size": 64, "num_hiddens": 128, "num_layers": 1, "dropout": 0.1, "bidirectional": True}
GRAMMAR_FAMILIES: dict[str, tuple[type[EncoderDecoder], dict[str, Any], float, int]] = {
    # Family: class, options, highest learning rate, warm-up. All have about the same number of parameters.
    # The dot product needs encoder and decoder states of one size, so its encoder is unidirectional.
    "bahdanau": (Bahdanau, GRAMMAR_GRU, 4e-3, 100),
    "transformer": (
        Transformer,
        {"d_model": 104, "num_heads": 4, "d_ff": 224, "num_layers": 2, "dropout": 0.1},
        3e-3,
        400,
    ),
    "no-attention": (Seq2Seq, {**GRAMMAR_GRU, "num_hiddens": 152}, 4e-3, 100),
    "luong-general": (Luong, {**GRAMMAR_GRU, "score": "general"}, 4e-3, 100),
    "luong-dot": (Luong, {**GRAMMAR_GRU, "num_hiddens": 168, "bidirectional": False, "score": "dot"}, 4e-3, 100),
    "luong-local-p": (Luong, {**GRAMMAR_GRU, "score": "general", "window": "local-p", "half_width": 4}, 4e-3, 100),
    "luong-concat": (Luong, {**GRAMMAR_GRU, "score": "concat"}, 4e-3, 100),
    "luong-general-scaled": (Luong, {**GRAMMAR_GRU, "score": "general", "scaled": True}, 4e-3, 100),
}
TATOEBA_GRU = {"embed_size": 128, "num_hiddens": 160, "num_layers": 1, "dropout": 0.1, "bidirectional": True}
TATOEBA_FAMILIES: dict[str, tuple[type[EncoderDecoder], dict[str, Any], float, int]] = {
    "bahdanau": (Bahdanau, TATOEBA_GRU, 3e-3, 200),
    "no-attention": (Seq2Seq, {**TATOEBA_GRU, "num_hiddens": 168}, 3e-3, 200),
    "luong-general": (Luong, {**TATOEBA_GRU, "score": "general"}, 3e-3, 200),
    "transformer": (
        Transformer,
        {"d_model": 176, "num_heads": 4, "d_ff": 352, "num_layers": 2, "dropout": 0.1},
        2e-3,
        300,
    ),
    "luong-dot": (Luong, {**TATOEBA_GRU, "num_hiddens": 184, "bidirectional": False, "score": "dot"}, 3e-3, 200),
    "luong-concat": (Luong, {**TATOEBA_GRU, "score": "concat"}, 3e-3, 200),
    "luong-local-p": (Luong, {**TATOEBA_GRU, "score": "general", "window": "local-p", "half_width": 5}, 3e-3, 200),
}

LARGER = {"d_model": 256, "num_heads": 4, "d_ff": 512, "num_layers": 2, "dropout": 0.1}


def plan() -> Iterator[Experiment]:
    """Yield every run, in the order of execution."""
    for seed in SEEDS:
        for family in GRAMMAR_FAMILIES:
            yield _grammar("grammar-french", family, seed)
        yield replace(_grammar("grammar-french", "transformer", seed), family="transformer-longer", epochs=LONGER)
    for seed in SEEDS:
        for family in TUNED:
            usual = _grammar("grammar-french", family, seed)
            yield replace(usual, family=f"{family}-faster", lr=2 * usual.lr)
    slow = _grammar("grammar-french", "no-attention", 0)
    yield replace(slow, family="no-attention-fastest", lr=4 * slow.lr)
    for seed in SEEDS:
        yield _grammar("grammar-chinese", "bahdanau", seed)
        yield _grammar("grammar-chinese", "transformer", seed)
    for corpus in ("tatoeba-french", "tatoeba-french-bpe", "tatoeba-chinese"):
        for family, (kind, options, lr, warmup) in TATOEBA_FAMILIES.items():
            yield Experiment(corpus, family, kind, options, lr, warmup, 1024, None, 0.0)
    scaled = {**TATOEBA_GRU, "score": "general", "scaled": True}
    yield Experiment("tatoeba-french", "luong-general-scaled", Luong, scaled, 3e-3, 200, 1024, None, 0.0)
    hour = Experiment(
        "tatoeba-french-bpe", "transformer-hour", Transformer, LARGER, 1.5e-3, 500, 1024, None, 0.1, minutes=HOUR
    )
    yield hour
    one = {**LARGER, "shared": True}  # one vocabulary for both languages: small enough for a page
    shared = replace(hour, corpus="tatoeba-french-shared", options=one)
    yield shared
    yield replace(shared, family="transformer-hour-pre-norm", options={**one, "pre_norm": True}, lr=3e-3)
    yield replace(shared, family="transformer-hour-bf16", bf16=True)
    yield replace(shared, family="transformer-hour-two-threads", threads=2, bf16=True)
    for size in SIZES:  # a small model sees more sentences in the same time; the rate falls with the size as in 2017
        options = {**one, "d_model": size, "d_ff": 2 * size}
        rate = 1.5e-3 * (LARGER["d_model"] / size) ** 0.5
        yield replace(shared, family=f"transformer-{size}", options=options, lr=rate, warmup=100, minutes=MINUTES)
    # Chinese has a sixth of the pairs, hence more dropout: for an hour, and for the default budget.
    larger_dropout = {**LARGER, "dropout": 0.3}
    yield replace(hour, corpus="tatoeba-chinese", options=larger_dropout)
    ten = replace(hour, corpus="tatoeba-chinese", options={**larger_dropout, "pre_norm": True}, lr=3e-3, minutes=None)
    yield replace(ten, family="transformer-pre-norm")


def _grammar(corpus: str, family: str, seed: int) -> Experiment:
    kind, options, lr, warmup = GRAMMAR_FAMILIES[family]
    return Experiment(corpus, family, kind, options, lr, warmup, 1024, EPOCHS, 0.0, seed)
