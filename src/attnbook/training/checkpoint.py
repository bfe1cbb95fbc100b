"""Checkpoints: a model, its vocabularies and the state of its training run in one file."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor
from torch.optim import Optimizer
from torch.overrides import TorchFunctionMode

# A file may name any imported model class, so import those of the package.
import attnbook.models.bahdanau
import attnbook.models.luong
import attnbook.models.transformer  # noqa: F401
from attnbook._internal.files import atomic_write
from attnbook._internal.validate import check_two, check_type
from attnbook.data import TokenizerLike, tokenizer_from_json
from attnbook.models.base import EncoderDecoder, check_model, check_vocabularies, uncompiled
from attnbook.training.tensor_file import UnreadableError, seal, unseal

_UNCOMPARED = {"params", "lr", "initial_lr", "fused", "foreach", "capturable"}


class CheckpointError(ValueError):
    """A checkpoint cannot be written or read, or does not match the model or the run."""


class LoadedModel(NamedTuple):
    """A model in eval mode and its vocabularies, ready to translate."""

    model: EncoderDecoder
    source_vocabulary: TokenizerLike
    target_vocabulary: TokenizerLike


@dataclass(frozen=True)
class Checkpoint:
    """The content of a checkpoint file.

    Args:
        path: the file.
        model: name of the model's class.
        config: keyword arguments of the model's constructor.
        tensors: the model's ``state_dict``.
        progress: plain data about the training run; empty if there is none.
        vocabularies: of source and target, or None.
        optimizer: class name, ``param_groups`` and ``state`` of the optimizer, or None.
    """

    path: Path
    model: str
    config: dict[str, Any]
    tensors: dict[str, Tensor]
    progress: dict[str, Any]
    vocabularies: tuple[TokenizerLike, TokenizerLike] | None
    optimizer: dict[str, Any] | None

    def restore(self, model: EncoderDecoder, optimizer: Optimizer | None = None) -> None:
        """Copy the tensors into a model, and the state into its optimizer. Both are unchanged if anything differs.

        Raises:
            CheckpointError: class, configuration, shapes, precision or optimizer differ.
        """
        model = cast("EncoderDecoder", uncompiled(model))
        expect(self.path, "model", self.model, type(model).__name__)
        expect_same(self.path, "model.config", self.config, plain(model.config))
        self.check_tensors(model)
        if optimizer is not None:
            optimizer.load_state_dict(self._optimizer_state(optimizer))
        model.load_state_dict(self.tensors)

    def check_tensors(self, model: EncoderDecoder) -> None:
        """Raise a CheckpointError unless names, shapes and dtypes of the tensors are those of the model."""
        state = model.state_dict()
        expect(self.path, "model.state_dict()", sorted(self.tensors), sorted(state))
        for name, tensor in state.items():
            expect(self.path, f"the shape of {name}", tuple(self.tensors[name].shape), tuple(tensor.shape))
            expect(self.path, f"the dtype of {name}", self.tensors[name].dtype, tensor.dtype)

    def _optimizer_state(self, optimizer: Optimizer) -> dict[str, Any]:
        if self.optimizer is None:
            raise CheckpointError(f"{self.path} must be a checkpoint that train() wrote, got one without an optimizer")
        expect(self.path, "optimizer", self.optimizer["name"], type(optimizer).__name__)
        own = optimizer.state_dict()["param_groups"]
        found = self.optimizer["param_groups"]
        sizes = [[len(group["params"]) for group in groups] for groups in (found, own)]
        expect(self.path, "the number of trained parameters", *sizes)
        for i, (group, mine) in enumerate(zip(found, own, strict=True)):
            options = (group.keys() & mine.keys()) - _UNCOMPARED
            for option in sorted(options):
                name = f"optimizer.param_groups[{i}][{option!r}]"
                expect(self.path, name, group[option], plain(mine[option]))
        unknown = sorted(self.optimizer["state"].keys() - {index for group in own for index in group["params"]})
        expect(self.path, "the parameters with an optimizer state", unknown, [])
        # The options are equal, but JSON has turned the file's tuples into lists: keep the optimizer's own.
        return {"state": self.optimizer["state"], "param_groups": own}


def save_checkpoint(
    path: str | os.PathLike[str],
    model: EncoderDecoder,
    *,
    vocabularies: tuple[TokenizerLike, TokenizerLike] | None = None,
    optimizer: Optimizer | None = None,
    progress: Mapping[str, Any] | None = None,
) -> int:
    """Write a checkpoint, completely or not at all (``atomic_write``).

    Args:
        path: the file.
        model: its class name, ``config`` and ``state_dict`` are saved.
        vocabularies: of source and target; ``load_model`` needs them.
        optimizer: its state is saved, to resume training.
        progress: plain data about the run.

    Returns:
        the number of bytes.

    Raises:
        CheckpointError: the file cannot be written, or ``config`` or ``progress`` is not plain data; an existing file
            is unchanged.
        ValueError, TypeError: a vocabulary does not have the size that the model needs, or ``path``, ``model`` or
            ``vocabularies`` has the wrong type.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/model.safetensors"
        >>> model = Transformer(len(letters), len(letters), d_model=16, num_heads=4, num_layers=1)
        >>> size = save_checkpoint(path, model, vocabularies=(letters, letters))
        >>> type(load_model(path).model).__name__
        'Transformer'
    """
    path = Path(path)
    check_model(model)
    model = cast("EncoderDecoder", uncompiled(model))
    tensors = {f"model.{name}": tensor for name, tensor in model.state_dict().items()}
    meta: dict[str, Any] = {"model": type(model).__name__, "config": model.config, "progress": dict(progress or {})}
    if vocabularies is not None:
        check_two("vocabularies", vocabularies)
        check_vocabularies(model, *vocabularies)
        meta["vocabularies"] = [vocabulary.to_json() for vocabulary in vocabularies]
    if optimizer is not None:
        meta["optimizer"], state = _split_optimizer(optimizer)
        tensors.update(state)
    try:
        content = seal(tensors, meta)
    except TypeError as error:
        raise CheckpointError(f"{path} cannot be written: its content must be plain data, got {error}") from error
    try:
        atomic_write(path, content)
    except OSError as error:
        raise CheckpointError(error.strerror) from error
    return len(content)


def read_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        FileNotFoundError: the file does not exist.
        CheckpointError: the file cannot be read, is not a checkpoint, or has changed since it was written.
        TypeError: ``path`` is not a path.
    """
    check_type("path", path, isinstance(path, str | os.PathLike), "a str or os.PathLike")
    path = Path(path)
    content = read_content(path)
    if content is None:
        raise FileNotFoundError(f"path must be an existing file, got {path}")
    return parse_checkpoint(path, content)


