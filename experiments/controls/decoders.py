"""Language models on bilingual texts: an English sentence followed by its French translation."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.data import BOS, EOS, Pair, Vocabulary, pad
from attnbook.models.language_model import LanguageModel, MixtureOfExperts
from experiments.controls.bench import frequent

D_MODEL, HEADS, LAYERS, STEPS, RATE = 64, 8, 2, 300, 5e-3


def lines(pairs: tuple[Pair, ...], vocabularies: tuple[Vocabulary, Vocabulary]) -> tuple[Tensor, Tensor, Tensor]:
    """Texts ``<bos> English <eos> French <eos>``, a mask of real tokens, and a mask of the French half."""
    source, target = vocabularies
    rows = [
        [BOS, *source.encode(p.source), EOS, *(len(source) + i for i in target.encode(p.target)), EOS] for p in pairs
    ]
    text, mask = pad(rows)
    begins = torch.tensor([len(pair.source) + 2 for pair in pairs])
    return text, mask, mask & (torch.arange(text.shape[1]) >= begins.unsqueeze(1))


@cache
def training_lines() -> tuple[Tensor, Tensor, Tensor]:
    return lines(frequent().training, frequent().vocabularies)


def vocab_size() -> int:
    return sum(frequent().sizes)


def loss_of(model: LanguageModel, text: Tensor, places: Tensor) -> Tensor:
    """Mean cross-entropy of the tokens at these positions, each given all tokens before it."""
    logits, _ = model(text[:, :-1])
    return F.cross_entropy(logits[places[:, 1:]], text[:, 1:][places[:, 1:]])


def fit(model: LanguageModel, seed: int, rate: float = RATE) -> None:
    """Train on random batches; the learning rate rises for twenty steps and then falls to zero."""
    text, mask, _ = training_lines()
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), fused=True)
    for step in range(STEPS):
        rows = torch.randint(len(text), (64,), generator=generator)
        longest = int(mask[rows].sum(1).max())
        optimizer.param_groups[0]["lr"] = rate * min((step + 1) / 20, 1 - step / STEPS)
        loss = loss_of(model, text[rows, :longest], mask[rows, :longest])
        loss = loss + 0.01 * sum(part.balance for part in model.modules() if isinstance(part, MixtureOfExperts))
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()


@torch.no_grad()
def judge(model: LanguageModel) -> dict[str, Any]:
    """Loss in nats per token on held-out texts, in each half, and the number of parameters."""
    text, mask, french = lines(frequent().held_out, frequent().vocabularies)
    return {
        "french": round(float(loss_of(model, text, french)), 4),
        "english": round(float(loss_of(model, text, mask & ~french)), 4),
        "parameters": count(model),
    }


def count(model: nn.Module) -> int:
    return sum(parameter.numel() for parameter in model.parameters())
