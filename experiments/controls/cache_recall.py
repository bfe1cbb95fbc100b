"""Chapter 10: how much of a list can be recalled from caches of several sizes, and after how many steps?"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.causal import GroupedAttention, LatentAttention
from attnbook.models.language_model import Block, SwiGLU
from experiments.compare import Comparison, Trial, generator

D_MODEL, HEADS = 64, 8
NAMES, PROPERTIES, VALUES, THINGS = 64, 4, 8, 16
BATCH = 64
KINDS: dict[
    str, tuple[int, ...]
] = {  # groups, or sizes of latent and rotary part; 128, 32, 16, 32, 16 numbers per token
    "multi-head": (8,),
    "grouped": (2,),
    "multi-query": (1,),
    "latent": (24, 8),
    "latent, smaller": (12, 4),
}
Lists = tuple[Tensor, Tensor, Tensor]


def lists(count: int, generator: torch.Generator) -> Lists:
    """Lists of things, questions and answers; each name occurs once in a list.

    Returns:
        things ``(count, THINGS, 1 + PROPERTIES)``; the name and the property in question ``(count, 2)``; the value of
        that property.
    """
    name = torch.rand(count, NAMES, generator=generator).argsort(-1)[:, :THINGS]
    values = torch.randint(VALUES, (count, THINGS, PROPERTIES), generator=generator)
    thing = torch.randint(THINGS, (count,), generator=generator)
    asked = torch.randint(PROPERTIES, (count,), generator=generator)
    rows = torch.arange(count)
    question = torch.stack((name[rows, thing], asked), 1)
    return torch.cat((name.unsqueeze(-1), values), -1), question, values[rows, thing, asked]


class Reader(nn.Module):
    """One layer of a language model; the last token is the question, and its output is the answer."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        sizes = KINDS[kind]
        attention = (LatentAttention if len(sizes) == 2 else GroupedAttention)(D_MODEL, HEADS, *sizes)
        self.name, self.asked = nn.Embedding(NAMES, D_MODEL), nn.Embedding(PROPERTIES, D_MODEL)
        self.values = nn.ModuleList(nn.Embedding(VALUES, D_MODEL) for _ in range(PROPERTIES))
        self.block, self.norm = Block(D_MODEL, attention, SwiGLU(D_MODEL, 128)), nn.RMSNorm(D_MODEL)
        self.head = nn.Linear(D_MODEL, VALUES)

    def forward(self, things: Tensor, question: Tensor) -> tuple[Tensor, int]:
        """Return logits ``(batch, VALUES)``, and how many numbers per token the layer caches."""
        name, *values = things.unbind(-1)
        x = self.name(name) + sum(embed(value) for embed, value in zip(self.values, values, strict=True))
        last = self.name(question[:, :1]) + self.asked(question[:, 1:])
        x, kept = self.block(torch.cat((x, last), 1))
        logits: Tensor = self.head(self.norm(x[:, -1]))
        return logits, sum(part[0].numel() for part in kept) // x.shape[1]


def build(task: str, contestant: str, seed: int) -> Trial:
    model = Reader(contestant)

    def loss(step: int) -> Tensor:
        things, question, answer = lists(BATCH, generator(seed, step))
        return F.cross_entropy(model(things, question)[0], answer)

    def measure(split: str) -> dict[str, float]:
        things, question, answer = lists(4_000, torch.Generator().manual_seed({"valid": 98, "test": 99}[split]))
        logits, kept = model(things, question)
        return {"right": 100 * float((logits.argmax(-1) == answer).float().mean()), "kept": kept}

    return Trial(model, loss, measure)


COMPARISON = Comparison(
    question="How much of a list do layers with caches of several sizes recall, and after how many steps?",
    contestants=dict(
        zip(
            KINDS,
            (
                "8 heads with keys and values of their own: 128 numbers per token in the cache",
                "8 query heads, 2 heads of keys and values: 32 numbers",
                "8 query heads, 1 head of keys and values: 16 numbers",
                "keys and values made from a latent vector of 24, and a rotated part of 8: 32 numbers",
                "keys and values made from a latent vector of 12, and a rotated part of 4: 16 numbers",
            ),
            strict=True,
        )
    ),
    differs="how keys and values are made, and so the size of the cache",
    same="one layer of d_model 64 with 8 query heads, RMS norm, SwiGLU, batches of 64 lists, optimizer",
    refuted_by="the same order of the layers at all three budgets",
    split={
        "train": f"fresh lists of {THINGS} out of {NAMES} names, each with {PROPERTIES} properties of {VALUES} values",
        "valid": "4,000 such lists",
        "test": "4,000 other such lists",
    },
    metric="right",
    unit="% of questions",
    steps=800,
    rates=(1e-3, 2.5e-3, 6e-3, 1.5e-2),
    tolerance=0.5,
    build=build,
)
