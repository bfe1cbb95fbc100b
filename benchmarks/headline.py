"""The two training runs that D2L prints, under D2L's protocol: its 600 pairs, its sizes, its epochs, Adam at 0.005.

Both sides train on the same sentences with the same vocabulary rule, and count real target tokens, including <eos>.
D2L's loss is the mean over ten positions, where padding has loss zero, summed and divided by the number of real tokens.
Ten times that value is the mean over real tokens, which the results have for both sides.

The models are so small that calling torch's operations takes longer than computing them. Our training under
``torch.compile``, which merges the operations of a step into a few graphs, shows how much time that overhead takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import torch

from attnbook.data import Batches, Pair, Vocabulary
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.transformer import Transformer
from attnbook.training.loop import train
from benchmarks import sentences
from benchmarks.harness import OURS, Settings, compare, contest
from bookkit import d2l_models

GOAL = {"D2L": 3.0}
COMPILED_TURNS = 8


@dataclass(frozen=True)
class Protocol:
    """The settings of D2L.

    Args:
        epochs: number of epochs by model.
        width: size of embeddings and hidden states.
        hidden: hidden size of the Transformer's feed-forward networks.
        heads: number of the Transformer's heads.
        layers: layers of encoder and decoder.
        dropout: dropout of every model.
        batch_size: pairs per batch.
        num_steps: maximum tokens of a sentence, including <eos>; D2L truncates at this length.
        lr: Adam's learning rate.
        epochs_a_turn: epochs per turn of each side.
    """

    epochs: dict[str, int]
    width: int = 32
    hidden: int = 64
    heads: int = 4
    layers: int = 2
    dropout: float = 0.1
    batch_size: int = 64
    num_steps: int = 10
    lr: float = 0.005
    epochs_a_turn: int = 10


D2L_PROTOCOL = Protocol({"Bahdanau": 250, "Transformer": 200})


class Runner:
    """One side's training run, a few epochs per turn."""

    def __init__(self, epochs: Iterator[tuple[float, int]], a_turn: int) -> None:
        self.epochs = epochs
        self.a_turn = a_turn
        self.loss = math.nan
        self.tokens = 0

    def __call__(self) -> None:
        for total, tokens in islice(self.epochs, self.a_turn):
            self.loss, self.tokens = total / tokens, tokens


def run(
    settings: Settings, protocol: Protocol = D2L_PROTOCOL, pairs: Sequence[Pair] | None = None
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Train both sides in turns; one row per model."""
    pairs = sentences.d2l_pairs() if pairs is None else pairs
    pairs = [Pair(p.source[: protocol.num_steps - 1], p.target[: protocol.num_steps - 1]) for p in pairs]
    rows = []
    for model, epochs in protocol.epochs.items():
        runners = {OURS: _ours(model, pairs, protocol, settings), "D2L": _d2l(model, pairs, protocol, settings)}
        rounds = settings.rounds(epochs // protocol.epochs_a_turn)
        seconds = contest(runners, settings, rounds=rounds, warmup=0)
        amounts = {name: runner.tokens * protocol.epochs_a_turn for name, runner in runners.items()}
        row = compare(
            f"{model}, {rounds * protocol.epochs_a_turn} epochs", seconds, reach=GOAL, amounts=amounts, unit="tokens/s"
        )
        for name, runner in runners.items():
            row["contestants"][name].update(
                loss=runner.loss, tokens_an_epoch=runner.tokens, seconds_in_all=sum(seconds[name])
            )
        if not (settings.quick or settings.compile):
            row["bound"] = {"D2L": bound(model, pairs, protocol, settings)}
        rows.append(row)
    meaning = "ratio of our own training under torch.compile, without the minutes that compiling takes"
    return rows, {"sizes": vars(protocol), "pairs": len(pairs), "bound": meaning}


def bound(model: str, pairs: Sequence[Pair], protocol: Protocol, settings: Settings) -> float:
    """The speedup of our training under ``torch.compile`` over D2L, without the turn that compiles."""
    compiled = _ours(model, pairs, protocol, replace(settings, compile=True))
    runners = {OURS: compiled, "D2L": _d2l(model, pairs, protocol, settings)}
    seconds = contest(runners, settings, rounds=COMPILED_TURNS, warmup=1)
    row = compare(model, seconds, reach={}, amounts={name: runner.tokens for name, runner in runners.items()})
    ratio: float = row["contestants"]["D2L"]["ours_is_times_faster"]["median"]
    return ratio


def _ours(kind: str, pairs: Sequence[Pair], protocol: Protocol, settings: Settings) -> Runner:
    source = Vocabulary.build([pair.source for pair in pairs], min_count=2)
    target = Vocabulary.build([pair.target for pair in pairs], min_count=2)
    batches = Batches(pairs, source, target, batch_size=protocol.batch_size, seed=settings.seed)
    torch.manual_seed(settings.seed)
    common: dict[str, Any] = {"num_layers": protocol.layers, "dropout": protocol.dropout}
    builders: dict[str, Callable[[], EncoderDecoder]] = {
        "Bahdanau": lambda: Bahdanau(
            len(source), len(target), embed_size=protocol.width, num_hiddens=protocol.width, **common
        ),
        "Transformer": lambda: Transformer(
            len(source),
            len(target),
            d_model=protocol.width,
            num_heads=protocol.heads,
            d_ff=protocol.hidden,
            tied=False,
            **common,
        ),
    }
    model = builders[kind]().to(settings.device)
    return Runner(_epochs(model, batches, protocol, settings), protocol.epochs_a_turn)


def _epochs(
    model: EncoderDecoder, batches: Batches, protocol: Protocol, settings: Settings
) -> Iterator[tuple[float, int]]:
    """Yield the sum of the loss and the number of real target tokens of each epoch."""
    steps = train(
        model,
        batches,
        epochs=max(protocol.epochs.values()),
        lr=protocol.lr,
        optimizer=lambda parameters: torch.optim.Adam(parameters, fused=True),
        bf16=settings.dtype == torch.bfloat16,
        compile=settings.compile,
        seed=settings.seed,
    )
    total, tokens = torch.zeros((), device=settings.device), 0
    for step in steps:
        total, tokens = total + step.loss_tensor * step.tokens, tokens + step.tokens
        if step.ends_epoch:
            yield float(total), tokens
            total, tokens = torch.zeros_like(total), 0


def _d2l(kind: str, pairs: Sequence[Pair], protocol: Protocol, settings: Settings) -> Runner:
    torch.manual_seed(settings.seed)
    batches, source, target = d2l_models.load(pairs, protocol.batch_size, protocol.num_steps)
    if kind == "Bahdanau":
        model = d2l_models.bahdanau(
            len(source), len(target), width=protocol.width, layers=protocol.layers, dropout=protocol.dropout
        )
    else:
        model = d2l_models.transformer(
            len(source),
            len(target),
            width=protocol.width,
            hidden=protocol.hidden,
            heads=protocol.heads,
            layers=protocol.layers,
            dropout=protocol.dropout,
        )
    epochs = d2l_models.train(model, batches, target, protocol.lr, settings.device)
    return Runner(((total * protocol.num_steps, tokens) for total, tokens in epochs), protocol.epochs_a_turn)
