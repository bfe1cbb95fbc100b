"""Position codes."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from attnbook.attention.masks import causal_mask
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.attention.positional import sinusoidal_table
from bookkit.errata.core import Outcome, check, error_of
from bookkit.errata.worked import steps


def _table(length: int, exponents: Tensor) -> Tensor:
    """Sine in even columns and cosine in odd ones, each column with its own exponent of 10000."""
    angles = torch.arange(length, dtype=torch.float64).unsqueeze(1) / 10000**exponents
    return torch.where(torch.arange(len(exponents)) % 2 == 0, angles.sin(), angles.cos())


def _shift_error(table: Tensor) -> float:
    """The error of the best linear map that moves every code by one position."""
    now, following = table[:-1], table[1:]
    solution = torch.linalg.lstsq(now, following).solution
    return float((now @ solution - following).abs().max())


@check
def a_pair_has_one_frequency() -> Outcome:
    """Only then is a shift a linear map."""
    paper = _shift_error(_table(100, torch.tensor([0.0, 0.0, 0.5, 0.5])))
    notes = _shift_error(_table(100, torch.tensor([0.0, 0.25, 0.5, 0.75])))
    text = (
        f"The best linear map is off by {notes:.2f} if each column has its own denominator, "
        f"and by {paper:.0e} if pairs share one."
    )
    return Outcome(notes > 0.1 and paper < 1e-9, text)


@check
def half_the_exponent_is_another_encoding() -> Outcome:
    """The exponent i instead of 2i, with i the index of the pair."""
    pair = torch.arange(8).repeat_interleave(2) / 16
    difference = float((_table(50, pair) - _table(50, 2 * pair)).abs().max())
    return Outcome(difference > 0.1, f"With d = 16 the codes differ by up to {difference:.2f}.")


@check
def a_period_makes_positions_alike() -> Outcome:
    """A code that is nothing but periodic repeats itself."""
    position = torch.arange(20)
    code = torch.stack(((2 * math.pi * position / 10).sin(), (2 * math.pi * position / 10).cos()), 1)
    alike = torch.allclose(code[3], code[13], atol=1e-5)
    distance = float((sinusoidal_table(14, 8)[3] - sinusoidal_table(14, 8)[13]).norm())
    text = f"With period 10, positions 3 and 13 share a code; with many periods, their codes are {distance:.1f} apart."
    return Outcome(alike and distance > 0.5, text)


@check
def the_table_of_the_notes_ends() -> Outcome:
    """Eighty rows, sliced to the input's length and added."""
    table = sinusoidal_table(80, 8).unsqueeze(0)
    fits = error_of(lambda: torch.zeros(1, 80, 8) + table[:, :80])
    longer = error_of(lambda: torch.zeros(1, 81, 8) + table[:, :81])
    return Outcome(not fits and bool(longer), f"80 tokens fit; 81 raise a {longer}.")


@check
def a_code_does_not_depend_on_the_longest_sequence() -> Outcome:
    """Compare a table with the first rows of a longer one."""
    same = torch.equal(sinusoidal_table(50, 16), sinusoidal_table(100, 16)[:50])
    return Outcome(same, "The 50 rows of a table of 50 are the first 50 rows of a table of 100.")


@check
def a_period_is_two_pi_times_the_denominator() -> Outcome:
    """Periods for the denominators that the formula gives in the example."""
    denominators = steps()["positions-again.denominators"].from_start
    assert denominators is not None
    periods = (2 * math.pi * denominators).tolist()
    repeated = all(
        abs(math.sin((3 + p) / d) - math.sin(3 / d)) < 1e-9 for p, d in zip(periods, denominators.tolist(), strict=True)
    )
    text = f"Sines repeat after {periods[0]:.2f} and {periods[2]:.0f} positions, not after 1 and 10."
    return Outcome(repeated and periods[0] > 6 and periods[2] > 600, text)


@check
def a_convolution_is_parallel_and_knows_the_order() -> Outcome:
    """Reverse the input: the output of attention is reversed as well, that of a convolution changes."""
    x = torch.randn(1, 6, 8)
    attention = MultiHeadAttention(8, 2).eval()
    convolution = nn.Conv1d(8, 8, 3, padding=1)

    def convolve(y: Tensor) -> Tensor:
        convolved: Tensor = convolution(y.mT)
        return convolved.mT

    with torch.no_grad():
        of_attention = float((attention(*[x.flip(1)] * 3) - attention(x, x, x).flip(1)).abs().max())
        of_convolution = float((convolve(x.flip(1)) - convolve(x).flip(1)).abs().max())
    text = (
        f"With the input reversed and the output reversed back, attention differs by {of_attention:.0e} and the "
        f"convolution by {of_convolution:.1f}. Both compute all positions at once."
    )
    return Outcome(of_attention < 1e-5 and of_convolution > 0.1, text)


@check
def a_causal_mask_tells_orders_apart() -> Outcome:
    """Swap the first two tokens, without position codes: the last output of one layer and of two."""
    x = torch.randn(1, 5, 8)
    swapped = x[:, [1, 0, 2, 3, 4]]
    layers = [MultiHeadAttention(8, 2).eval() for _ in range(2)]
    mask = causal_mask(5).unsqueeze(0)

    def last(y: Tensor, depth: int) -> Tensor:
        for layer in layers[:depth]:
            y = layer(y, y, y, mask)
        return y[:, -1]

    with torch.no_grad():
        one, two = (float((last(x, depth) - last(swapped, depth)).abs().max()) for depth in (1, 2))
    text = f"The last output changes by {one:.0e} with one layer and by {two:.3f} with two."
    return Outcome(one < 1e-6 and two > 1e-3, text)
