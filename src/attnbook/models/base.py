"""The interface of every translation model: encode a source, then decode a target from an explicit state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar, cast

import numpy as np
import torch
from torch import Tensor, nn

from attnbook._internal.pytree import register_tree
from attnbook._internal.tracing import can_read
from attnbook._internal.validate import check_bools, check_counts, check_range, check_tensors
from attnbook.attention.masks import check_right_padded

if TYPE_CHECKING:
    from attnbook.data import Batch, TokenizerLike


@dataclass(frozen=True)
class State:
    """What a decoder carries from one call to the next. Immutable; every tensor is batch-first.

    Subclasses are registered with ``register_state``, so that a decoding step can be exported.

    Args:
        memory: ``(batch, source_len, width)``, output of the encoder.
        memory_mask: ``(batch, source_len)`` bool, True = a real source token.
        position: number of target tokens decoded so far.
    """

    memory: Tensor
    memory_mask: Tensor
    position: int

    def select(self: StateT, rows: Tensor) -> StateT:
        """Return the state of some batch rows, in the given order; a row may occur several times.

        Args:
            rows: ``(new_batch,)`` integers below the batch size.

        Raises:
            TypeError: ``rows`` is not a tensor of integers.
            ValueError: ``rows`` is not a vector.
            IndexError: a row does not exist; on a GPU, a device-side assertion fails instead.
        """
        check_tensors(rows=rows)
        if rows.dtype not in (torch.int32, torch.int64):
            raise TypeError(f"rows must be int32 or int64, got {rows.dtype}")
        check_range("rows.shape", tuple(rows.shape), rows.dim() == 1, "(new_batch,)")
        try:
            return replace(self, **{f.name: _select(getattr(self, f.name), rows) for f in fields(self)})
        except IndexError as error:
            batch = len(self.memory_mask)
            raise IndexError(f"rows must be >= 0 and < {batch}, the batch size, got {rows.tolist()}") from error


StateT = TypeVar("StateT", bound=State)


def register_state(kind: type[State]) -> None:
    """Register a state class with torch's pytrees; its fields are the leaves."""
    register_tree(kind, [f.name for f in fields(kind)])


def _select(value: Any, rows: Tensor) -> Any:
    if isinstance(value, Tensor):
        return value.index_select(0, rows)
    if isinstance(value, tuple):
        return tuple(_select(item, rows) for item in value)
    return value


@dataclass(frozen=True)
class ModelConfig:
    """Options of a translation model. Subclasses add keyword-only options and check them.

    Args:
        source_vocab_size: number of source ids.
        target_vocab_size: number of target ids.

    Raises:
        ValueError: an option is invalid.
    """

    source_vocab_size: int
    target_vocab_size: int

    def __post_init__(self) -> None:
        check_counts(source_vocab_size=self.source_vocab_size, target_vocab_size=self.target_vocab_size)
        check_bools(**{f.name: getattr(self, f.name) for f in fields(self) if f.type in (bool, "bool")})


Options = ParamSpec("Options")
ConfigT = TypeVar("ConfigT", bound=ModelConfig)
ModelT = TypeVar("ModelT", bound=nn.Module)


def takes_options_of(
    config_type: Callable[Options, ConfigT],
) -> Callable[[Callable[[ModelT, ConfigT], None]], Callable[Concatenate[ModelT, Options], None]]:
    """Make a constructor that takes a config accept the options of that config instead."""

    def decorate(init: Callable[[ModelT, ConfigT], None]) -> Callable[Concatenate[ModelT, Options], None]:
        @wraps(init)
        def build(self: ModelT, /, *args: Options.args, **options: Options.kwargs) -> None:
            init(self, config_type(*args, **options))

        model, *_ = signature(init).parameters.values()
        listed = signature(config_type)
        build.__signature__ = listed.replace(parameters=[model, *listed.parameters.values()])  # type: ignore[attr-defined]
        return build

    return decorate