def read_content(path: Path) -> bytes | None:
    """Read the bytes of a checkpoint; None if there is no regular file.

    Raises:
        CheckpointError: the file cannot be read.
    """
    try:
        return path.read_bytes() if path.is_file() else None
    except (OSError, ValueError) as error:  # ValueError: a null character in the path
        reason = error.strerror if isinstance(error, OSError) else error
        raise CheckpointError(f"{path} cannot be read: {reason}") from error


def parse_checkpoint(path: Path, content: bytes) -> Checkpoint:
    """Parse the bytes of a checkpoint that was read from ``path``."""
    try:
        tensors, meta = unseal(content)
    except UnreadableError as error:
        raise CheckpointError(f"{path} {error}") from error
    try:
        return _checkpoint(path, meta, tensors)
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise CheckpointError(f"{path} has invalid metadata ({type(error).__name__}: {error})") from error


def load_model(path: str | os.PathLike[str], *, device: torch.device | str = "cpu") -> LoadedModel:
    """Load a model and its vocabularies from a checkpoint, in eval mode and in the precision it was saved in.

    The class is looked up by name among the imported subclasses of ``EncoderDecoder``, those of this package
    first. A file cannot run any other code.

    Args:
        path: a file that ``save_checkpoint`` or ``train`` wrote with ``vocabularies``.
        device: device of the model.

    Returns:
        the model, the source vocabulary and the target vocabulary.

    Raises:
        FileNotFoundError: the file does not exist.
        CheckpointError: the file cannot be read, is not a checkpoint, has no vocabularies, names an unknown class, or
            is inconsistent.
        TypeError: ``path`` is not a path.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/model.safetensors"
        >>> model = Luong(len(letters), len(letters), num_hiddens=16)
        >>> size = save_checkpoint(path, model, vocabularies=(letters, letters))
        >>> model, source_vocabulary, target_vocabulary = load_model(path)
        >>> model.config["num_hiddens"]
        16
    """
    checkpoint = read_checkpoint(path)
    if checkpoint.vocabularies is None:
        raise CheckpointError(f"{path} must be saved with vocabularies=(source, target), got a file without them")
    model = _build(checkpoint)
    try:
        check_vocabularies(model, *checkpoint.vocabularies)
    except ValueError as error:
        raise CheckpointError(f"{path} is inconsistent: {error}") from error
    checkpoint.restore(model)
    return LoadedModel(model.to(device).eval(), *checkpoint.vocabularies)


