"""Interventions on attention: definition, step-by-step decoding, and restoring the model."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from attnbook.models.base import EncoderDecoder
from attnbook.observe.ablation import switched_off
from attnbook.observe.interventions import Cell, intervening
from attnbook.observe.recorder import record_attention
from attnbook.translation.search import greedy
from tests.support.small_models import NAMES, build, decode_in_pieces, random_batch

ATTENTIVE = [name for name in NAMES if not name.startswith("seq2seq")]
BATCH = random_batch([7, 4], [6, 3])


def cross(model: EncoderDecoder) -> str:
    with record_attention(model) as record:
        return next(name for name in record.names if name.endswith("cross_attention"))


def weights(model: EncoderDecoder, module: str, **changes: object) -> Tensor:
    with intervening(model.eval(), **changes), record_attention(model) as record, torch.no_grad():  # type: ignore[arg-type]
        model(BATCH)
    return record[module]


@pytest.mark.parametrize("name", ATTENTIVE)
def test_intervening_decodes_stepwise_as_at_once(name: str) -> None:
    model = build(name).eval()
    module = cross(model)
    cells = [
        Cell(module, row=3, column=1),
        Cell(module, row=2, column=0, weight=np.float32(0.5)),
        Cell(module, column=2),
    ]
    with torch.no_grad():
        unchanged = model(BATCH)
        with intervening(model, cells=cells, temperatures={module: 0.5}):
            at_once = model(BATCH)
            assert torch.allclose(decode_in_pieces(model, BATCH, [1, 3, 1, 1]), at_once, atol=1e-5)
        assert not torch.allclose(at_once, unchanged, atol=1e-5)
        assert torch.equal(model(BATCH), unchanged), "the change outlived its context"


def test_cell_of_an_earlier_row_has_no_effect_on_a_later_piece() -> None:
    model = build("transformer-sinusoidal").eval()
    cells = [Cell("decoder.0.self_attention", row=row, column=0, weight=0.9) for row in (0, 1)]
    with torch.no_grad(), intervening(model, cells=cells):
        torch.testing.assert_close(decode_in_pieces(model, BATCH, [3, 3]), model(BATCH), atol=1e-5, rtol=0)


def test_cell_of_an_encoder_row_applies_to_every_source() -> None:
    model = build("transformer-sinusoidal").eval()
    with torch.no_grad(), intervening(model, cells=[Cell("encoder.0.self_attention", row=2, column=0, weight=0.9)]):
        first, second = (model.encode(BATCH.source, BATCH.source_mask).memory for _ in range(2))
    assert torch.equal(first, second)


def test_cells_whose_weights_round_to_more_than_one_give_no_negative_weight() -> None:
    model = build("transformer-sinusoidal").eval()
    module = "encoder.0.self_attention"
    parts = [0.4, 0.35, 0.25 + 5e-7]
    assert sum(torch.tensor(part) for part in parts) > 1
    changed = weights(model, module, cells=[Cell(module, column=i, weight=part) for i, part in enumerate(parts)])
    assert (changed >= 0).all()


@pytest.mark.parametrize("name", ["bahdanau", "luong-general-global-unfed", "transformer-rotary"])
def test_cells_set_and_mask_weights(name: str) -> None:
    model = build(name).eval()
    module = cross(model)
    before = weights(model, module)
    cells = [
        Cell(module, row=1, column=2),
        Cell(module, row=2, column=0, weight=1.0),
        Cell(module, row=3, column=0, weight=0.25),
        Cell(module, row=9, column=9, weight=1.0),
    ]
    after = weights(model, module, cells=cells)
    assert torch.allclose(after[:, :, 0], before[:, :, 0], atol=1e-6)
    if name == "luong-general-global-unfed":  # its queries do not depend on what was looked at before
        rest = before[:, :, 1].clone()
        rest[..., 2] = 0
        assert torch.allclose(after[:, :, 1], rest / rest.sum(-1, keepdim=True), atol=1e-6)
        kept = before[:, :, 3, 1:] / before[:, :, 3, 1:].sum(-1, keepdim=True)
        assert torch.allclose(after[:, :, 3, 1:], 0.75 * kept, atol=1e-6)
    assert (after[:, :, 1, 2] == 0).all()
    assert (after[:, :, 2, 0] == 1).all() and (after[:, :, 2, 1:] == 0).all()
    assert (after[:, :, 3, 0] == 0.25).all()
    assert torch.allclose(after.sum(-1), torch.ones(()), atol=1e-6)


def test_cells_do_not_affect_padding() -> None:
    model = build("transformer-sinusoidal").eval()
    module = cross(model)
    forced = weights(model, module, cells=[Cell(module, column=5, weight=1.0)])
    assert (forced[0, ..., 5] == 1).all()
    assert torch.equal(forced[1], weights(model, module)[1]), "the second sentence has four tokens"
    nothing = weights(model, module, cells=[Cell(module, column=column) for column in range(7)])
    assert (nothing == 0).all()


def test_intervening_switches_heads_and_scales_temperature() -> None:
    model = build("transformer-sinusoidal").eval()
    module = "encoder.0.self_attention"
    before = weights(model, module)
    off = weights(model, module, heads=[(module, 1)])
    assert (off[:, 1] == 0).all() and torch.equal(off[:, 0], before[:, 0])
    hot = weights(model, module, temperatures={module: 2.0})
    expected = before.sqrt() / before.sqrt().sum(-1, keepdim=True)  # softmax(a / 2) is the root, normalised
    assert torch.allclose(hot, expected, atol=1e-6)


@pytest.mark.parametrize("name", ["transformer-sinusoidal", "transformer-learned", "transformer-rotary"])
def test_intervening_without_positions_ignores_order(name: str) -> None:
    model = build(name).eval()
    source, mask = BATCH.source[:1], BATCH.source_mask[:1]
    order = torch.tensor([3, 1, 0, 6, 5, 2, 4])
    with torch.no_grad():
        assert not torch.allclose(
            model.encode(source[:, order], mask).memory, model.encode(source, mask).memory[:, order]
        )
        with intervening(model, positions=False):
            memory, shuffled = (model.encode(ids, mask).memory for ids in (source, source[:, order]))
    assert torch.allclose(shuffled, memory[:, order], atol=1e-5)


def test_intervening_without_positions_keeps_their_dropout() -> None:
    model = build("transformer-sinusoidal", dropout=1.0)
    with intervening(model, positions=False):
        memory = model.encode(BATCH.source, BATCH.source_mask).memory
    assert torch.equal(memory, memory[:1, :1].expand_as(memory)), "nothing of the input is left"


@pytest.mark.parametrize("name", ["transformer-sinusoidal", "transformer-learned", "transformer-rotary"])
def test_nested_intervening_replaces_the_outer_positions(name: str) -> None:
    model = build(name).eval()
    with torch.no_grad():
        plain = model(BATCH)
        with intervening(model, positions=False):
            without = model(BATCH)
            with intervening(model):
                torch.testing.assert_close(model(BATCH), plain)  # up to rounding: a fused kernel computed the first
            assert torch.equal(model(BATCH), without)
        assert torch.equal(model(BATCH), plain) and not torch.allclose(without, plain)


def test_intervening_supports_search_nesting_and_training() -> None:
    model = build("bahdanau").eval()
    module = cross(model)
    cells = [Cell(module, column=column) for column in range(7)]
    with intervening(model, cells=cells):
        alone = greedy(model, BATCH.source, BATCH.source_mask, max_length=5)
        with intervening(model, temperatures={module: 3.0}):
            pass
        assert greedy(model, BATCH.source, BATCH.source_mask, max_length=5) == alone
        model.train()(BATCH).sum().backward()
    assert model.head.weight.grad is not None
    assert "softmax" not in vars(model.get_submodule(module)) and "encode" not in vars(model)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"cells": [Cell("decoder.attention", column=0)]}, "module"),
        ({"heads": [("decoder.cross_attention", 1)]}, "head of decoder.cross_attention"),
        ({"temperatures": {"decoder.cross_attention": 0.0}}, "temperatures"),
        ({"temperatures": {"decoder.cross_attention": math.nan}}, "temperatures"),
        ({"positions": False}, "positions"),
        ({"heads": [("decoder.cross_attention", -1)]}, "head of decoder.cross_attention"),
    ],
)
def test_intervening_refuses_unknown_modules_and_values_out_of_range(changes: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message), intervening(build("bahdanau"), **changes):
        pass


def test_cell_refuses_values_out_of_range() -> None:
    for wrong in (
        {"column": -1},
        {"column": 0, "row": -1},
        {"column": 0, "weight": 1.5},
        {"column": 0, "weight": math.nan},
        {"column": 1.5},
        {"column": "1"},
        {"column": 0, "row": 0.5},
        {"column": 0, "weight": "1"},
    ):
        with pytest.raises(ValueError, match=r"column|row|weight"):
            Cell("decoder.cross_attention", **wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"cells": [("decoder.cross_attention", 0)]},
            "cells",
        ),
        ({"heads": [("decoder.cross_attention", None)]}, "heads"),
        ({"heads": ["decoder.cross_attention"]}, "heads"),
        ({"heads": [1]}, "heads"),
    ],
)
def test_intervening_names_invalid_cells_and_heads(changes: dict, message: str) -> None:
    with pytest.raises(TypeError, match=message), intervening(build("bahdanau"), **changes):
        pass


def test_intervening_refuses_other_models() -> None:
    with (
        pytest.raises(TypeError, match="model"),
        intervening(torch.nn.Linear(2, 2)),  # type: ignore[arg-type]
    ):
        pass


@pytest.mark.slow
def test_intervening_supports_compiled_models() -> None:
    model = build("transformer-sinusoidal").eval()
    compiled = torch.compile(model, backend="eager")
    with torch.no_grad():
        unchanged = compiled(BATCH)
        changes = {"cells": [Cell("decoder.1.cross_attention", column=0)]}
        with intervening(model, **changes):  # type: ignore[arg-type]
            expected = model(BATCH)
        with intervening(compiled, **changes):  # type: ignore[arg-type]
            torch.testing.assert_close(compiled(BATCH), expected)
        torch.testing.assert_close(compiled(BATCH), unchanged)
    assert not torch.allclose(expected, unchanged, atol=1e-5)


def test_forced_weight_in_a_source_of_one_token_has_a_finite_gradient() -> None:
    model = build("bahdanau").eval()
    with intervening(model, cells=[Cell(cross(model), 0, row=2, weight=0.7)]):
        model(random_batch((5, 1), (6, 4))).sum().backward()
    assert all(bool(parameter.grad.isfinite().all()) for parameter in model.parameters() if parameter.grad is not None)


@pytest.mark.parametrize(
    "fixed",
    [
        [{"column": 0, "weight": 0.9}, {"column": 1, "weight": 0.8}],
        [{"column": 0, "weight": 0.9, "row": 2}, {"column": 1, "weight": 0.8}],
        [{"column": 0, "weight": 0.9, "head": 0}, {"column": 1, "weight": 0.8, "row": 1}],
    ],
)
def test_intervening_refuses_cells_that_fix_more_than_one_in_a_row(fixed: list[dict]) -> None:
    model = build("bahdanau")
    cells = [Cell(cross(model), **options) for options in fixed]
    with pytest.raises(ValueError, match="cells"), intervening(model, cells=cells):
        pass


def test_intervening_accepts_cells_that_fix_at_most_one_in_each_row() -> None:
    model = build("transformer-sinusoidal").eval()
    module = "encoder.0.self_attention"
    cells = [
        Cell(module, column=0, weight=0.9),
        Cell(module, column=1, row=0, weight=0.1),
        Cell(module, column=2, weight=0.8),
        Cell(module, column=2),  # masked, so its weight does not count
        Cell(module, column=0, row=3, weight=0.2),  # replaces the 0.9 in this row
        Cell(module, column=3, row=3, weight=0.8),
    ]
    changed = weights(model, module, cells=cells)
    torch.testing.assert_close(changed.sum(-1), torch.ones(changed.shape[:-1]))


def test_intervening_names_arguments_of_another_type() -> None:
    model = build("bahdanau")
    for name in ("cells", "heads", "temperatures"):
        with pytest.raises(TypeError, match=name), intervening(model, **{name: 5}):  # type: ignore[arg-type]
            pass
    with pytest.raises(ValueError, match="module"), intervening(model, heads=[([], 0)]):  # type: ignore[list-item]
        pass


def test_interventions_accept_generators() -> None:
    model = build("transformer-sinusoidal").eval()
    name = "decoder.0.cross_attention"
    unchanged = model(BATCH)
    for several in (list, iter):
        for context in (
            intervening(model, cells=several([Cell(name, 0)])),  # type: ignore[arg-type]
            intervening(model, heads=several([(name, 0)])),  # type: ignore[arg-type]
            switched_off(model, several(["norm"])),  # type: ignore[arg-type]
        ):
            with context:
                assert not model(BATCH).allclose(unchanged, atol=1e-3)


@pytest.mark.parametrize("value", ["1", None, [1], math.nan, True, 1 + 0j])
def test_intervening_refuses_a_temperature_that_is_not_a_number(value: object) -> None:
    model = build("bahdanau")
    with pytest.raises(ValueError, match="temperatures"), intervening(model, temperatures={cross(model): value}):  # type: ignore[dict-item]
        pass


@pytest.mark.parametrize("value", [True, -1, 1.5, "0"])
@pytest.mark.parametrize("name", ["column", "row", "head"])
def test_cell_refuses_values_that_are_not_indices(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"^{name}\b"):
        Cell("decoder.0.cross_attention", **{"column": 0, name: value})  # type: ignore[arg-type]
