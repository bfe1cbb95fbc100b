"""Additive attention with a large (queries, keys, hidden) tensor: time and peak memory, compared with D2L's."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from attnbook.attention.masks import lengths_to_mask
from attnbook.attention.scoring import AdditiveAttention
from benchmarks.harness import OURS, Settings, compare, contest
from benchmarks.memory import peak_bytes
from bookkit.d2l_models import d2l

GOAL = {"D2L": 1.0}
MEMORY_GOAL = 0.1
QUERIES, KEYS, HIDDEN = 1024, 1024, 256


def run(
    settings: Settings, queries: int = QUERIES, keys: int = KEYS, hidden: int = HIDDEN
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Measure forward alone, and forward with backward."""
    rows = []
    for backward in (False, True):
        makes = {
            name: partial(prepare, name, queries, keys, hidden, backward, settings.device, settings.dtype)
            for name in (OURS, "D2L")
        }
        works = {name: make() for name, make in makes.items()}
        seconds = contest(works, settings, rounds=settings.rounds(20), at_least=0.2)
        work = "forward and backward" if backward else "forward"
        row = compare(work, seconds, reach=GOAL, unit="calls/s")
        works.clear()
        peaks = {
            name: peak_bytes(make, device=settings.device, threads=settings.threads) for name, make in makes.items()
        }
        for name, peak in peaks.items():
            row["contestants"][name]["peak_bytes"] = peak
        row["memory_share"] = peaks[OURS] / peaks["D2L"]
        row["memory_reach"] = MEMORY_GOAL
        row["memory_reached"] = row["memory_share"] < MEMORY_GOAL
        rows.append(row)
    return rows, {"sizes": {"batch": 1, "queries": queries, "keys": keys, "hidden": hidden}}


def prepare(
    name: str, queries: int, keys: int, hidden: int, backward: bool, device: str, dtype: torch.dtype
) -> Callable[[], object]:
    """Prepare one call of our module or of D2L's, in training mode if it includes the backward pass."""
    torch.manual_seed(0)
    query, key, value = (torch.randn(1, length, hidden, device=device, dtype=dtype) for length in (queries, keys, keys))
    lengths = torch.tensor([keys - keys // 8], device=device)
    module: nn.Module = dict(zip((OURS, "D2L"), modules(hidden), strict=True))[name]
    module.to(device, dtype)
    mask = lengths_to_mask(lengths, keys).unsqueeze(1)  # (1, 1, keys)
    other = mask if name == OURS else lengths

    def forward() -> None:
        with torch.no_grad():
            module(query, key, value, other)

    def forward_and_backward() -> None:
        module(query, key, value, other).sum().backward()

    return forward_and_backward if backward else forward


def modules(hidden: int) -> tuple[AdditiveAttention, Any]:
    """Our additive attention and D2L's."""
    theirs = d2l.AdditiveAttention(hidden, 0.0)
    little = torch.zeros(1, 1, hidden)
    theirs(little, little, little, torch.tensor([1]))  # lazy layers learn their sizes
    return AdditiveAttention(hidden, hidden, hidden), theirs