def check_choice(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise a ValueError unless the value of a string option is one of the choices."""
    check_range(name, value, value in choices, f"one of {', '.join(map(repr, choices))}")


class EncoderDecoder(nn.Module, ABC, Generic[StateT]):
    r"""A model of :math:`p(y \mid x) = \prod_t p(y_t \mid y_{<t}, x)`.

    A subclass defines ``encode`` and ``decode``. Training, search, evaluation and the widgets use only these, or
    call the model. In eval mode, decoding a target in pieces, passing the state along, gives the same logits as
    decoding it whole, up to rounding.

    Models work with ``torch.export``; the source length of a recurrent encoder is then fixed.

    Args:
        source_vocab_size: number of source ids.
        target_vocab_size: number of target ids.
        config: keyword arguments that rebuild the model; stored in checkpoints.

    Example:
        >>> model = Transformer(10, 12, d_model=16, num_heads=2, num_layers=1).eval()  # for example
        >>> source = torch.tensor([[4, 5, 6]])
        >>> state = model.encode(source, torch.ones_like(source, dtype=torch.bool))
        >>> logits, state = model.decode(torch.tensor([[1]]), state)  # <bos>
        >>> logits.shape
        torch.Size([1, 1, 12])
    """

    state_type: type[StateT]  # what encode returns
    max_length: int | None = None  # largest number of tokens in a source or target; None: no limit

    def __init__(self, source_vocab_size: int, target_vocab_size: int, config: Mapping[str, Any]) -> None:
        super().__init__()
        check_counts(source_vocab_size=source_vocab_size, target_vocab_size=target_vocab_size)
        self.source_vocab_size = int(source_vocab_size)
        self.target_vocab_size = int(target_vocab_size)
        config = {"source_vocab_size": source_vocab_size, "target_vocab_size": target_vocab_size, **config}
        # JSON stores Python's numbers, not NumPy's.
        self.config = {name: x.item() if isinstance(x, np.generic) else x for name, x in config.items()}

    def forward(
        self, source: Tensor | Batch, target_in: Tensor | None = None, source_mask: Tensor | None = None
    ) -> Tensor:
        """Compute logits with teacher forcing: ``model(batch)`` or ``model(source, target_in, source_mask)``.

        Args:
            source: ``(batch, source_len)`` ids, or a `Batch` that contains all three arguments.
            target_in: ``(batch, target_len)`` ids.
            source_mask: see ``encode``.

        Returns:
            logits ``(batch, target_len, target_vocab_size)`` of the token after each token of ``target_in``.

        Raises:
            ValueError: see ``encode`` and ``decode``.
            TypeError: also if the target is missing, or given in addition to a batch.
        """
        if isinstance(source, Tensor):
            check_tensors(target_in=target_in)
            state = self.encode(source, source_mask)
        else:
            batch = _checked_batch(source, target_in, source_mask)
            target_in = batch.target_in
            state = self.encode(batch.source, batch.source_mask, wait=False)
        logits, _ = self.decode(cast("Tensor", target_in), state)
        return logits

    @abstractmethod
    def encode(self, source: Tensor, source_mask: Tensor | None = None, *, wait: bool = True) -> StateT:
        """Read the source and return the state from which decoding starts.

        Args:
            source: ``(batch, source_len)`` ids, padded on the right.
            source_mask: ``(batch, source_len)`` bool, True = a real token; None if there is no padding.
            wait: check a mask on a GPU too, for which the CPU has to wait.

        Returns:
            the state at position 0.

        Raises:
            ValueError: the shapes disagree, an id is outside the vocabulary (on a GPU, torch raises another error), a
                real token follows padding, or the source is too long.
            TypeError: the ids are not integers, or the mask is not boolean.
        """

    @abstractmethod
    def decode(self, target_in: Tensor, state: StateT) -> tuple[Tensor, StateT]:
        """Extend a target by the given tokens.

        Args:
            target_in: ``(batch, target_len)`` ids that follow the tokens ``state`` has seen.
            state: from ``encode`` or from an earlier call.

        Returns:
            logits ``(batch, target_len, target_vocab_size)`` of the token after each token of ``target_in``, and the
            state after the last one.

        Raises:
            ValueError: the shapes disagree, an id is outside the vocabulary (on a GPU, torch raises another error), or
                the target is too long.
            TypeError: the ids are not integers, or the state belongs to another kind of model.
        """

    def check_source(self, source: Tensor, source_mask: Tensor | None, *, wait: bool) -> Tensor:
        """Check the arguments of ``encode`` and return the mask, all True if it was None."""
        check_ids("source", source, self.source_vocab_size)
        self._check_length("source", source.shape[1])
        if source_mask is None:
            return torch.ones_like(source, dtype=torch.bool)
        check_tensors(source_mask=source_mask)
        if source_mask.dtype != torch.bool:
            raise TypeError(f"source_mask must be torch.bool (True = a real token), got {source_mask.dtype}")
        if source_mask.shape != source.shape:
            raise ValueError(
                f"source_mask must have the shape of source, {tuple(source.shape)}, got {tuple(source_mask.shape)}"
            )
        check_right_padded("source_mask", source_mask, wait=wait)
        return source_mask

    def check_target(self, target_in: Tensor, state: StateT) -> None:
        """Check the arguments of ``decode``."""
        check_ids("target_in", target_in, self.target_vocab_size)
        if not isinstance(state, self.state_type):
            raise TypeError(f"state must be a {self.state_type.__name__}, got {type(state).__name__}")
        if target_in.shape[0] != state.memory.shape[0]:
            raise ValueError(
                f"target_in must have the batch size of state, {state.memory.shape[0]}, got {target_in.shape[0]}"
            )
        self._check_length("target_in", state.position + target_in.shape[1])

    def _check_length(self, name: str, length: int) -> None:
        if self.max_length is not None and length > self.max_length:
            raise ValueError(f"{name} must not exceed max_length={self.max_length}, got {length} tokens")


def _checked_batch(batch: Batch, *others: Tensor | None) -> Batch:
    from attnbook.data import Batch  # here, so that a model can be imported without the corpora

    if not isinstance(batch, Batch):
        raise TypeError(f"source must be a Tensor or a Batch, got {type(batch).__name__}")
    if any(other is not None for other in others):
        raise TypeError("source must be a Tensor if target_in or source_mask is given, got a Batch")
    batch.check()
    return batch


def uncompiled(model: nn.Module) -> nn.Module:
    """Return the model that ``torch.compile`` has wrapped, or the model itself."""
    inner: nn.Module = getattr(model, "_orig_mod", model)
    return inner


@contextmanager
def eval_mode(model: nn.Module) -> Iterator[None]:
    """Put every submodule into eval mode, and restore the mode of each on exit."""
    modes = [(module, module.training) for module in model.modules()]
    if not any(training for _, training in modes):
        yield
        return
    model.eval()
    try:
        yield
    finally:
        for module, mode in modes:
            module.training = mode


def check_model(model: object) -> None:
    """Raise a TypeError unless this is a translation model, compiled or not."""
    inner = getattr(model, "_orig_mod", model)
    if not isinstance(inner, EncoderDecoder):
        raise TypeError(f"model must be an EncoderDecoder, got {type(inner).__name__}")


def check_vocabularies(
    model: EncoderDecoder, source_vocabulary: TokenizerLike, target_vocabulary: TokenizerLike
) -> None:
    """Check that both vocabularies have as many ids as the model.

    Raises:
        ValueError: the number of ids differs.
        TypeError: a vocabulary has the wrong type, or ``model`` is not a translation model.
    """
    from attnbook.data.vocabulary import check_tokenizer

    check_model(model)
    for name, vocabulary, size in (
        ("source_vocabulary", source_vocabulary, model.source_vocab_size),
        ("target_vocabulary", target_vocabulary, model.target_vocab_size),
    ):
        check_tokenizer(name, vocabulary)
        if len(vocabulary) != size:
            raise ValueError(f"{name} must have as many ids as the model, {size}, got {len(vocabulary)}")


def check_ids(name: str, ids: Tensor, vocab_size: int) -> None:
    """Check that ``ids`` is a ``(batch, length)`` tensor of integers below ``vocab_size``.

    Raises:
        ValueError: the rank is not 2, the tensor is empty, or an id is outside the vocabulary.
        TypeError: the ids are not integers.
    """
    check_tensors(**{name: ids})
    check_id_type(name, ids)
    if ids.dim() != 2 or ids.numel() == 0:
        raise ValueError(f"{name} must have shape (batch, length), both >= 1, got {tuple(ids.shape)}")
    check_id_values(name, ids, vocab_size)


def check_id_type(name: str, ids: Tensor) -> None:
    """Raise a TypeError unless ``ids`` are integers of 32 or 64 bits."""
    if ids.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"{name} must be torch.int64 or torch.int32 ids, got {ids.dtype}")


def check_id_values(name: str, ids: Tensor, vocab_size: int) -> None:
    """Raise a ValueError if an id is outside the vocabulary.

    Values are checked only where reading them is cheap (``can_read``); elsewhere the embedding raises an error.
    """
    if can_read(ids) and ids.numel():
        low, high = (int(value) for value in torch.aminmax(ids))
        if low < 0 or high >= vocab_size:
            wrong = low if low < 0 else high
            raise ValueError(f"{name} must be ids between 0 and {vocab_size - 1}, got {wrong}")
