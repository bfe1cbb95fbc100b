"""One training run: what is between two of its steps, and how it goes on from a file."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from attnbook._internal.files import check_writable
from attnbook._internal.validate import check_range, is_number
from attnbook.data import Batch, TokenizerLike
from attnbook.data.batch_source import BatchSource
from attnbook.models.base import EncoderDecoder
from attnbook.training.checkpoint import CheckpointError, expect, expect_same, parse_checkpoint, plain, save_checkpoint
from attnbook.training.distributed import agree, from_first, random_numbers, rank, sum_gradients, world_size
from attnbook.training.optim import Guard, Schedule, cross_entropy


@dataclass(frozen=True)
class Step:
    """One step of the optimizer.

    Args:
        number: of this step, from 1.
        total: steps that are planned.
        epoch: of the step's last batch, from 1.
        ends_epoch: that batch is the last of its epoch.
        tokens: real target tokens of the step, in all processes, ``<eos>`` included; padding never counts.
        lr: learning rate.
        seconds: spent on this step, batches included; the caller's time between two steps is not.
        elapsed: ``seconds`` of all steps so far, those before an interruption included.
        loss_tensor: the loss where it was computed; ``loss`` is its value.
    """

    number: int
    total: int
    epoch: int
    ends_epoch: bool
    tokens: int
    lr: float
    seconds: float
    elapsed: float
    loss_tensor: Tensor = field(repr=False, compare=False)

    @cached_property
    def loss(self) -> float:
        """Mean cross-entropy per real target token, in nats, label smoothing included.

        On a GPU the first look waits until the step is computed, so a loop that is in a hurry looks at some only.
        """
        return float(self.loss_tensor)

    @property
    def tokens_per_second(self) -> float:
        """Real target tokens a second, in this step."""
        return self.tokens / self.seconds


# Which run stepped a model last: a run that was dropped, but is still alive in a traceback, must not save later.
_LAST_RUN: WeakKeyDictionary[EncoderDecoder, object] = WeakKeyDictionary()


@dataclass
class Trainer:
    """A training run between two of its steps. Its fields are the arguments of ``train``."""

    model: EncoderDecoder
    compiled: Callable[[Batch], Tensor] | None
    parameters: list[nn.Parameter]
    optimizer: Optimizer
    batches: BatchSource
    limit: int
    schedule: Schedule
    settings: dict[str, Any]
    checkpoint: Path | None
    checkpoint_every: int
    vocabularies: tuple[TokenizerLike, TokenizerLike] | None
    number: int = 0
    position: int = 0
    elapsed: float = 0.0
    consistent: bool = True  # the weights and the optimizer are those after step ``number``

    def __post_init__(self) -> None:
        self.token = object()
        self.device = self.parameters[0].device
        self.guard = Guard(self.optimizer, self.device)

    @property
    def total(self) -> int:
        return self.number + math.ceil((self.limit - self.position) / int(self.settings["accumulate"]))

    def prepare(self) -> None:
        """Agree with the other processes, and go on from the checkpoint if there is one."""
        if world_size() > 1:
            agree(self.identity())
        if self.checkpoint is None:
            return
        # Process 0 reads for all: elsewhere the file may be missing, or an old one.
        there = rank() == 0 and self.checkpoint.is_file()
        content = from_first(self.checkpoint.read_bytes() if there else None)
        if content is not None:
            self.resume(self.checkpoint, content)
        if rank() == 0 and self.position < self.limit:
            try:
                check_writable(self.checkpoint)
                plain([self.model.config, _plain_options(self.optimizer)])
            except OSError as error:
                raise CheckpointError(str(error)) from error
            except TypeError as error:
                raise CheckpointError(f"{self.checkpoint} cannot be written: {error}; wanted plain data") from error

    def steps(self) -> Generator[Step, None, None]:
        saved = self.number
        try:
            while self.position < self.limit:
                yield self.step()
                # After the yield: what is in the file, the caller has seen.
                if self.number % self.checkpoint_every == 0:
                    saved = self.number
                    self.save()
            self.guard.look()
        finally:
            own = self.consistent and not self.guard.skipped and _LAST_RUN.get(self.model) is self.token
            if saved < self.number and own:
                self.save()

    def step(self) -> Step:
        started = time.perf_counter()
        if not all(module.training for module in self.model.modules()):
            self.model.train()
        _LAST_RUN[self.model] = self.token
        number, total = self.number + 1, self.total
        lr = self.schedule(number)
        fits = is_number(lr) and 0 <= lr < math.inf
        check_range(f"lr at step {number}", lr, fits, "a finite number, 0 or more")
        group = range(self.position, min(self.position + self.settings["accumulate"], self.limit))
        tokens = sum(self.batches.num_tokens(position) for position in group)
        loss = self.descend(number, group, tokens, float(lr))
        per_epoch = len(self.batches)
        ends_epoch = group.stop // per_epoch > group.start // per_epoch
        self.number, self.position = number, group.stop
        self.consistent = True
        seconds = time.perf_counter() - started
        self.elapsed += seconds
        return Step(
            number=number,
            total=total,
            epoch=(self.position - 1) // per_epoch + 1,
            ends_epoch=ends_epoch,
            tokens=tokens,
            lr=float(lr),
            seconds=seconds,
            elapsed=self.elapsed,
            loss_tensor=loss,
        )

    @torch.inference_mode(mode=False)  # gradients are on, whatever the caller turned off
    def descend(self, number: int, group: range, tokens: int, lr: float) -> Tensor:
        """Compute the loss and gradient of a step, and change the weights if both are finite."""
        self.optimizer.zero_grad(set_to_none=True)
        loss = torch.zeros((), device=self.device)
        for place in range(rank(), len(group), world_size()):
            batch = self.batches.batch_at(group[place]).to(self.device, non_blocking=True)
            with random_numbers(self.device, self.settings["seed"], number, place):
                share = self.summed_loss(batch) / tokens
                share.backward()  # type: ignore[no-untyped-call]
            loss = loss + share.detach()
        for parameter in self.parameters:
            if parameter.grad is None:  # of a process without a batch, all of them
                parameter.grad = torch.zeros_like(parameter)
        loss = sum_gradients(self.parameters, loss)
        norm = nn.utils.clip_grad_norm_(self.parameters, self.settings["clip_norm"] or float("inf"))
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = lr
        self.guard.note(number, loss + norm)
        self.consistent = False
        self.guard.step()
        return loss

    def summed_loss(self, batch: Batch) -> Tensor:
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.settings["bf16"]):
            logits = self.model(batch) if self.compiled is None else self.compiled(batch)
        smoothing = self.settings["label_smoothing"]
        return cross_entropy(logits, batch.target_out, batch.target_mask, label_smoothing=smoothing, reduction="sum")

    def identity(self) -> dict[str, Any]:
        """What must be the same in all processes."""
        weights = hashlib.sha256()
        for tensor in self.model.state_dict().values():
            weights.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
        codecs = [codec.to_json() for codec in self.vocabularies or ()]
        return {
            **self.settings,
            "steps or epochs, in batches": self.limit,
            "checkpoint_every": self.checkpoint_every if self.checkpoint else None,
            "the digest of batches": self.batches.digest[:12],
            "the digest of vocabularies": hashlib.sha256(json.dumps(codecs).encode()).hexdigest()[:12],
            "model": [type(self.model).__name__, plain(self.model.config)],
            "the digest of the model's weights": weights.hexdigest()[:12],
            "optimizer": [type(self.optimizer).__name__, *_plain_options(self.optimizer)],
            "lr at step 1": float(self.schedule(1)),
        }

    def save(self) -> None:
        """Write the checkpoint, in process 0; all of them look whether there is something to be kept.

        Raises:
            FloatingPointError: a weight or a number of the optimizer is not finite; nothing is written.
        """
        if self.checkpoint is None:
            return
        self.guard.look()
        for name, tensor in self.model.state_dict().items():
            if not bool(tensor.isfinite().all()):
                raise FloatingPointError(
                    f"{name} is not finite after step {self.number}: wanted finite weights; {self.checkpoint} was not "
                    "written. Try a lower lr"
                )
        if rank() > 0:
            return
        progress = {
            "number": self.number,
            "position": self.position,
            "elapsed": self.elapsed,
            "settings": self.settings,
            "data": self.batches.digest,
            "lr": {str(number): float(self.schedule(number)) for number in _probes(self.number)},
        }
        save_checkpoint(
            self.checkpoint, self.model, vocabularies=self.vocabularies, optimizer=self.optimizer, progress=progress
        )

    def resume(self, path: Path, content: bytes) -> None:
        """Go on from a checkpoint, after checking that it is one of this very run."""
        found = parse_checkpoint(path, content)
        progress = found.progress
        _check_progress(path, progress)
        expect_same(path, "train()", progress["settings"], self.settings)
        if progress.get("data") != self.batches.digest:
            raise CheckpointError(
                f"{path} differs in batches: it has other sentences, ids, sizes or another order, wanted the same"
            )
        if found.vocabularies != self.vocabularies:
            have, want = (
                None if pair is None else [len(codec) for codec in pair]
                for pair in (found.vocabularies, self.vocabularies)
            )
            raise CheckpointError(
                f"{path} differs in vocabularies: it has others, of sizes {have}, wanted those given, of {want}"
            )
        if progress["position"] > self.limit:
            raise CheckpointError(
                f"{path} is at step {progress['number']}, after {progress['position']} batches: wanted at most "
                f"{self.limit}, all that epochs or steps ask for"
            )
        rates = {str(number): float(self.schedule(number)) for number in _probes(progress["number"])}
        for number, rate in rates.items():
            expect(path, f"lr at step {number}", progress["lr"].get(number), rate)
        found.restore(self.model, self.optimizer)
        self.number, self.position, self.elapsed = (progress[name] for name in ("number", "position", "elapsed"))


def _check_progress(path: Path, progress: Mapping[str, Any]) -> None:
    """Raise a CheckpointError unless this is what ``save`` writes."""
    if "number" not in progress:
        raise CheckpointError(f"{path} has no training run: wanted a checkpoint that train() wrote, or no file")
    kinds = {"number": (int,), "position": (int,), "elapsed": (int, float), "settings": (dict,), "lr": (dict,)}
    for name, allowed in kinds.items():
        value = progress.get(name)
        if type(value) not in allowed:
            raise CheckpointError(f"{path} has the {name} {value!r}: wanted what train() writes")
    if not 1 <= progress["number"] <= progress["position"] or not 0 <= progress["elapsed"] < math.inf:
        raise CheckpointError(
            f"{path} is at step {progress['number']} after {progress['position']} batches and {progress['elapsed']} "
            "seconds: wanted 1 or more steps of at least a batch, and a finite time"
        )


def _probes(number: int) -> list[int]:
    """Some steps up to this one, at which two schedules of the same run must agree."""
    return sorted({2**i for i in range(number.bit_length())} | {number})


def _plain_options(optimizer: Optimizer) -> list[Any]:
    """Its options, but for the parameters and the learning rate."""
    return [
        plain({name: value for name, value in group.items() if name not in ("params", "lr")})
        for group in optimizer.state_dict()["param_groups"]
    ]
