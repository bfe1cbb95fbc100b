"""Positions equal the formulas of the papers, at any offset, size and precision."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from attnbook.attention.positional import (
    LearnedPositions,
    RotaryPositions,
    SinusoidalPositions,
    frequencies,
    shift_matrix,
    sinusoidal_table,
)

sizes = st.integers(1, 9)
offsets = st.integers(0, 40)


@given(length=st.integers(1, 12), d_model=sizes)
@settings(max_examples=30)
def test_sinusoidal_table_equals_formula(length: int, d_model: int) -> None:
    table = sinusoidal_table(length, d_model)
    assert table.shape == (length, d_model)
    for i in range(length):
        for column in range(d_model):
            angle = i / 10000 ** (2 * (column // 2) / d_model)
            assert float(table[i, column]) == pytest.approx((math.sin, math.cos)[column % 2](angle), abs=1e-7)


def test_sinusoidal_table_of_length_zero_is_empty() -> None:
    assert sinusoidal_table(0, 4).shape == (0, 4)


def test_positions_are_created_on_the_device_of_the_input() -> None:
    meta = torch.device("meta")
    assert frequencies(4, device=meta).is_meta
    assert RotaryPositions(4)(torch.empty(3, 4, device=meta)).is_meta
    x = torch.randn(3, 4)
    rotary = RotaryPositions(4)
    with meta:  # the default device
        assert not rotary(x).is_meta


def test_sinusoidal_positions_double_the_table_when_it_is_too_short() -> None:
    positions = SinusoidalPositions(4)
    first = positions.table
    assert len(first) == 128 and "table" not in positions.state_dict()
    positions(torch.zeros(128, 4))
    assert positions.table is first
    positions(torch.zeros(129, 4))
    assert len(positions.table) == 256
    positions(torch.zeros(600, 4))
    assert len(positions.table) == 600
    positions = positions.to(torch.bfloat16)
    positions(torch.zeros(601, 4, dtype=torch.bfloat16))
    assert len(positions.table) == 1200 and positions.table.dtype == torch.bfloat16
    positions = positions.to(torch.float64)
    positions(torch.zeros(1201, 4, dtype=torch.float64))
    assert positions.table.dtype == torch.float64


def test_learned_positions_are_added_without_dropout_by_default() -> None:
    positions, x = LearnedPositions(4, 8), torch.randn(2, 3, 4)
    torch.testing.assert_close(positions(x, 2), x + positions.embedding.weight[2:5])


def test_rotary_positions_in_float64_are_exact() -> None:
    i = 60_001
    x = torch.tensor([[1.0, 0.0, 1.0, 0.0]], dtype=torch.float64)
    angles = [i, i / 100]
    expected = torch.tensor([[f(angle) for angle in angles for f in (math.cos, math.sin)]], dtype=torch.float64)
    torch.testing.assert_close(RotaryPositions(4)(x, i), expected, atol=1e-9, rtol=0)


def test_sinusoidal_table_is_exact_at_large_positions() -> None:
    """In fp32 the angle itself would be wrong by 0.002 at position 60,000."""
    i, d_model = 60_001, 8
    row = sinusoidal_table(i + 1, d_model)[i]
    expected = [f(i / 10000 ** (2 * j / d_model)) for j in range(4) for f in (math.sin, math.cos)]
    torch.testing.assert_close(row, torch.tensor(expected), atol=1e-7, rtol=0)


@given(i=st.integers(0, 60), delta=st.integers(-60, 60), pairs=st.integers(1, 6))
@settings(max_examples=40)
def test_shift_matrix_shifts_every_position(i: int, delta: int, pairs: int) -> None:
    d_model = 2 * pairs
    rotation = shift_matrix(delta, d_model)
    torch.testing.assert_close(rotation @ rotation.T, torch.eye(d_model, dtype=torch.float64))
    if i + delta >= 0:
        table = sinusoidal_table(121, d_model).double()
        torch.testing.assert_close(rotation @ table[i], table[i + delta], atol=1e-6, rtol=0)


@given(first=st.integers(-20, 20), second=st.integers(-20, 20))
@settings(max_examples=20)
def test_shift_matrices_compose(first: int, second: int) -> None:
    both = shift_matrix(first, 6) @ shift_matrix(second, 6)
    torch.testing.assert_close(both, shift_matrix(first + second, 6))


def positions(kind: str, d_model: int) -> SinusoidalPositions | LearnedPositions:
    torch.manual_seed(0)
    return SinusoidalPositions(d_model) if kind == "sinusoidal" else LearnedPositions(d_model, 64)


@pytest.mark.parametrize("kind", ["sinusoidal", "learned"])
@given(offset=offsets, length=st.integers(1, 8), d_model=sizes)
@settings(max_examples=20)
def test_positions_with_offset_continue_the_sequence(kind: str, offset: int, length: int, d_model: int) -> None:
    added = positions(kind, d_model)
    x = torch.randn(2, offset + length, d_model)
    assert torch.equal(added(x[:, offset:], offset), added(x)[:, offset:])


@given(offset=offsets, length=st.integers(1, 8), pairs=st.integers(1, 4))
@settings(max_examples=20)
def test_rotary_positions_with_offset_continue_the_sequence(offset: int, length: int, pairs: int) -> None:
    turn = RotaryPositions(2 * pairs)
    x = torch.randn(2, 3, offset + length, 2 * pairs)
    assert torch.equal(turn(x[..., offset:, :], offset), turn(x)[..., offset:, :])


def test_sinusoidal_positions_add_the_table() -> None:
    x = torch.randn(2, 5, 7)
    torch.testing.assert_close(SinusoidalPositions(7)(x) - x, sinusoidal_table(5, 7).expand(2, 5, 7))


def test_sinusoidal_positions_grow_and_stay_out_of_the_state() -> None:
    grown, fresh = SinusoidalPositions(4), SinusoidalPositions(4)
    assert torch.equal(grown(torch.zeros(1, 1, 4), offset=1000)[0, 0], sinusoidal_table(1001, 4)[1000])
    assert grown.table.shape[0] >= 1001 and fresh.table.shape[0] < 1001
    assert not grown.state_dict(), "the table is not a weight"
    fresh.load_state_dict(grown.state_dict())
    x = torch.randn(1, 6, 4)
    assert torch.equal(grown(x), fresh(x)) and torch.equal(copy.deepcopy(grown)(x), fresh(x))


@pytest.mark.parametrize("made", ["in forward", "after meta", "by to"])
def test_table_made_in_inference_mode_is_an_ordinary_tensor(made: str) -> None:
    with torch.device("meta" if made == "after meta" else "cpu"):
        added = SinusoidalPositions(4)
    with torch.inference_mode():
        added.to("cpu") if made == "by to" else added(torch.zeros(1, 300, 4))
    assert not added.table.is_inference(), "`attribute` refuses such tensors"


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16, torch.float16])
def test_positions_keep_the_dtype_of_the_input(dtype: torch.dtype) -> None:
    x = torch.randn(1, 200, 6, dtype=dtype)
    for moved in (False, True):
        for module in (SinusoidalPositions(6), LearnedPositions(6, 200), RotaryPositions(6)):
            result = (module.to(dtype) if moved else module)(x)
            assert result.dtype == dtype and result.shape == x.shape


def rotated_by_hand(x: Tensor, position: int) -> Tensor:
    """One vector, as complex numbers (Su et al. 2021, eq. 12)."""
    pairs = torch.view_as_complex(x.double().view(-1, 2))
    angles = torch.tensor([position / 10000 ** (2 * j / len(x)) for j in range(len(x) // 2)], dtype=torch.float64)
    return torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).flatten()


@given(position=st.integers(0, 3000), pairs=st.integers(1, 6))
@settings(max_examples=30)
def test_rotary_positions_equal_complex_multiplication(position: int, pairs: int) -> None:
    x = torch.randn(2 * pairs, dtype=torch.float64)
    torch.testing.assert_close(RotaryPositions(2 * pairs)(x[None], position)[0], rotated_by_hand(x, position))


@given(i=st.integers(0, 50), j=st.integers(0, 50), shift=st.integers(0, 500))
@settings(max_examples=30)
def test_rotary_products_depend_only_on_distance(i: int, j: int, shift: int) -> None:
    turn = RotaryPositions(6)
    query, key = torch.randn(2, 1, 6, dtype=torch.float64)
    here = turn(query, i) @ turn(key, j).T
    torch.testing.assert_close(turn(query, i + shift) @ turn(key, j + shift).T, here)
    torch.testing.assert_close(turn(query, i).norm(), query.norm())


def test_rotary_positions_in_bf16_keep_exact_angles() -> None:
    """Positions and frequencies rounded to bf16 would rotate large positions wrongly by radians."""
    x = torch.ones(1, 1000, 8)
    expected = RotaryPositions(8)(x)
    turned = RotaryPositions(8).to(torch.bfloat16)(x.bfloat16())
    torch.testing.assert_close(turned.float(), expected, atol=0.03, rtol=0)


def test_frequencies_decrease_from_one() -> None:
    assert frequencies(6).tolist() == pytest.approx([1, 10000 ** (-1 / 3), 10000 ** (-2 / 3)])
    assert frequencies(5).shape == (3,) and frequencies(5).dtype == torch.float64
    assert frequencies(6, base=8).tolist() == pytest.approx([1, 0.5, 0.25])


def test_rotary_positions_support_stretch_and_base() -> None:
    x = torch.randn(1, 9, 6, dtype=torch.float64)
    plain = RotaryPositions(6)
    torch.testing.assert_close(RotaryPositions(6, stretch=4)(x)[:, 8], plain(x[:, 8:], 2)[:, 0])
    for base, omega in ((8, [1, 0.5, 0.25]), (1 / 8, [1, 2, 4])):
        angles = 5 * torch.tensor(omega, dtype=torch.float64)
        turned = torch.view_as_complex(x[0, 5].view(3, 2)) * torch.polar(torch.ones_like(angles), angles)
        found = RotaryPositions(6, base=base)(x)[0, 5]
        torch.testing.assert_close(torch.view_as_complex(found.view(3, 2)), turned)


def test_position_dropout_applies_only_in_training() -> None:
    added = SinusoidalPositions(4, dropout=0.5)
    x = torch.full((1, 50, 4), 10.0)
    assert 0.3 < float((added(x) == 0).float().mean()) < 0.7
    assert torch.equal(added.eval()(x), SinusoidalPositions(4)(x))


X = torch.zeros(1, 3, 4)


@pytest.mark.parametrize("positions", [SinusoidalPositions(4), LearnedPositions(4, 8), RotaryPositions(4)])
def test_positions_use_the_second_to_last_axis(positions: Any) -> None:
    x = torch.randn(2, 3, 4)
    alone = torch.stack([positions(row, 1) for row in x])
    assert torch.equal(alone, positions(x, 1))
    assert torch.equal(positions(x[None], 1)[0], alone)


@pytest.mark.parametrize("positions", [SinusoidalPositions(4), LearnedPositions(4, 8), RotaryPositions(4)])
def test_positions_reject_integers_and_lists(positions: Any) -> None:
    with pytest.raises(TypeError, match=r"^x\b"):
        positions(X.long())
    with pytest.raises(TypeError, match=r"^x\b"):
        positions(X.tolist())


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("length", lambda: sinusoidal_table(-1, 4)),
        ("length", lambda: sinusoidal_table(2.5, 4)),
        ("head_dim", lambda: RotaryPositions(4.0)),
        ("max_length", lambda: LearnedPositions(4, 0)),
        ("head_dim", lambda: RotaryPositions(0)),
        ("x", lambda: SinusoidalPositions(4)(X[0, 0])),
        ("d_model", lambda: frequencies(0)),
        ("d_model", lambda: shift_matrix(1, 5)),
        ("head_dim", lambda: RotaryPositions(3)),
        ("base", lambda: RotaryPositions(4, base=0)),
        ("base", lambda: frequencies(4, base=0)),
        ("delta", lambda: shift_matrix("far", 4)),  # type: ignore[arg-type]
        ("d_model", lambda: LearnedPositions(0, 4)),
        ("stretch", lambda: RotaryPositions(4, stretch=0)),
        ("stretch", lambda: RotaryPositions(4, stretch=-1)),
        ("x", lambda: SinusoidalPositions(6)(X)),
        ("x", lambda: RotaryPositions(6)(X)),
        ("x", lambda: LearnedPositions(6, 8)(X)),
        ("offset", lambda: SinusoidalPositions(4)(X, -1)),
        ("x", lambda: LearnedPositions(4, 4)(X, offset=2)),
    ],
)
def test_positions_reject_invalid_arguments(argument: str, call: Callable[[], Tensor]) -> None:
    with pytest.raises(ValueError, match=rf"^{argument}\b"):
        call()


def test_sinusoidal_positions_built_on_meta_recompute_the_table() -> None:
    """The table is not in the state dict, so neither ``to_empty`` nor loading with ``assign`` restores it."""
    for fill in (lambda module: module, lambda module: module.to_empty(device="cpu")):
        with torch.device("meta"):
            positions = SinusoidalPositions(4)
            longer = positions(torch.ones(1, 130, 4)).shape
        assert longer == (1, 130, 4) and positions.table.is_meta
        assert torch.equal(fill(positions)(X), X + sinusoidal_table(3, 4))


@pytest.mark.parametrize("value", ["1", None, [1], math.nan, math.inf, True, 1 + 0j])
@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("base", lambda v: frequencies(4, base=v)),
        ("base", lambda v: RotaryPositions(4, base=v)),
        ("stretch", lambda v: RotaryPositions(4, stretch=v)),
        ("delta", lambda v: shift_matrix(v, 4)),
    ],
)
def test_positions_reject_values_that_are_not_finite_numbers(
    argument: str, call: Callable[[object], object], value: object
) -> None:
    with pytest.raises(ValueError, match=rf"^{argument}\b"):
        call(value)


@pytest.mark.parametrize("value", ["1", 1.5, np.float32(1), [1], True, -1, torch.tensor(1.0)])
@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("length", lambda v: sinusoidal_table(v, 4)),
        ("offset", lambda v: SinusoidalPositions(4)(X, v)),
        ("offset", lambda v: LearnedPositions(4, 9)(X, v)),
        ("offset", lambda v: RotaryPositions(4)(X, v)),
        ("d_model", lambda v: shift_matrix(1, v)),
        ("d_model", lambda v: LearnedPositions(v, 4)),
    ],
)
def test_positions_reject_values_that_are_not_counts(
    argument: str, call: Callable[[object], object], value: object
) -> None:
    with pytest.raises(ValueError, match=rf"^{argument}\b"):
        call(value)


def test_positions_accept_numpy_and_tensor_numbers() -> None:
    assert frequencies(4, base=np.float32(3)).allclose(frequencies(4, base=torch.tensor(3.0)))  # type: ignore[arg-type]
    for offset in (2, np.int64(2), torch.tensor(2)):
        assert SinusoidalPositions(4)(X, offset).equal(SinusoidalPositions(4)(X, 2))  # type: ignore[arg-type]


@pytest.mark.parametrize("base", [-1.0, math.nan])
def test_frequencies_reject_base_that_is_not_positive(base: float) -> None:
    with pytest.raises(ValueError, match=r"^base\b"):
        frequencies(4, base=base)


@pytest.mark.parametrize("change", [nn.Module.half, nn.Module.bfloat16, lambda m: m.to_empty(device="cpu")])
def test_sinusoidal_positions_are_exact_after_change_of_dtype(change: Callable[[nn.Module], nn.Module]) -> None:
    """The table is not in the state, so loading a state would not undo the rounding."""
    positions = change(SinusoidalPositions(4)).float()
    assert positions(X).equal(SinusoidalPositions(4)(X))


def test_rotary_positions_compile_to_one_graph_with_dynamic_sizes() -> None:
    rotary = RotaryPositions(4, stretch=2.0)
    compiled = torch.compile(rotary, backend="eager", fullgraph=True, dynamic=True)
    assert compiled(X, 3).equal(rotary(X, 3))
