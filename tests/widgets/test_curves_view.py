"""Tests of the curves widget's Python side: data from stored comparisons, errors, and output without scripts."""

from __future__ import annotations

import json

import pytest
from matplotlib.figure import Figure

from attnbook.widgets.curves_view import CurvesView
from attnbook.widgets.static import saved_state
from tests.support.once import once
from tests.support.stored_comparison import STEPS, stored
from tests.support.tiny_comparison import COMPARISON, finish


def test_curves_view_takes_curves_of_every_task():
    state = saved_state(CurvesView(stored()))["state"]
    assert list(state["tasks"]) == ["reading", "writing"]
    reading = state["tasks"]["reading"]
    assert reading["steps"] == STEPS
    assert reading["budgets"] == {"1/4": 0, "1": 2, "4": 4}
    assert reading["curves"][0] == {
        "name": "fast",
        "values": [[29, 30, 31], [49, 50, 51], [59, 60, 61], [61, 62, 63], [61, 62, 63]],
        "rates": [1e-3] * 5,
    }
    assert (state["task"], state["point"], state["chosen"]) == ("reading", 2, "fast")
    json.dumps(state["tasks"])


def test_curves_view_keeps_no_figures_of_a_run_that_diverged():
    wild = saved_state(CurvesView(stored()))["state"]["tasks"]["reading"]["curves"][2]
    assert wild["values"][1:] == [[39, 40, 41], None, None, None]


def test_alt_names_best_contestant_at_each_budget():
    alt = CurvesView(stored()).alt
    assert "after 25 steps (a quarter of the base) fast with 30" in alt
    assert "after 400 steps (four times the base) slow with 80" in alt


def test_picture_has_a_panel_for_each_budget():
    figure = Figure()
    CurvesView(stored()).draw_figure(figure)
    assert [axes.get_title() for axes in figure.axes] == ["25 steps", "100 steps", "400 steps"]
    rows = [[bar[0].get_xdata()[0] for bar in axes.containers] for axes in figure.axes]
    assert rows == [[30, 10, 20], [60, 55], [62, 80]]


def test_curves_view_output_has_picture_and_text():
    data, metadata = CurvesView(stored(), task="writing", chosen="slow")._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert metadata["image/png"]["alt"] == data["text/plain"]


@pytest.mark.parametrize(
    ("changes", "name"),
    [({"task": "singing"}, "task"), ({"chosen": "other"}, "chosen"), ({"task": "writing", "chosen": "wild"}, "chosen")],
)
def test_curves_view_refuses_unknown_names(changes, name):
    with pytest.raises(ValueError, match=f"^{name} must be one of"):
        CurvesView(stored(), **changes)


@pytest.mark.parametrize("content", [{"rows": []}, {**stored(), "curves": []}])
def test_curves_view_refuses_other_results(content):
    with pytest.raises(ValueError, match=r"^content must"):
        CurvesView(content)


@pytest.mark.slow
def test_curves_view_shows_what_the_harness_stores(tmp_path_factory):
    content = json.loads(once(tmp_path_factory, "finished-comparison", finish))
    assert CurvesView(content).unit == COMPARISON.unit
