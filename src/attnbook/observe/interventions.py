"""Interventions: run a model with changed attention weights.

Every intervention acts on the softmax over the keys that the model's mask allows. A temperature divides the scores. A
cell without a weight is masked. A cell with a weight gets this weight, and the other weights of its row, if they are
not all zero, are scaled so that the row sums to 1. The Gaussian of local-p is applied afterwards. A head that is off
has weights of zero. The JavaScript engine (``widgets/js/engine/intervention.js``) does the same with the same data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import product
from types import MethodType
from typing import Any

import torch
from torch import Tensor, nn

from attnbook._internal.validate import check_range, check_type, is_finite, is_integer, is_number, scalar
from attnbook.attention.kernels import Attention
from attnbook.attention.masks import masked_softmax
from attnbook.attention.positional import LearnedPositions, RotaryPositions, SinusoidalPositions
from attnbook.models.base import EncoderDecoder, State, check_model, uncompiled

POSITIONS = (SinusoidalPositions, LearnedPositions, RotaryPositions)


@dataclass(frozen=True)
class Cell:
    """One weight of an attention module.

    Args:
        module: name in the model, such as "decoder.1.cross_attention".
        column: index of the key.
        row: index of the query, the position of the token that attends; None means every query.
        head: index of the head; None means every head.
        weight: between 0 and 1; None masks the cell.

    Raises:
        ValueError: an index is not an integer >= 0, or ``weight`` is out of range.

    Example:
        >>> Cell("decoder.0.cross_attention", row=2, column=0, weight=1.0).head is None  # in every head
        True
    """

    module: str
    column: int
    row: int | None = None
    head: int | None = None
    weight: float | None = None

    def __post_init__(self) -> None:
        check_range("column", self.column, _is_index(self.column), "an integer >= 0")
        for name, value in (("row", self.row), ("head", self.head)):
            check_range(name, value, value is None or _is_index(value), "an integer >= 0 or None")
        fits = self.weight is None or (is_number(self.weight) and 0 <= self.weight <= 1)
        check_range("weight", self.weight, fits, "between 0 and 1, or None")


def _is_index(value: object) -> bool:
    return is_integer(value) and value >= 0


@contextmanager
def intervening(
    model: EncoderDecoder,
    *,
    cells: Sequence[Cell] = (),
    heads: Sequence[tuple[str, int]] = (),
    temperatures: Mapping[str, float] | None = None,
    positions: bool = True,
) -> Iterator[None]:
    """Change a model's attention, for every sentence of a batch, while the context is open.

    Step-by-step decoding and teacher forcing give the same results, and a recording sees the changed weights. A nested
    context replaces the outer one until it ends.

    Args:
        model: a translation model of this package.
        cells: see `Cell`. A cell outside a sentence has no effect on it.
        heads: (module name, head index) of every head to switch off.
        temperatures: temperature by module name; above 1 flattens the weights, below 1 sharpens them.
        positions: False removes position encodings, including rotary ones.

    Raises:
        ValueError: the model has no such module, head or positions, a temperature is not > 0, or the weights of the
            cells of one row add up to more than 1.
        TypeError: ``model`` is not an EncoderDecoder, or ``cells``, ``heads`` or ``temperatures`` has another type.
        RuntimeError: parts of the model are off, see `switched_off`.

    Example:
        >>> model = Transformer(9, 9, d_model=16, num_heads=4, num_layers=1)
        >>> source = torch.tensor([[4, 5, 6]])
        >>> with intervening(model, cells=[Cell("decoder.0.cross_attention", column=1, weight=0.0)]):
        ...     output = greedy(model, source, torch.ones_like(source, dtype=torch.bool), max_length=5)
    """
    check_model(model)
    inner: Any = uncompiled(model)
    if "switched_off" in vars(inner):
        raise RuntimeError("intervening must not be called inside switched_off, whose attentions it would switch on")
    modules = {name: module for name, module in inner.named_modules() if isinstance(module, Attention)}
    check_type("cells", cells, isinstance(cells, Iterable), "a sequence of Cell")
    check_type("heads", heads, isinstance(heads, Iterable), "a sequence of (module name, head index) pairs")
    check_type("temperatures", temperatures, isinstance(temperatures or {}, Mapping), "a mapping from module names")
    placing = [module for module in inner.modules() if isinstance(module, POSITIONS)]
    has_none = f"True for a {type(inner).__name__}, which has no positions"
    check_range("positions", positions, positions or bool(placing), has_none)
    cells, heads, temperatures = tuple(cells), tuple(heads), temperatures or {}
    _check(modules, cells, heads, temperatures)
    changed = {name: _Softmax(name, cells, heads, temperatures.get(name, 1.0)) for name in modules}
    encode, decode = inner.encode, inner.decode

    def encode_changed(*args: Any, **kwargs: Any) -> State:
        _set_row(changed, 0)
        state: State = encode(*args, **kwargs)
        return state

    def decode_changed(target_in: Tensor, state: State) -> tuple[Tensor, State]:
        _set_row(changed, getattr(state, "position", 0))  # decode raises an error for other types
        result: tuple[Tensor, State] = decode(target_in, state)
        return result

    with ExitStack() as stack:
        for name, attention in modules.items():
            stack.enter_context(replaced(attention, "softmax", changed[name]))
        for module in placing:
            forward = MethodType(type(module).forward, module) if positions else _NoPositions(module)
            stack.enter_context(replaced(module, "forward", forward))
        stack.enter_context(replaced(inner, "encode", encode_changed))
        stack.enter_context(replaced(inner, "decode", decode_changed))
        yield


class _Softmax:
    """The changed softmax of one module. It counts the queries so far, to know which rows the next call computes."""

    def __init__(self, name: str, cells: Sequence[Cell], heads: Sequence[tuple[str, int]], temperature: float) -> None:
        self.cells = [cell for cell in cells if cell.module == name]
        self.off = [head for module, head in heads if module == name]
        self.temperature = temperature
        self.row = 0  # index of the first query of the next call

    def __call__(self, scores: Tensor, mask: Tensor | None) -> Tensor:
        """Scores ``(batch, queries, keys)`` or ``(batch, num_heads, queries, keys)`` -> weights of that shape."""
        by_head = scores if scores.dim() == 4 else scores.unsqueeze(1)
        allowed = torch.ones_like(by_head, dtype=torch.bool)
        if mask is not None:
            allowed &= mask if scores.dim() == 4 else mask.unsqueeze(1)
        forced = torch.full_like(by_head, torch.nan)
        for cell in self.cells:
            place = self._place(cell)
            if cell.weight is None:
                allowed[place] = False
            else:
                forced[place] = float(cell.weight)
        self.row += by_head.shape[2]
        weights = masked_softmax(by_head / scalar(self.temperature), allowed)
        weights = _set_weights(weights, forced.masked_fill(~allowed, torch.nan))
        weights[:, self.off] = 0
        return weights if scores.dim() == 4 else weights.squeeze(1)

    def _place(self, cell: Cell) -> tuple[slice, slice, slice, slice]:
        rows = slice(None) if cell.row is None else _single(cell.row - self.row)
        heads = slice(None) if cell.head is None else _single(cell.head)
        return slice(None), heads, rows, _single(cell.column)


def _single(index: int) -> slice:
    """A slice that holds only this index, or an empty slice if the index is negative."""
    return slice(index, index + 1) if index >= 0 else slice(0, 0)


def _set_weights(weights: Tensor, forced: Tensor) -> Tensor:
    """Set the weights in ``forced`` (NaN = not set) and scale the others in these rows so that the sum is 1."""
    is_forced = ~forced.isnan()
    left = (1 - forced.nansum(-1, keepdim=True)).clamp(min=0)
    others = weights.masked_fill(is_forced, 0)
    total = others.sum(-1, keepdim=True)
    share = torch.where(total > 0, left / total.where(total > 0, 1), 0)  # 0/0 would have no gradient
    shared = torch.where(is_forced, forced, others * share)
    return torch.where(is_forced.any(-1, keepdim=True), shared, weights)


class _NoPositions:
    """Replaces a position module; returns its input, after dropout."""

    def __init__(self, module: nn.Module) -> None:
        self.dropout = getattr(module, "dropout", nn.Identity())

    def __call__(self, x: Tensor, offset: int = 0) -> Tensor:
        unchanged: Tensor = self.dropout(x)
        return unchanged


def _set_row(changed: Mapping[str, _Softmax], row: int) -> None:
    for softmax in changed.values():
        softmax.row = row


def _check(
    modules: Mapping[str, Attention],
    cells: Sequence[Cell],
    heads: Sequence[tuple[str, int]],
    temperatures: Mapping[str, float],
) -> None:
    for cell in cells:
        if not isinstance(cell, Cell):
            raise TypeError(f"cells must hold Cell, got {cell!r}")
    for off in heads:
        pair = isinstance(off, Sequence) and not isinstance(off, str) and len(off) == 2
        if not pair or not is_integer(off[1]):
            raise TypeError(f"heads must hold (module name, head index) pairs, got {off!r}")
    named = [(cell.module, cell.head) for cell in cells] + [*heads] + [(name, None) for name in temperatures]
    for name, head in named:
        check_range("module", name, isinstance(name, str) and name in modules, f"one of [{', '.join(modules)}]")
        there = getattr(modules[name], "num_heads", 1)
        fits = head is None or (_is_index(head) and head < there)
        check_range(f"head of {name}", head, fits, f"an integer in [0, {there})")
    _check_row_totals(cells)
    for name, temperature in temperatures.items():
        fits = is_finite(temperature) and temperature > 0
        check_range(f"temperatures[{name!r}]", temperature, fits, "> 0 and finite")


def _check_row_totals(cells: Sequence[Cell]) -> None:
    """Raise a ValueError if the weights set in one row of one head add up to more than 1."""
    for module in {cell.module for cell in cells}:
        own = [cell for cell in cells if cell.module == module]
        for row, head in product({cell.row for cell in own}, {cell.head for cell in own}):
            here = [cell for cell in own if cell.row in (None, row) and cell.head in (None, head)]
            masked = {cell.column for cell in here if cell.weight is None}
            fixed = {cell.column: cell.weight for cell in here if cell.weight is not None}  # the last one counts
            total = sum(float(weight) for column, weight in fixed.items() if column not in masked)
            check_range(f"cells of {module} in one row", round(total, 6), total <= 1 + 1e-6, "a total weight <= 1")


@contextmanager
def replaced(module: nn.Module, name: str, value: Any) -> Iterator[None]:
    """Replace an attribute of one object while the context is open."""
    before = vars(module).get(name)
    object.__setattr__(module, name, value)
    try:
        yield
    finally:
        if before is None:
            object.__delattr__(module, name)
        else:
            object.__setattr__(module, name, before)
