"""The state of a training run between two steps: taking a step, saving a checkpoint and resuming from it.

``loop.train`` is the public function; it checks the arguments and drives a ``Trainer``.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from attnbook._internal.files import check_writable
from attnbook._internal.validate import check_range, is_finite
from attnbook.attention.kernels import is_observed
from attnbook.data import Batch, TokenizerLike
from attnbook.data.batch_source import BatchList, BatchSource, check_batch
from attnbook.data.batching import SampledBatches
from attnbook.models.base import EncoderDecoder, check_id_values
from attnbook.training.checkpoint import (
    CheckpointError,
    expect,
    expect_same,
    parse_checkpoint,
    plain,
    read_content,
    save_checkpoint,
)
from attnbook.training.distributed import (
    check_same,
    from_first,
    raise_everywhere,
    random_numbers,
    rank,
    sum_gradients,
    world_size,
)
from attnbook.training.loss import cross_entropy
from attnbook.training.optim import FiniteGuard, Schedule


@dataclass(frozen=True)
class Step:
    """One step of the optimizer.

    Args:
        number: number of this step, from 1.
        total: number of planned steps.
        epoch: epoch of the step's last batch, from 1.
        ends_epoch: whether the last batch of an epoch is in this step.
        tokens: real target tokens of the step, summed over all processes; ``<eos>`` counts, padding does not.
        lr: learning rate.
        seconds: duration of the step, including making its batches, without the caller's time between two steps; on a
            GPU, until its work is queued.
        elapsed: sum of ``seconds`` over all steps so far, including those before an interruption.
        loss_tensor: the loss on the device that computed it; ``loss`` is its value.
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

        On a GPU the first access waits until the step is computed, so a fast loop reads only some losses.
        """
        return float(self.loss_tensor)

    @property
    def tokens_per_second(self) -> float:
        """Real target tokens per second in this step."""
        return self.tokens / self.seconds


def loss_share(model: EncoderDecoder, batch: Batch, tokens: Tensor, bf16: bool, label_smoothing: float) -> Tensor:
    """The share of a batch in the loss of a step with so many real target tokens; this is what ``compile`` compiles.

    The number of tokens is a tensor: the compiler fuses the division by a tensor with the gradient of the logits.
    """
    with torch.autocast(batch.source.device.type, torch.bfloat16, enabled=bf16):
        logits = model(batch)
    total = cross_entropy(logits, batch.target_out, batch.target_mask, label_smoothing=label_smoothing, reduction="sum")
    return total / tokens


# The run that last stepped each model. An abandoned run that a traceback keeps alive must not save any more.
_LAST_RUN: WeakKeyDictionary[EncoderDecoder, object] = WeakKeyDictionary()


@dataclass
class Trainer:
    """A training run between two steps. Fields without a comment are arguments of ``train``."""

    model: EncoderDecoder
    compile: bool
    parameters: list[nn.Parameter]  # those of the model that require gradients
    optimizer: Optimizer  # made by the argument of this name
    batches: BatchSource
    limit: int  # number of batches in the whole run
    schedule: Schedule  # from ``lr``
    settings: dict[str, Any]  # label_smoothing, clip_norm, accumulate, bf16 and seed
    checkpoint: Path | None
    checkpoint_every: int
    vocabularies: tuple[TokenizerLike, TokenizerLike] | None
    number: int = 0  # steps so far
    position: int = 0  # batches so far
    elapsed: float = 0.0  # seconds, see ``Step``
    consistent: bool = True  # whether weights and optimizer are in the state after step ``number``

    def __post_init__(self) -> None:
        self.token = object()
        self.device = self.parameters[0].device
        self.compiled_share = torch.compile(loss_share, dynamic=True) if self.compile else loss_share
        self.guard = FiniteGuard(self.optimizer, self.device)
        # The package's own batches are valid by construction, and those of a list have been checked.
        self.checked = isinstance(self.batches, SampledBatches | BatchList)

    @property
    def total(self) -> int:
        return self.number + math.ceil((self.limit - self.position) / int(self.settings["accumulate"]))

    def prepare(self) -> None:
        """Check that all processes have the same settings, and resume from the checkpoint if there is one."""
        if world_size() > 1:
            with raise_everywhere():
                identity = self.identity()
            check_same(identity)
        if self.checkpoint is None:
            return
        content: bytes | None = None
        with raise_everywhere():
            if rank() == 0:  # elsewhere the file may be missing or old
                content = read_content(self.checkpoint)
        content = from_first(content)
        with raise_everywhere():
            if content is not None:
                self.resume(self.checkpoint, content)
            if rank() == 0 and self.position < self.limit:
                try:
                    check_writable(self.checkpoint)
                    plain([self.model.config, _plain_options(self.optimizer)])
                except OSError as error:
                    raise CheckpointError(error.strerror) from error
                except TypeError as error:
                    raise CheckpointError(
                        f"{self.checkpoint} cannot be written: its content must be plain data, got {error}"
                    ) from error

    def steps(self) -> Generator[Step, None, None]:
        saved = self.number
        try:
            while self.position < self.limit:
                yield self.step()
                # After the yield, so that the caller has seen every saved step.
                if self.number % self.checkpoint_every == 0:
                    try:
                        self.save()
                    except Exception:
                        saved = self.number  # saving once more would fail again; after an interrupt it works
                        raise
                    saved = self.number
            self.guard.check()
        finally:
            may_save = self.consistent and not self.guard.skipped and _LAST_RUN.get(self.model) is self.token
            if saved < self.number and may_save:
                self.save()

    def step(self) -> Step:
        started = time.perf_counter()
        if not all(module.training for module in self.model.modules()):
            self.model.train()
        _LAST_RUN[self.model] = self.token
        number, total = self.number + 1, self.total
        lr = self.schedule(number)
        fits = is_finite(lr) and lr >= 0
        check_range(f"lr at step {number}", lr, fits, ">= 0 and finite")
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

    @torch.inference_mode(mode=False)  # even if the caller has turned gradients off
    def descend(self, number: int, group: range, tokens: int, lr: float) -> Tensor:
        """Compute the loss and the gradient of a step, and update the weights if both are finite."""
        self.optimizer.zero_grad(set_to_none=True)
        divisor = torch.full((), float(tokens), device=self.device)
        loss = torch.zeros((), device=self.device)
        for place in range(rank(), len(group), world_size()):
            batch = self.batches.batch_at(group[place])
            if not self.checked:
                check_batch(f"batches.batch_at({group[place]})", batch, self.batches.num_tokens(group[place]))
            batch = batch.to(self.device, non_blocking=True)
            with random_numbers(self.device, self.settings["seed"], number, place):
                share = self.loss_share(batch, divisor)
                share.backward()  # type: ignore[no-untyped-call]
            loss = loss + share.detach()
        for parameter in self.parameters:
            if parameter.grad is None:  # in a process without a batch, every parameter
                parameter.grad = torch.zeros_like(parameter)
        loss = sum_gradients(self.parameters, loss)
        norm = nn.utils.clip_grad_norm_(self.parameters, self.settings["clip_norm"] or float("inf"))
        for parameters in self.optimizer.param_groups:
            parameters["lr"] = lr
        self.guard.observe(number, loss + norm)
        self.consistent = False
        self.guard.step()
        return loss

    def loss_share(self, batch: Batch, tokens: Tensor) -> Tensor:
        compute = loss_share
        if self.compile and not is_observed(self.model):  # in compiled code, a record would not see where a step ends
            self.check_ids(batch)
            compute = self.compiled_share
        return compute(self.model, batch, tokens, self.settings["bf16"], self.settings["label_smoothing"])

    def check_ids(self, batch: Batch) -> None:
        """Check what compiled code does not: there, a wrong id would end the process."""
        target_out = batch.target_out.masked_fill(~batch.target_mask, 0)
        check_id_values("source", batch.source, self.model.source_vocab_size)
        check_id_values("target_in", batch.target_in, self.model.target_vocab_size)
        check_id_values("target_out", target_out, self.model.target_vocab_size)

    def identity(self) -> dict[str, Any]:
        """The settings and digests that must be equal in all processes."""
        weights = hashlib.sha256()
        for tensor in self.model.state_dict().values():
            weights.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
        vocabularies = [vocabulary.to_json() for vocabulary in self.vocabularies or ()]
        return {
            **self.settings,
            "steps (or epochs), in batches,": self.limit,
            "checkpoint_every": self.checkpoint_every if self.checkpoint else None,
            "the digest of batches": self.batches.digest[:12],
            "the digest of vocabularies": hashlib.sha256(json.dumps(vocabularies).encode()).hexdigest()[:12],
            "model": [type(self.model).__name__, plain(self.model.config)],
            "the digest of the model's weights": weights.hexdigest()[:12],
            "optimizer": [type(self.optimizer).__name__, *_plain_options(self.optimizer)],
            "lr at step 1": float(self.schedule(1)),
        }

    def save(self) -> None:
        """Write the checkpoint, in process 0. All processes check their weights.

        Raises:
            FloatingPointError: a loss, gradient or weight is not finite; nothing is written.
        """
        if self.checkpoint is None:
            return
        self.guard.check()
        for name, tensor in self.model.state_dict().items():
            if not bool(tensor.isfinite().all()):
                raise FloatingPointError(
                    f"{name} must be finite, got NaN or infinity after step {self.number}; {self.checkpoint} was not "
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
        """Resume from a checkpoint, after checking that it belongs to this run."""
        found = parse_checkpoint(path, content)
        progress = found.progress
        _check_progress(path, progress)
        expect_same(path, "train()", progress["settings"], self.settings)
        if progress.get("data") != self.batches.digest:
            raise CheckpointError(
                f"{path} differs in batches: their sentences, ids, sizes and order must be those of the saved run"
            )
        if found.vocabularies != self.vocabularies:
            saved, given = (
                None if pair is None else [len(vocabulary) for vocabulary in pair]
                for pair in (found.vocabularies, self.vocabularies)
            )
            raise CheckpointError(
                f"{path} differs in vocabularies: they must be those of the saved run, of sizes {saved}, got {given}"
            )
        if progress["position"] > self.limit:
            raise CheckpointError(
                f"{path} is at step {progress['number']}, after {progress['position']} batches; steps or epochs must "
                f"ask for at least as many, got {self.limit}"
            )
        rates = {str(number): float(self.schedule(number)) for number in _probes(progress["number"])}
        for number, rate in rates.items():
            expect(path, f"lr at step {number}", progress["lr"].get(number), rate)
        found.restore(self.model, self.optimizer)
        self.number, self.position, self.elapsed = (progress[name] for name in ("number", "position", "elapsed"))


def _check_progress(path: Path, progress: Mapping[str, Any]) -> None:
    """Raise a CheckpointError unless ``save`` could have written this."""
    if "number" not in progress:
        raise CheckpointError(f"{path} must be a checkpoint that train() wrote, got one without a training run")
    kinds = {"number": (int,), "position": (int,), "elapsed": (int, float), "settings": (dict,), "lr": (dict,)}
    for name, allowed in kinds.items():
        value = progress.get(name)
        if type(value) not in allowed:
            types = " or ".join(kind.__name__ for kind in allowed)
            raise CheckpointError(f"{path} is invalid: {name} must be of type {types}, got {value!r}")
    if not 1 <= progress["number"] <= progress["position"] or not 0 <= progress["elapsed"] < math.inf:
        raise CheckpointError(
            f"{path} is invalid: it must have at least one step, at least one batch per step and a finite time, got "
            f"number={progress['number']}, position={progress['position']}, elapsed={progress['elapsed']}"
        )


def _probes(number: int) -> list[int]:
    """The steps, up to this one, at which a resumed run compares its learning rate with the saved one."""
    return sorted({2**i for i in range(number.bit_length())} | {number})


def _plain_options(optimizer: Optimizer) -> list[Any]:
    """The options of an optimizer, except its parameters and learning rate."""
    return [
        plain({name: value for name, value in group.items() if name not in ("params", "lr")})
        for group in optimizer.state_dict()["param_groups"]
    ]
