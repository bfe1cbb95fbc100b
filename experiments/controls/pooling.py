"""Chapter 1: which kind of pooling can answer a question about a list, and after how many steps?"""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from experiments.compare import Comparison, Trial, generator

NAMES, DIGITS, ITEMS, SIZE, HIDDEN, BATCH, JUDGED = 16, 10, 5, 64, 256, 64, 2_000
LENGTHS = (2, 5, 10, 16)
Lists = tuple[Tensor, Tensor, Tensor]  # items (batch, n, NAMES + DIGITS), query (batch, NAMES), answer (batch,)


def lists(count: int, items: int, draws: torch.Generator) -> Lists:
    """Lists of different things with a number each, the thing in question, and its number."""
    thing = torch.rand(count, NAMES, generator=draws).argsort(-1)[:, :items]
    number = torch.randint(DIGITS, (count, items), generator=draws)
    asked, row = torch.randint(items, (count,), generator=draws), torch.arange(count)
    x = torch.cat((F.one_hot(thing, NAMES), F.one_hot(number, DIGITS)), -1).float()
    return x, F.one_hot(thing[row, asked], NAMES).float(), number[row, asked]


class Reader(nn.Module):
    """Pool the items of a list, and answer from the pooled vector and the query.

    In chapter 1's experiment an item is a linear map of its name and number. ``hidden`` adds a ReLU layer; ``asks``
    also gives the query to every item before pooling.
    """

    def __init__(self, pooling: str, *, hidden: bool = False, asks: bool = False) -> None:
        super().__init__()
        self.pooling, self.asks = pooling, asks
        size = NAMES + DIGITS + (NAMES if asks else 0)
        self.item: nn.Module = nn.Linear(size, SIZE)
        if hidden:
            self.item = nn.Sequential(nn.Linear(size, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, SIZE))
        if pooling == "fully connected":
            self.places = nn.Linear(ITEMS * SIZE, SIZE)
        if pooling == "saliency":
            self.saliency = nn.Linear(SIZE, 1, bias=False)
        if pooling == "attention":
            self.W_q, self.W_k = nn.Linear(NAMES, SIZE, bias=False), nn.Linear(SIZE, SIZE, bias=False)
        self.answer = nn.Sequential(nn.Linear(SIZE + NAMES, 2 * SIZE), nn.ReLU(), nn.Linear(2 * SIZE, DIGITS))

    def forward(self, x: Tensor, query: Tensor) -> Tensor:
        """``(batch, n, 26)``, ``(batch, 16)`` -> logits ``(batch, 10)``"""
        if self.asks:
            x = torch.cat((x, query.unsqueeze(1).expand(-1, x.shape[1], -1)), -1)
        logits: Tensor = self.answer(torch.cat((self.pool(self.item(x), query), query), -1))
        return logits

    def pool(self, x: Tensor, query: Tensor) -> Tensor:
        """``(batch, n, SIZE)`` -> ``(batch, SIZE)``"""
        if self.pooling == "fully connected":
            return self.places(x.flatten(1))  # type: ignore[no-any-return]
        if self.pooling == "max":
            return x.amax(1)
        if self.pooling == "mean":
            return x.mean(1)
        scores = self.saliency(x) if self.pooling == "saliency" else self.W_k(x) @ self.W_q(query).unsqueeze(-1)
        scale = math.sqrt(SIZE) if self.pooling == "attention" else 1.0
        weights = (scores.squeeze(-1) / scale).softmax(-1)  # (batch, n)
        return (weights.unsqueeze(1) @ x).squeeze(1)


CONTESTANTS = {
    "fully connected": "a matrix for each place in the list",
    "mean": "the mean of linear items",
    "mean of nonlinear items": "each item passes a hidden layer of 256 ReLU units first",
    "mean, query in each item": "each item, together with the query, passes a hidden layer of 256 ReLU units first",
    "max": "the largest number of each column",
    "saliency": "a softmax over scores of the items alone",
    "attention": "a softmax over scores of item and query",
}


def build(task: str, contestant: str, seed: int) -> Trial:
    asks = contestant == "mean, query in each item"
    pooling = "mean" if contestant.startswith("mean") else contestant
    model = Reader(pooling, hidden=asks or contestant == "mean of nonlinear items", asks=asks)

    def loss(step: int) -> Tensor:
        x, query, answer = lists(BATCH, ITEMS, generator(seed, step))
        return F.cross_entropy(model(x, query), answer)

    def right(items: int, split: str) -> float:
        x, query, answer = lists(JUDGED, items, torch.Generator().manual_seed({"valid": 98, "test": 99}[split] + items))
        return 100 * float((model(x, query).argmax(-1) == answer).float().mean())

    def measure(split: str) -> dict[str, float]:
        lengths = (ITEMS,) if contestant == "fully connected" else LENGTHS
        return {"right": right(ITEMS, split), **{f"right on {n}": right(n, split) for n in lengths}}

    return Trial(model, loss, measure)


COMPARISON = Comparison(
    question="Which pooling can answer a question about a list, and after how many steps?",
    contestants=CONTESTANTS,
    tasks={"lists of five": "five of 16 things, each with a number from 0 to 9; the query names one of them"},
    differs="the pooling; for two of the means also what an item is before it is pooled",
    same="64 columns, the network after the pooling (which sees the query in every model), batches of 64, optimizer",
    refuted_by="a mean of linear items that gets at least five points more of the lists right than the most frequent "
    "number",
    split={"train": "a fresh list for every example", "valid": "2,000 lists", "test": "2,000 other lists per length"},
    metric="right",
    unit="% of lists",
    steps=2400,
    rates=(2e-3, 5e-3, 1.2e-2, 3e-2),
    seeds=3,
    tolerance=0.5,
    build=build,
)
