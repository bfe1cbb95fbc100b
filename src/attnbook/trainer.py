"""One training run: what is between two of its steps, and how it goes on from a file."""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from attnbook.checkpoint import (
    CheckpointError,
    expect,
    expect_same,
    read_checkpoint,
    remove_leftovers,
    save_checkpoint,
)
from attnbook.checks import check_range
from attnbook.data import Batch, Codec
from attnbook.encoder_decoder import EncoderDecoder
from attnbook.optim import Guard, Schedule, cross_entropy


class Epochs(Protocol):
    """Batches that can be given again from any place, as :class:`attnbook.data.Batches` does."""

    def __len__(self) -> int: ...

    def epoch(self, number: int, *, start: int = 0) -> Iterator[Batch]: ...


@dataclass(frozen=True)
class Step:
    """One step of the optimizer.

    Args:
        number: of this step, from 1.
        total: steps that are planned.
        epoch: of the step's last batch, from 1.
        ends_epoch: that batch is the last of its epoch.
        tokens: real target tokens of the step, ``<eos>`` included; padding never counts.
        lr: learning rate.
        seconds: spent on this step, batches included; the caller's time between two steps is not.
        elapsed: ``seconds`` of all steps so far, those before an interruption included.
        loss_tensor: the loss where it was computed; :attr:`loss` is its value.
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
    """A training run between two of its steps."""

    model: EncoderDecoder
    compiled: Callable[[Batch], Tensor] | None
    parameters: list[nn.Parameter]
    optimizer: Optimizer
    batches: Epochs | Sequence[Batch]
    limit: int
    schedule: Schedule
    settings: dict[str, Any]
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

    @cached_property
    def digest(self) -> str:
        return digest_of(self.batches)

    def steps(
        self, path: Path | None, every: int, vocabularies: tuple[Codec, Codec] | None
    ) -> Generator[Step, None, None]:
        stream = stream_from(self.batches, self.position)
        saved = self.number
        try:
            while self.position < self.limit:
                yield self.step(stream)
                # After the yield: what is in the file, the caller has seen.
                if path is not None and self.number % every == 0:
                    saved = self.number
                    self.save(path, vocabularies)
            self.guard.look()
        finally:
            own = self.consistent and not self.guard.skipped and _LAST_RUN.get(self.model) is self.token
            if path is not None and saved < self.number and own:
                self.save(path, vocabularies)

    def step(self, stream: Iterator[Batch]) -> Step:
        started = time.perf_counter()
        if not self.model.training:
            self.model.train()
        _LAST_RUN[self.model] = self.token
        count = min(self.settings["accumulate"], self.limit - self.position)
        group = [batch.to(self.device, non_blocking=True) for batch in islice(stream, count)]
        number, total = self.number + 1, self.total
        lr = float(self.schedule(number))
        check_range(f"lr at step {number}", lr, 0 <= lr < float("inf"), "a finite number, 0 or more")
        tokens = sum(batch.num_tokens for batch in group)
        loss = self.descend(number, group, tokens, lr)
        per_epoch = len(self.batches)
        ends_epoch = (self.position + count) // per_epoch > self.position // per_epoch
        self.number, self.position = number, self.position + count
        self.consistent = True
        seconds = time.perf_counter() - started
        self.elapsed += seconds
        return Step(
            number=number,
            total=total,
            epoch=(self.position - 1) // per_epoch + 1,
            ends_epoch=ends_epoch,
            tokens=tokens,
            lr=lr,
            seconds=seconds,
            elapsed=self.elapsed,
            loss_tensor=loss,
        )

    def descend(self, number: int, group: Sequence[Batch], tokens: int, lr: float) -> Tensor:
        """Compute the loss and gradient of a step, and change the weights if both are finite."""
        self.optimizer.zero_grad(set_to_none=True)
        losses = []
        for place, batch in enumerate(group):
            with random_numbers(self.device, self.settings["seed"], number, place):
                share = self.summed_loss(batch) / tokens
                share.backward()  # type: ignore[no-untyped-call]
            losses.append(share.detach())
        for parameter in self.parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
        loss = losses[0] if len(losses) == 1 else torch.stack(losses).sum()
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

    def save(self, path: Path, vocabularies: tuple[Codec, Codec] | None) -> None:
        self.guard.look()
        progress = {
            "number": self.number,
            "position": self.position,
            "elapsed": self.elapsed,
            "settings": self.settings,
            "data": self.digest,
            "lr": {str(number): float(self.schedule(number)) for number in _probes(self.number)},
        }
        save_checkpoint(path, self.model, vocabularies=vocabularies, optimizer=self.optimizer, progress=progress)

    def resume(self, path: Path, vocabularies: tuple[Codec, Codec] | None) -> None:
        """Go on from a checkpoint, if there is one, after checking that it is one of this very run."""
        remove_leftovers(path)
        if not path.is_file():
            return
        found = read_checkpoint(path)
        progress = found.progress
        if "number" not in progress:
            raise CheckpointError(f"{path} has no training run: wanted a checkpoint that train() wrote, or no file")
        expect_same(path, "train()", progress["settings"], self.settings)
        if progress["data"] != self.digest:
            raise CheckpointError(
                f"{path} differs in batches: it has other sentences, ids, sizes or another order, wanted the same"
            )
        if found.vocabularies != vocabularies:
            sizes = [
                None if pair is None else [len(codec) for codec in pair] for pair in (found.vocabularies, vocabularies)
            ]
            raise CheckpointError(
                f"{path} differs in vocabularies: it has others, of sizes {sizes[0]}, wanted those given, of {sizes[1]}"
            )
        for number, rate in progress["lr"].items():
            expect(path, f"lr at step {number}", rate, float(self.schedule(int(number))))
        if progress["position"] > self.limit:
            raise CheckpointError(
                f"{path} is at step {progress['number']}, after {progress['position']} batches: wanted at most "
                f"{self.limit}, all that epochs or steps ask for"
            )
        found.restore(self.model, self.optimizer)
        self.number, self.position = progress["number"], progress["position"]
        self.elapsed = progress["elapsed"]


@contextmanager
def random_numbers(device: torch.device, seed: int, step: int, place: int) -> Iterator[None]:
    """Random numbers of one batch; the caller's go on afterwards as if none were drawn.

    They depend on the seed, the step and the batch's place in the step, so that no state of a generator has to be
    saved, nothing that the caller draws between two steps changes a loss, and another process may compute the batch.
    """
    generators = [torch.default_generator]
    if device.type == "cuda":
        generators.append(
            torch.cuda.default_generators[torch.cuda.current_device() if device.index is None else device.index]
        )
    states = [generator.get_state() for generator in generators]
    mixed = hashlib.blake2b(f"{seed},{step},{place}".encode(), digest_size=7).digest()
    try:
        for generator in generators:
            generator.manual_seed(int.from_bytes(mixed, "big"))
        yield
    finally:
        for generator, state in zip(generators, states, strict=True):
            generator.set_state(state)


def stream_from(batches: Epochs | Sequence[Batch], position: int) -> Iterator[Batch]:
    """All batches of all epochs, from a position on."""
    epoch, start = divmod(position, len(batches))
    while True:
        count = start
        given = iter(batches[start:]) if isinstance(batches, Sequence) else batches.epoch(epoch, start=start)
        for batch in given:
            count += 1
            yield batch
        check_range(f"batches in epoch {epoch}", count, count == len(batches), f"len(batches) = {len(batches)}")
        epoch, start = epoch + 1, 0


def digest_of(batches: Epochs | Sequence[Batch]) -> str:
    """What tells one set of batches from another: how many there are, and the ids of the first."""
    first = next(stream_from(batches, 0))
    digest = hashlib.sha256(str((len(batches), first.source.shape, first.target_out.shape)).encode())
    for ids in (first.source, first.target_out):
        digest.update(ids.cpu().numpy().tobytes())
    return digest.hexdigest()


def _probes(number: int) -> list[int]:
    """Some steps up to this one, at which two schedules of the same run must agree."""
    return sorted({2**i for i in range(number.bit_length())} | {number})
