"""Chapter 6: does copying from a repeated list need two layers of attention?"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.multihead import MultiHeadAttention
from experiments.compare import Comparison, Trial, generator

LETTERS, LENGTH = 20, 25
BATCH, JUDGED = 32, 300
SIZES = {  # number of layers, d_model, num_heads
    "two layers": (2, 64, 2),
    "one layer": (1, 64, 2),
    "one layer, wider": (1, 92, 2),
    "one layer, wide, eight heads": (1, 256, 8),
}


def looped(count: int, draws: torch.Generator) -> tuple[Tensor, Tensor]:
    """Texts of a begin token and a repeated list of 5 to 10 letters, and the lengths of the lists."""
    period = torch.randint(5, 11, (count, 1), generator=draws)
    once = torch.rand(count, LETTERS, generator=draws).argsort(1)
    again = once.gather(1, torch.arange(LENGTH - 1).expand(count, -1) % period)
    return torch.cat((torch.full((count, 1), LETTERS), again), 1), period


class Copier(nn.Module):
    """Layers of causal self-attention with residuals and learned positions, as in chapter 6."""

    def __init__(self, layers: int, d_model: int, num_heads: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(LETTERS + 1, d_model)
        self.position = nn.Parameter(torch.randn(LENGTH, d_model))
        self.layers = nn.ModuleList(MultiHeadAttention(d_model, num_heads) for _ in range(layers))
        self.head = nn.Linear(d_model, LETTERS)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens) + self.position[: tokens.shape[1]]
        for layer in self.layers:
            x = x + layer(x, x, x, causal=True)
        logits: Tensor = self.head(x)
        return logits


def build(task: str, contestant: str, seed: int) -> Trial:
    model = Copier(*SIZES[contestant])

    def loss(step: int) -> Tensor:
        tokens, _ = looped(BATCH, generator(seed, step))
        return F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())

    def measure(split: str) -> dict[str, float]:
        tokens, period = looped(JUDGED, torch.Generator().manual_seed({"valid": 98, "test": 99}[split]))
        known = torch.arange(LENGTH - 1) > period  # the current and the next letter occurred before
        right = model(tokens[:, :-1]).argmax(-1) == tokens[:, 1:]
        return {"right": 100 * float(right[known].float().mean())}

    return Trial(model, loss, measure)


COMPARISON = Comparison(
    question="Does copying from a repeated list need two layers of attention, or does one layer learn it more slowly?",
    contestants={
        "two layers": "two layers of d_model 64 with two heads each",
        "one layer": "one layer of d_model 64 with two heads",
        "one layer, wider": "one layer of d_model 92 with two heads, with as many parameters in attention as the two",
        "one layer, wide, eight heads": "one layer of d_model 256 with eight heads",
    },
    differs="the number of layers, and the size and the number of heads of the single one",
    same=f"residuals, learned positions, no feed-forward networks, batches of {BATCH} texts",
    refuted_by="a single layer that reaches two layers at four times the budget",
    split={
        "train": f"fresh random texts: a list of 5 to 10 of {LETTERS} letters, repeated up to {LENGTH - 1} letters",
        "valid": f"{JUDGED} random texts",
        "test": f"{JUDGED} other random texts",
    },
    metric="right",
    unit="% of the letters that the text determines",
    steps=1_500,
    rates=(1e-3, 2.5e-3, 6e-3, 1.5e-2),
    tolerance=0.5,
    build=build,
)
