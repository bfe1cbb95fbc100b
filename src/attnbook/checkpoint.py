"""A model, and a training run, in one file: safetensors with JSON beside the tensors. Never pickle."""

from __future__ import annotations

import contextlib
import glob
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, cast
from uuid import uuid4

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save as to_bytes
from torch import Tensor
from torch.optim import Optimizer

# The classes that a file may name are those that are imported.
import attnbook.luong
import attnbook.transformer  # noqa: F401
from attnbook.data import Codec, codec_from_json
from attnbook.encoder_decoder import EncoderDecoder, check_vocabularies, uncompiled

FORMAT = "attnbook-checkpoint-2"
_OLD_FORMATS = ("attnbook-checkpoint-1",)
_UNCOMPARED = {"params", "lr", "initial_lr", "fused", "foreach", "capturable"}


class CheckpointError(ValueError):
    """A checkpoint cannot be written, read, or used for what is asked."""


class LoadedModel(NamedTuple):
    """A model ready to translate, in eval mode, and its vocabularies."""

    model: EncoderDecoder
    source_vocabulary: Codec
    target_vocabulary: Codec


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
    vocabularies: tuple[Codec, Codec] | None
    optimizer: dict[str, Any] | None

    def restore(self, model: EncoderDecoder, optimizer: Optimizer | None = None) -> None:
        """Copy the tensors into a model, and the state into its optimizer. Nothing is changed if anything differs.

        Raises:
            CheckpointError: the file is of another class, configuration, shape or optimizer.
        """
        model = cast("EncoderDecoder", uncompiled(model))
        expect(self.path, "model", self.model, type(model).__name__)
        expect_same(self.path, "model.config", self.config, plain(model.config))
        wanted = model.state_dict()
        expect(self.path, "model.state_dict()", sorted(self.tensors), sorted(wanted))
        for name, tensor in wanted.items():
            expect(self.path, f"the shape of {name}", tuple(self.tensors[name].shape), tuple(tensor.shape))
        state = None if optimizer is None else self._optimizer_state(optimizer)
        model.load_state_dict(self.tensors)
        if optimizer is not None and state is not None:
            optimizer.load_state_dict(state)

    def _optimizer_state(self, optimizer: Optimizer) -> dict[str, Any]:
        if self.optimizer is None:
            raise CheckpointError(f"{self.path} has no optimizer: wanted a checkpoint that a training run wrote")
        expect(self.path, "optimizer", self.optimizer["name"], type(optimizer).__name__)
        own = optimizer.state_dict()["param_groups"]
        found = self.optimizer["param_groups"]
        expect(
            self.path,
            "the number of trained parameters",
            [len(group["params"]) for group in found],
            [len(group["params"]) for group in own],
        )
        for i, (group, mine) in enumerate(zip(found, own, strict=True)):
            options = (group.keys() & mine.keys()) - _UNCOMPARED
            for option in sorted(options):
                name = f"optimizer.param_groups[{i}][{option!r}]"
                expect(self.path, name, group[option], plain(mine[option]))
        # The options are those of the optimizer at hand, which the file's equal; JSON would make lists of tuples.
        return {"state": self.optimizer["state"], "param_groups": own}


