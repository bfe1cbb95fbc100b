"""Training as a generator: one step of the optimizer each time the page's own loop asks for one."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.optim import Optimizer

from attnbook._internal.validate import check_counts, check_range, check_sizes, check_two, is_integer, is_number
from attnbook.data import Batch, TokenizerLike
from attnbook.data.batch_source import BatchSource, as_batch_source
from attnbook.models.base import EncoderDecoder, check_model, check_vocabularies
from attnbook.training.distributed import world_size
from attnbook.training.optim import Schedule, adam, constant
from attnbook.training.trainer import Step, Trainer


def train(
    model: EncoderDecoder,
    batches: BatchSource | Sequence[Batch],
    *,
    epochs: int | None = None,
    steps: int | None = None,
    lr: float | Schedule = 1e-3,
    optimizer: Callable[[Sequence[nn.Parameter]], Optimizer] = adam,
    label_smoothing: float = 0.0,
    clip_norm: float | None = 1.0,
    accumulate: int = 1,
    bf16: bool = False,
    compile: bool = False,
    seed: int = 0,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 500,
    vocabularies: tuple[TokenizerLike, TokenizerLike] | None = None,
) -> Generator[Step, None, None]:
    """Train by maximum likelihood, teacher forced. Pausing is not iterating; stopping is ``break``.

    The model is in train mode during every step, whatever the caller did with it in between, and the random numbers
    of a batch depend on ``seed``, the step and the batch's place in the step alone. With ``checkpoint``, a run that was
    stopped or killed at any moment goes on from the file when the same call is made again: the steps that follow are,
    bit for bit on the CPU, those of a run that was never stopped. A finished run yields nothing.

    In a process group of ``distributed`` the processes share the batches of each step, and every process has
    the weights of a run in one: the gradient is that of the whole step, and a batch's random numbers are its own. All
    make the same call and take the same number of steps; process 0 writes the checkpoint and reads it for all.

    Args:
        model: trained where its parameters lie.
        batches: ``Batches``, or a sequence that every epoch goes through in its order.
        epochs: times to go through ``batches``; give this or ``steps``.
        steps: steps of the optimizer.
        lr: learning rate, or the rate as a function of the step's number, from 1.
        optimizer: makes the optimizer from the parameters; its own learning rate is overwritten.
        label_smoothing: see ``cross_entropy``.
        clip_norm: largest norm of the gradient; None does not clip.
        accumulate: batches in a step. Their gradients add up to that of one batch of all their tokens.
        bf16: compute in bfloat16 where autocast allows; weights and loss stay fp32.
        compile: run the model through ``torch.compile``.
        seed: of dropout.
        checkpoint: file to go on from, if it is there, and to save into.
        checkpoint_every: steps between two savings. It is saved as well at the end, at ``break`` and at an error.
        vocabularies: of source and target, kept in the checkpoint so that it can translate.

    Yields:
        a ``Step`` after each step of the optimizer.

    Raises:
        ValueError: an argument is out of its range or another one in another process, or a vocabulary is not the
            model's.
        TypeError: ``batches`` are no batches, ``optimizer`` makes none, ``vocabularies`` are not two, or ``model`` is
            no translation model.
        ConnectionError: another process has ended.
        CheckpointError: the checkpoint is of another model, of other settings or other data, or cannot be written.
        FloatingPointError: a loss or gradient is not finite; that step is not applied to the weights.
    """
    if (epochs is None) == (steps is None):
        raise ValueError(f"epochs is {epochs} and steps is {steps}: wanted one of them, the other None")
    check_sizes(epochs=epochs, steps=steps)
    check_counts(checkpoint_every=checkpoint_every)
    check_range("compile", compile, isinstance(compile, bool | np.bool_), "True or False")
    settings = _settings(label_smoothing, clip_norm, accumulate, bf16, seed)
    check_model(model)
    rate = callable(lr) or (is_number(lr) and 0 < lr < math.inf)
    check_range("lr", lr, rate, "above 0, and finite, or a function of the step")
    if vocabularies is not None:
        check_two("vocabularies", vocabularies)
        check_vocabularies(model, *vocabularies)
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    check_range("model", type(model).__name__, bool(parameters), "a parameter that requires a gradient")
    given = as_batch_source(batches)
    trainer = Trainer(
        model=model,
        compiled=torch.compile(model, dynamic=True) if compile else None,
        parameters=parameters,
        optimizer=_make(optimizer, parameters),
        batches=given,
        limit=len(given) * epochs if epochs is not None else (steps or 0) * accumulate,
        schedule=lr if callable(lr) else constant(lr),
        settings=settings,
        checkpoint=None if checkpoint is None else Path(checkpoint),
        checkpoint_every=checkpoint_every,
        vocabularies=None if vocabularies is None else (vocabularies[0], vocabularies[1]),
    )
    trainer.prepare()
    return trainer.steps()


def _settings(
    label_smoothing: float, clip_norm: float | None, accumulate: int, bf16: bool, seed: int
) -> dict[str, Any]:
    """What every step of a run goes by, checked, as the plain data of its checkpoint."""
    smooths = is_number(label_smoothing) and 0 <= label_smoothing < 1
    check_range("label_smoothing", label_smoothing, smooths, "0 <= label_smoothing < 1")
    clips = clip_norm is None or (is_number(clip_norm) and clip_norm > 0)
    check_range("clip_norm", clip_norm, clips, "above 0, or None")
    check_counts(accumulate=accumulate)
    shared = f"{world_size()} or more, a batch in a step for each of the processes"
    check_range("accumulate", accumulate, accumulate >= world_size(), shared)
    check_range("bf16", bf16, isinstance(bf16, bool | np.bool_), "True or False")
    check_range("seed", seed, is_integer(seed), "a whole number")
    return {
        "label_smoothing": float(label_smoothing),
        "clip_norm": None if clip_norm is None else float(clip_norm),
        "accumulate": int(accumulate),
        "bf16": bool(bf16),
        "seed": int(seed),
    }


def _make(optimizer: Callable[[Sequence[nn.Parameter]], Optimizer], parameters: list[nn.Parameter]) -> Optimizer:
    if not callable(optimizer):
        kind = type(optimizer).__name__
        raise TypeError(
            f"optimizer is of type {kind}: wanted what makes one of the parameters, as attnbook.training.optim.adam"
        )
    made = optimizer(parameters)
    if not isinstance(made, Optimizer):
        raise TypeError(f"optimizer makes a {type(made).__name__}: wanted an Optimizer of the parameters")
    return made
