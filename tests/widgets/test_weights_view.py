"""Tests of the weights widget's Python side: errors and output without scripts."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import torch

from attnbook.widgets.static import saved_state
from attnbook.widgets.weights_view import Weighed, WeightsView


def test_weights_view_raises_for_invalid_arguments():
    with pytest.raises(ValueError, match=r"^sentences must"):
        WeightsView({}, bias=0.0, question="?")
    with pytest.raises(ValueError, match=r"^sentences\['one'\] must"):
        WeightsView({"one": Weighed(["a", "b"], [0.5, 0.5], [1.0])}, bias=0.0, question="?")


def test_weights_view_output_has_picture_and_text():
    widget = WeightsView({"one": Weighed(["a", "\ud800"], [0.25, 0.75], [1.0, -1.0])}, bias=0.5, question="Yes?")
    data, _ = widget._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and "1 sentences" in data["text/plain"]
    state = saved_state(widget)["state"]
    assert state["shares"] == [0.25, 0.75] and state["sentences"][0]["tokens"][1] != "\ud800"


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_weights_view_raises_for_non_finite_numbers(number):
    for weights, pieces in (([number], [1.0]), ([1.0], [number])):
        with pytest.raises(ValueError, match=r"^sentences\['one'\] must"):
            WeightsView({"one": Weighed(["a"], weights, pieces)}, bias=0.0, question="?")
    with pytest.raises(ValueError, match="bias"):
        WeightsView({"one": Weighed(["a"], [1.0], [1.0])}, bias=number, question="?")


def test_weights_view_converts_tensors_and_arrays_to_numbers():
    one = Weighed(["a", "b"], torch.tensor([0.25, 0.75]), np.ones(2, np.float32))
    state = saved_state(WeightsView({"one": one}, bias=np.float32(0.5), question="?"))["state"]
    assert json.loads(json.dumps(state["sentences"][0]["weights"])) == [0.25, 0.75]
    assert json.dumps(state["sentences"][0]["pieces"]) == "[1.0, 1.0]"
