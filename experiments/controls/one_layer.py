"""Chapter 6: does copying from a repeated list need two layers of attention, or only many steps?"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.multihead import MultiHeadAttention

QUESTION = "Does copying from a repeated list need two layers of attention, or does one layer learn it more slowly?"
LETTERS, LENGTH, SIZE, HEADS = 20, 25, 64, 2


def cases() -> list[dict[str, Any]]:
    return [
        {"layers": layers, "steps": steps, "lr": lr, "seed": seed}
        for seed in range(3)
        for layers, steps, lr in ((2, 600, 5e-3), (1, 600, 5e-3), (1, 600, 2e-3), (1, 6_000, 2e-3))
    ]


def looped(count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Texts of a begin token and a repeated list of 5 to 10 letters, and the lengths of the lists."""
    period = torch.randint(5, 11, (count, 1), generator=generator)
    once = torch.rand(count, LETTERS, generator=generator).argsort(1)
    again = once.gather(1, torch.arange(LENGTH - 1).expand(count, -1) % period)
    return torch.cat((torch.full((count, 1), LETTERS), again), 1), period


class Copier(nn.Module):
    """Layers of causal self-attention with residuals and learned positions, as in chapter 6."""

    def __init__(self, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(LETTERS + 1, SIZE)
        self.position = nn.Parameter(torch.randn(LENGTH, SIZE))
        self.layers = nn.ModuleList(MultiHeadAttention(SIZE, HEADS) for _ in range(layers))
        self.head = nn.Linear(SIZE, LETTERS)

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens) + self.position[: tokens.shape[1]]
        for layer in self.layers:
            x = x + layer(x, x, x, causal=True)
        logits: Tensor = self.head(x)
        return logits


def measure(layers: int, steps: int, lr: float, seed: int) -> dict[str, Any]:
    torch.manual_seed(seed)
    draws = torch.Generator().manual_seed(seed)
    model = Copier(layers)
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        tokens, _ = looped(32, draws)
        loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    tokens, period = looped(300, torch.Generator().manual_seed(99))
    known = torch.arange(LENGTH - 1) > period  # the current and the next letter occurred before
    with torch.no_grad():
        right = model(tokens[:, :-1]).argmax(-1) == tokens[:, 1:]
    return {"right": round(100 * float(right[known].float().mean()), 2)}
