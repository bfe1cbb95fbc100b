"""Recording the attention weights of any model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from attnbook._internal.validate import check_range, check_tensors, check_type
from attnbook.attention.causal import DifferentialAttention, GroupedAttention, LatentAttention
from attnbook.models.base import eval_mode, uncompiled
from attnbook.observe.torch_attention import refuse_hidden
from attnbook.observe.tracer import Tracer, is_compiled

# Modules that call torch's fused function. Subclasses of Attention report their weights themselves.
ATTENDING = (nn.MultiheadAttention, GroupedAttention, LatentAttention, DifferentialAttention)


class Record(Mapping[str, Tensor]):
    """Attention weights of a model by module name, as ``record_attention`` yields them.

    ``record["decoder.1.cross_attention"]`` has the shape ``(batch, num_heads, queries, keys)``. Each call of the model
    clears the record, so it holds the weights of one call. Several calls of one module are joined: step-by-step
    decoding gives one row per step, and keys that did not exist yet have weight zero. If a module is called again with
    more than one row in the same call of the model, it is a shared layer, and its second call is named ``"layer#2"``.
    (If a shared layer is called with a single token, its attentions are joined like steps.)

    Example:
        >>> model = Transformer(9, 9, d_model=16, num_heads=4, num_layers=1)
        >>> source = torch.tensor([[4, 5, 6]])
        >>> with record_attention(model) as record:
        ...     state = model.encode(source, torch.ones_like(source, dtype=torch.bool))
        ...     names = list(record)
        >>> names
        ['encoder.0.self_attention']
    """

    def __init__(self, model: nn.Module) -> None:
        if not isinstance(model, nn.Module):
            raise TypeError(f"model must be an nn.Module, got {type(model).__name__}")
        self.model = model
        self._calls = Calls()
        self._compiled = is_compiled(model)
        self._tracer = Tracer(model, self._note, around_call=self._around_call, compiled=self._compiled)
        self._own = {self._tracer.names[module] for module in self._tracer.own}
        self._seen: set[str] = set()
        self._joins = False
        self._at_close: list[Callable[[BaseException | None], None]] = []
        self._closed = False
        if not self._own:
            _check_for_attention(self._tracer.names)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of attention modules, in the model's order; some, like `GroupedAttention`, only after a call."""
        order = {name: i for i, name in enumerate(self._tracer.names.values())}
        return tuple(sorted(self._own | self._seen, key=lambda name: (order[name.split("#")[0]], len(name), name)))

    def __getitem__(self, name: str) -> Tensor:
        """Weights ``(batch, num_heads, queries, keys)``, detached.

        Raises:
            KeyError: there is no such module, or it has not been called.
            ValueError: the calls were for different batches; ``clear`` between them.
        """
        if name not in self.names:
            known = ", ".join(self.names) or "(unknown until the model is called)"
            raise KeyError(f"name must be one of {known}, got {name!r}")
        if name not in self._calls:
            raise KeyError(f"{name!r} has not been called since the record was opened or cleared")
        return join_calls(self._calls[name], name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    @property
    def is_recording(self) -> bool:
        """Whether calls of the model are being recorded."""
        return self._tracer.is_active

    def clear(self) -> None:
        """Forget all weights."""
        self._calls.clear()

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Join all calls of the model while the context is open, such as those made by ``generate``.

        Example:
            >>> model = torch.nn.MultiheadAttention(8, 2, batch_first=True)
            >>> keys = torch.randn(1, 3, 8)
            >>> with record_attention(model) as record:
            ...     with record.joined():  # as in `generate` after the prompt: one row per token
            ...         for n in (2, 3):
            ...             _ = model(keys[:, n - 1 : n], keys[:, :n], keys[:, :n])
            >>> record["MultiheadAttention"].shape  # (batch, num_heads, queries, keys)
            torch.Size([1, 2, 2, 3])
        """
        self.clear()
        self._joins = True
        try:
            yield
        finally:
            self._joins = False

    def pause(self) -> None:
        """Stop recording, so that the model runs unpatched. ``probe`` still works."""
        self._tracer.stop()

    def resume(self) -> None:
        """Resume recording.

        Raises:
            RuntimeError: the recording is over.
        """
        self.check_open()
        self._tracer.start()

    def probe(self, *inputs: Any, **keywords: Any) -> dict[str, Tensor]:
        """Run the model once in eval mode and return its attention weights.

        The training mode, random state and record do not change. A compiled model runs uncompiled.

        Args:
            inputs: what the model is called with, a ``Batch`` for the models here.
            keywords: keyword arguments of that call.

        Returns:
            weights ``(batch, num_heads, queries, keys)`` by name, on the model's device.

        Raises:
            ValueError: no attention was computed.
        """
        return self.probe_with_output(*inputs, **keywords)[1]

    def probe_with_output(self, *inputs: Any, **keywords: Any) -> tuple[Any, dict[str, Tensor]]:
        """Like ``probe``, but return ``(output, weights)``."""
        model = uncompiled(self.model)
        calls = Calls()
        tracer = Tracer(model, calls.add)
        with (
            torch.no_grad(),
            own_random_state(model),
            eval_mode(model),
            torch.compiler.set_stance("force_eager") if self._compiled else nullcontext(),
        ):
            tracer.start()
            try:
                with calls.of_one_pass():
                    output = model(*inputs, **keywords)
            finally:
                tracer.stop()
        self._seen |= calls.keys()
        self._check_seen()
        return output, {name: join_calls(weights, name) for name, weights in calls.items()}

    def at_close(self, callback: Callable[[BaseException | None], None]) -> None:
        """Register a function to call when the recording ends, with the exception that ended it or None.

        Raises:
            RuntimeError: the recording is over.
        """
        self.check_open()
        self._at_close.append(callback)

    def check_open(self) -> None:
        """Raise a RuntimeError if the recording is over."""
        if self._closed:
            raise RuntimeError("the recording is over; use it inside `with record_attention(model)`")

    def _note(self, name: str, weights: Tensor) -> None:
        self._seen.add(self._calls.add(name, weights))

    @contextmanager
    def _around_call(self) -> Iterator[None]:
        """Clear the record before a call of the model, and check afterwards that something was recorded."""
        if self._compiled and not self._own:
            raise ValueError(
                "model is compiled, so its attention cannot be recorded; use record.pause() and "
                "record.probe(...), which runs it uncompiled, or record the model before torch.compile"
            )
        if self._calls.in_pass:  # a model that calls itself
            yield
            return
        if not self._joins:
            self.clear()
        with self._calls.of_one_pass():
            yield
        if not (self._seen or self._own) and self._tracer.is_complete:
            self._check_seen()

    def _check_seen(self) -> None:
        if not self._seen and not self._own:
            raise ValueError(
                "model must compute attention in one of its modules (F.scaled_dot_product_attention, "
                "nn.MultiheadAttention, an attnbook Attention, or a softmax over the keys that multiplies the "
                f"values), got {type(uncompiled(self.model)).__name__}"
            )

    def _close(self, error: BaseException | None) -> None:
        try:
            for callback in self._at_close:
                callback(error)
        finally:
            self._at_close.clear()
            self.pause()
            self._closed = True


class Calls(dict[str, list[Tensor]]):
    """Weights by module name, in the order of the calls."""

    def __init__(self) -> None:
        super().__init__()
        self._in_pass: Counter[str] | None = None  # number of calls of each module in this call of the model

    @property
    def in_pass(self) -> bool:
        """Whether a call of the model is under way."""
        return self._in_pass is not None

    @contextmanager
    def of_one_pass(self) -> Iterator[None]:
        """Treat everything added in the context as one call of the model."""
        before, self._in_pass = self._in_pass, Counter()
        try:
            yield
        finally:
            self._in_pass = before

    def add(self, name: str, weights: Tensor) -> str:
        """Add weights ``(batch, num_heads, queries, keys)`` and return the name they are stored under."""
        if self._in_pass is not None:
            self._in_pass[name] += 1
            again = f"{name}#{self._in_pass[name]}"
            is_step = weights.shape[2] == 1 and again not in self  # one row of step-by-step decoding
            name = name if self._in_pass[name] == 1 or is_step else again
        self.setdefault(name, []).append(weights)
        return name


@contextmanager
def own_random_state(model: nn.Module) -> Iterator[None]:
    """Restore afterwards the random state of the CPU and of the devices that hold the model's parameters."""
    devices = {p.device for p in model.parameters() if p.device.type not in ("cpu", "meta")}
    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices=[]))
        for device in devices:
            stack.enter_context(torch.random.fork_rng(devices=[device], device_type=device.type))
        yield


