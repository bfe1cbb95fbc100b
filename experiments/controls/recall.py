"""Recall from the longer lists of chapter 1, read once from left to right, without attention over all pairs."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

KINDS = {"softmax": 16, "window": 16, "linear": 16, "linear, larger": 64, "gated": 16, "delta": 16}
NAMES, DIGITS, SIZE, WINDOW = {"once": 64, "again": 16, "again, of 64 names": 64}, 10, 64, 8
LENGTHS, LONGEST = (4, 8, 16, 32), 64
BATCH = 64
Lists = tuple[Tensor, Tensor, Tensor]


def lists(task: str, count: int, items: int, generator: torch.Generator) -> Lists:
    """Items ``(count, items, names + 10)``, the name in question, and its last number.

    Each name occurs once in a list, or, in the tasks "again", any number of times.
    """
    names = NAMES[task]
    name = torch.rand(count, max(items, names), generator=generator).argsort(-1)[:, :items] % names
    if task != "once":
        name = torch.randint(names, (count, items), generator=generator)
    number = torch.randint(DIGITS, (count, items), generator=generator)
    asked = name.gather(1, torch.randint(items, (count, 1), generator=generator))
    last = items - 1 - (name == asked).flip(1).int().argmax(1, keepdim=True)
    x = torch.cat((F.one_hot(name, names), F.one_hot(number, DIGITS)), -1).float()
    return x, F.one_hot(asked.squeeze(1), names).float(), number.gather(1, last).squeeze(1)


class Reader(nn.Module):
    """The model of chapter 1: pool the items with a query; a network answers from the pooled vector and the query."""

    def __init__(self, kind: str, names: int) -> None:
        super().__init__()
        self.kind, key_size = kind, KINDS[kind]
        self.item = nn.Linear(names + DIGITS, SIZE)
        self.W_q, self.W_k = nn.Linear(names, key_size, bias=False), nn.Linear(SIZE, key_size, bias=False)
        self.gate = nn.Linear(SIZE, 1)
        nn.init.constant_(self.gate.bias, 3.0)  # the gate starts at 95 %
        self.answer = nn.Sequential(nn.Linear(SIZE + names, 2 * SIZE), nn.ReLU(), nn.Linear(2 * SIZE, DIGITS))

    def forward(self, x: Tensor, query: Tensor) -> Tensor:
        item = self.item(x)  # (batch, items, size)
        q, k = self.W_q(query).unsqueeze(-1), self.W_k(item)
        if self.kind == "delta":
            pooled = delta_rule(q.squeeze(-1), k, item, self.gate(item).sigmoid())
        else:
            pooled = (self.weights(q, k, item).unsqueeze(1) @ item).squeeze(1)
        logits: Tensor = self.answer(torch.cat((pooled, query), -1))
        return logits

    def weights(self, q: Tensor, k: Tensor, item: Tensor) -> Tensor:
        """``(batch, key_size, 1)``, ``(batch, items, key_size)``, ``(batch, items, size)`` -> ``(batch, items)``"""
        if self.kind in ("softmax", "window"):
            scores = (k @ q).squeeze(-1) / k.shape[-1] ** 0.5
            scores[:, : -WINDOW if self.kind == "window" else 0] = -torch.inf
            return scores.softmax(-1)
        shares = (unit(k) @ unit(q)).squeeze(-1)
        if self.kind == "gated":
            kept = F.logsigmoid(self.gate(item)).squeeze(-1)  # log share of the state that is left after this item
            shares = shares * (kept.flip(1).cumsum(1).flip(1) - kept).exp()
        return shares


def unit(x: Tensor) -> Tensor:
    """Scale to length one along the last axis that is not a singleton: the features of linear attention here."""
    return F.normalize(x, dim=1 if x.shape[-1] == 1 else -1)


def delta_rule(q: Tensor, k: Tensor, v: Tensor, write: Tensor) -> Tensor:
    """The delta rule: correct the state at a key instead of adding to it (Schlag et al. 2021, 4.2)."""
    k, state = unit(k), torch.zeros(len(k), v.shape[-1], k.shape[-1])
    for i in range(k.shape[1]):
        key = k[:, i].unsqueeze(-1)
        state = state + (write[:, i] * (v[:, i] - (state @ key).squeeze(-1))).unsqueeze(-1) * key.mT
    return (state @ unit(q).unsqueeze(-1)).squeeze(-1)


@torch.no_grad()
def right(model: Reader, task: str, items: int) -> float:
    """Percent of right answers on held-out lists."""
    x, query, answer = lists(task, 2_000, items, torch.Generator().manual_seed(99))
    return round(100 * float((model(x, query).argmax(-1) == answer).float().mean()), 2)
