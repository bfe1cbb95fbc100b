"""Chapter 3: what can each score compare? Translated names, and the nearest number, with and without a constant."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.scoring import AdditiveAttention, GeneralAttention
from experiments.compare import Comparison, Trial, generator

SIZE, NAMES, KEYS, HIDDEN, BATCH, JUDGED = 16, 64, 8, 64, 128, 2_000
Lists = tuple[Tensor, Tensor, Tensor]  # query (batch, 1, d), keys (batch, KEYS, d), which key is right (batch,)


def names(count: int, table: Tensor, orthogonal: Tensor, draws: torch.Generator) -> Lists:
    """A name as query, eight names in another language as keys; the right key is the query's name."""
    chosen = torch.rand(count, len(table), generator=draws).argsort(-1)[:, :KEYS]
    right = torch.randint(KEYS, (count,), generator=draws)
    query = table[chosen[torch.arange(count), right]]
    return query.unsqueeze(1), table[chosen] @ orthogonal.T, right


def numbers(count: int, draws: torch.Generator) -> Lists:
    """A number as query, eight numbers as keys; the right key is the nearest number."""
    number, wanted = (4 * torch.rand(count, n, generator=draws) - 2 for n in (KEYS, 1))
    return wanted.unsqueeze(-1), number.unsqueeze(-1), (number - wanted).abs().argmin(-1)


def language() -> tuple[dict[str, Tensor], Tensor]:
    """Names for each split, and the orthogonal matrix that translates them; the same for every seed."""
    square = torch.randn(SIZE, SIZE, generator=torch.Generator().manual_seed(2))
    vectors = torch.randn(3 * NAMES, SIZE, generator=torch.Generator().manual_seed(3))
    return dict(zip(("train", "test", "valid"), vectors.split(NAMES), strict=True)), torch.linalg.qr(square)[0]


class Dot(nn.Module):
    """The dot product with a learned scale."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        scores: Tensor = self.scale * query @ key.mT
        return scores


class Scored(nn.Module):
    """A score of the book; with a constant, a 1 is appended to the query and to each key."""

    def __init__(self, kind: str, size: int, constant: bool, squares: bool) -> None:
        super().__init__()
        self.constant, self.squares = constant, squares
        size = size * (2 if squares else 1) + int(constant)
        self.attention: nn.Module = Dot()
        if kind == "general":
            self.attention = GeneralAttention(size, size)
        if kind == "additive":
            self.attention = AdditiveAttention(size, size, HIDDEN)

    def forward(self, query: Tensor, key: Tensor) -> Tensor:
        """``(batch, 1, d)``, ``(batch, keys, d)`` -> scores ``(batch, keys)``"""
        query, key = self.features(query), self.features(key)
        if isinstance(self.attention, Dot):
            scores: Tensor = self.attention(query, key)
        else:
            scores = self.attention.score(query, self.attention.project_key(key))  # type: ignore[operator]
        return scores[:, 0]

    def features(self, x: Tensor) -> Tensor:
        x = torch.cat((x, x.square()), -1) if self.squares else x
        return F.pad(x, (0, 1), value=1.0) if self.constant else x


KINDS = {
    "dot": ("dot", False, False),
    "general": ("general", False, False),
    "general with constant": ("general", True, False),
    "general with squares": ("general", True, True),
    "additive": ("additive", False, False),
    "additive with constant": ("additive", True, False),
}


def build(task: str, contestant: str, seed: int) -> Trial:
    kind, constant, squares = KINDS[contestant]
    model = Scored(kind, SIZE if task == "names" else 1, constant, squares)
    tables, orthogonal = language()

    def lists(count: int, split: str, draws: torch.Generator) -> Lists:
        return names(count, tables[split], orthogonal, draws) if task == "names" else numbers(count, draws)

    def loss(step: int) -> Tensor:
        query, key, right = lists(BATCH, "train", generator(seed, step))
        return F.cross_entropy(model(query, key), right)

    def measure(split: str) -> dict[str, float]:
        query, key, right = lists(JUDGED, split, torch.Generator().manual_seed({"valid": 98, "test": 99}[split]))
        return {"right": 100 * float((model(query, key).argmax(-1) == right).float().mean())}

    return Trial(model, loss, measure)


COMPARISON = Comparison(
    question="Which rules can each score learn: the same name in another language, and the nearest number?",
    contestants={
        "dot": "the dot product times one learned number",
        "general": "q^T W k",
        "general with constant": "q^T W k, a 1 appended to q and to k",
        "general with squares": "q^T W k, the square of each entry and a 1 appended to q and to k",
        "additive": "w^T tanh(W_q q + W_k k), no bias",
        "additive with constant": "w^T tanh(W_q q + W_k k), a 1 appended to q and to k, so that the sum has a bias",
    },
    tasks={
        "names": "64 vectors of 16 numbers as names; a key is a name's vector times a fixed orthogonal matrix. "
        "Measured on names that training never saw.",
        "numbers": "one number as query, eight as keys, all between -2 and 2; right is the nearest",
    },
    differs="the score, and whether query and key have a constant entry",
    same="names, orthogonal matrix, batches of 128 lists of eight keys, 64 hidden units of the additive score, loss, "
    "optimizer",
    refuted_by="an additive score without a constant that gets more than half of the new names right",
    split={
        "train": "fresh lists of the first 64 names; fresh numbers",
        "valid": "2,000 lists of 64 other names; 2,000 lists of numbers",
        "test": "2,000 lists of 64 further names; 2,000 lists of numbers",
    },
    metric="right",
    unit="% of lists",
    steps=400,
    rates=(1e-3, 3e-3, 1e-2, 3e-2),
    seeds=5,
    tolerance=0.5,
    build=build,
)
