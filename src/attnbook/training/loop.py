"""``train``: a generator that takes one optimizer step per iteration of the caller's loop."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer

from attnbook._internal.validate import (
    check_bools,
    check_counts,
    check_range,
    check_sizes,
    check_two,
    is_finite,
    is_integer,
    is_number,
)
from attnbook.data import Batch, TokenizerLike
from attnbook.data.batch_source import BatchSource, as_batch_source
from attnbook.models.base import EncoderDecoder, check_model, check_vocabularies
from attnbook.training.distributed import check_accumulate
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
    """Train a translation model by maximum likelihood with teacher forcing.

    The returned generator takes one step each time it is asked for the next item: to pause, do not iterate; to stop,
    ``break``. The model is in train mode during every step, even if the caller has changed the mode in between. The
    random numbers of a batch depend only on ``seed``, the step and the batch's place in the step.

    With ``checkpoint``, a run that was stopped or killed at any moment resumes when the same call is made again. On
    the CPU, the following steps are bit for bit those of an uninterrupted run. A finished run yields nothing.

    In a process group (see ``distributed.processes``) the processes share the batches of each step, and every process
    ends with the weights that a single process would compute, up to rounding. All processes make the same call and
    take the same number of steps; process 0 writes the checkpoint and reads it for all.

    Args:
        model: trained on the device of its parameters.
        batches: ``Batches``, or a sequence that every epoch goes through in order.
        epochs: number of passes over ``batches``; give either this or ``steps``.
        steps: number of optimizer steps.
        lr: learning rate, or a function from the step (from 1) to the rate.
        optimizer: makes the optimizer from the parameters; ``train`` sets its learning rate.
        label_smoothing: see ``cross_entropy``.
        clip_norm: maximum norm of the gradient; None does not clip.
        accumulate: batches per step. Their gradients add up to that of one batch with all their tokens.
        bf16: compute in bfloat16 where autocast allows; weights and loss stay in fp32.
        compile: run model and loss through ``torch.compile``; steps whose attention is recorded run uncompiled.
        seed: seed of dropout.
        checkpoint: file to save to, and to resume from if it exists.
        checkpoint_every: steps between two checkpoints. The run is also saved at its end, at an error, and when the
            generator is closed, as ``break`` does in ``for step in train(...)``; if it has a name, call its ``close``.
        vocabularies: of source and target, stored in the checkpoint so that it can translate.

    Yields:
        a ``Step`` after each optimizer step.

    Raises:
        ValueError: an argument is out of range or differs between processes, a batch is invalid, or a vocabulary does
            not fit the model.
        TypeError: ``batches``, ``optimizer``, ``vocabularies`` or ``model`` has the wrong type.
        ConnectionError: another process has ended.
        CheckpointError: the checkpoint cannot be read or written, or belongs to another model, other settings or data.
        FloatingPointError: a loss or gradient is not finite; that step is not applied.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> model = Seq2Seq(len(letters), len(letters), num_hiddens=16)
        >>> for step in train(model, Batches(pairs, letters, letters, batch_size=2), steps=3, lr=5e-3):
        ...     last = step.number, step.total
        >>> last
        (3, 3)
    """
    if (epochs is None) == (steps is None):
        raise ValueError(f"exactly one of epochs and steps must be given, got epochs={epochs}, steps={steps}")
    check_sizes(epochs=epochs, steps=steps)
    check_counts(checkpoint_every=checkpoint_every)
    check_bools(compile=compile, bf16=bf16)
    settings = _settings(label_smoothing, clip_norm, accumulate, bf16, seed)
    check_model(model)
    rate = callable(lr) or (is_finite(lr) and lr > 0)
    check_range("lr", lr, rate, "> 0 and finite, or a function of the step")
    if vocabularies is not None:
        check_two("vocabularies", vocabularies)
        check_vocabularies(model, *vocabularies)
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    check_range("model", type(model).__name__, bool(parameters), "a module with parameters that require gradients")
    given = as_batch_source(batches)
    trainer = Trainer(
        model=model,
        compile=compile,
        parameters=parameters,
        optimizer=_make_optimizer(optimizer, parameters),
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
    """Check the settings of the steps, and return them as plain data for the checkpoint."""
    smooths = is_number(label_smoothing) and 0 <= label_smoothing < 1
    check_range("label_smoothing", label_smoothing, smooths, ">= 0 and < 1")
    clips = clip_norm is None or (is_number(clip_norm) and clip_norm > 0)
    check_range("clip_norm", clip_norm, clips, "> 0 or None")
    check_counts(accumulate=accumulate)
    check_accumulate(accumulate)
    check_range("seed", seed, is_integer(seed), "an integer")
    return {
        "label_smoothing": float(label_smoothing),
        "clip_norm": None if clip_norm is None else float(clip_norm),
        "accumulate": int(accumulate),
        "bf16": bool(bf16),
        "seed": int(seed),
    }


def _make_optimizer(
    optimizer: Callable[[Sequence[nn.Parameter]], Optimizer], parameters: list[nn.Parameter]
) -> Optimizer:
    if not callable(optimizer):
        kind = type(optimizer).__name__
        raise TypeError(f"optimizer must make an Optimizer from the parameters, like torch.optim.Adam, got {kind}")
    made = optimizer(parameters)
    if not isinstance(made, Optimizer):
        raise TypeError(f"optimizer must return an Optimizer, got {type(made).__name__}")
    if isinstance(made, torch.optim.LBFGS | torch.optim.SparseAdam):
        needs = "a closure" if isinstance(made, torch.optim.LBFGS) else "sparse gradients"
        raise TypeError(
            f"optimizer must take steps from dense gradients, without a closure, got {type(made).__name__}, which "
            f"needs {needs}"
        )
    return made
