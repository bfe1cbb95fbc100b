"""The one interface of every translation model: encode a source, then decode a target from an explicit state."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar, cast

import numpy as np
import torch
from torch import Tensor, nn

from attnbook._internal.pytree import register_tree
from attnbook._internal.validate import check_counts, check_tensors
from attnbook.attention.masks import can_look, check_right_padded
from attnbook.data import Batch, Codec
from attnbook.data.vocabulary import check_codec

S = TypeVar("S", bound="State")


@dataclass(frozen=True)
class State:
    """What a decoder knows between two calls. Never changed in place; every tensor in it is batch-first.

    A subclass is given to ``register_state``, so that one step of decoding can be exported.

    Args:
        memory: ``(batch, source_len, width)``, the encoder's output.
        memory_mask: ``(batch, source_len)`` bool, True = a real source token.
        position: how many target tokens have been decoded so far.
    """

    memory: Tensor
    memory_mask: Tensor
    position: int

    def select(self: S, rows: Tensor) -> S:
        """The state of the chosen batch rows, in their order; a row may be chosen several times.

        Args:
            rows: ``(new_batch,)`` integers below the batch size.
        """
        return replace(self, **{f.name: _select(getattr(self, f.name), rows) for f in fields(self)})


def register_state(kind: type[State]) -> None:
    """Make a kind of state a node of torch's trees: its fields are the leaves."""
    register_tree(kind, [f.name for f in fields(kind)])


def _select(value: Any, rows: Tensor) -> Any:
    if isinstance(value, Tensor):
        return value.index_select(0, rows)
    if isinstance(value, tuple):
        return tuple(_select(item, rows) for item in value)
    return value


class EncoderDecoder(nn.Module, ABC):
    r"""A model of :math:`p(y \mid x) = \prod_t p(y_t \mid y_{<t}, x)`.

    A subclass gives ``read``, ``write`` and a linear ``head``; training, decoding, evaluation, recording and
    the widget use ``encode`` and ``decode``, or call the model, and nothing else. Decoding a target in pieces,
    the state carried along, gives the logits of decoding it whole.

    All of it goes through ``torch.export``; the source length of a recurrent encoder is fixed then.

    Args:
        source_vocab_size: number of source ids.
        target_vocab_size: number of target ids.
        config: the keyword arguments that build the model again; kept in checkpoints.
    """

    head: nn.Linear
    state_type: type[State] = State  # of what encode returns
    max_length: int | None = None  # most tokens that the model can tell apart; None: any number

    def __init__(self, source_vocab_size: int, target_vocab_size: int, config: dict[str, Any]) -> None:
        super().__init__()
        check_counts(source_vocab_size=source_vocab_size, target_vocab_size=target_vocab_size)
        self.source_vocab_size = int(source_vocab_size)
        self.target_vocab_size = int(target_vocab_size)
        config = {"source_vocab_size": source_vocab_size, "target_vocab_size": target_vocab_size, **config}
        # Numbers of NumPy become those of Python, which JSON can hold.
        self.config = {name: x.item() if isinstance(x, np.generic) else x for name, x in config.items()}

    def forward(
        self, source: Tensor | Batch, target_in: Tensor | None = None, source_mask: Tensor | None = None
    ) -> Tensor:
        """Teacher forcing: ``model(batch)`` or ``model(source, target_in, source_mask)``.

        Args:
            source: ``(batch, source_len)`` ids, or a batch, which has everything.
            target_in: ``(batch, target_len)`` ids.
            source_mask: see ``encode``.

        Returns:
            logits ``(batch, target_len, target_vocab_size)`` of the token after each of ``target_in``.

        Raises:
            ValueError: as ``encode`` and ``decode``.
            TypeError: as these, there is no target, or a batch and another one beside it.
        """
        wait = True
        if isinstance(source, Batch):
            if target_in is not None or source_mask is not None:
                raise TypeError("source is a Batch, and target_in or source_mask is given too: wanted the batch alone")
            source.check()
            target_in, source_mask, source = source.target_in, source.source_mask, source.source
            wait = False
        check_tensors(source=source, target_in=target_in)
        logits, _ = self.decode(cast("Tensor", target_in), self._encode(source, source_mask, wait=wait))
        return logits

    def encode(self, source: Tensor, source_mask: Tensor | None = None) -> State:
        """Read the source and make the state from which decoding starts.

        The host waits for a mask on a GPU, to check it. ``model(batch)`` checks the batch's before it is moved there.

        Args:
            source: ``(batch, source_len)`` ids, padded on the right.
            source_mask: ``(batch, source_len)`` bool, True = a real token; None: all are.

        Returns:
            the state at position 0.

        Raises:
            ValueError: shapes disagree, an id is outside the vocabulary, a real token stands behind padding, or the
                source is too long.
            TypeError: the ids are not integers, or the mask is not boolean.
        """
        return self._encode(source, source_mask, wait=True)

    def _encode(self, source: Tensor, source_mask: Tensor | None, *, wait: bool) -> State:
        check_ids("source", source, self.source_vocab_size)
        self._check_length("source", source.shape[1])
        if source_mask is None:
            return self.read(source, torch.ones_like(source, dtype=torch.bool))
        check_tensors(source_mask=source_mask)
        if source_mask.dtype != torch.bool:
            raise TypeError(f"source_mask has dtype {source_mask.dtype}: wanted torch.bool, True = a real token")
        if source_mask.shape != source.shape:
            raise ValueError(
                f"source_mask has shape {tuple(source_mask.shape)}: wanted the shape of source, {tuple(source.shape)}"
            )
        check_right_padded("source_mask", source_mask, wait=wait)
        return self.read(source, source_mask)

    def decode(self, target_in: Tensor, state: Any) -> tuple[Tensor, Any]:
        """Continue a target by the given tokens.

        Args:
            target_in: ``(batch, target_len)`` ids that follow what ``state`` has seen.
            state: from ``encode`` or from an earlier call.

        Returns:
            logits ``(batch, target_len, target_vocab_size)`` of the token after each, and the state behind them.

        Raises:
            ValueError: shapes disagree, an id is outside the vocabulary, or the target is too long.
            TypeError: the ids are not integers, or the state is of another kind of model.
        """
        features, state = self.decode_features(target_in, state)
        return self.head(features), state

    def decode_features(self, target_in: Tensor, state: Any) -> tuple[Tensor, Any]:
        """As ``decode``, before the head: features ``(batch, target_len, size)`` and the state behind them."""
        check_ids("target_in", target_in, self.target_vocab_size)
        if not isinstance(state, self.state_type):
            raise TypeError(f"state is of type {type(state).__name__}: wanted {self.state_type.__name__}")
        if target_in.shape[0] != state.memory.shape[0]:
            raise ValueError(
                f"target_in has batch size {target_in.shape[0]}: wanted that of the state, {state.memory.shape[0]}"
            )
        position = state.position + target_in.shape[1]
        self._check_length("target_in", position)
        features, state = self.write(target_in, state)
        return features, replace(state, position=position)

    @abstractmethod
    def read(self, source: Tensor, source_mask: Tensor) -> State:
        """What ``encode`` does once its arguments are checked."""

    @abstractmethod
    def write(self, target_in: Tensor, state: Any) -> tuple[Tensor, Any]:
        """What ``decode_features`` does once its arguments are checked; the position is moved on there."""

    def _check_length(self, name: str, length: int) -> None:
        if self.max_length is not None and length > self.max_length:
            raise ValueError(f"{name} reaches length {length}: wanted at most max_length = {self.max_length}")


