"""Which layer recalls most from a cache of the same size? Each item has several properties; the question names one."""

from __future__ import annotations

from itertools import product
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.causal import GroupedAttention, LatentAttention
from attnbook.models.language_model import Block, SwiGLU

QUESTION = "At the same size of cache, do groups of heads or a latent vector recall more of a list?"
D_MODEL, HEADS = 64, 8
NAMES, PROPERTIES, VALUES, THINGS = 64, 4, 8, 16
STEPS, BATCH, RATE = 800, 64, 3e-3
KINDS: dict[str, tuple[int, ...]] = {  # groups, or latent and turned size: 128, 32, 16, 32 and 16 numbers a token
    "multi-head": (8,),
    "grouped": (2,),
    "multi-query": (1,),
    "latent": (24, 8),
    "latent, smaller": (12, 4),
}
Lists = tuple[Tensor, Tensor, Tensor]


def cases() -> list[dict[str, Any]]:
    return [{"kind": kind, "seed": seed} for seed, kind in product(range(3), KINDS)]


def lists(count: int, generator: torch.Generator) -> Lists:
    """Things ``(count, THINGS, 1 + PROPERTIES)``, the name and the property that are asked for ``(count, 2)``, and the
    value of that property. Each name occurs once in a list."""
    name = torch.rand(count, NAMES, generator=generator).argsort(-1)[:, :THINGS]
    values = torch.randint(VALUES, (count, THINGS, PROPERTIES), generator=generator)
    thing = torch.randint(THINGS, (count,), generator=generator)
    asked = torch.randint(PROPERTIES, (count,), generator=generator)
    rows = torch.arange(count)
    question = torch.stack((name[rows, thing], asked), 1)
    return torch.cat((name.unsqueeze(-1), values), -1), question, values[rows, thing, asked]


class Reader(nn.Module):
    """One layer of a language model. The question is the last token, and its place gives the answer."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        sizes = KINDS[kind]
        attention = (LatentAttention if len(sizes) == 2 else GroupedAttention)(D_MODEL, HEADS, *sizes)
        self.name, self.asked = nn.Embedding(NAMES, D_MODEL), nn.Embedding(PROPERTIES, D_MODEL)
        self.values = nn.ModuleList(nn.Embedding(VALUES, D_MODEL) for _ in range(PROPERTIES))
        self.block, self.norm = Block(D_MODEL, attention, SwiGLU(D_MODEL, 128)), nn.RMSNorm(D_MODEL)
        self.head = nn.Linear(D_MODEL, VALUES)

    def forward(self, things: Tensor, question: Tensor) -> tuple[Tensor, int]:
        """Logits ``(batch, VALUES)``, and how many numbers the layer keeps of a token."""
        name, *values = things.unbind(-1)
        x = self.name(name) + sum(embed(value) for embed, value in zip(self.values, values, strict=True))
        last = self.name(question[:, :1]) + self.asked(question[:, 1:])
        x, kept = self.block(torch.cat((x, last), 1))
        logits: Tensor = self.head(self.norm(x[:, -1]))
        return logits, sum(part[0].numel() for part in kept) // x.shape[1]


def measure(kind: str, seed: int, steps: int = STEPS) -> dict[str, Any]:
    torch.manual_seed(seed)
    model, generator = Reader(kind), torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = RATE * min((step + 1) / 50, 1 - step / steps)
        things, question, answer = lists(BATCH, generator)
        loss = F.cross_entropy(model(things, question)[0], answer)
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    with torch.no_grad():
        things, question, answer = lists(4_000, torch.Generator().manual_seed(99))
        logits, kept = model(things, question)
    return {
        "right": round(100 * float((logits.argmax(-1) == answer).float().mean()), 2),
        "kept": kept,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
    }
