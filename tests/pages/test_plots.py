"""Heatmaps show weights, labels and gold links, and refuse invalid arguments."""

from __future__ import annotations

import logging

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch

from attnbook.pages.plots import heatmap, use_style

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def fresh_figure():
    use_style()
    yield
    plt.close("all")


def test_heatmap_rows_are_queries_and_columns_are_keys():
    weights = torch.tensor([[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]])
    axes = heatmap(weights, ["il", "dort"], ["he", "is", "asleep"])
    assert [label.get_text() for label in axes.get_yticklabels()] == ["il", "dort"]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["he", "is", "asleep"]
    drawn = torch.tensor(axes.collections[0].get_array().reshape(2, 3))
    torch.testing.assert_close(drawn, weights)


def test_heatmap_frames_gold_links_at_query_and_key():
    axes = heatmap(torch.eye(3), list("abc"), list("xyz"), gold=[(1, 2)])
    (frame,) = axes.patches
    assert frame.get_xy() == (1, 2)


def test_heatmap_highest_sets_the_darkest_weight():
    weights = torch.tensor([[0.2, 0.1], [0.05, 0.0]])
    assert heatmap(weights).collections[0].norm.vmax == pytest.approx(0.2)
    plt.close("all")
    assert heatmap(weights, highest=0.5).collections[0].norm.vmax == 0.5


def test_heatmap_labels_are_plain_text_without_font_warnings(caplog):
    with caplog.at_level(logging.WARNING, logger="matplotlib.font_manager"):
        axes = heatmap(torch.eye(2), ["$x^2$", "<b>"], ["_", "\\frac"])
        axes.figure.canvas.draw()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["$x^2$", "<b>"]
    assert caplog.records == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((torch.ones(2, 3, 4),), "weights"),
        ((torch.eye(2), ["a"], ["x", "y"]), "^query_labels must"),
        ((torch.eye(2), ["a", "b"], ["x"]), "^key_labels must"),
        ((torch.ones(0, 3),), "weights"),
        ((-torch.eye(2),), "^weights must be between"),
        ((torch.full((2, 2), torch.nan),), "^weights must be between"),
    ],
)
def test_heatmap_rejects_invalid_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        heatmap(*arguments)


def test_heatmap_rejects_array_and_gold_outside():
    with pytest.raises(TypeError, match=r"^weights must"):
        heatmap(torch.eye(2).numpy())
    with pytest.raises(ValueError, match="gold"):
        heatmap(torch.eye(3)[:, :2], gold=[(0, 2), (2, 0)])


def test_heatmap_accepts_labels_in_an_array():
    axes = heatmap(torch.eye(2), np.array(["il", "dort"]), np.array(["he", "sleeps"]))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["il", "dort"]
