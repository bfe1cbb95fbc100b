"""Texts with lists that occur twice, a small model that copies them, and what it loses in a sliding window."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.masks import causal_mask
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.observe.recorder import record_attention

LETTERS, BEGIN, LENGTH, WINDOW = 40, 40, 40, 20
D_MODEL, HEADS = 64, 2
BATCH = 16


def texts(count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Texts of a begin token and lists of five to ten letters, each twice in a row; no letter is in two lists.

    Returns:
        ids ``(count, LENGTH + 1)``, and a mask of the last LENGTH tokens that are repetitions, ``(count, LENGTH)``.
    """
    ids, again = torch.full((count, LENGTH + 1), BEGIN), torch.zeros(count, LENGTH, dtype=torch.bool)
    for row in range(count):
        letters, place = torch.randperm(LETTERS, generator=generator), 0
        while place < LENGTH:
            size = int(torch.randint(5, 11, (), generator=generator))
            twice, letters = letters[:size].repeat(2)[: LENGTH - place], letters[size:]
            ids[row, 1 + place : 1 + place + len(twice)] = twice
            again[row, place + size : place + len(twice)] = True
            place += len(twice)
    return ids, again


class Copier(nn.Module):
    """The model of chapter 6: two layers of attention with residuals, and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.place = nn.Embedding(LETTERS + 1, D_MODEL), nn.Parameter(torch.randn(LENGTH, D_MODEL))
        self.first, self.second = (MultiHeadAttention(D_MODEL, HEADS) for _ in range(2))
        self.head = nn.Linear(D_MODEL, LETTERS)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Ids ``(batch, LENGTH)``, mask ``(1, LENGTH, LENGTH)``, True = may attend -> logits."""
        x = self.embedding(ids) + self.place
        x = x + self.first(x, x, x, mask)
        logits: Tensor = self.head(x + self.second(x, x, x, mask))
        return logits


def windows() -> dict[str, Tensor]:
    """Masks ``(1, LENGTH, LENGTH)`` by name; in all but the first, a token sees WINDOW tokens."""
    i, j = torch.arange(LENGTH).unsqueeze(1), torch.arange(LENGTH)
    before, back = causal_mask(LENGTH).unsqueeze(0), i - j
    return {
        "everything": before,
        "the last": before & (back < WINDOW),
        "the first and the last": before & ((back < WINDOW - 1) | (j == 0)),
        "another and the last": before & ((back < WINDOW - 1) | (j == 4)),
    }


@torch.no_grad()
def judge(model: Copier, seed: int = 99) -> dict[str, Any]:
    """Metrics at positions whose window no longer contains the first token.

    For each window: the loss of new letters, and the share of right repeated letters, in percent. In addition, the
    weight that new letters put on the first token, in percent.
    """
    ids, again = texts(300, torch.Generator().manual_seed(seed))
    late = torch.arange(LENGTH) >= WINDOW
    result: dict[str, Any] = {}
    for name, mask in windows().items():
        with record_attention(model) as record:
            logits = model(ids[:, :-1], mask)
        if name == "everything":
            on_first = record["second"][..., 0].amax(1)  # of the head that rests more
            result["on the first"] = round(100 * float(on_first[~again & late].mean()), 1)
        new, said = ~again & late, again & late
        result[f"{name}: loss"] = round(float(F.cross_entropy(logits[new], ids[:, 1:][new])), 3)
        result[f"{name}: right"] = round(100 * float((logits.argmax(-1) == ids[:, 1:])[said].float().mean()), 2)
    return result