@contextmanager
def record_attention(model: nn.Module) -> Iterator[Record]:
    """Record the weights of every attention in ``model`` while the context is open.

    It records ``nn.MultiheadAttention`` and modules built from it, ``F.scaled_dot_product_attention``, explicit
    attention (a softmax whose result multiplies the values), and the modules of this package, each under the name of
    the innermost module that computes it. The weights are those before dropout.

    The model's outputs and gradients do not change by a bit. Where torch uses a fused kernel, the weights are computed
    a second time, which takes time, and memory for ``batch * num_heads * queries * keys`` numbers per module. A nested
    recording takes over until it ends. While one thread runs the model, calls from other threads are not recorded.

    Args:
        model: any module. Of a model compiled by ``torch.compile`` only the modules of this package are recorded,
            without `GroupedAttention`; ``probe`` runs it uncompiled.

    Yields:
        the ``Record``, which stays readable afterwards.

    Raises:
        ValueError: the model has no attention. If only a call can show this, the first call that no
            nested recording takes over raises the error.
        TypeError: ``model`` is not an nn.Module.
        RuntimeError: the attention cannot be recorded: FlexAttention, flash-attn, nested tensors, ``vmap``.

    Example:
        >>> model = torch.nn.TransformerEncoderLayer(16, 4, batch_first=True)  # any PyTorch model
        >>> with record_attention(model) as record:
        ...     output = model(torch.randn(2, 5, 16))
        ...     weights = record["self_attn"]
        >>> weights.shape
        torch.Size([2, 4, 5, 5])
    """
    record = Record(model)
    error: BaseException | None = None
    try:
        record.resume()
        yield record
    except BaseException as raised:
        error = raised
        raise
    finally:
        record._close(error)


