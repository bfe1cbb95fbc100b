"""Greedy and beam search: results, limits, and invalid input."""

from __future__ import annotations

import itertools
import math
from typing import Any, cast

import pytest
import torch
from torch import nn

from attnbook.data import BOS, EOS, SPECIALS, Vocabulary, collate
from attnbook.models.base import EncoderDecoder
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer
from attnbook.observe.recorder import record_attention
from attnbook.training.loop import train
from attnbook.translation.metrics import perplexity
from attnbook.translation.search import Hypothesis, _Beam, beam_search, cross_attention, greedy
from attnbook.translation.translate import translate
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY, random_batch
from tests.support.small_models import build as build_small
from tests.support.toy_translation import (
    FAMILIES,
    LENGTHS,
    PAIRS,
    SENTENCES,
    SOURCE,
    TARGET,
    build,
    forced_score,
    inputs,
)


@pytest.fixture(scope="module", params=FAMILIES)
def model(request: pytest.FixtureRequest) -> EncoderDecoder:
    """A model trained so briefly that rows end at different steps and some do not end."""
    model = build(request.param)
    for _ in train(model, [collate(PAIRS, SOURCE, TARGET)], steps=25, lr=0.01):
        pass
    return model


def close(one: list[Hypothesis], other: list[Hypothesis]) -> bool:
    return all(
        a.ids == b.ids and a.finished == b.finished and a.score == pytest.approx(b.score, abs=1e-4)
        for a, b in zip(one, other, strict=True)
    )


