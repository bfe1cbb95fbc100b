"""Tests of the wiring widget's Python side: the reachable parts equal those that change in a decoder; errors."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest
import torch

from attnbook.models.seq2seq import GRUEncoder, RecurrentEncoderDecoder
from attnbook.widgets.static import saved_state
from attnbook.widgets.wiring_view import BOXES, CHOICES, WIRES, WiringView, reached_from
from experiments.controls.readout import SIZE, ReadoutDecoder

WIRINGS = list(product(CHOICES["asks"], CHOICES["readout"], CHOICES["feeding"]))


@pytest.mark.parametrize(("asks", "readout", "feeding"), WIRINGS)
def test_reachable_parts_change_in_decoder_of_the_chapter(asks, readout, feeding):
    torch.manual_seed(0)
    encoder = GRUEncoder(9, SIZE, SIZE, 1, 0.0, bidirectional=True)
    kind, word = ("maxout", True) if readout == "maxout" else ("tanh", False)
    decoder = ReadoutDecoder(9, encoder.memory_size, asks=asks, kind=kind, word=word, feeding=feeding == "yes")
    model = RecurrentEncoderDecoder(encoder, decoder, {}).eval()
    queries = []
    attend = decoder.cross_attention.attend
    decoder.cross_attention.attend = lambda query, *rest: (queries.append(query), attend(query, *rest))[1]

    def step(word: int, fed: float):
        state = model.encode(torch.tensor([[5, 6, 7]]), torch.ones(1, 3, dtype=torch.bool))
        features, after = decoder(torch.tensor([[word]]), replace(state, fed=torch.full_like(state.fed, fed)))
        return {"weights": queries.pop(), "state": after.hidden, "readout": features}

    with torch.no_grad():
        first = step(4, 0.0)
        for traced, other in (("word", step(5, 0.0)), ("fed", step(4, 0.5) if feeding == "yes" else step(4, 0.0))):
            chosen = {"asks": asks, "readout": readout, "feeding": feeding}
            reached = reached_from(traced, chosen)
            for box, before in first.items():
                assert (box in reached) == (not torch.equal(before, other[box])), (traced, box)


def test_wires_follow_the_order_of_computation():
    known = {"word", "before", "fed"}
    for start, end, _, corners, when in WIRES:
        assert start in known and end in BOXES and len(corners) >= 2
        assert all(value in CHOICES[name] for name, value in when.items())
        known.add(end)


def test_wiring_view_raises_for_unknown_choice():
    with pytest.raises(ValueError, match="asks"):
        WiringView(asks="never")


def test_wiring_view_output_has_picture_and_text():
    data, _ = WiringView(asks="early")._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and "query is the previous state" in data["text/plain"]
    assert saved_state(WiringView())["state"]["feeding"] == "no"
