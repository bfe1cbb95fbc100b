"""The book's pictures of the figures under ``results/benchmarks``, each with its alternative text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

from benchmarks.harness import OURS, RESULTS


def load(name: str, folder: Path = RESULTS) -> dict[str, Any]:
    """What ``python -m benchmarks`` wrote, such as "training_step" or "training_step-bfloat16".

    Raises:
        FileNotFoundError: there is no such result.
    """
    path = folder / f"{name}.json"
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist: wanted the result of python -m benchmarks")
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def speed(result: dict[str, Any], *, axes: Any = None) -> tuple[Any, str]:
    """How many times faster we are than each rival, with the spread over the rounds, and the ratio that was the goal.

    Args:
        result: from :func:`load`.
        axes: where to draw; new ones if None.

    Returns:
        the axes, and a text that says what they show.
    """
    bars = [
        (f"{row['work']}\nagainst {name}", found["ours_is_times_faster"], row["reach"].get(name))
        for row in result["rows"]
        for name, found in row["contestants"].items()
        if name != OURS
    ]
    axes = plt.subplots(figsize=(6.4, 0.8 + 0.55 * len(bars)))[1] if axes is None else axes
    for y, (_, ratio, goal) in enumerate(bars):
        ends = [[ratio["median"] - ratio["low"]], [ratio["high"] - ratio["median"]]]
        axes.barh(y, ratio["median"], xerr=ends, color="C0", height=0.6, ecolor="0.3", capsize=3)
        if goal is not None:
            axes.plot([goal, goal], [y - 0.4, y + 0.4], color="C3", linewidth=2)
    axes.axvline(1, color="0.3", linewidth=1, linestyle=":")
    axes.set_yticks(range(len(bars)), [label for label, _, _ in bars], fontsize="small")
    axes.invert_yaxis()
    axes.set(xlabel="times as fast as the rival (line: goal)", xlim=(0, None))
    sentences = []
    for label, ratio, goal in bars:
        wanted = "" if goal is None else f", goal {goal:g}"
        sentences.append(f"{' '.join(label.split())}: {ratio['median']:.2f} times as fast{wanted}")
    return axes, f"Bars, one for each rival. {'; '.join(sentences)}."


def growth(result: dict[str, Any], *, axes: Any = None) -> tuple[Any, str]:
    """Time and peak memory of self-attention as the sequence grows, on logarithmic scales.

    Args:
        result: ``load("lengths")``.
        axes: two of them, for time and for memory; new ones if None.

    Returns:
        the two axes, and a text that says what they show.
    """
    axes = plt.subplots(1, 2, figsize=(8, 3.6))[1] if axes is None else axes
    rows = result["rows"]
    lengths = [row["length"] for row in rows]
    names = list(rows[0]["contestants"])
    for name, marker in zip(names, "os", strict=False):
        found = [row["contestants"][name] for row in rows]
        axes[0].loglog(lengths, [f["seconds"]["median"] * 1e3 for f in found], marker=marker, label=name)
        # Less than a page cannot be told from nothing.
        axes[1].loglog(lengths, [max(f["peak_bytes"], 4096) / 2**20 for f in found], marker=marker, label=name)
    axes[0].set(xlabel="length in tokens", ylabel="milliseconds, forward and backward")
    axes[1].set(xlabel="length in tokens", ylabel="peak memory in MiB")
    axes[0].legend()
    last = {name: rows[-1]["contestants"][name] for name in names}
    described = "; ".join(
        f"{name} takes {found['seconds']['median']:.2g} s and {found['peak_bytes'] / 2**20:,.0f} MiB"
        for name, found in last.items()
    )
    return axes, f"Two curves over the length, for time and for memory. At {lengths[-1]} tokens {described}."
