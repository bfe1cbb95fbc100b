"""How spread attention is and how well it agrees with a gold alignment, from exact weights on any device."""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from attnbook.widgets.layout import Kind, Layout

VIEWS = ("mean", "max")  # choices in addition to the single heads


class HeadMetrics:
    r"""Entropy and alignment error of every head, over all probe sentences.

    The entropy of a row is :math:`-\sum_j \alpha_{ij} \log_2 \alpha_{ij}` in bits, averaged over all real rows. It is
    NaN for the maximum over heads, which is not a distribution.

    The alignment error rate is :math:`1 - 2|A \cap G| / (|A| + |G|)` (Och and Ney 2003, with every gold link sure),
    where each target word is linked to the source word with the largest weight; ``<eos>`` is not a word.

    For each layer of each kind, a frame's measures are the entropies of ``mean``, ``max`` and every head. For kinds
    with gold links the error rates follow in the same order.

    Args:
        layout: the order of the weights in a frame.
        device: where the weights are.
    """

    def __init__(self, layout: Layout, device: torch.device | str = "cpu") -> None:
        self.layout = layout
        self._rows = [_row_mask(layout, kind).to(device) for kind in layout.kinds]
        golds = (_gold_matrix(layout, kind) for kind in layout.kinds)
        self._gold = [None if gold is None else gold.to(device) for gold in golds]

    @property
    def size(self) -> int:
        """Number of measures in a frame."""
        return sum(
            len(kind.layers) * (kind.heads + len(VIEWS)) * (1 if gold is None else 2)
            for kind, gold in zip(self.layout.kinds, self._gold, strict=True)
        )

    def has_gold(self) -> list[bool]:
        """Whether error rates are measured, for each kind."""
        return [gold is not None for gold in self._gold]

    def __call__(self, weights: Mapping[str, Tensor]) -> Tensor:
        """Measure one frame: ``(size,)`` float32, on the device of the weights.

        Args:
            weights: ``(batch, heads, queries, keys)`` by layer name.
        """
        parts = []
        for kind, rows, gold in zip(self.layout.kinds, self._rows, self._gold, strict=True):
            heads = torch.stack([weights[name] for name in kind.layers]).float()
            heads = heads[..., : rows.shape[1], :]  # (layers, batch, heads, queries, keys)
            views = torch.cat((heads.mean(2, keepdim=True), heads.amax(2, keepdim=True), heads), 2)
            entropy = -torch.xlogy(views, views).sum(-1) / math.log(2)
            entropy = entropy.masked_fill(~rows[:, None], 0).sum((1, 3)) / rows.sum()  # (layers, views)
            entropy[:, VIEWS.index("max")] = torch.nan
            parts.append(entropy)
            if gold is not None:
                parts.append(_alignment_error(views, gold))
        return torch.cat([part.reshape(-1) for part in parts])


def _alignment_error(views: Tensor, gold: Tensor) -> Tensor:
    """(layers, batch, views, queries, keys) and gold (batch, queries, keys) -> (layers, views)"""
    words = gold.shape[1]
    best = views[..., :words, : gold.shape[2]].max(-1)  # (layers, batch, views, words)
    linked = (best.values > 0) & (gold >= 0).any(-1)[:, None]  # words of the sentence that have a weight
    is_gold = (gold > 0)[None, :, None].expand(*best.indices.shape, -1)
    hits = is_gold.gather(-1, best.indices.unsqueeze(-1)).squeeze(-1) & linked
    links = linked.sum((1, 3)) + (gold > 0).sum()
    return 1 - 2 * hits.sum((1, 3)) / links


def _row_mask(layout: Layout, kind: Kind) -> Tensor:
    """(batch, queries) bool, True = a real row"""
    lengths = [len(sentence.axes[kind.query]) for sentence in layout.sentences]
    return torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]


def _gold_matrix(layout: Layout, kind: Kind) -> Tensor | None:
    """(batch, queries, keys) int8: 1 a gold link, 0 none, -1 outside the sentences that have gold."""
    golden = [sentence for sentence in layout.sentences if sentence.gold]
    if not kind.gold or not golden:
        return None
    rows = max(len(sentence.axes[kind.query]) for sentence in layout.sentences)
    columns = max(len(sentence.axes[kind.key]) for sentence in layout.sentences)
    gold = torch.full((len(layout.sentences), rows, columns), -1, dtype=torch.int8)
    for i, sentence in enumerate(layout.sentences):
        if not sentence.gold:
            continue
        queries = sentence.axes[kind.query]
        words = len(queries) - (queries[-1] == "<eos>")
        gold[i, :words, : len(sentence.axes[kind.key])] = 0
        for key, query in sentence.gold:
            gold[i, query, key] = 1
    return gold
