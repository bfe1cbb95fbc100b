"""What greedy and beam search refuse, how far they go at most, and how wide they search."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
import torch

from attnbook.data import EOS, Vocabulary
from attnbook.models.transformer import Transformer
from attnbook.translation.search import Hypothesis, _Beam, beam_search, cross_attention, greedy
from attnbook.translation.translate import translate
from tests.support.toy_translation import FAMILIES, SENTENCES, SOURCE, TARGET, build, forced_score, inputs


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 2.0])
def test_a_wide_beam_finds_what_trying_everything_finds(family: str, length_penalty: float) -> None:
    vocab_size, max_length = 6, 3
    model = build(family, targets=vocab_size)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(3)  # far from uniform
    source, mask = inputs()
    source, mask = source[:8], mask[:8]
    wide = vocab_size**max_length
    found = beam_search(model, source, mask, beam_size=wide, length_penalty=length_penalty, max_length=max_length)
    others = [i for i in range(vocab_size) if i != EOS]
    bodies = [body for n in range(max_length) for body in itertools.product(others, repeat=n)]
    for row, hypothesis in enumerate(found):
        every = []
        for body in bodies:
            score = forced_score(model, source[row : row + 1], mask[row : row + 1], Hypothesis(body, 0.0, True))
            every.append((score / ((5 + len(body) + 1) / 6) ** length_penalty, body))
        assert hypothesis.finished and hypothesis.ids == max(every)[1]


def test_what_has_no_probability_takes_no_room_in_a_beam() -> None:
    """As an end that the model forbids: it would narrow the beam, and could be the best of those that ended."""
    beam = _Beam(0, 3, 0.6, 10)
    beam.extend([-0.1, -math.inf, -math.inf], [4, EOS, 5], vocab_size=6, first_row=0)
    assert [partial.ids for partial in beam.live] == [(4,)]
    assert beam.room == 3 and beam.ended is None


def test_bad_input_is_refused() -> None:
    model = build("bahdanau")
    source, mask = inputs()
    for search in (greedy, beam_search):
        with pytest.raises(ValueError, match="max_length"):
            search(model, source, mask, max_length=0)
        with pytest.raises(ValueError, match="source"):
            search(model, source.clone().fill_(99), mask)
        with pytest.raises(ValueError, match="source_mask"):
            search(model, source[:2], mask[:2] & torch.tensor([[True], [False]]))
        with pytest.raises(TypeError, match="source"):
            search(model, source.float(), mask)
        with pytest.raises(TypeError, match="source_mask"):
            search(model, source, None)
        with pytest.raises(TypeError, match="source"):
            search(model, source.tolist(), mask)
    for options, message in (
        ({"beam_size": 0}, "beam_size"),
        ({"length_penalty": -1.0}, "length_penalty"),
        ({"length_penalty": 10.5}, "length_penalty"),
        ({"length_penalty": None}, "length_penalty"),
    ):
        with pytest.raises(ValueError, match=message):
            beam_search(model, source, mask, **options)
    with pytest.raises(ValueError, match=r"sentences\[1\]"):
        translate(model, [["a"], []], SOURCE, TARGET)
    with pytest.raises(TypeError, match="sentences"):
        translate(model, "a b", SOURCE, TARGET)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="tokens"):
        translate(model, ["a b"], SOURCE, TARGET)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="beam_size"):
        translate(model, [["a"]], SOURCE, TARGET, beam_size=0)
    with pytest.raises(ValueError, match="length_penalty"):
        translate(model, [["a"]], SOURCE, TARGET, length_penalty=-1)  # although greedy search has none
    with pytest.raises(TypeError, match="source_mask"):
        cross_attention(model, source, None, greedy(model, source, mask))  # type: ignore[arg-type]


def test_attention_of_a_compiled_model_has_the_names_of_the_model() -> None:
    model = build("bahdanau")
    (plain,) = translate(model, [("a",)], SOURCE, TARGET, attention=True, max_length=3)
    compiled = torch.compile(model, backend="eager")
    (found,) = translate(compiled, [("a",)], SOURCE, TARGET, attention=True, max_length=3)
    assert found.target == plain.target and found.attention.keys() == plain.attention.keys()


def test_a_vocabulary_of_another_model_is_refused_before_anything_is_translated() -> None:
    model, other = build("bahdanau"), Vocabulary(("a",))
    with pytest.raises(ValueError, match="source_vocabulary"):
        translate(model, SENTENCES, other, TARGET)
    with pytest.raises(ValueError, match="target_vocabulary"):
        translate(model, SENTENCES, SOURCE, other)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_a_model_with_few_positions_writes_at_most_as_many_and_reads_no_more(beam_size: int) -> None:
    model = Transformer(len(SOURCE), len(TARGET), d_model=8, num_heads=2, d_ff=8, positions="learned", max_length=5)
    with torch.no_grad():
        model.head.bias[EOS] = -100  # it never ends by itself
    (found,) = translate(model, [("a",) * 5], SOURCE, TARGET, beam_size=beam_size)
    assert len(found.target_pieces) == 5 and not found.finished
    with pytest.raises(ValueError, match=r"sentences\[1\].* 5 .*6"):
        translate(model, [("a",), ("a",) * 6], SOURCE, TARGET, beam_size=beam_size)


@pytest.mark.parametrize(("search", "widths"), [(greedy, {1}), (beam_search, {1, 4})])
def test_by_default_a_beam_has_four_targets_and_a_hundred_ids_are_the_most(search: Any, widths: set[int]) -> None:
    model, seen = build("seq2seq"), set()
    model.head.register_forward_hook(lambda _, __, logits: seen.add(len(logits)))
    with torch.no_grad():
        model.head.bias[EOS] = -100  # it never ends by itself
    (found,) = search(model, *inputs([["a"]]))
    assert len(found.ids) == 100 and not found.finished and seen == widths


@pytest.mark.parametrize("beam_size", [1, 2])
def test_a_model_that_gives_nan_is_an_error_and_no_translation(beam_size: int) -> None:
    model = build("seq2seq")
    with torch.no_grad():
        model.head.weight.fill_(math.nan)
    with pytest.raises(FloatingPointError, match=r"model .*row 0"):
        translate(model, SENTENCES, SOURCE, TARGET, beam_size=beam_size, max_length=4)


def test_searches_name_ids_and_hypotheses_of_another_kind() -> None:
    model, (source, mask) = build("bahdanau"), inputs()
    for search in (greedy, beam_search):
        with pytest.raises(TypeError, match="source"):
            search(model, source.to_sparse(), mask)
        with pytest.raises(ValueError, match="source"):
            search(model, torch.tensor(4), torch.tensor(True))
    for hypotheses in (None, [None] * len(source)):
        with pytest.raises(TypeError, match="hypotheses"):
            cross_attention(model, source, mask, hypotheses)  # type: ignore[arg-type]
