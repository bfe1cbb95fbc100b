"""Trace attention: find the module that computes it, and the weights."""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attnbook.attention.kernels import Attention
from attnbook.models.base import uncompiled
from attnbook.observe.torch_attention import (
    DROPOUT,
    FUSED,
    OPERATORS,
    PRODUCT,
    SOFTMAX,
    by_head,
    drops,
    factors,
    over_last_axis,
    padded,
    refuse_hidden,
    unwrapped,
    used_weights,
)

# Modules with a fused fast path in eval mode, which a function mode turns off, and the name of their padding mask.
FUSED_IN_EVAL: dict[type[Any], str] = {
    nn.TransformerEncoder: "src_key_padding_mask",
    nn.TransformerEncoderLayer: "src_key_padding_mask",
    nn.MultiheadAttention: "key_padding_mask",
}


class Tracer(TorchFunctionMode):
    """Report every attention that a model computes, without changing a bit of the model's results.

    While a tracer is active, module calls go through `_traced_call`, as in ``torch.fx``, which notes the module that
    calls a function. Modules of this package report their weights through their ``observer``. If two tracers cover one
    module, the one started last gets the report. While one thread runs the model, calls from other threads are not
    traced.

    ``nn.Module.__call__`` is patched because torch's global forward hooks do not run after a KeyboardInterrupt, which
    would leave the function mode on, and because they cannot replace FlexAttention's unclear error.

    Args:
        model: any module.
        on_weights: called with a module's name and detached weights ``(batch, num_heads, queries, keys)``.
        around_call: context manager entered around each call of the model itself.
        compiled: whether ``torch.compile`` was applied to the model or a part of it; then only modules of this package
            are traced.
    """

    def __init__(
        self,
        model: nn.Module,
        on_weights: Callable[[str, Tensor], object],
        *,
        around_call: Callable[[], Any] = nullcontext,
        compiled: bool = False,
    ) -> None:
        super().__init__()
        self.model = model
        self.names = module_names(model)
        self.own = [module for module in self.names if isinstance(module, Attention)]
        self._on_weights = on_weights
        self._around_call = around_call
        self._compiled = compiled
        self._lock = threading.RLock()
        self._inside: list[nn.Module] = []  # the modules being called, innermost last
        self._count = 0  # number of reports
        self._softmax: Tensor | None = None  # the last result of a softmax, until a product uses it
        self._dropped = False  # whether dropout changed it since
        self._reported = False  # whether an observer reported the weights of the next product
        self._unfused = False  # whether a second, unfused run is being traced

    @property
    def is_active(self) -> bool:
        """Whether this tracer gets the reports of its model: it was started, and no later one has taken over."""
        return _latest(self.model) is self

    @property
    def is_complete(self) -> bool:
        """Whether this tracer gets the reports of every part of its model."""
        return all(_latest(module) is self for module in self.names)

    def start(self) -> None:
        """Start tracing."""
        if self in _ACTIVE:
            return
        self._inside.clear()
        _ACTIVE.append(self)
        _observe(self.own)
        _patch(enabled=True)

    def stop(self) -> None:
        """Stop tracing. When the last tracer stops, torch's own functions are restored."""
        if self not in _ACTIVE:
            return
        _ACTIVE.remove(self)
        _observe(self.own)
        if not _ACTIVE:
            _patch(enabled=False)

    def call(self, module: nn.Module, args: Any, kwargs: Any) -> Any:
        """Call a module of the model and trace it."""
        if _in_backward() or not self._lock.acquire(blocking=False):  # recomputed by gradient checkpointing
            return _ORIGINAL_CALL(module, *args, **kwargs)
        try:
            with (
                self._around_call() if module is self.model else nullcontext(),
                _unpatched() if self._compiled else self._tracing(module),
            ):
                return _ORIGINAL_CALL(module, *args, **kwargs)
        finally:
            self._lock.release()

    def forward(self, kind: type[Any], module: nn.Module, args: Any, kwargs: Any) -> Any:
        """Run a module of ``FUSED_IN_EVAL`` unchanged; if it reports no weights, trace a second, unfused run."""
        original, before = _ORIGINAL_FORWARD[kind], self._count
        if module.training or self._unfused:
            return original(module, *args, **kwargs)
        with _untraced():
            result = original(module, *args, **kwargs)
        if self._count == before:
            given = inspect.signature(original).bind(module, *args, **kwargs).arguments
            nested = [name for name, each in given.items() if isinstance(each, Tensor) and each.is_nested]
            if nested and any(isinstance(outer, nn.TransformerEncoder) for outer in self._inside[:-1]):
                return result  # the second run of the encoder will report it
            self._unfused = True
            try:
                with torch.no_grad():
                    original(**padded(given, nested, FUSED_IN_EVAL[kind]))
            finally:
                self._unfused = False
        return result

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if _CURRENT.tracers[-1] is not self:  # a later tracer covers this part of the model
            return func(*args, **kwargs)
        module = self._inside[-1]
        refuse_hidden(str(func) if isinstance(func, OPERATORS) else "", self.names[module])
        result = func(*args, **kwargs)
        if self._reported and (func in FUSED or func in PRODUCT):
            self._reported = False
        elif func in FUSED:
            if any(factor.is_nested for factor in factors(args, kwargs)):
                raise RuntimeError(
                    f"{self.names[module]} attends to nested tensors, which cannot be recorded; "
                    "use padded tensors and a mask"
                )
            self._note(module, FUSED[func](*args, **kwargs))
        elif func in SOFTMAX and over_last_axis(result, *args[1:], **kwargs):
            self._softmax, self._dropped = result.detach().clone(), False  # a later operation may change it in place
        elif func in DROPOUT:
            self._dropped = self._dropped or drops(*args, **kwargs)
        elif func in PRODUCT and self._softmax is not None:
            used = used_weights(self._softmax, func, list(factors(args, kwargs)), compare=not self._dropped)
            if used is not None:
                weights, self._softmax = self._softmax, None
                if not self._dropped and used.dtype == weights.dtype:  # includes masks after the softmax
                    weights = used.detach().clone().reshape(weights.shape)
                self._note(module, weights if weights.dim() > 3 else weights.reshape(used.shape))
        return result

    def report(self, name: str, weights: Tensor) -> None:
        """Receive the weights that a module of this package is about to multiply the values by."""
        if not torch.compiler.is_compiling() and _in_backward():
            return
        self._softmax, self._reported = None, True
        self._count += 1
        self._on_weights(name, weights.detach())

    def _note(self, module: nn.Module, weights: Tensor) -> None:
        self._count += 1
        self._on_weights(self.names[module], by_head(unwrapped(weights, self.names[module])))

    @contextmanager
    def _tracing(self, module: nn.Module) -> Iterator[None]:
        outermost = not self._inside
        self._inside.append(module)
        _CURRENT.tracers.append(self)
        try:
            with nullcontext() if self in torch.overrides._get_current_function_mode_stack() else self:
                yield
        except RuntimeError as error:
            if type(error).__module__.startswith("torch._dynamo") and "flex_attention" in str(error):
                refuse_hidden("flex_attention", self.names[module])  # it compiles itself
            raise
        finally:
            _CURRENT.tracers.pop()
            self._inside.pop()
            if outermost:
                self._softmax, self._reported = None, False


