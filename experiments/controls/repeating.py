"""Chapter 7's repetition tasks, and a model for them: one attention layer with a choice of position encodings."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnbook.attention.multihead import MultiHeadAttention
from attnbook.attention.positional import LearnedPositions, SinusoidalPositions

TOKENS, SIZE, HEADS = 12, 64, 2
TRAINED, LONGER, LONGEST = 16, 128, 256  # lengths of sentences
KINDS = ("none", "learned", "sinusoidal", "rotary", "alibi", "relative")
REACH = 8  # distances beyond it share one relative bias
FIXED = {"fourth": 3, "sixteenth": 15, "seventeenth": 16}  # tasks that ask for one token of the sentence


def alibi_slopes(num_heads: int) -> Tensor:
    """How much each head lowers a score per position of distance (Press et al. 2022), ``(num_heads, 1, 1)``."""
    return (2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads))[:, None, None]


class Biased(nn.Module):
    """Attention with a bias on the scores by distance: learned (relative) or linear (ALiBi)."""

    def __init__(self, learned: bool) -> None:
        super().__init__()
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(SIZE, SIZE) for _ in range(4))
        self.bias = nn.Parameter(torch.zeros(HEADS, 2 * REACH + 1)) if learned else None

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        q, k, v = (
            W(x).unflatten(-1, (HEADS, -1)).transpose(1, 2)
            for W, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        )
        place = torch.arange(key.shape[1])
        distance = place - place[:, None]  # (queries, keys)
        if self.bias is not None:
            bias = self.bias[:, distance.clamp(-REACH, REACH) + REACH]
        else:
            bias = -alibi_slopes(HEADS) * distance.abs()
        heads = (q @ k.mT / math.sqrt(q.shape[-1]) + bias).softmax(-1) @ v
        mixed: Tensor = self.W_o(heads.transpose(1, 2).flatten(2))
        return mixed


class Repeater(nn.Module):
    """One attention layer over random tokens that must repeat an earlier token at each position."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.embedding = nn.Embedding(TOKENS, SIZE)
        self.positions: nn.Module = nn.Identity()
        if kind == "sinusoidal":
            self.positions = SinusoidalPositions(SIZE)
        if kind == "learned":
            self.positions = LearnedPositions(SIZE, LONGEST)
        if kind in ("alibi", "relative"):
            self.attention: nn.Module = Biased(learned=kind == "relative")
        else:
            self.attention = MultiHeadAttention(SIZE, HEADS, rotary=kind == "rotary")
        self.head = nn.Linear(SIZE, TOKENS)
        self.window: int | None = None  # maximum distance of multi-head attention; None: unlimited

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.positions(self.embedding(tokens))
        if self.window is None:
            mixed = self.attention(x, x, x)
        else:
            place = torch.arange(tokens.shape[1])
            mixed = self.attention(x, x, x, ((place - place[:, None]).abs() <= self.window)[None])
        logits: Tensor = self.head(mixed)
        return logits


def asked(task: str, tokens: Tensor) -> tuple[slice, Tensor]:
    """The positions with a target, and the targets."""
    if task in FIXED:
        return slice(None), tokens[:, FIXED[task], None].expand_as(tokens)
    return slice(3, None), tokens[:, :-3]


def fit(model: Repeater, task: str, *, steps: int, length: int, lr: float) -> None:
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    for _ in range(steps):
        tokens = torch.randint(TOKENS, (16, length))
        places, wanted = asked(task, tokens)
        loss = F.cross_entropy(model(tokens)[:, places].flatten(0, 1), wanted.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


@torch.no_grad()
def by_place(model: Repeater, task: str, length: int) -> list[float]:
    """Share of right answers at each position, in percent."""
    tokens = torch.randint(
        TOKENS, (200 if length <= 64 else 50, length), generator=torch.Generator().manual_seed(length)
    )
    places, wanted = asked(task, tokens)
    right = model(tokens)[:, places].argmax(-1) == wanted
    return [round(100 * share, 1) for share in right.float().mean(0).tolist()]


def right(model: Repeater, task: str, length: int) -> float:
    shares = by_place(model, task, length)
    return round(sum(shares) / len(shares), 2)
