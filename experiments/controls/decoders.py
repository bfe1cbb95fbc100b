"""Trials with language models on bilingual texts: an English sentence followed by its French translation."""

from __future__ import annotations

from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.data import BOS, EOS, pad
from attnbook.models.language_model import LanguageModel, MixtureOfExperts
from experiments.compare import Trial, generator
from experiments.controls.translating import frequent_words

D_MODEL, HEADS, LAYERS, BATCH = 64, 8, 2, 64
SPLIT = {
    "train": "pairs of the grammar, of its 200 most frequent words: the English sentence, then the French one",
    "valid": "such texts with other English sentences, 400 at most",
    "test": "such texts with further English sentences, 400 at most",
}


def loss_of(model: LanguageModel, text: Tensor, places: Tensor) -> Tensor:
    """Mean cross-entropy of the tokens at these positions, each given all tokens before it."""
    logits, _ = model(text[:, :-1])
    return F.cross_entropy(logits[places[:, 1:]], text[:, 1:][places[:, 1:]])


@cache
def texts(split: str) -> tuple[Tensor, Tensor, Tensor]:
    """Texts ``<bos> English <eos> French <eos>``, a mask of real tokens, and a mask of the French half."""
    corpus = frequent_words()
    pairs, (source, target) = corpus.train if split == "train" else corpus.held_out[split], corpus.vocabularies
    rows = [
        [BOS, *source.encode(p.source), EOS, *(len(source) + i for i in target.encode(p.target)), EOS] for p in pairs
    ]
    text, mask = pad(rows)
    begins = torch.tensor([len(pair.source) + 2 for pair in pairs])
    return text, mask, mask & (torch.arange(text.shape[1]) >= begins.unsqueeze(1))


def text_trial(model: LanguageModel, seed: int) -> Trial:
    """Train a language model on bilingual texts; measure the loss in each half of held-out texts."""
    text, mask, _ = texts("train")

    def loss(step: int) -> Tensor:
        chosen = torch.randint(len(text), (BATCH,), generator=generator(seed, step))
        longest = int(mask[chosen].sum(1).max())
        found = loss_of(model, text[chosen, :longest], mask[chosen, :longest])
        balance = [part.balance for part in model.modules() if isinstance(part, MixtureOfExperts)]
        return found + 0.01 * sum(balance)

    def measure(split: str) -> dict[str, float]:
        held, real, french = texts(split)
        return {
            "french": float(loss_of(model, held, french)),
            "english": float(loss_of(model, held, real & ~french)),
        }

    return Trial(model, loss, measure)