class _Observer:
    """Pass the weights of one module to its tracer. A copied or pickled observer is None, so copies are not traced."""

    def __init__(self, tracer: Tracer, module: Attention) -> None:
        self._tracer = tracer
        self._name = tracer.names[module]
        self.before = _before(module)

    def __call__(self, weights: Tensor) -> None:
        self._tracer.report(self._name, weights)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


class _CurrentTracers(threading.local):
    """The tracers whose modules are being called in this thread, innermost last."""

    def __init__(self) -> None:
        self.tracers: list[Tracer] = []


_ACTIVE: list[Tracer] = []
_CURRENT = _CurrentTracers()
_ORIGINAL_CALL = nn.Module.__call__
_ORIGINAL_FORWARD = {kind: kind.forward for kind in FUSED_IN_EVAL}


def _latest(module: nn.Module) -> Tracer | None:
    """Return the active tracer that covers a module and was started last."""
    return next((tracer for tracer in reversed(_ACTIVE) if module in tracer.names), None)


def _observe(modules: Sequence[Attention]) -> None:
    """Connect each module to its latest tracer, or restore the observer that it had before."""
    for module in modules:
        tracer = _latest(module)
        module.observer = _before(module) if tracer is None else _Observer(tracer, module)


def _before(module: Attention) -> Callable[[Tensor], None] | None:
    return module.observer.before if isinstance(module.observer, _Observer) else module.observer


def _traced_call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
    """Replaces ``nn.Module.__call__`` while a tracer is active."""
    tracer = _latest(module)
    return _ORIGINAL_CALL(module, *args, **kwargs) if tracer is None else tracer.call(module, args, kwargs)


def _traced_forward(kind: type[Any]) -> Callable[..., Any]:
    """Replaces the ``forward`` of one of ``FUSED_IN_EVAL`` while a tracer is active."""

    @functools.wraps(_ORIGINAL_FORWARD[kind])
    def forward(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
        tracer = _CURRENT.tracers[-1] if _CURRENT.tracers else None
        if tracer is None or tracer._inside[-1] is not module:
            return _ORIGINAL_FORWARD[kind](module, *args, **kwargs)
        return tracer.forward(kind, module, args, kwargs)

    return forward


def _patch(*, enabled: bool) -> None:
    nn.Module.__call__ = _traced_call if enabled else _ORIGINAL_CALL  # type: ignore[method-assign]
    for kind, original in _ORIGINAL_FORWARD.items():
        kind.forward = _traced_forward(kind) if enabled else original


@contextmanager
def _unpatched() -> Iterator[None]:
    """Restore torch's functions while compiled code runs: the compiler's guards compare them."""
    _patch(enabled=False)
    try:
        yield
    finally:
        _patch(enabled=bool(_ACTIVE))


@contextmanager
def _untraced() -> Iterator[None]:
    """Leave the function modes of all tracers, because torch takes its fused path only without them."""
    away = []
    while isinstance(mode := torch.overrides._get_current_function_mode(), Tracer):
        mode.__exit__(None, None, None)
        away.append(mode)
    try:
        yield
    finally:
        for mode in reversed(away):
            mode.__enter__()


def module_names(model: nn.Module) -> dict[nn.Module, str]:
    """Names of all modules of a model, without the wrappers of ``torch.compile``."""
    named = uncompiled(model).named_modules()
    names = {module: name.replace("_orig_mod.", "") or type(module).__name__ for name, module in named}
    return names if model in names else {model: type(uncompiled(model)).__name__, **names}


def is_compiled(model: nn.Module) -> bool:
    """Whether ``torch.compile`` was applied to the model or a part of it."""
    return any(hasattr(module, "_orig_mod") or module._compiled_call_impl is not None for module in model.modules())


def _in_backward() -> bool:
    return torch._C._current_graph_task_id() != -1
