"""Seeing attention: the only way its weights leave a model, ours or anybody's."""

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
from attnbook.observe.tracer import Watch, is_compiled

# Modules that call torch's fused function, besides those of this package that tell their weights themselves.
ATTENDING = (nn.MultiheadAttention, GroupedAttention, LatentAttention, DifferentialAttention)


class Record(Mapping[str, Tensor]):
    """Attention weights of a model, by the name of the module that made them; ``record_attention`` makes one.

    ``record["decoder.1.cross_attention"]`` has the shape ``(batch, num_heads, queries, keys)``. Calling the model
    starts the record afresh, so it holds the weights of one call and no more. What a module computes in several calls
    is joined: step-by-step decoding gives one row a step, and keys that were not there yet have weight zero. A module
    that is called with more than one row again in the same call of the model is a layer that is shared, and its second
    call is named ``"layer#2"``.
    """

    def __init__(self, model: nn.Module) -> None:
        if not isinstance(model, nn.Module):
            raise TypeError(f"model must be an nn.Module, got {type(model).__name__}")
        self.model = model
        self._calls = Calls()
        self._compiled = is_compiled(model)
        self._watch = Watch(model, self._note, called=self._afresh, compiled=self._compiled)
        self._own = {self._watch.names[module] for module in self._watch.own}
        self._seen: set[str] = set()
        self._joins = False
        self._at_close: list[Callable[[BaseException | None], None]] = []
        self._closed = False
        if not self._own:
            _check_for_attention(self._watch.names)

    @property
    def names(self) -> tuple[str, ...]:
        """Every attention module of the model, in its order; one that is not of this package once it was called."""
        order = {name: i for i, name in enumerate(self._watch.names.values())}
        return tuple(sorted(self._own | self._seen, key=lambda name: (order[name.split("#")[0]], len(name), name)))

    def __getitem__(self, name: str) -> Tensor:
        """Weights ``(batch, num_heads, queries, keys)``, detached.

        Raises:
            KeyError: no such module, or it has not been called.
            ValueError: the calls were of different batches; ``clear`` between them.
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
    def looking(self) -> bool:
        """Whether calls of the model are recorded now."""
        return self._watch.is_on

    def clear(self) -> None:
        """Forget all weights."""
        self._calls.clear()

    @contextmanager
    def joined(self) -> Iterator[None]:
        """Take all calls of the model for one while the context is open, as ``generate`` makes them.

        Example:
            >>> with record.joined():
            ...     model.generate(ids, max_new_tokens=20)  # the prompt's rows, then one a token
        """
        self.clear()
        self._joins = True
        try:
            yield
        finally:
            self._joins = False

    def pause(self) -> None:
        """Stop looking: the model runs as if nobody had ever looked. ``probe`` still works."""
        self._watch.stop()

    def resume(self) -> None:
        """Look again.

        Raises:
            RuntimeError: the recording is over.
        """
        self.check_open()
        self._watch.start()

    def probe(self, *inputs: Any, **keywords: Any) -> dict[str, Tensor]:
        """Run the model once in eval mode, only to look: train mode, random state and the record stay as they are.

        A compiled model runs uncompiled.

        Args:
            inputs: what the model is called with, a ``Batch`` for the models here.
            keywords: likewise.

        Returns:
            weights ``(batch, num_heads, queries, keys)`` by name, on the model's device.

        Raises:
            ValueError: nothing was seen.
        """
        return self.look(*inputs, **keywords)[1]

    def look(self, *inputs: Any, **keywords: Any) -> tuple[Any, dict[str, Tensor]]:
        """As ``probe``, with what the model gives: ``(output, weights)``."""
        model = uncompiled(self.model)
        calls = Calls()
        watch = Watch(model, calls.add)
        with (
            torch.no_grad(),
            own_random_state(model),
            eval_mode(model),
            torch.compiler.set_stance("force_eager") if self._compiled else nullcontext(),
        ):
            watch.start()
            try:
                with calls.of_one_pass():
                    output = model(*inputs, **keywords)
            finally:
                watch.stop()
        self._seen |= calls.keys()
        self._check_seen()
        return output, {name: join_calls(weights, name) for name, weights in calls.items()}

    def at_close(self, callback: Callable[[BaseException | None], None]) -> None:
        """Call ``callback`` when the recording ends, with the exception that ended it or None.

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
    def _afresh(self) -> Iterator[None]:
        """Around a call of the model."""
        if self._compiled and not self._own:
            raise ValueError(
                "model is compiled, so its attention cannot be recorded; use record.pause() and "
                "record.probe(...), which runs it uncompiled, or record the model before torch.compile"
            )
        if self._calls.in_pass:  # a model that calls itself: its inner calls belong to the outer one
            yield
            return
        if not self._joins:
            self.clear()
        with self._calls.of_one_pass():
            yield
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
    """What was seen, in the order of the calls, by the name of the module."""

    def __init__(self) -> None:
        super().__init__()
        self._in_pass: Counter[str] | None = None  # calls of each module in this call of the model

    @property
    def in_pass(self) -> bool:
        """Whether a call of the model is under way."""
        return self._in_pass is not None

    @contextmanager
    def of_one_pass(self) -> Iterator[None]:
        """What is added belongs to one call of the model."""
        before, self._in_pass = self._in_pass, Counter()
        try:
            yield
        finally:
            self._in_pass = before

    def add(self, name: str, weights: Tensor) -> str:
        """Add ``(batch, num_heads, queries, keys)``; returns the name under which they are kept."""
        if self._in_pass is not None:
            self._in_pass[name] += 1
            again = f"{name}#{self._in_pass[name]}"
            is_step = weights.shape[2] == 1 and again not in self  # a row of step-by-step decoding
            name = name if self._in_pass[name] == 1 or is_step else again
        self.setdefault(name, []).append(weights)
        return name


