"""How much of a language model's output is correct, and how much is new, by sampling method."""

from __future__ import annotations

from collections import Counter
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention.causal import GroupedAttention
from attnbook.data import BOS, EOS, Vocabulary, pad
from attnbook.data.grammar import find, splits
from attnbook.models.language_model import Block, LanguageModel
from attnbook.models.transformer import FeedForward

QUESTION = "How many of 60 written sentences are the grammar's, and how many of these are different and not trained on?"
WAYS: dict[str, dict[str, Any]] = {
    "as it is": {},
    "temperature 0.5": {"temperature": 0.5},
    "top-k 10": {"top_k": 10},
    "top-p 0.8": {"top_p": 0.8},
}
STEPS, RATE, COUNT, LONGEST = 300, 8e-3, 60, 17


def cases() -> list[dict[str, Any]]:
    return [{"seed": seed} for seed in range(3)]


def chances(logits: Tensor, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0) -> Tensor:
    """Probabilities of the next token, with the unlikely ones set to zero."""
    p, token = (logits / temperature).softmax(-1).sort(-1, descending=True)
    dropped = p.cumsum(-1) - p >= top_p
    if top_k is not None:
        dropped[..., top_k:] = True
    p = torch.zeros_like(p).scatter(-1, token, p.masked_fill(dropped, 0))
    return p / p.sum(-1, keepdim=True)


def fit(text: Tensor, mask: Tensor, vocab_size: int, seed: int) -> LanguageModel:
    """The plain model of chapter 10."""
    torch.manual_seed(seed)
    blocks = [Block(64, GroupedAttention(64, 4, 4, rotary=False), FeedForward(64, 128), nn.LayerNorm) for _ in range(2)]
    model = LanguageModel(vocab_size, 64, blocks, sinusoidal=True, norm=nn.LayerNorm)
    generator, optimizer = (
        torch.Generator().manual_seed(seed),
        torch.optim.Adam(model.parameters(), betas=(0.9, 0.98)),
    )
    for step in range(STEPS):
        rows = torch.randint(len(text), (64,), generator=generator)
        longest = int(mask[rows].sum(1).max())
        places = mask[rows, 1:longest]
        optimizer.param_groups[0]["lr"] = RATE * (1 - step / STEPS)
        logits, _ = model(text[rows, : longest - 1])
        loss = F.cross_entropy(logits[places], text[rows, 1:longest][places])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return model.eval()


@torch.no_grad()
def write(model: LanguageModel, vocabulary: Vocabulary, seed: int, **how: Any) -> list[tuple[str, ...]]:
    """Sentences that reached <eos>."""
    generator, rows = torch.Generator().manual_seed(seed), torch.full((COUNT, 1), BOS)
    for _ in range(LONGEST):
        p = chances(model(rows)[0][:, -1], **how)
        rows = torch.cat((rows, torch.multinomial(p, 1, generator=generator)), 1)
    return [tuple(vocabulary.decode(row[1 : row.index(EOS)])) for row in rows.tolist() if EOS in row[2:]]


def measure(seed: int) -> dict[str, Any]:
    pairs = splits(train=12_000, valid=1, test=500, composition=0, seed=0).train
    counts = Counter(token for pair in pairs for token in pair.source)
    frequent = {token for token, _ in counts.most_common(200)}
    sentences = [pair.source for pair in pairs if frequent >= set(pair.source)]
    vocabulary = Vocabulary.build(sentences)
    text, mask = pad([[BOS, *vocabulary.encode(sentence), EOS] for sentence in sentences])
    model, result = fit(text, mask, len(vocabulary), seed), {}
    for way, how in WAYS.items():
        right = [s for s in write(model, vocabulary, seed, **how) if find(s) is not None]
        result[f"{way}: right"] = round(100 * len(right) / COUNT, 2)
        result[f"{way}: new"] = round(100 * len(set(right) - set(sentences)) / max(1, len(right)), 2)
    return result