def save_checkpoint(
    path: str | os.PathLike[str],
    model: EncoderDecoder,
    *,
    vocabularies: tuple[Codec, Codec] | None = None,
    optimizer: Optimizer | None = None,
    progress: Mapping[str, Any] | None = None,
) -> None:
    """Write everything into one file, which is there in full or not at all.

    The bytes go to a temporary file in the same folder, which then takes the place of the old one. A process killed
    at any moment leaves the old file or the new one.

    Args:
        path: the file.
        model: its class name, ``config`` and ``state_dict`` are kept.
        vocabularies: of source and target; without them :func:`load_model` cannot give a translator.
        optimizer: its state, to go on training.
        progress: plain data about the run.

    Raises:
        CheckpointError: the disk is full or the folder cannot be written, or something is no plain data; an earlier
            file at ``path`` is as it was.
        ValueError: a vocabulary has more or fewer ids than the model.
    """
    path = Path(path)
    model = cast("EncoderDecoder", uncompiled(model))
    if vocabularies is not None:
        check_vocabularies(model, *vocabularies)
    tensors, aliases = _distinct({f"model.{name}": tensor for name, tensor in model.state_dict().items()})
    meta: dict[str, Any] = {
        "model": type(model).__name__,
        "config": model.config,
        "aliases": aliases,
        "progress": dict(progress or {}),
    }
    if vocabularies is not None:
        meta["vocabularies"] = [vocabulary.to_json() for vocabulary in vocabularies]
    if optimizer is not None:
        meta["optimizer"], state = _split_optimizer(optimizer)
        tensors.update(state)
    try:
        metadata = {"format": FORMAT, **{name: json.dumps(value) for name, value in meta.items()}}
    except TypeError as error:
        raise CheckpointError(f"{path} cannot be written: {error}; wanted plain data, which JSON can hold") from error
    replace_file(path, to_bytes(tensors, metadata))


