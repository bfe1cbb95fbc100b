"""A small model and a few pairs, for tests that train."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from attnbook.data import Batches, Pair, Vocabulary
from attnbook.models.bahdanau import Bahdanau
from attnbook.training.loop import train

WORDS = ["a", "b", "c", "d", "e", "f", "g", "h"]
PAIRS = [Pair(tuple(WORDS[i : i + n]), tuple(w.upper() for w in WORDS[i : i + n])) for n in (2, 3, 5) for i in range(4)]
SOURCE, TARGET = (Vocabulary.build([getattr(p, side) for p in PAIRS]) for side in ("source", "target"))


def make(seed: int = 0, **options: Any) -> Bahdanau:
    torch.manual_seed(seed)
    return Bahdanau(len(SOURCE), len(TARGET), **{"embed_size": 8, "num_hiddens": 8, "dropout": 0.3, **options})


def make_batches(seed: int = 0) -> Batches:
    return Batches(PAIRS, SOURCE, TARGET, batch_size=4, seed=seed)


def losses(model: nn.Module, batches: Any = None, **options: Any) -> list[float]:
    return [step.loss for step in train(model, make_batches() if batches is None else batches, **options)]


def weights(model: nn.Module) -> list[torch.Tensor]:
    return [p.detach().clone() for p in model.parameters()]


def same(left: Sequence[torch.Tensor], right: Sequence[torch.Tensor]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(left, right, strict=True))
