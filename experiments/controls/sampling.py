"""Ways to sample the next token of a language model."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from attnbook.data import BOS, EOS, Vocabulary
from attnbook.models.language_model import LanguageModel

WAYS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "temperature 0.5": {"temperature": 0.5},
    "top-k 10": {"top_k": 10},
    "top-p 0.8": {"top_p": 0.8},
}
COUNT, LONGEST = 60, 17  # sentences, and tokens at most


def chances(logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0) -> Tensor:
    """Probabilities of the next token, truncated to the likely ones."""
    p, token = (logits / temperature).softmax(-1).sort(-1, descending=True)
    dropped = p.cumsum(-1) - p >= top_p
    if top_k is not None:
        dropped[..., top_k:] = True
    p = torch.zeros_like(p).scatter(-1, token, p.masked_fill(dropped, 0))
    return p / p.sum(-1, keepdim=True)


@torch.no_grad()
def write(model: LanguageModel, vocabulary: Vocabulary, seed: int, **how: Any) -> list[tuple[str, ...]]:
    """Sample sentences; return those that reached <eos>."""
    generator, rows = torch.Generator().manual_seed(seed), torch.full((COUNT, 1), BOS)
    for _ in range(LONGEST):
        p = chances(model(rows)[0][:, -1], **how)
        rows = torch.cat((rows, torch.multinomial(p, 1, generator=generator)), 1)
    return [tuple(vocabulary.decode(row[1 : row.index(EOS)])) for row in rows.tolist() if EOS in row[2:]]