def uncompiled(model: nn.Module) -> nn.Module:
    """The model itself, where ``torch.compile`` has put a wrapper around it."""
    inner: nn.Module = getattr(model, "_orig_mod", model)
    return inner


@contextmanager
def eval_mode(model: nn.Module) -> Iterator[None]:
    """Eval mode for a while, of every submodule; each gets its own mode back."""
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
    """Raise a TypeError unless this is a translation model, or what ``torch.compile`` made of one."""
    inner = getattr(model, "_orig_mod", model)
    if not isinstance(inner, EncoderDecoder):
        raise TypeError(f"model is of type {type(inner).__name__}: wanted an EncoderDecoder")


def check_vocabularies(model: EncoderDecoder, source_vocabulary: Codec, target_vocabulary: Codec) -> None:
    """Check that both vocabularies have as many ids as the model.

    Raises:
        ValueError: one has more or fewer.
        TypeError: one is no vocabulary, or ``model`` no translation model.
    """
    check_model(model)
    for name, vocabulary, size in (
        ("source_vocabulary", source_vocabulary, model.source_vocab_size),
        ("target_vocabulary", target_vocabulary, model.target_vocab_size),
    ):
        check_codec(name, vocabulary)
        if len(vocabulary) != size:
            raise ValueError(f"{name} has {len(vocabulary)} ids: wanted {size}, as the model")


def check_ids(name: str, ids: Tensor, vocab_size: int) -> None:
    """Check that ``ids`` is a ``(batch, length)`` tensor of integers below ``vocab_size``.

    Raises:
        ValueError: another rank, an empty tensor, or an id outside the vocabulary.
        TypeError: not integers.
    """
    check_tensors(**{name: ids})
    check_id_type(name, ids)
    if ids.dim() != 2 or ids.numel() == 0:
        raise ValueError(f"{name} has shape {tuple(ids.shape)}: wanted (batch, length), both at least 1")
    check_id_values(name, ids, vocab_size)


def check_id_type(name: str, ids: Tensor) -> None:
    """Raise a TypeError unless ``ids`` are integers."""
    if ids.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"{name} has dtype {ids.dtype}: wanted torch.int64 ids")


def check_id_values(name: str, ids: Tensor, vocab_size: int) -> None:
    """Raise a ValueError unless all ``ids`` are below ``vocab_size``.

    They are looked at where ``can_look`` says so; elsewhere what uses them fails by itself.
    """
    if can_look(ids) and ids.numel():
        low, high = (int(value) for value in torch.aminmax(ids))
        if low < 0 or high >= vocab_size:
            wrong = low if low < 0 else high
            raise ValueError(f"{name} has the id {wrong}: wanted 0 <= id < {vocab_size}, the vocabulary size")