def _build(checkpoint: Checkpoint) -> EncoderDecoder:
    """Build the model of a file, after checking on the meta device that its tensors are those of the file."""
    known = known_models()
    if checkpoint.model not in known:
        raise CheckpointError(
            f"{checkpoint.path} is invalid: model must be one of {', '.join(sorted(known))}, got {checkpoint.model!r}"
        )
    kind = known[checkpoint.model]
    try:
        with torch.device("meta"), _Bounded(1000 + 100 * len(checkpoint.tensors)):
            outline = kind(**checkpoint.config)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise CheckpointError(f"{checkpoint.path} has an invalid config for {checkpoint.model}: {error}") from error
    precision = next((t.dtype for t in checkpoint.tensors.values() if t.is_floating_point()), torch.float32)
    checkpoint.check_tensors(outline.to(precision))
    return kind(**checkpoint.config).to(precision)


class _Bounded(TorchFunctionMode):
    """Raises a ValueError after ``calls`` calls of torch, more than a model with the file's tensors needs."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.left = calls

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.left -= 1
        if self.left < 0:
            raise ValueError("the model has many more tensors than the file")
        return func(*args, **(kwargs or {}))


def known_models() -> dict[str, type[EncoderDecoder]]:
    """Every imported model class by name; if two share a name, this package's class."""
    found: dict[str, type[EncoderDecoder]] = {}
    waiting = list(EncoderDecoder.__subclasses__())
    while waiting:
        cls = waiting.pop()
        waiting.extend(cls.__subclasses__())
        if cls.__name__ not in found or cls.__module__.startswith("attnbook."):
            found[cls.__name__] = cls
    return found


def expect(path: Path, name: str, saved: object, given: object) -> None:
    """Raise a ``CheckpointError`` that names both values if they differ."""
    if saved != given:
        raise CheckpointError(f"{path} differs in {name}: it must be {saved!r}, as saved, got {given!r}")


def expect_same(path: Path, name: str, saved: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Compare each entry with ``expect``, so that the message names the one that differs."""
    for key in sorted({*saved, *given}):
        expect(path, f"{name}[{key!r}]", saved.get(key), given.get(key))


def plain(value: Any) -> Any:
    """The value after a round trip through JSON: tuples become lists."""
    return json.loads(json.dumps(value))


def _checkpoint(path: Path, meta: Mapping[str, Any], tensors: dict[str, Tensor]) -> Checkpoint:
    """Make a ``Checkpoint`` from the content of a file. Invalid metadata may raise an error of any type."""
    for name, kind in (("model", str), ("config", dict), ("progress", dict)):
        _check_type(name, meta[name], kind)
    vocabularies = meta.get("vocabularies")
    if vocabularies is not None:
        source, target = map(tokenizer_from_json, vocabularies)
    return Checkpoint(
        path=path,
        model=meta["model"],
        config=meta["config"],
        tensors=_under("model.", tensors),
        progress=meta["progress"],
        vocabularies=None if vocabularies is None else (source, target),
        optimizer=_join_optimizer(meta["optimizer"], tensors) if "optimizer" in meta else None,
    )


def _split_optimizer(optimizer: Optimizer) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """Split an optimizer's state into plain data and tensors."""
    state = optimizer.state_dict()
    entries = [(index, key, value) for index, of in state["state"].items() for key, value in of.items()]
    data = {
        "name": type(optimizer).__name__,
        "param_groups": state["param_groups"],
        "values": [entry for entry in entries if not isinstance(entry[2], Tensor)],
    }
    return data, {f"optimizer.{index}.{key}": value for index, key, value in entries if isinstance(value, Tensor)}


def _join_optimizer(data: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    """The reverse of ``_split_optimizer``."""
    _check_type("optimizer", data, dict)
    _check_type("optimizer.name", data["name"], str)
    _check_type("optimizer.param_groups", data["param_groups"], list)
    for i, group in enumerate(data["param_groups"]):
        _check_type(f"optimizer.param_groups[{i}]", group, dict)
        _check_type(f"optimizer.param_groups[{i}]['params']", group["params"], list)
    state: dict[int, dict[str, Any]] = {}
    split = [(*name.split(".", 1), tensor) for name, tensor in _under("optimizer.", tensors).items()]
    for index, key, value in [*data["values"], *split]:
        state.setdefault(int(index), {})[key] = value
    return {"name": data["name"], "param_groups": data["param_groups"], "state": state}


def _check_type(name: str, value: object, kind: type) -> None:
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be of type {kind.__name__}, got {value!r}")


def _under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
