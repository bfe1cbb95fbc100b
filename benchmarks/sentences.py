"""Sentences and random batches for the benchmarks."""

from __future__ import annotations

import os
from pathlib import Path

import torch
from torch import Tensor

from attnbook.attention.masks import lengths_to_mask
from attnbook.data import BOS, PAD, SPECIALS, Batch, Pair
from attnbook.data.tatoeba import read
from bookkit import ROOT

NEIGHBOR = ROOT.parent / "shared" / "data"  # where the corpus may be, next to the checkout


def corpus_folder() -> Path | None:
    """The folder next to the checkout with fra-eng.zip; None to use ATTNBOOK_DATA or a download."""
    return NEIGHBOR if "ATTNBOOK_DATA" not in os.environ and (NEIGHBOR / "fra-eng.zip").exists() else None


def d2l_pairs() -> list[Pair]:
    """The first 600 rows of fra-eng.zip, which D2L asks for; its loader stops one row later."""
    return list(read("french", path=corpus_folder(), count=600))


def random_batch(rows: int, length: int, padding: float, vocab_size: int, seed: int) -> Batch:
    """A batch of random words with evenly spread lengths; a share ``padding`` of all positions is padding."""
    generator = torch.Generator().manual_seed(seed)

    def side() -> tuple[Tensor, Tensor]:
        lengths = torch.linspace(length * (1 - 2 * padding), length, rows).round().long()
        mask = lengths_to_mask(lengths[torch.randperm(rows, generator=generator)], length)
        words = torch.randint(len(SPECIALS), vocab_size, (rows, length), generator=generator)
        return words.masked_fill(~mask, PAD), mask

    (source, source_mask), (target_out, target_mask) = side(), side()
    target_in = torch.cat((torch.full((rows, 1), BOS), target_out[:, :-1]), 1)
    return Batch(source, source_mask, target_in, target_out, target_mask, int(target_mask.sum()), ())
