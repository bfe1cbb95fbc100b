"""Self-attention by source length: the fused kernel compared with code that computes the weights explicitly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch

from attnbook.attention.multihead import MultiHeadAttention
from benchmarks.harness import OURS, Settings, compare, contest
from benchmarks.memory import peak_bytes
from bookkit.d2l_models import d2l

LENGTHS = (128, 256, 512, 1024, 2048, 4096, 8192)
D_MODEL, NUM_HEADS = 256, 4
EXPLICIT = "D2L, explicit"


def run(settings: Settings, lengths: Sequence[int] = LENGTHS) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Measure forward with backward for one sequence of every length."""
    rows = []
    for length in lengths:
        makes = {name: partial(prepare, name, length, settings.device, settings.dtype) for name in (OURS, EXPLICIT)}
        works = {name: make() for name, make in makes.items()}
        rounds = settings.rounds(15 if length < 4096 else 5)
        seconds = contest(works, settings, rounds=rounds, warmup=1, at_least=0.1)
        row = compare(f"length {length}", seconds, reach={}, amounts=float(length), unit="tokens/s")
        works.clear()
        for name, make in makes.items():
            peak = peak_bytes(make, device=settings.device, threads=settings.threads)
            row["contestants"][name]["peak_bytes"] = peak
        rows.append({"length": length, **row})
    return rows, {"sizes": {"batch": 1, "d_model": D_MODEL, "num_heads": NUM_HEADS}}


def prepare(name: str, length: int, device: str, dtype: torch.dtype) -> Callable[[], object]:
    """Prepare one forward and backward call of our multi-head attention, or of D2L's, which computes every weight."""
    torch.manual_seed(0)
    x = torch.randn(1, length, D_MODEL, device=device, dtype=dtype, requires_grad=True)
    if name == OURS:
        ours = MultiHeadAttention(D_MODEL, NUM_HEADS, bias=False).to(device, dtype)
        return lambda: ours(x, x, x).sum().backward()
    theirs = d2l.MultiHeadAttention(D_MODEL, NUM_HEADS, 0.0)
    little = torch.zeros(1, 1, D_MODEL)
    theirs(little, little, little, None)  # lazy layers learn their sizes
    theirs.to(device, dtype)
    return lambda: theirs(x, x, x, None).sum().backward()
