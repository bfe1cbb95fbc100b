"""Plots of the results in ``results/benchmarks``, for the book."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib.pyplot as plt

from attnbook.pages.colors import color_of
from benchmarks.harness import OURS


def decoding(result: Mapping[str, Any]) -> None:
    """Plot sentences per second, one at a time and 64 at once, for each model and each program.

    Args:
        result: result of the benchmark ``greedy``.
    """
    groups = _pairs(result["rows"])
    _, axes = plt.subplots(figsize=(6.8, 3.4))
    for y, (_, name, one, many) in enumerate(groups):
        axes.plot([one, many], [y, y], color=color_of("line"), linewidth=3, zorder=1)
        axes.plot(one, y, "o", color=color_of("muted"), markersize=8)
        axes.plot(many, y, "o", color=color_of("weight") if name == OURS else color_of("query"), markersize=8)
        if name == OURS:
            axes.annotate(f"{many / one:.0f} ×", (many, y), xytext=(8, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(groups)), [f"{label}:\n{name}" for label, name, *_ in groups])
    axes.invert_yaxis()
    axes.set(xscale="log", xlabel="sentences per second:\none at a time (gray), 64 at once")
    axes.margins(x=0.15)


def _pairs(rows: list[dict[str, Any]]) -> list[tuple[str, str, float, float]]:
    """Model, program, and sentences per second for one sentence and for 64; rows come in pairs."""
    found = []
    rows = [row for row in rows if row["unit"] == "sentences/s"]
    for one, many in zip(rows[::2], rows[1::2], strict=True):
        for name, taken in one["contestants"].items():
            more = many["contestants"][name]["rate"]["median"]
            found.append((one["work"].removesuffix(", one sentence"), name, taken["rate"]["median"], more))
    return found


def growth(result: Mapping[str, Any]) -> None:
    """Plot time and peak memory of self-attention over the sequence length, on logarithmic scales.

    Args:
        result: result of the benchmark ``lengths``.
    """
    _, axes = plt.subplots(1, 2, figsize=(7.2, 3.2))
    rows = result["rows"]
    lengths = [row["length"] for row in rows]
    for name, marker in zip(rows[0]["contestants"], "os", strict=False):
        found = [row["contestants"][name] for row in rows]
        label = "fused" if name == OURS else "explicit"
        axes[0].loglog(lengths, [f["seconds"]["median"] * 1e3 for f in found], marker=marker, label=label)
        # Less than a page cannot be distinguished from zero.
        axes[1].loglog(lengths, [max(f["peak_bytes"], 4096) / 2**20 for f in found], marker=marker, label=label)
    axes[0].set(xlabel="length in tokens", ylabel="ms, forward and backward")
    axes[1].set(xlabel="length in tokens", ylabel="peak memory in MiB")
    axes[0].legend()


def corpora(result: Mapping[str, Any]) -> None:
    """Plot peak memory of preparation and training, and the size of the ids on disk, over the number of pairs.

    Args:
        result: result of the benchmark ``corpora``.
    """
    _, axes = plt.subplots(figsize=(6.4, 3.2))
    pairs = [row["preparation"]["pairs"] for row in result["rows"]]
    curves = {
        "training": [row["resumed"]["peak_mb"] for row in result["rows"]],
        "preparing": [row["preparation"]["peak_mb"] for row in result["rows"]],
        "the ids on disk": [row["preparation"]["ids_mb"] for row in result["rows"]],
    }
    for (name, values), marker in zip(curves.items(), "os^", strict=True):
        axes.semilogx(pairs, values, marker=marker, label=name)
    axes.set(xlabel="pairs in the file", ylabel="MB", ylim=(0, None))
    axes.legend()