def test_greedy_equals_a_plain_loop(model: EncoderDecoder) -> None:
    source, mask = inputs()
    found = greedy(model, source, mask, max_length=8)
    assert sum(h.finished for h in found) > 0
    model.eval()
    for row, hypothesis in enumerate(found):
        ids: list[int] = []
        alone = source[row : row + 1, : LENGTHS[row // 3]]
        for _ in range(8):  # no cache, no batch: decode the whole prefix again and again
            with torch.no_grad():
                logits, _ = model.decode(
                    torch.tensor([[BOS, *ids]]), model.encode(alone, torch.ones_like(alone).bool())
                )
            ids.append(int(logits[0, -1].argmax()))
            if ids[-1] == EOS:
                break
        assert hypothesis.finished == (ids[-1] == EOS)
        assert list(hypothesis.ids) == [i for i in ids if i != EOS]
    model.train()


@pytest.mark.parametrize("beam_size", [1, 3])
def test_searches_translate_rows_independently(model: EncoderDecoder, beam_size: int) -> None:
    source, mask = inputs()

    def search(source: torch.Tensor, mask: torch.Tensor) -> list[Hypothesis]:
        if beam_size == 1:
            return greedy(model, source, mask, max_length=9)
        return beam_search(model, source, mask, beam_size=beam_size, max_length=9)

    together = search(source, mask)
    order = torch.randperm(len(SENTENCES), generator=torch.Generator().manual_seed(1))
    assert close(search(source[order], mask[order]), [together[row] for row in order.tolist()])
    for row, length in enumerate(mask.sum(1).tolist()):
        assert close(search(source[row : row + 1, :length], mask[row : row + 1, :length]), [together[row]])


def test_beam_search_of_size_one_equals_greedy(model: EncoderDecoder) -> None:
    source, mask = inputs()
    for max_length in (1, 3, 9):
        found = beam_search(model, source, mask, beam_size=1, max_length=max_length)
        assert close(found, greedy(model, source, mask, max_length=max_length))


@pytest.mark.parametrize("beam_size", [1, 4])
def test_scores_equal_teacher_forcing(model: EncoderDecoder, beam_size: int) -> None:
    source, mask = inputs()
    found = beam_search(model, source, mask, beam_size=beam_size, max_length=7)
    found += greedy(model, source, mask, max_length=7)
    assert any(h.finished for h in found), "no score includes <eos>"
    for row, hypothesis in enumerate(found):
        row %= len(SENTENCES)
        expected = forced_score(model, source[row : row + 1], mask[row : row + 1], hypothesis)
        assert hypothesis.score == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_scores_and_weights_of_a_16_bit_model_are_in_fp32(dtype: torch.dtype) -> None:
    model = build("bahdanau").to(dtype)
    with torch.no_grad():
        model.head.weight.zero_()  # the logits of every step are the bias
        model.head.bias.copy_(torch.linspace(0, 3, len(TARGET)))
    source, mask = inputs()
    (weights,) = cross_attention(model, source[:1], mask[:1], greedy(model, source[:1], mask[:1]))[0].values()
    assert weights.dtype == torch.float32
    log_p = model.head.bias.detach().float().log_softmax(-1)
    for search in (greedy, beam_search):
        for found in search(model, source, mask, max_length=5):
            ids = [*found.ids, EOS] if found.finished else list(found.ids)
            assert found.score == pytest.approx(float(log_p[ids].double().sum()), rel=1e-5)


def plain_beam(
    model: EncoderDecoder, source: torch.Tensor, beam_size: int, length_penalty: float, max_length: int
) -> tuple[tuple[int, ...], bool]:
    """Beam search by its definition, for one sentence, without cache or early stop: ids, and whether they ended."""
    live, ended = [(0.0, (BOS,))], []
    for _ in range(max_length):
        candidates = []
        for score, ids in live:
            with torch.no_grad():
                logits, _ = model.decode(torch.tensor([ids]), model.encode(source, source.bool()))
            log_p = logits[0, -1].log_softmax(-1).tolist()
            candidates += [(score + log_p[token], (*ids, token)) for token in range(len(log_p))]
        best = sorted(candidates, reverse=True)[: beam_size - len(ended)]
        ended += [(score, ids) for score, ids in best if ids[-1] == EOS]
        live = [(score, ids) for score, ids in best if ids[-1] != EOS]

    def worth(found: tuple[float, tuple[int, ...]]) -> float:
        return found[0] / ((5 + len(found[1]) - 1) / 6) ** length_penalty

    _, ids = max(ended or live, key=worth)
    return (ids[1:-1], True) if ended else (ids[1:], False)


@pytest.mark.parametrize("length_penalty", [0.0, 1.0, 10.0])
@pytest.mark.parametrize("beam_size", [2, 3, 4])
@pytest.mark.parametrize("max_length", [3, 8])
def test_beam_search_equals_a_plain_beam_without_early_stop(
    model: EncoderDecoder, beam_size: int, max_length: int, length_penalty: float
) -> None:
    source, mask = inputs()
    found = beam_search(model, source, mask, beam_size=beam_size, length_penalty=length_penalty, max_length=max_length)
    model.eval()
    for row in range(0, len(SENTENCES), 2):
        alone = source[row : row + 1, : LENGTHS[row // 3]]
        expected = plain_beam(model, alone, beam_size, length_penalty, max_length)
        assert (found[row].ids, found[row].finished) == expected
    model.train()


def test_beam_size_and_length_penalty_change_results(model: EncoderDecoder) -> None:
    source, mask = inputs()

    def search(beam_size: int, length_penalty: float) -> list[Hypothesis]:
        return beam_search(model, source, mask, beam_size=beam_size, length_penalty=length_penalty, max_length=12)

    narrow, wide, long = search(1, 0.0), search(6, 0.0), search(6, 2.0)
    ended = [row for row in range(len(SENTENCES)) if narrow[row].finished]
    assert all(wide[row].finished for row in ended)
    assert sum(wide[row].score for row in ended) >= sum(narrow[row].score for row in ended) - 1e-4
    assert sum(len(long[row].ids) for row in ended) >= sum(len(wide[row].ids) for row in ended)


def test_searches_mark_cut_hypotheses(model: EncoderDecoder) -> None:
    source, mask = inputs()
    for found in (greedy(model, source, mask, max_length=1), beam_search(model, source, mask, max_length=1)):
        for hypothesis in found:
            assert hypothesis.finished == (hypothesis.ids == ())
            assert len(hypothesis.ids) <= 1
    for hypothesis in beam_search(model, source, mask, beam_size=5, max_length=2):
        assert len(hypothesis.ids) < 2 if hypothesis.finished else len(hypothesis.ids) == 2


def test_searches_stop_when_every_row_has_finished(model: EncoderDecoder, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[int] = []
    decode = model.decode

    def counted(target_in: torch.Tensor, state: Any) -> tuple[torch.Tensor, Any]:
        rows.append(target_in.shape[0])
        return decode(target_in, state)

    source, mask = inputs()
    ended = [h for h in greedy(model, source, mask, max_length=40) if h.finished]
    assert ended
    monkeypatch.setattr(model, "decode", counted)
    found = greedy(model, source, mask, max_length=40)
    assert len(rows) == max(len(h.ids) + h.finished for h in found)
    assert rows[0] == len(SENTENCES) and rows == sorted(rows, reverse=True)
    assert rows[-1] < rows[0]  # rows that have ended were dropped


def test_searches_restore_mode_and_gradients(model: EncoderDecoder) -> None:
    model.train()
    next(iter(model.children())).eval()
    modes = [m.training for m in model.modules()]
    source, mask = inputs()
    first = greedy(model, source, mask, max_length=9)
    assert modes == [m.training for m in model.modules()] and True in modes and False in modes
    assert first == greedy(model, source, mask, max_length=9)  # no dropout
    with pytest.raises(ValueError, match="source_mask"):
        greedy(model, source, mask[:, :-1])
    assert modes == [m.training for m in model.modules()]
    model.train()


def test_translate_keeps_order_for_any_batch_size(model: EncoderDecoder) -> None:
    expected = [translate(model, [s], SOURCE, TARGET, max_length=9)[0] for s in SENTENCES]
    for batch_size in (1, 4, 64):
        found = translate(model, SENTENCES, SOURCE, TARGET, max_length=9, batch_size=batch_size)
        assert [t.source for t in found] == [tuple(s) for s in SENTENCES]
        assert [(t.target, t.finished) for t in found] == [(t.target, t.finished) for t in expected]
        assert [t.score for t in found] == pytest.approx([t.score for t in expected], abs=1e-4)
    assert translate(model, [], SOURCE, TARGET) == []
    beam = translate(model, SENTENCES, SOURCE, TARGET, max_length=9, beam_size=4)
    hypotheses = beam_search(model, *inputs(), beam_size=4, max_length=9)
    assert [t.target for t in beam] == [tuple(TARGET.decode(h.ids)) for h in hypotheses]


def test_translate_attention_equals_that_of_the_search(model: EncoderDecoder) -> None:
    found = translate(model, SENTENCES, SOURCE, TARGET, max_length=9, attention=True)
    names = {n for n, m in model.named_modules() if n.endswith("cross_attention")}
    for translation in found:
        assert translation.attention.keys() == names
        assert len(translation.target_pieces) == len(translation.target) + translation.finished
        for weights in translation.attention.values():
            heads, rows, columns = weights.shape
            assert (rows, columns) == (len(translation.target_pieces), len(translation.source_pieces))
            torch.testing.assert_close(weights.sum(-1), torch.ones(heads, rows))
    if not names:
        return
    source, mask = inputs(SENTENCES[-1:])
    with record_attention(model) as record:
        (hypothesis,) = greedy(model, source, mask, max_length=9)
        (seen,) = cross_attention(model, source, mask, [hypothesis])  # an open recording is not affected
    for name in names:
        torch.testing.assert_close(record[name][0], seen[name], atol=1e-5, rtol=1e-5)


def test_greedy_keeps_rows_while_recording(model: EncoderDecoder) -> None:
    if isinstance(model, Seq2Seq):
        with pytest.raises(ValueError, match="model"), record_attention(model):
            pass
        return
    source, mask = inputs()
    unseen = greedy(model, source, mask, max_length=20)
    with record_attention(model) as record:
        assert close(greedy(model, source, mask, max_length=20), unseen)
        weights = record[next(n for n in record if n.endswith("cross_attention"))]
    assert weights.shape[0] == len(SENTENCES) and weights.shape[2] == max(len(h.ids) + h.finished for h in unseen)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("length_penalty", [0.0, 0.6, 2.0])
def test_beam_search_with_a_wide_beam_equals_exhaustive_search(family: str, length_penalty: float) -> None:
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


def test_beam_search_ignores_impossible_targets() -> None:
    """If the model forbids <eos>, a target with it must not narrow the beam or count as finished."""
    beam = _Beam(0, 3, 0.6, 10)
    beam.extend([-0.1, -math.inf, -math.inf], [4, EOS, 5], vocab_size=6, first_row=0)
    assert [partial.ids for partial in beam.live] == [(4,)]
    assert beam.room == 3 and beam.ended is None


@pytest.mark.parametrize(
    ("length_penalty", "ended", "live", "continues"),
    [(0.0, -0.1, -0.2, False), (0.0, -0.2, -0.1, True), (1.0, -0.1, -5.0, False), (1.0, -0.4, -5.0, True)],
)
def test_beam_continues_only_while_a_partial_target_can_become_the_best(
    length_penalty: float, ended: float, live: float, continues: bool
) -> None:
    """At most: a partial target keeps its score and grows to 100 ids, where the penalty divides it by 17.5."""
    beam = _Beam(0, 3, length_penalty, 100)
    beam.extend([ended, live], [EOS, 4], vocab_size=6, first_row=0)
    assert beam.continues == continues


def test_searches_name_invalid_input() -> None:
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
    with pytest.raises(TypeError, match=r"sentences\[0\]"):
        translate(model, ["a b"], SOURCE, TARGET)  # type: ignore[list-item]
    with pytest.raises(ValueError, match="beam_size"):
        translate(model, [["a"]], SOURCE, TARGET, beam_size=0)
    with pytest.raises(ValueError, match="length_penalty"):
        translate(model, [["a"]], SOURCE, TARGET, length_penalty=-1)  # although greedy search has none
    with pytest.raises(TypeError, match="source_mask"):
        cross_attention(model, source, None, greedy(model, source, mask))  # type: ignore[arg-type]


def test_translate_attention_of_compiled_model_has_plain_names() -> None:
    model = build("bahdanau")
    (plain,) = translate(model, [("a",)], SOURCE, TARGET, attention=True, max_length=3)
    compiled = torch.compile(model, backend="eager")
    (found,) = translate(compiled, [("a",)], SOURCE, TARGET, attention=True, max_length=3)
    assert found.target == plain.target and found.attention.keys() == plain.attention.keys()


def test_translate_refuses_vocabularies_of_another_model() -> None:
    model, other = build("bahdanau"), Vocabulary(("a",))
    with pytest.raises(ValueError, match="source_vocabulary"):
        translate(model, SENTENCES, other, TARGET)
    with pytest.raises(ValueError, match="target_vocabulary"):
        translate(model, SENTENCES, SOURCE, other)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_translate_respects_max_length_of_the_model(beam_size: int) -> None:
    model = Transformer(len(SOURCE), len(TARGET), d_model=8, num_heads=2, d_ff=8, positions="learned", max_length=5)
    with torch.no_grad():
        model.head.bias[EOS] = -100  # it never ends by itself
    (found,) = translate(model, [("a",) * 5], SOURCE, TARGET, beam_size=beam_size)
    assert len(found.target_pieces) == 5 and not found.finished
    with pytest.raises(ValueError, match=r"sentences\[1\].* 5 .*6"):
        translate(model, [("a",), ("a",) * 6], SOURCE, TARGET, beam_size=beam_size)


@pytest.mark.parametrize(("search", "widths"), [(greedy, {1}), (beam_search, {1, 4})])
def test_beam_search_defaults(search: Any, widths: set[int]) -> None:
    model, seen = build("seq2seq"), set()
    model.head.register_forward_hook(lambda _, __, logits: seen.add(len(logits)))
    with torch.no_grad():
        model.head.bias[EOS] = -100  # it never ends by itself
    (found,) = search(model, *inputs([["a"]]))
    assert len(found.ids) == 100 and not found.finished and seen == widths


@pytest.mark.parametrize("beam_size", [1, 2])
def test_searches_raise_if_every_logit_is_nan(beam_size: int) -> None:
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


@pytest.mark.parametrize("lengths", [(4, 4), (4, 2)], ids=["whole", "padded"])
def test_searches_and_perplexity_raise_if_the_model_returns_nan(lengths: tuple[int, int]) -> None:
    model, batch = build_small("transformer-sinusoidal").eval(), random_batch(lengths, (3, 3))
    assert isinstance(model, Transformer)
    with torch.no_grad():
        model.decoder[-1].cross_attention.W_q.weight.fill_(math.nan)
    assert bool(model(batch).isnan().all())
    for search in (greedy, beam_search):
        with pytest.raises(FloatingPointError, match="model"):
            search(model, batch.source, batch.source_mask)
    with pytest.raises(FloatingPointError, match="model"):
        perplexity(model, [batch])
    source = Vocabulary(tuple(map(str, range(SOURCE_VOCABULARY - len(SPECIALS)))))
    target = Vocabulary(tuple(map(str, range(TARGET_VOCABULARY - len(SPECIALS)))))
    with pytest.raises(FloatingPointError, match="model"):
        translate(model, [["1", "2"]], source, target)


@pytest.mark.parametrize("thing", [nn.Linear(2, 2), None, [1]])
def test_searches_refuse_what_is_not_a_translation_model(thing: Any) -> None:
    source, mask = inputs()
    for call in (
        lambda: translate(thing, [["a"]], SOURCE, TARGET),
        lambda: greedy(thing, source, mask),
        lambda: beam_search(thing, source, mask),
    ):
        with pytest.raises(TypeError, match="model"):
            call()


@pytest.mark.parametrize("value", [0, -1, 2.5, None, "2", float("inf"), True])
def test_searches_refuse_sizes_that_are_not_counts(value: Any) -> None:
    model, (source, mask) = build("bahdanau"), inputs()
    for name, calls in {
        "max_length": [
            lambda: greedy(model, source, mask, max_length=value),
            lambda: beam_search(model, source, mask, max_length=value),
            lambda: translate(model, [], SOURCE, TARGET, max_length=value),
        ],
        "beam_size": [
            lambda: beam_search(model, source, mask, beam_size=value),
            lambda: translate(model, [], SOURCE, TARGET, beam_size=value),
        ],
        "batch_size": [lambda: translate(model, [], SOURCE, TARGET, batch_size=value)],
    }.items():
        for call in calls:
            with pytest.raises(ValueError, match=name):
                call()


@pytest.mark.parametrize("value", ["1", None, [1], math.nan, True, 1 + 0j])
def test_translate_refuses_a_length_penalty_that_is_not_a_number(value: Any) -> None:
    with pytest.raises(ValueError, match="length_penalty"):
        translate(build("bahdanau"), [["a"]], SOURCE, TARGET, length_penalty=value)


def test_translate_names_arguments_of_another_type() -> None:
    model, wrong = build("bahdanau"), cast(Any, None)
    with pytest.raises(TypeError, match="sentences"):
        translate(model, cast(Any, 5), SOURCE, TARGET)
    with pytest.raises(TypeError, match="source_vocabulary"):
        translate(model, [["a"]], wrong, TARGET)
    with pytest.raises(TypeError, match="target_vocabulary"):
        translate(model, [["a"]], SOURCE, cast(Any, ["a"] * 11))


def test_cross_attention_refuses_another_number_of_hypotheses() -> None:
    source, mask = inputs()
    with pytest.raises(ValueError, match="hypotheses"):
        cross_attention(build("bahdanau"), source, mask, [])
    with pytest.raises(TypeError, match="source"):
        cross_attention(build("bahdanau"), cast(Any, [[4]]), mask, [])
