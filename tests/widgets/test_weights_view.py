"""The weights widget's Python side: what it refuses, and what a page without scripts gets."""

from __future__ import annotations

import pytest

from attnbook.widgets.static import saved_state
from attnbook.widgets.weights_view import Weighed, WeightsView


def test_bad_input_is_named():
    with pytest.raises(ValueError, match=r"sentences is \{\}"):
        WeightsView({}, bias=0.0, question="?")
    with pytest.raises(ValueError, match=r"'one' with \(2, 1\) weights and pieces: wanted 2"):
        WeightsView({"one": Weighed(["a", "b"], [0.5, 0.5], [1.0])}, bias=0.0, question="?")


def test_the_output_carries_a_picture_and_a_sentence():
    widget = WeightsView({"one": Weighed(["a", "\ud800"], [0.25, 0.75], [1.0, -1.0])}, bias=0.5, question="Yes?")
    data, _ = widget._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and "1 sentences" in data["text/plain"]
    state = saved_state(widget)["state"]
    assert state["shares"] == [0.25, 0.75] and state["sentences"][0]["tokens"][1] != "\ud800"
