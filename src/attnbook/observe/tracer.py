"""Seeing the attention of any module: in which module it is computed, and with which weights."""

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
    has_cells_of,
    over_last_axis,
    padded,
    refuse_hidden,
    unwrapped,
)

# In eval mode torch computes these in one piece, unless somebody looks into them. What each calls its padding mask.
FUSED_IN_EVAL: dict[type[Any], str] = {
    nn.TransformerEncoder: "src_key_padding_mask",
    nn.TransformerEncoderLayer: "src_key_padding_mask",
    nn.MultiheadAttention: "key_padding_mask",
}


class Watch(TorchFunctionMode):
    """Tells of every attention that a model computes; the model computes the same numbers, bit for bit.

    While it is on, calls of modules pass through `_call`, as in ``torch.fx``'s tracer: so it is known in which module
    a function is called. Modules of this package say themselves what they compute, through their ``observer``. Of two
    watches on one module the later sees it. While one thread calls the model, calls in another are not looked at.

    Args:
        model: any module.
        see: called with the name of a module and detached weights ``(batch, num_heads, queries, keys)``.
        called: surrounds a call of the model itself.
        compiled: torch's compiler has the model, or a part of it: only modules of this package are looked at.
    """

    def __init__(
        self,
        model: nn.Module,
        see: Callable[[str, Tensor], object],
        *,
        called: Callable[[], Any] = nullcontext,
        compiled: bool = False,
    ) -> None:
        super().__init__()
        self.model = model
        self.names = module_names(model)
        self.own = [module for module in self.names if isinstance(module, Attention)]
        self._see = see
        self._called = called
        self._compiled = compiled
        self._one_thread = threading.RLock()
        self._inside: list[nn.Module] = []  # the modules that are being called, the innermost last
        self._count = 0  # of weights that were seen
        self._softmax: Tensor | None = None  # the outcome of the last one, until it multiplies something
        self._dropped = False  # since then
        self._told = False  # by an observer: the next product is of weights that are known
        self._in_pieces = False  # torch computes nothing in one piece: a second run is looked at

    @property
    def is_on(self) -> bool:
        """Whether it looks, and no later watch has taken over."""
        return next((watch for watch in reversed(_ON) if self.model in watch.names), None) is self

    def start(self) -> None:
        """Look from now on."""
        if self in _ON:
            return
        self._inside.clear()
        _ON.append(self)
        _observe(self.own)
        _route(looking=True)

    def stop(self) -> None:
        """Look no longer. Behind the last watch, calls of modules are torch's own again."""
        if self not in _ON:
            return
        _ON.remove(self)
        _observe(self.own)
        if not _ON:
            _route(looking=False)

    def call(self, module: nn.Module, args: Any, kwargs: Any) -> Any:
        """Call a module of the model, and look."""
        if _in_backward() or not self._one_thread.acquire(blocking=False):  # gradient checkpointing computes again
            return _TORCHS_CALL(module, *args, **kwargs)
        try:
            with (
                self._called() if module is self.model else nullcontext(),
                _torchs_own_way() if self._compiled else self._looking_into(module),
            ):
                return _TORCHS_CALL(module, *args, **kwargs)
        finally:
            self._one_thread.release()

    def forward(self, kind: type[Any], module: nn.Module, args: Any, kwargs: Any) -> Any:
        """Run one of ``FUSED_IN_EVAL`` as torch would; if that has shown nothing, look at a second run."""
        torchs, before = _TORCHS_FORWARD[kind], self._count
        if module.training or self._in_pieces:
            return torchs(module, *args, **kwargs)
        with _looking_away():
            result = torchs(module, *args, **kwargs)
        if self._count == before:
            given = inspect.signature(torchs).bind(module, *args, **kwargs).arguments
            nested = [name for name, each in given.items() if isinstance(each, Tensor) and each.is_nested]
            if nested and any(isinstance(outer, nn.TransformerEncoder) for outer in self._inside[:-1]):
                return result  # the encoder's second run shows it, as long as the encoder's own input
            self._in_pieces = True
            try:
                with torch.no_grad():
                    torchs(**padded(given, nested, FUSED_IN_EVAL[kind]))
            finally:
                self._in_pieces = False
        return result

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if _HERE.watches[-1] is not self:  # somebody looks at a part of this model
            return func(*args, **kwargs)
        module = self._inside[-1]
        refuse_hidden(str(func) if isinstance(func, OPERATORS) else "", self.names[module])
        result = func(*args, **kwargs)
        if self._told and (func in FUSED or func in PRODUCT):
            self._told = False
        elif func in FUSED:
            if any(factor.is_nested for factor in factors((*args, *kwargs.values()))):
                raise RuntimeError(
                    f"{self.names[module]} attends to nested tensors, which cannot be recorded; "
                    "use padded tensors and a mask"
                )
            self._note(module, FUSED[func](*args, **kwargs))
        elif func in SOFTMAX and over_last_axis(result, *args[1:], **kwargs):
            self._softmax, self._dropped = result.detach().clone(), False  # what follows may be in place
        elif func in DROPOUT:
            self._dropped = self._dropped or drops(*args, **kwargs)
        elif func in PRODUCT and self._softmax is not None:
            factor = next((factor for factor in factors(args) if has_cells_of(self._softmax, factor)), None)
            if factor is not None:
                weights, self._softmax = self._softmax, None
                if not self._dropped and factor.dtype == weights.dtype:  # masks and scales behind the softmax count
                    weights = factor.detach().clone().reshape(weights.shape)
                self._note(module, weights if weights.dim() > 3 else weights.reshape(factor.shape))
        return result

    def tell(self, name: str, weights: Tensor) -> None:
        """Hear from a module of this package what it is about to multiply the values by."""
        if not torch.compiler.is_compiling() and _in_backward():
            return
        self._softmax, self._told = None, True
        self._count += 1
        self._see(name, weights.detach())

    def _note(self, module: nn.Module, weights: Tensor) -> None:
        self._count += 1
        self._see(self.names[module], by_head(unwrapped(weights, self.names[module])))

    @contextmanager
    def _looking_into(self, module: nn.Module) -> Iterator[None]:
        outermost = not self._inside
        self._inside.append(module)
        _HERE.watches.append(self)
        try:
            with nullcontext() if self in torch.overrides._get_current_function_mode_stack() else self:
                yield
        except RuntimeError as error:
            if type(error).__module__.startswith("torch._dynamo") and "flex_attention" in str(error):
                refuse_hidden("flex_attention", self.names[module])  # called outside torch.compile, it compiles itself
            raise
        finally:
            _HERE.watches.pop()
            self._inside.pop()
            if outermost:
                self._softmax, self._told = None, False


