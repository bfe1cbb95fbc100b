"""A model, and a training run, in one file."""

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

# The classes that a file may name are those that are imported.
import attnbook.models.bahdanau
import attnbook.models.luong
import attnbook.models.transformer  # noqa: F401
from attnbook._internal.files import atomic_write
from attnbook._internal.validate import check_two
from attnbook.data import TokenizerLike, tokenizer_from_json
from attnbook.models.base import EncoderDecoder, check_vocabularies, uncompiled
from attnbook.training.tensor_file import UnreadableError, seal, unseal

_UNCOMPARED = {"params", "lr", "initial_lr", "fused", "foreach", "capturable"}


class CheckpointError(ValueError):
    """A checkpoint cannot be written, read, or used for what is asked."""


class LoadedModel(NamedTuple):
    """A model ready to translate, in eval mode, and its vocabularies."""

    model: EncoderDecoder
    source_vocabulary: TokenizerLike
    target_vocabulary: TokenizerLike


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint file holds.

    Args:
        path: the file.
        model: name of the model's class.
        config: keyword arguments that build the model again.
        tensors: the model's ``state_dict``.
        progress: what the training run wrote about itself, plain data; empty if no run did.
        vocabularies: of source and target; None if they were not given.
        optimizer: class name, ``param_groups`` and ``state`` of the optimizer; None if there was none.
    """

    path: Path
    model: str
    config: dict[str, Any]
    tensors: dict[str, Tensor]
    progress: dict[str, Any]
    vocabularies: tuple[TokenizerLike, TokenizerLike] | None
    optimizer: dict[str, Any] | None

    def restore(self, model: EncoderDecoder, optimizer: Optimizer | None = None) -> None:
        """Copy the tensors into a model, and the state into its optimizer. Nothing is changed if anything differs.

        Raises:
            CheckpointError: the file is of another class, configuration, shape, precision or optimizer.
        """
        model = cast("EncoderDecoder", uncompiled(model))
        expect(self.path, "model", self.model, type(model).__name__)
        expect_same(self.path, "model.config", self.config, plain(model.config))
        self.check_tensors(model)
        if optimizer is not None:
            optimizer.load_state_dict(self._optimizer_state(optimizer))
        model.load_state_dict(self.tensors)

    def check_tensors(self, model: EncoderDecoder) -> None:
        """Raise a CheckpointError unless the tensors have the names, shapes and dtypes of the model's."""
        wanted = model.state_dict()
        expect(self.path, "model.state_dict()", sorted(self.tensors), sorted(wanted))
        for name, tensor in wanted.items():
            expect(self.path, f"the shape of {name}", tuple(self.tensors[name].shape), tuple(tensor.shape))
            expect(self.path, f"the dtype of {name}", self.tensors[name].dtype, tensor.dtype)

    def _optimizer_state(self, optimizer: Optimizer) -> dict[str, Any]:
        if self.optimizer is None:
            raise CheckpointError(f"{self.path} has no optimizer: wanted a checkpoint that a training run wrote")
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
        expect(self.path, "the parameters that the optimizer has a state of", unknown, [])
        # The options are those of the optimizer at hand, which the file's equal; JSON would make lists of tuples.
        return {"state": self.optimizer["state"], "param_groups": own}


def save_checkpoint(
    path: str | os.PathLike[str],
    model: EncoderDecoder,
    *,
    vocabularies: tuple[TokenizerLike, TokenizerLike] | None = None,
    optimizer: Optimizer | None = None,
    progress: Mapping[str, Any] | None = None,
) -> None:
    """Write everything into one file, which is there in full or not at all (``atomic_write``).

    Args:
        path: the file.
        model: its class name, ``config`` and ``state_dict`` are kept.
        vocabularies: of source and target; without them ``load_model`` cannot give a translator.
        optimizer: its state, to go on training.
        progress: plain data about the run.

    Raises:
        CheckpointError: the disk is full or the folder cannot be written, or something is no plain data; an earlier
            file at ``path`` is as it was.
        ValueError, TypeError: a vocabulary has more or fewer ids than the model, or something is of another type.
    """
    path = Path(path)
    model = cast("EncoderDecoder", uncompiled(model))
    if not isinstance(model, EncoderDecoder):
        raise TypeError(f"model is of type {type(model).__name__}: wanted an EncoderDecoder")
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
        raise CheckpointError(f"{path} cannot be written: {error}; wanted plain data, which JSON can hold") from error
    try:
        atomic_write(path, content)
    except OSError as error:
        raise CheckpointError(str(error)) from error


def read_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        FileNotFoundError: there is no such file.
        CheckpointError: the file is no checkpoint, or a byte of it is not as it was written.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"path is {path}: wanted a checkpoint file, and there is none")
    return parse_checkpoint(path, path.read_bytes())


