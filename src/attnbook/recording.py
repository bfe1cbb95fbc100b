"""Seeing attention: the only way its weights leave a model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from attnbook.encoder_decoder import uncompiled
from attnbook.scoring import Attention


class Record(Mapping[str, Tensor]):
    """Attention weights of a model, by the name of the module that made them; :func:`record_attention` makes one.

    ``record["decoder.1.cross_attention"]`` has the shape ``(batch, num_heads, queries, keys)``. Calling the model
    starts the record afresh. Calls of ``encode`` and ``decode`` are joined: step-by-step decoding gives one row a
    step, and keys that were not there yet have weight zero.
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self._modules = {
            name or type(module).__name__: module
            for name, module in uncompiled(model).named_modules()
            if isinstance(module, Attention)
        }
        if not self._modules:
            raise ValueError(
                f"model is a {type(model).__name__} without attention: wanted an attnbook.scoring.Attention in it"
            )
        self._calls: dict[str, list[Tensor]] = {}
        self._outer = {name: module.observer for name, module in self._modules.items()}
        self._own = {name: _Observer(self._calls, name) for name in self._modules}
        self._at_close: list[Callable[[BaseException | None], None]] = []
        self._closed = False

    @property
    def names(self) -> tuple[str, ...]:
        """Every attention module of the model, in its order."""
        return tuple(self._modules)

    def __getitem__(self, name: str) -> Tensor:
        """Weights ``(batch, num_heads, queries, keys)``, detached.

        Raises:
            KeyError: no such module, or it has not been called.
            ValueError: the calls were of different batches; :meth:`clear` between them.
        """
        if name not in self._modules:
            raise KeyError(f"{name!r} is no attention module: wanted one of {', '.join(self._modules)}")
        if name not in self._calls:
            raise KeyError(f"{name!r} has not been called since the record was opened or cleared")
        return join_calls(self._calls[name], name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    @property
    def looking(self) -> bool:
        """Whether calls of the model are recorded now."""
        return all(module.observer is self._own[name] for name, module in self._modules.items())

    def clear(self) -> None:
        """Forget all weights."""
        self._calls.clear()

    def pause(self) -> None:
        """Stop looking: the model runs as if nobody had ever looked. :meth:`probe` still works."""
        for name, module in self._modules.items():
            module.observer = self._outer[name]

    def resume(self) -> None:
        """Look again.

        Raises:
            RuntimeError: the recording is over.
        """
        self._check_open()
        for name, module in self._modules.items():
            module.observer = self._own[name]

    def probe(self, *inputs: Any) -> dict[str, Tensor]:
        """Run the model once in eval mode, only to look: train mode, random state and the record stay as they are.

        Args:
            inputs: what the model is called with, a ``Batch`` for the models here.

        Returns:
            weights ``(batch, num_heads, queries, keys)`` by name, on the model's device.
        """
        calls: dict[str, list[Tensor]] = {}
        observers = {name: module.observer for name, module in self._modules.items()}
        modes = [(module, module.training) for module in self.model.modules()]
        devices = {p.device.index for p in self.model.parameters() if p.device.type == "cuda"}
        try:
            with torch.no_grad(), torch.random.fork_rng(devices=sorted(devices)):
                self.model.eval()
                for name, module in self._modules.items():
                    module.observer = _Observer(calls, name)
                self.model(*inputs)
        finally:
            for name, module in self._modules.items():
                module.observer = observers[name]
            for any_module, mode in modes:
                any_module.training = mode
        return {name: join_calls(weights, name) for name, weights in calls.items()}

    def at_close(self, callback: Callable[[BaseException | None], None]) -> None:
        """Call ``callback`` when the recording ends, with the exception that ended it or None.

        Raises:
            RuntimeError: the recording is over.
        """
        self._check_open()
        self._at_close.append(callback)

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("the recording is over: wanted it inside `with record_attention(model)`")

    def _close(self, error: BaseException | None) -> None:
        try:
            for callback in self._at_close:
                callback(error)
        finally:
            self._at_close.clear()
            self.pause()
            self._closed = True


class _Observer:
    """Notes the weights of one module. A copy of the model is not observed: a copy of this is None."""

    def __init__(self, calls: dict[str, list[Tensor]], name: str) -> None:
        self._calls = calls
        self._name = name

    def __call__(self, weights: Tensor) -> None:
        self._calls.setdefault(self._name, []).append(weights.detach())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


class _StartAfresh:
    """Clears a record when its model is called. A copy of the model starts nothing: a copy of this has no record."""

    def __init__(self, record: Record | None = None) -> None:
        self._record = record

    def __call__(self, module: nn.Module, inputs: Any) -> None:
        if self._record is not None and self._record.looking:
            self._record.clear()

    def __reduce__(self) -> tuple[Any, ...]:
        return _StartAfresh, ()


@contextmanager
def record_attention(model: nn.Module) -> Iterator[Record]:
    """Record the weights of every attention module in ``model`` while the context is open.

    The numbers the model computes stay the same bit for bit. A recording opened inside another one takes over until
    it ends.

    Args:
        model: any module with an :class:`attnbook.scoring.Attention` in it, or what ``torch.compile`` made of one.

    Yields:
        the :class:`Record`; it can be read afterwards too.

    Raises:
        ValueError: the model has no attention module.

    Example:
        >>> with record_attention(model) as record:
        ...     model(batch)
        >>> record["decoder.cross_attention"].shape
        torch.Size([64, 1, 12, 10])
    """
    record = Record(model)
    handle = model.register_forward_pre_hook(_StartAfresh(record))
    error: BaseException | None = None
    try:
        record.resume()
        yield record
    except BaseException as raised:
        error = raised
        raise
    finally:
        try:
            record._close(error)
        finally:
            handle.remove()


def join_calls(calls: list[Tensor], name: str = "weights") -> Tensor:
    """Join the weights of consecutive calls along the query axis.

    Args:
        calls: each ``(batch, num_heads, queries, keys)``; queries and keys may differ between calls.
        name: what an error calls them.

    Returns:
        ``(batch, num_heads, all queries, most keys)``; a key that a call did not have yet gets weight zero.

    Raises:
        ValueError: batch or number of heads differ between calls.
    """
    sizes = {tuple(weights.shape[:2]) for weights in calls}
    if len(sizes) > 1:
        raise ValueError(
            f"{name} holds calls with (batch, heads) {sorted(sizes)}: wanted one batch, clear() between batches"
        )
    keys = max(weights.shape[-1] for weights in calls)
    return torch.cat([pad(weights, (0, keys - weights.shape[-1])) for weights in calls], dim=-2)
