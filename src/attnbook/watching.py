"""Seeing the attention of any module: in which module it is computed, and with which weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from attnbook.encoder_decoder import uncompiled
from attnbook.explicit import multi_head_weights, scaled_dot_product_weights
from attnbook.scoring import Attention, observing

# Functions whose weights never leave them: they are computed a second time, beside.
FUSED: dict[Any, Callable[..., Tensor]] = {
    F.scaled_dot_product_attention: scaled_dot_product_weights,
    F.multi_head_attention_forward: multi_head_weights,
}
# Attention written out: a softmax over the last axis, whose outcome multiplies the values.
SOFTMAX: set[Any] = {F.softmax, torch.softmax, torch.special.softmax, Tensor.softmax}
PRODUCT: set[Any] = {torch.matmul, Tensor.matmul, Tensor.__matmul__, torch.bmm, Tensor.bmm, torch.einsum}
# In eval mode torch computes these in one piece, unless somebody looks into them.
FUSED_IN_EVAL = (nn.TransformerEncoder, nn.TransformerEncoderLayer, nn.MultiheadAttention)
# Operators of others, whose weights exist nowhere.
HIDDEN = ("flash_attn", "flash_attention", "flex_attention", "efficient_attention", "sageattn")


class Watch(TorchFunctionMode):
    """Tells of every attention that a model computes; the model computes the same numbers, bit for bit.

    While it is on, calls of modules pass through `_call`, as in ``torch.fx``'s tracer: so it is known in which module
    a function is called. Modules of this package say themselves what they compute, through their ``observer``. Of two
    watches on one module the later sees it.

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
        self._observing = ExitStack()
        self._inside: list[nn.Module] = []  # the modules that are being called, the innermost last
        self._softmax: Tensor | None = None  # the outcome of the last one, until it multiplies something
        self._told = False  # by an observer: the next product is of weights that are known
        self._blind = False

    @property
    def is_on(self) -> bool:
        """Whether it looks, and no later watch has taken over."""
        return next((watch for watch in reversed(_ON) if self.model in watch.names), None) is self

    def start(self) -> None:
        """Look from now on."""
        if self in _ON:
            return
        self._observing.enter_context(observing({module: _Observer(self, self.names[module]) for module in self.own}))
        self._inside.clear()
        _ON.append(self)
        _route(_call)

    def stop(self) -> None:
        """Look no longer. Behind the last watch, calls of modules are torch's own again."""
        if self not in _ON:
            return
        self._observing.close()
        _ON.remove(self)
        if not _ON:
            _route(_TORCHS_CALL)

    def call(self, module: nn.Module, args: Any, kwargs: Any) -> Any:
        """Call a module of the model, and look."""
        if self._blind:
            return _TORCHS_CALL(module, *args, **kwargs)
        with self._called() if module is self.model else nullcontext():
            if self._compiled:
                with _torchs_own_way():
                    return _TORCHS_CALL(module, *args, **kwargs)
            if not module.training and isinstance(module, FUSED_IN_EVAL) and _is_all_torchs(module):
                with torch.no_grad(), self._looking_into(module):
                    _TORCHS_CALL(module, *args, **kwargs)
                with self._looking_away():
                    return _TORCHS_CALL(module, *args, **kwargs)
            with self._looking_into(module):
                return _TORCHS_CALL(module, *args, **kwargs)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        module = self._inside[-1]
        refuse_hidden(str(func) if isinstance(func, _OPERATORS) else "", self.names[module])
        result = func(*args, **kwargs)
        if _in_backward():  # gradient checkpointing computes again
            return result
        if self._told and (func in FUSED or func in PRODUCT):
            self._told = False
        elif func in FUSED:
            self._see(self.names[module], _by_head(FUSED[func](*args, **kwargs)))
        elif func in SOFTMAX and over_last_axis(result, *args[1:], **kwargs):
            self._softmax = result.detach().clone()  # dropout may be in place
        elif func in PRODUCT and self._softmax is not None:
            factor = next((factor for factor in factors(args) if has_cells_of(self._softmax, factor)), None)
            if factor is not None:
                weights, self._softmax = self._softmax, None
                self._see(self.names[module], _by_head(weights if weights.dim() > 3 else weights.reshape(factor.shape)))
        return result

    def tell(self, name: str, weights: Tensor) -> None:
        """Hear from a module of this package what it is about to multiply the values by."""
        self._softmax, self._told = None, True
        self._see(name, weights.detach())

    @contextmanager
    def _looking_into(self, module: nn.Module) -> Iterator[None]:
        outermost = not self._inside
        self._inside.append(module)
        try:
            with self if outermost else nullcontext():
                yield
        except RuntimeError as error:
            if type(error).__module__.startswith("torch._dynamo") and "flex_attention" in str(error):
                refuse_hidden("flex_attention", self.names[module])  # called outside torch.compile, it compiles itself
            raise
        finally:
            self._inside.pop()
            if outermost:
                self._softmax, self._told = None, False

    @contextmanager
    def _looking_away(self) -> Iterator[None]:
        self._blind = True
        try:
            with torch._C.DisableTorchFunction() if self._inside else nullcontext():
                yield
        finally:
            self._blind = False