class _Observer:
    """Tells of the weights of one module. A copy of the model is not observed: a copy of this is None."""

    def __init__(self, watch: Watch, module: Attention) -> None:
        self._watch = watch
        self._name = watch.names[module]
        self.before = _before(module)

    def __call__(self, weights: Tensor) -> None:
        self._watch.tell(self._name, weights)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


class _Here(threading.local):
    """The watches whose modules are being called in this thread, the innermost last."""

    def __init__(self) -> None:
        self.watches: list[Watch] = []


_ON: list[Watch] = []
_HERE = _Here()
_TORCHS_CALL = nn.Module.__call__
_TORCHS_FORWARD = {kind: kind.forward for kind in FUSED_IN_EVAL}


def _latest(module: nn.Module) -> Watch | None:
    return next((watch for watch in reversed(_ON) if module in watch.names), None)


def _observe(modules: Sequence[Attention]) -> None:
    """Let the latest watch hear of each module; behind the last one, who heard of it before."""
    for module in modules:
        watch = _latest(module)
        module.observer = _before(module) if watch is None else _Observer(watch, module)


def _before(module: Attention) -> Callable[[Tensor], None] | None:
    return module.observer.before if isinstance(module.observer, _Observer) else module.observer


def _call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
    """In place of ``nn.Module.__call__`` while somebody looks."""
    watch = _latest(module)
    return _TORCHS_CALL(module, *args, **kwargs) if watch is None else watch.call(module, args, kwargs)


def _forward_of(kind: type[Any]) -> Callable[..., Any]:
    """In place of the ``forward`` of one of ``FUSED_IN_EVAL`` while somebody looks."""

    @functools.wraps(_TORCHS_FORWARD[kind])
    def forward(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
        watch = _HERE.watches[-1] if _HERE.watches else None
        if watch is None or watch._inside[-1] is not module:
            return _TORCHS_FORWARD[kind](module, *args, **kwargs)
        return watch.forward(kind, module, args, kwargs)

    return forward


def _route(*, looking: bool) -> None:
    nn.Module.__call__ = _call if looking else _TORCHS_CALL  # type: ignore[method-assign]
    for kind, torchs in _TORCHS_FORWARD.items():
        kind.forward = _forward_of(kind) if looking else torchs


@contextmanager
def _torchs_own_way() -> Iterator[None]:
    """The compiler traces torch's own calls, and its guards remember them."""
    _route(looking=False)
    try:
        yield
    finally:
        _route(looking=bool(_ON))


@contextmanager
def _looking_away() -> Iterator[None]:
    """Torch computes in one piece only where no mode of functions is on."""
    away = []
    while isinstance(mode := torch.overrides._get_current_function_mode(), Watch):
        mode.__exit__(None, None, None)
        away.append(mode)
    try:
        yield
    finally:
        for mode in reversed(away):
            mode.__enter__()


def module_names(model: nn.Module) -> dict[nn.Module, str]:
    """Every module and its name in the model, without the wrappers of ``torch.compile``."""
    named = uncompiled(model).named_modules()
    names = {module: name.replace("_orig_mod.", "") or type(module).__name__ for name, module in named}
    return names if model in names else {model: type(uncompiled(model)).__name__, **names}


def is_compiled(model: nn.Module) -> bool:
    """Whether ``torch.compile`` has the model or a part of it."""
    return any(hasattr(module, "_orig_mod") or module._compiled_call_impl is not None for module in model.modules())


def _in_backward() -> bool:
    return torch._C._current_graph_task_id() != -1