def _check_for_attention(names: Mapping[nn.Module, str]) -> None:
    """Raise a ValueError before the first call if no part of the model can be recorded."""
    for module, name in names.items():
        refuse_hidden(str(getattr(getattr(module, "config", None), "_attn_implementation", "")), name)
    known = all(type(module).__module__.startswith(("torch.nn.", "attnbook.")) for module in names)
    if known and not any(isinstance(module, ATTENDING) for module in names):
        raise ValueError(
            "model must contain nn.MultiheadAttention, an attnbook Attention or a module of another package, got "
            f"{type(next(iter(names))).__name__}"
        )


def join_calls(calls: Sequence[Tensor], name: str = "weights") -> Tensor:
    """Join the weights of consecutive calls along the query axis.

    Args:
        calls: each ``(batch, num_heads, queries, keys)``; queries and keys may differ between calls.
        name: name of the weights in errors.

    Returns:
        ``(batch, num_heads, all queries, most keys)``; a key that did not exist yet in a call has weight zero.

    Raises:
        ValueError: there is no call, a call is not of rank 4, or batch or number of heads differ between calls.
        TypeError: a call is not a tensor.
    """
    check_type(name, calls, isinstance(calls, Sequence), "a sequence of tensors")
    check_range(name, calls, len(calls) > 0, "at least one call")
    check_tensors(**{f"{name}[{i}]": weights for i, weights in enumerate(calls)})
    ranks = {weights.dim() for weights in calls}
    check_range(name, sorted(ranks), ranks == {4}, "(batch, num_heads, queries, keys), of rank 4")
    sizes = {tuple(weights.shape[:2]) for weights in calls}
    if len(sizes) > 1:
        raise ValueError(
            f"{name} must come from one batch, got calls with (batch, heads) {sorted(sizes)}; clear() between batches"
        )
    keys = max(weights.shape[-1] for weights in calls)
    return torch.cat([pad(weights, (0, keys - weights.shape[-1])) for weights in calls], dim=-2)