class _Observer:
    """Tells of the weights of one module. A copy of the model is not observed: a copy of this is None."""

    def __init__(self, watch: Watch, name: str) -> None:
        self._watch = watch
        self._name = name

    def __call__(self, weights: Tensor) -> None:
        self._watch.tell(self._name, weights)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()


_ON: list[Watch] = []
_TORCHS_CALL = nn.Module.__call__
_OPERATORS = (torch._ops.OpOverload, torch._ops.OpOverloadPacket, torch._ops.HigherOrderOperator)


def _call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
    """In place of ``nn.Module.__call__`` while somebody looks."""
    watch = next((watch for watch in reversed(_ON) if module in watch.names), None)
    return _TORCHS_CALL(module, *args, **kwargs) if watch is None else watch.call(module, args, kwargs)


def _route(call: Any) -> None:
    nn.Module.__call__ = call  # type: ignore[method-assign]


@contextmanager
def _torchs_own_way() -> Iterator[None]:
    """The compiler traces torch's own calls, and its guards remember them."""
    _route(_TORCHS_CALL)
    try:
        yield
    finally:
        _route(_call if _ON else _TORCHS_CALL)


def module_names(model: nn.Module) -> dict[nn.Module, str]:
    """Every module and its name in the model, without the wrappers of ``torch.compile``."""
    named = uncompiled(model).named_modules()
    names = {module: name.replace("_orig_mod.", "") or type(module).__name__ for name, module in named}
    return names if model in names else {model: type(uncompiled(model)).__name__, **names}


def is_compiled(model: nn.Module) -> bool:
    """Whether ``torch.compile`` has the model or a part of it."""
    return any(hasattr(module, "_orig_mod") or module._compiled_call_impl is not None for module in model.modules())


def refuse_hidden(function: str, module: str) -> None:
    """Raise a RuntimeError if a function computes attention without ever having its weights."""
    if any(hidden in function for hidden in HIDDEN):
        raise RuntimeError(
            f"{module} computes attention with {function}, which never has the weights: wanted "
            "F.scaled_dot_product_attention or a written-out softmax; for a Hugging Face model, "
            "model.set_attn_implementation('sdpa')"
        )


def _is_all_torchs(module: nn.Module) -> bool:
    return all(type(part).__module__.startswith("torch.nn.") for part in module.modules())


def _in_backward() -> bool:
    return torch._C._current_graph_task_id() != -1


def over_last_axis(result: Tensor, dim: int | None = None, *_: Any, **__: Any) -> bool:
    """Whether a softmax that was called with these arguments goes over the last axis."""
    return dim in (-1, result.dim() - 1)


def factors(args: tuple[Any, ...]) -> Iterator[Tensor]:
    """The tensors among the arguments of a product."""
    for arg in args:
        yield from (part for part in (arg if isinstance(arg, list | tuple) else (arg,)) if isinstance(part, Tensor))


def has_cells_of(weights: Tensor, factor: Tensor) -> bool:
    """Whether a factor can be these weights, after dropout, a change of type or of shape."""
    return factor.numel() == weights.numel() and factor.shape[-1:] == weights.shape[-1:]


def _by_head(weights: Tensor) -> Tensor:
    """(..., queries, keys) -> (batch, num_heads, queries, keys), with one head where there are no heads"""
    if weights.dim() < 4:
        return weights.view(-1, 1, *weights.shape[-2:])
    return weights.flatten(0, -4)
