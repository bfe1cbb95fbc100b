"""Tests of the beam widget's Python side: its steps equal the package's beam search."""

from __future__ import annotations

import math

import pytest
import torch

from attnbook.data import EOS
from attnbook.translation.search import beam_search
from attnbook.widgets.beam_view import BeamView, search_steps
from tests.support.js_engine import number_vocabulary
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY, build

SOURCE, TARGET = number_vocabulary(SOURCE_VOCABULARY), number_vocabulary(TARGET_VOCABULARY)
MAX_LENGTH = 12


def make(name, seed):
    """A model that often ends, and whose beams of different sizes differ."""
    model = build(name, seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(1.7)
        model.head.bias[EOS] += 6.0
    return model


def ended(steps):
    """The pieces and the score of what has ended, from the steps alone."""
    live, found = [()], []
    for step in steps:
        kept = [(live[one.parent], one) for one in step if one.fate != "dropped"]
        found += [(before, one.score) for before, one in kept if one.fate == "ended"]
        live = [(*before, one.piece) for before, one in kept if one.fate == "live"]
    return found


@pytest.mark.parametrize("beam_size", [1, 2, 4])
@pytest.mark.parametrize("name", ["transformer-sinusoidal", "bahdanau"])
def test_best_hypothesis_equals_beam_search_of_the_package(name, beam_size):
    finished = 0
    for seed in range(6):
        model = make(name, seed)
        ids = [4 + seed, 7, 5]
        source = torch.tensor([ids])
        steps = search_steps(model, ids, TARGET, beam_size=beam_size, max_length=MAX_LENGTH)
        for penalty in (0.0, 0.6, 1.5):
            options = {"beam_size": beam_size, "length_penalty": penalty, "max_length": MAX_LENGTH}
            best = beam_search(model, source, torch.ones_like(source, dtype=torch.bool), **options)[0]
            assert best.finished == bool(ended(steps))
            if best.finished:
                finished += 1
                pieces, score = max(ended(steps), key=lambda one: one[1] / ((6 + len(one[0])) / 6) ** penalty)
                assert list(pieces) == TARGET.pieces(best.ids)
                assert score == pytest.approx(best.score, abs=1e-4)
    assert finished >= 3, "hardly a search has ended: this tests nothing"


def test_steps_have_twice_the_beam_of_candidates_with_their_fate():
    end = TARGET.pieces([EOS])[0]
    for step in search_steps(make("transformer-sinusoidal", 0), [5, 6], TARGET, beam_size=3):
        assert len(step) == 6
        assert [one.score for one in step] == sorted((one.score for one in step), reverse=True)
        fates = [one.fate for one in step]
        assert "dropped" not in fates[: fates.index("dropped")]
        assert set(fates[fates.index("dropped") :]) == {"dropped"}
        assert all((one.piece == end) == (one.fate == "ended") for one in step if one.fate != "dropped")


def test_reference_has_probability_of_the_model():
    model = make("transformer-sinusoidal", 0)
    written = beam_search(model, torch.tensor([[5, 6]]), torch.ones(1, 2, dtype=torch.bool), beam_size=4)[0]
    assert written.finished
    view = BeamView(model, (SOURCE, TARGET), [(SOURCE.decode([5, 6]), TARGET.decode(written.ids))])
    assert view.sentences[0]["referenceScore"] == pytest.approx(written.score, abs=1e-3)
    assert len(view.sentences[0]["runs"]) == 4
    data, _ = view._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG") and "beam of two" in data["text/plain"]


def test_beam_view_raises_for_invalid_arguments():
    with pytest.raises(ValueError, match="sentences"):
        BeamView(make("bahdanau", 0), (SOURCE, TARGET), [])
    with pytest.raises(ValueError, match=r"^source_vocabulary must"):
        BeamView(make("bahdanau", 0), (TARGET, TARGET), [(["3"], ["4"])])
    with pytest.raises(ValueError, match=r"^sentences\[1\]\[0\] must"):
        BeamView(make("bahdanau", 0), (SOURCE, TARGET), [(("3",), ("4",)), ((), ())])
    broken = make("bahdanau", 0)
    with torch.no_grad():
        broken.head.weight.fill_(math.nan)
    with pytest.raises(FloatingPointError, match="model"):
        BeamView(broken, (SOURCE, TARGET), [(("3",), ("4",))])
    with pytest.raises(ValueError, match="source"):
        search_steps(broken, [], TARGET, beam_size=2)


def test_beam_view_stops_at_max_length_of_the_model():
    model = build("transformer-learned", max_length=6)
    with torch.no_grad():
        model.head.bias[EOS] = -100.0  # it never ends by itself
    steps = search_steps(model, [4, 5], TARGET, beam_size=2)
    (found,) = beam_search(model, torch.tensor([[4, 5]]), torch.ones(1, 2, dtype=torch.bool), beam_size=2)
    assert len(steps) == len(found.ids) == 6


def test_beam_view_starts_at_the_first_error_of_greedy_search():
    model = make("transformer-sinusoidal", 0)
    runs = {n: search_steps(model, [n], TARGET, beam_size=1, max_length=4) for n in range(4, 12)}
    source, run = next((n, run) for n, run in runs.items() if len(run) > 1)
    first, second = (found[0].piece for found in run[:2])
    other = next(piece for piece in TARGET.decode(range(4, 9)) if piece not in (first, second))
    for reference, start in (([other], 1), ([first, other], 2)):
        assert BeamView(model, (SOURCE, TARGET), [(SOURCE.decode([source]), reference)]).step == start
