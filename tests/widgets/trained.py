"""A few pairs, a training on them, and a view that looks at every step of it."""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F

from attnbook.data import Batch, Pair, Vocabulary
from attnbook.widgets.attention_view import AttentionView

PAIRS = [
    Pair(("the", "cat", "sleeps"), ("le", "chat", "dort", "!"), frozenset({(0, 0), (1, 1), (2, 2)})),
    Pair(("a", "cat"), ("un", "chat"), frozenset({(0, 0), (1, 1)})),
    Pair(("the", "dog", "sees", "a", "cat"), ("le", "chien", "voit", "un", "chat")),
]
SOURCE, TARGET = (Vocabulary.build([getattr(p, side) for p in PAIRS]) for side in ("source", "target"))


def steps(model: Any, batch: Batch, count: int) -> Any:
    torch.manual_seed(7)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    model.train()
    for number in range(1, count + 1):
        loss = F.cross_entropy(model(batch)[batch.target_mask], batch.target_out[batch.target_mask])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield {"number": number, "total": count, "loss": loss.detach(), "tokens": batch.num_tokens, "lr": 1e-2}


def eager(view: AttentionView) -> AttentionView:
    """A view that looks at every step."""
    view._budget.due = lambda: True  # type: ignore[method-assign]
    return view