def read_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        FileNotFoundError: there is no such file.
        CheckpointError: the file is no checkpoint, or not a whole one.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"path is {path}: wanted a checkpoint file, and there is none")
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  no mapping
    except (SafetensorError, OSError) as error:
        raise CheckpointError(f"{path} is no checkpoint, or not a whole one: {error}") from error
    if metadata.get("format") in _OLD_FORMATS:
        raise CheckpointError(
            f"{path} was written by an earlier attnbook ({metadata['format']}, wanted {FORMAT}), whose random numbers "
            "were others: remove the file and train anew, or use the version that wrote it"
        )
    expect(path, "format", metadata.get("format"), FORMAT)
    try:
        return _checkpoint(path, metadata, tensors)
    except (LookupError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise CheckpointError(
            f"{path} has metadata that save_checkpoint() does not write ({type(error).__name__}: {error})"
        ) from error


def load_model(path: str | os.PathLike[str], *, device: torch.device | str = "cpu") -> LoadedModel:
    """The model of a checkpoint, in eval mode, with its vocabularies.

    The class is looked up by name among the imported subclasses of :class:`EncoderDecoder`, those of this package
    first; a file cannot make anything else run.

    Raises:
        FileNotFoundError: there is no such file.
        CheckpointError: the file is no checkpoint, has no vocabularies, names no known class, or contradicts itself.
    """
    checkpoint = read_checkpoint(path)
    if checkpoint.vocabularies is None:
        raise CheckpointError(
            f"{path} has no vocabularies: wanted a checkpoint saved with vocabularies=(source, target)"
        )
    known = known_models()
    if checkpoint.model not in known:
        raise CheckpointError(
            f"{path} has a model of class {checkpoint.model!r}: wanted one of {', '.join(sorted(known))}"
        )
    try:
        model = known[checkpoint.model](**checkpoint.config)
    except (TypeError, ValueError, RuntimeError) as error:
        raise CheckpointError(f"{path} has a config that {checkpoint.model} refuses: {error}") from error
    try:
        check_vocabularies(model, *checkpoint.vocabularies)
    except ValueError as error:
        raise CheckpointError(f"{path} contradicts itself: {error}") from error
    checkpoint.restore(model)
    return LoadedModel(model.to(device).eval(), *checkpoint.vocabularies)


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


def replace_file(path: Path, content: bytes) -> None:
    """Write a file so that it is there in full or not at all.

    Raises:
        CheckpointError: it cannot be written; an earlier file is as it was.
    """
    temporary = _temporary(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise CheckpointError(
            f"{path} cannot be written ({len(content) / 1e6:.1f} MB): {error}; an earlier file there is as it was"
        ) from error


def check_writable(path: Path) -> None:
    """Make sure that :func:`replace_file` will be able to write, before work is done that would be lost.

    Raises:
        CheckpointError: the folder cannot be made or written, or ``path`` is a folder itself.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = _temporary(path)
        temporary.touch()
        temporary.unlink()
    except OSError as error:
        raise CheckpointError(f"{path} cannot be written: {error}") from error
    if path.is_dir():
        raise CheckpointError(f"{path} cannot be written: it is a folder, wanted a file")


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{uuid4().hex}.tmp")


def remove_leftovers(path: Path) -> None:
    """Remove what killed processes left of the file's temporary copies."""
    for leftover in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        with contextlib.suppress(OSError):
            leftover.unlink()


def expect(path: Path, name: str, found: object, wanted: object) -> None:
    """Raise a :class:`CheckpointError` that names both if they differ."""
    if found != wanted:
        raise CheckpointError(f"{path} differs in {name}: it has {found!r}, wanted {wanted!r}")


def expect_same(path: Path, name: str, found: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """:func:`expect`, entry by entry, so that the message names the one that differs."""
    for key in sorted({*found, *wanted}):
        expect(path, f"{name}[{key!r}]", found.get(key), wanted.get(key))


def plain(value: Any) -> Any:
    """The value as JSON gives it back: tuples become lists."""
    return json.loads(json.dumps(value))


def _checkpoint(path: Path, metadata: Mapping[str, str], tensors: dict[str, Tensor]) -> Checkpoint:
    """What the file holds; what it cannot hold raises whatever it raises."""
    meta = {name: json.loads(value) for name, value in metadata.items() if name != "format"}
    for name, kind in (("model", str), ("config", dict), ("progress", dict)):
        if not isinstance(meta[name], kind):
            raise TypeError(f"{name} is {meta[name]!r}: wanted {kind.__name__}")
    for name, original in meta["aliases"].items():
        tensors[name] = tensors[original]
    vocabularies = meta.get("vocabularies")
    if vocabularies is not None:
        source, target = map(codec_from_json, vocabularies)
    return Checkpoint(
        path=path,
        model=meta["model"],
        config=meta["config"],
        tensors=_under("model.", tensors),
        progress=meta["progress"],
        vocabularies=None if vocabularies is None else (source, target),
        optimizer=_join_optimizer(meta["optimizer"], tensors) if "optimizer" in meta else None,
    )


def _distinct(tensors: Mapping[str, Tensor]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Each tensor once, on the CPU; tied ones, the same memory under several names, as aliases of the first."""
    first: dict[tuple[Any, ...], str] = {}
    kept: dict[str, Tensor] = {}
    aliases: dict[str, str] = {}
    for name, tensor in tensors.items():
        place = (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
        original = first.setdefault(place, name) if tensor.numel() else name
        if original == name:
            kept[name] = tensor.detach().cpu().clone(memory_format=torch.contiguous_format)
        else:
            aliases[name] = original
    return kept, aliases


def _split_optimizer(optimizer: Optimizer) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """An optimizer's state as plain data and tensors."""
    state = optimizer.state_dict()
    tensors: dict[str, Tensor] = {}
    values: dict[str, dict[str, Any]] = {}
    for index, entries in state["state"].items():
        values[str(index)] = {}
        for key, value in entries.items():
            if isinstance(value, Tensor):
                tensors[f"optimizer.{index}.{key}"] = value.detach().cpu().clone(memory_format=torch.contiguous_format)
            else:
                values[str(index)][key] = value
    data = {"name": type(optimizer).__name__, "param_groups": state["param_groups"], "values": values}
    return data, tensors


def _join_optimizer(data: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> dict[str, Any]:
    state: dict[int, dict[str, Any]] = {int(index): dict(values) for index, values in data["values"].items()}
    for name, tensor in _under("optimizer.", tensors).items():
        index, key = name.split(".", 1)
        state[int(index)][key] = tensor
    return {"name": data["name"], "param_groups": data["param_groups"], "state": state}


def _under(prefix: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}
