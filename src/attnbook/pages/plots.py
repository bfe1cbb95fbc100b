"""Static figures in one style. Color-blind readers can distinguish the colors, also in grayscale."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from torch import Tensor

from attnbook._internal.optional import needs
from attnbook._internal.validate import check_range, check_tensors
from attnbook.pages.colors import color_of

with needs("book"):
    import matplotlib.pyplot as plt
    import seaborn as sns
    from matplotlib.colors import LinearSegmentedColormap
    from matplotlib.font_manager import get_font_names
    from matplotlib.patches import Rectangle

    from attnbook.pages.figures.svg import show_on_pages

# From the white of the page through the color of weights to dark blue.
WEIGHTS = LinearSegmentedColormap.from_list("weights", [color_of("paper"), "#a3bcee", color_of("weight"), "#12306f"])
MANY_CELLS = 400  # more cells are drawn as one bitmap
FONTS = ["DejaVu Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei"]


def use_style() -> None:
    """Set the book's style for all later figures; while a page is built, they are shown as SVG, light and dark."""
    show_on_pages()
    sns.set_theme(context="notebook", style="ticks", palette="colorblind")
    plt.rcParams.update(
        {
            "figure.figsize": (6.4, 3.6),
            "figure.dpi": 100,
            "figure.constrained_layout.use": True,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "legend.frameon": False,
            **dict.fromkeys(("text.color", "axes.labelcolor", "xtick.color", "ytick.color"), color_of("ink")),
            "axes.edgecolor": color_of("line"),
        }
    )


def heatmap(
    weights: Tensor,
    query_labels: Sequence[str] | None = None,
    key_labels: Sequence[str] | None = None,
    *,
    axes: Any = None,
    query_name: str = "queries",
    key_name: str = "keys",
    gold: Iterable[tuple[int, int]] = (),
    highest: float | None = None,
) -> Any:
    """Draw attention weights: one row per query, one column per key; darker cells are larger weights.

    Args:
        weights: ``(queries, keys)``, each in [0, 1].
        query_labels: one per row; no labels if None.
        key_labels: one per column; no labels if None.
        axes: where to draw; the current axes if None.
        query_name: label of the vertical axis.
        key_name: label of the horizontal axis.
        gold: links ``(key index, query index)`` to be framed: source before target, as in ``Pair``.
        highest: the weight with the darkest color; use the same number for maps that are compared. None: 1 if there
            are query labels, otherwise the largest weight.

    Returns:
        the matplotlib axes.

    Raises:
        ValueError: ``weights`` is not a matrix, is empty or has a number outside [0, 1], there are not as many labels
            as rows or columns, or a gold link is outside the matrix.
        TypeError: ``weights`` is not a tensor.
    """
    check_tensors(weights=weights)
    if weights.dim() != 2 or weights.numel() == 0:
        raise ValueError(f"weights must have shape (queries >= 1, keys >= 1), got {tuple(weights.shape)}")
    low, high = float(weights.min()), float(weights.max())
    check_range("weights", (low, high), low >= 0 and high <= 1 + 1e-3, "between 0 and 1")
    _check_labels("query_labels", query_labels, weights.shape[0])
    _check_labels("key_labels", key_labels, weights.shape[1])
    gold = list(gold)
    _check_gold(gold, *weights.shape)
    axes = sns.heatmap(
        weights.detach().float().cpu().numpy(),
        vmin=0,
        vmax=1 if highest is None and query_labels is not None else highest,
        cmap=WEIGHTS,
        cbar_kws={"label": "attention weight"},
        xticklabels=False if key_labels is None else list(key_labels),
        yticklabels=False if query_labels is None else list(query_labels),
        square=query_labels is not None,
        rasterized=weights.numel() > MANY_CELLS,
        linewidths=0.0 if weights.numel() > MANY_CELLS else 0.6,
        linecolor=color_of("paper"),
        ax=axes,
    )
    fonts = [font for font in FONTS if font in get_font_names()]  # a missing font gives a warning for every label
    for label in (*axes.get_xticklabels(), *axes.get_yticklabels()):
        label.set_family(fonts)
        label.set_parse_math(False)
    for column, row in gold:
        axes.add_patch(Rectangle((column, row), 1, 1, fill=False, edgecolor=color_of("query"), linewidth=2))
    axes.set(xlabel=key_name, ylabel=query_name)
    axes.tick_params(axis="y", rotation=0)
    return axes


def _check_labels(name: str, labels: Sequence[str] | None, size: int) -> None:
    if labels is not None and len(labels) != size:
        raise ValueError(f"{name} must have {size} labels, got {len(labels)}")


def _check_gold(gold: Iterable[tuple[int, int]], rows: int, columns: int) -> None:
    for column, row in gold:
        if not (0 <= row < rows and 0 <= column < columns):
            raise ValueError(f"gold must hold (key index, query index) inside the matrix, got {(column, row)}")