def parse_checkpoint(path: Path, content: bytes) -> Checkpoint:
    """As ``read_checkpoint``, of a file's content."""
    try:
        tensors, meta = unseal(content)
    except UnreadableError as error:
        raise CheckpointError(f"{path} {error}") from error
    try:
        return _checkpoint(path, meta, tensors)
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise CheckpointError(
            f"{path} has metadata that save_checkpoint() does not write ({type(error).__name__}: {error})"
        ) from error


def load_model(path: str | os.PathLike[str], *, device: torch.device | str = "cpu") -> LoadedModel:
    """The model of a checkpoint, in eval mode and in the precision it was saved in, with its vocabularies.

    The class is looked up by name among the imported subclasses of ``EncoderDecoder``, those of this package
    first; a file cannot make anything else run.

    Raises:
        FileNotFoundError: there is no such file.
        CheckpointError: the file is no checkpoint, has no vocabularies, names no known class, or contradicts itself.
    """
    checkpoint = read_checkpoint(path)
    if checkpoint.vocabularies is None:
        raise CheckpointError(f"{path} has no vocabularies: wanted one saved with vocabularies=(source, target)")
    model = _build(checkpoint)
    try:
        check_vocabularies(model, *checkpoint.vocabularies)
    except ValueError as error:
        raise CheckpointError(f"{path} contradicts itself: {error}") from error
    checkpoint.restore(model)
    return LoadedModel(model.to(device).eval(), *checkpoint.vocabularies)


def _build(checkpoint: Checkpoint) -> EncoderDecoder:
    """A model of the class and configuration of the file, once it is known that its tensors are those of the file."""
    known = known_models()
    if checkpoint.model not in known:
        raise CheckpointError(
            f"{checkpoint.path} has a model of class {checkpoint.model!r}: wanted one of {', '.join(sorted(known))}"
        )
    kind = known[checkpoint.model]
    try:
        with torch.device("meta"), _Bounded(1000 + 100 * len(checkpoint.tensors)):
            outline = kind(**checkpoint.config)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise CheckpointError(f"{checkpoint.path} has a config that {checkpoint.model} refuses: {error}") from error
    precision = next((t.dtype for t in checkpoint.tensors.values() if t.is_floating_point()), torch.float32)
    checkpoint.check_tensors(outline.to(precision))
    return kind(**checkpoint.config).to(precision)


class _Bounded(TorchFunctionMode):
    """Ends what calls torch more often than a model of the file's number of tensors needs."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.left = calls

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.left -= 1
        if self.left < 0:
            raise ValueError("it has many more tensors than the file")
        return func(*args, **(kwargs or {}))


def known_models() -> dict[str, type[EncoderDecoder]]:
    """Every imported model class by its name; where two have one name, that of this package."""
    found: dict[str, type[EncoderDecoder]] = {}
    waiting = list(EncoderDecoder.__subclasses__())
    while waiting:
        cls = waiting.pop()
        waiting.extend(cls.__subclasses__())
        if cls.__name__ not in found or cls.__module__.startswith("attnbook."):
            found[cls.__name__] = cls
    return found


def expect(path: Path, name: str, found: object, wanted: object) -> None:
    """Raise a ``CheckpointError`` that names both if they differ."""
    if found != wanted:
        raise CheckpointError(f"{path} differs in {name}: it has {found!r}, wanted {wanted!r}")


def expect_same(path: Path, name: str, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """``expect``, entry by entry, so that the message names the one that differs."""
    for key in sorted({*found, *wanted}):
        expect(path, f"{name}[{key!r}]", found.get(key), wanted.get(key))


def plain(value: Any) -> Any:
    """The value as JSON gives it back: tuples become lists."""
    return json.loads(json.dumps(value))


def _checkpoint(path: Path, meta: Mapping[str, Any], tensors: dict[str, Tensor]) -> Checkpoint:
    """What the file holds; what it cannot hold raises whatever it raises."""
    for name, kind in (("model", str), ("config", dict), ("progress", dict)):
        if not isinstance(meta[name], kind):
            raise TypeError(f"{name} is {meta[name]!r}: wanted {kind.__name__}")
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
    """An optimizer's state as plain data and tensors."""
    state = optimizer.state_dict()
    entries = [(index, key, value) for index, of in state["state"].items() for key, value in of.items()]
    data = {
        "name": type(optimizer).__name__,
        "param_groups": state["param_groups"],
        "values": [entry for entry in entries if not isinstance(entry[2], Tensor)],
    }
    return data, {f"optimizer.{index}.{key}": value for index, key, value in entries if isinstance(value, Tensor)}


def _join_optimizer(data: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    state: dict[int, dict[str, Any]] = {}
    split = [(*name.split(".", 1), tensor) for name, tensor in _under("optimizer.", tensors).items()]
    for index, key, value in [*data["values"], *split]:
        state.setdefault(int(index), {})[key] = value
    return {"name": data["name"], "param_groups": data["param_groups"], "state": state}


def _under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