@contextmanager
def own_random_state(model: nn.Module) -> Iterator[None]:
    """Restore the random state afterwards: that of the CPU and of the devices that hold the model's parameters."""
    devices = {p.device for p in model.parameters() if p.device.type not in ("cpu", "meta")}
    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices=[]))
        for device in devices:
            stack.enter_context(torch.random.fork_rng(devices=[device], device_type=device.type))
        yield


@contextmanager
def record_attention(model: nn.Module) -> Iterator[Record]:
    """Record the weights of every attention in ``model`` while the context is open.

    Seen are ``nn.MultiheadAttention`` and what is built of it, ``F.scaled_dot_product_attention``, attention that is
    written out as a softmax whose outcome multiplies the values, and the modules of this package; each under the name
    of the innermost module that computes it. The weights are those before dropout.

    The numbers the model computes stay the same bit for bit, gradients too; before and after, it runs as if nobody had
    looked. Where torch computes attention in one piece, the weights are computed beside it, which takes time and
    ``batch * num_heads * queries * keys`` numbers a module. A recording inside another one takes over until it ends.
    While one thread is in the model, calls from another run unseen.

    Args:
        model: any module, or what ``torch.compile`` made of one: of that the calls are seen in the modules of this
            package only, and ``probe`` runs it uncompiled.

    Yields:
        the ``Record``; it can be read afterwards too.

    Raises:
        ValueError: the model has no attention; if that cannot be known before, its first call raises it.
        TypeError: ``model`` is no module.
        RuntimeError: attention cannot be seen: FlexAttention, the flash-attn package, nested tensors, ``vmap``.

    Example:
        >>> with record_attention(model) as record:
        ...     model(batch)
        >>> record["decoder.cross_attention"].shape
        torch.Size([64, 1, 12, 10])
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
    """Refuse a model before its first call where it is sure that nothing could be seen."""
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
        name: what an error calls them.

    Returns:
        ``(batch, num_heads, all queries, most keys)``; a key that a call did not have yet gets weight zero.

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
