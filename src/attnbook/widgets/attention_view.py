"""A heatmap that follows a model while it trains."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from numbers import Real
from typing import Any

import torch
from torch import Tensor, nn

from attnbook._internal.validate import check_range, is_number
from attnbook.data import Batch, TokenizerLike
from attnbook.observe.recorder import Record
from attnbook.widgets.any_model import frame_reducer, kinds_of_any_model, run_probe, sentences_of, token_axes
from attnbook.widgets.attention_map import AttentionMap
from attnbook.widgets.budget import TimeBudget
from attnbook.widgets.derived_weights import DerivedWeights
from attnbook.widgets.encoding import Frame
from attnbook.widgets.frame_copier import FrameCopier, PendingPoint
from attnbook.widgets.head_metrics import HeadMetrics
from attnbook.widgets.layout import Layout, kinds_of_model
from attnbook.widgets.next_tokens import NextTokens
from attnbook.widgets.pictures import sentences_of_pictures
from attnbook.widgets.sentences import check_batch, probe_sentences

FLUSH_SECONDS = 3.0
NOT_DRAWN = ("loss", "number", "total", "tokens")


class AttentionView(AttentionMap):
    """Attention of a model to probe sentences over the steps of its training, for any model that can be recorded.

    The view runs the probe inside ``update``, when its time budget allows: a forward pass in eval mode without
    gradients, which changes neither the model nor the random state. (For ``value norms`` and ``gradient`` of
    ``measures``, it runs the probe once more, forward and backward, and leaves the parameters' gradients alone.) The
    forward passes of the training itself are not recorded.

    Args:
        record: an open recording of the model.
        probe: the sentences to look at; a few short ones are best. A ``Batch`` for the models here. For any other
            model its arguments, on its device: a mapping of named arguments, a tuple, or a single argument. The model
            must stay on this device.
        tokens: labels of rows and columns if the probe is not a ``Batch``: a list of strings for one sentence, a list
            of such lists for a batch, a mapping ``{"source": ..., "target": ...}`` of these for an encoder and a
            decoder, a Hugging Face tokenizer if the probe is a mapping with ``input_ids``, or a function of the probe
            that returns one of these.
        pictures: instead of tokens, if the model's tokens are patches: ``(batch, 1 or 3, height, width)``. A row is
            drawn over its picture.
        measures: which of ``value norms``, ``gradient`` and ``rollout`` (see ``attribution``) to show in addition to
            the weights, each as another kind of attention; only ``rollout`` for a ``Batch``.
        next_tokens: names the ids of the model's logits: a Hugging Face tokenizer, a vocabulary, or a function of a
            list of ids. If given, the five likeliest next tokens are shown next to a row. They take 20 bytes per row
            and frame before compression.
        grid: (patches down, patches across) of a picture; with ``pictures``.
        source_vocabulary: names the source ids, if there is not one per token; the tokens of the pairs if None.
        target_vocabulary: names the target ids in the same way.
        title: heading.
        budget: proportion of the time that the view may use.
        max_frames: most steps kept; more are thinned out evenly.

    Raises:
        ValueError: the probe does not have one id per token and no vocabulary is given, its ids are outside the model's
            vocabulary, there is no sentence, the tokens do not fit the weights, ``budget`` is not in (0, 1],
            ``max_frames`` is below 3, the output lacks logits for some token of ``next_tokens``, or ``measures`` has
            more than rollout for a ``Batch``.
        TypeError: ``record``, ``tokens``, ``next_tokens`` or ``title`` has another type, or tokens are given for a
            ``Batch``.
        RuntimeError: the recording is over.

    A frame has at most 2^20 weights, measures included: all heads if they fit, otherwise the mean over the heads of
    each module, otherwise the means of evenly chosen modules, at least one of each shape even if that is more. A
    warning says how many are left. Frames other than the first and the newest are thinned to a total of 200 kB, so
    that the saved page stays below 5 MB.

    Example:
        >>> pairs = [Pair(tuple("abc"), tuple("cba")), Pair(tuple("bb"), tuple("bb"))]
        >>> letters = Vocabulary.build(pair.source for pair in pairs)
        >>> batch = collate(pairs, letters, letters)
        >>> model = Transformer(len(letters), len(letters), d_model=16, num_heads=4, num_layers=1)
        >>> with record_attention(model) as record:
        ...     view = AttentionView(record, batch, source_vocabulary=letters, target_vocabulary=letters)
        ...     for step in train(model, Batches(pairs, letters, letters, batch_size=2), steps=3):
        ...         view.update(step)
    """

    def __init__(
        self,
        record: Record,
        probe: Any,
        *,
        tokens: Any = None,
        pictures: Any = None,
        grid: Any = None,
        measures: Sequence[str] = (),
        next_tokens: Any = None,
        source_vocabulary: TokenizerLike | None = None,
        target_vocabulary: TokenizerLike | None = None,
        title: str = "Attention while training",
        budget: float = 0.02,
        max_frames: int = 120,
    ) -> None:
        if not isinstance(record, Record):
            raise TypeError(f"record must be a Record, as record_attention() gives, got {type(record).__name__}")
        check_range("budget", budget, is_number(budget) and 0 < budget <= 1, "> 0 and <= 1")
        self._budget = TimeBudget(budget, least=0.2)
        self._record = record
        self._device = device = _device_of(record.model)
        if isinstance(probe, Batch):
            check_batch(probe, tokens=tokens, pictures=pictures, measures=measures)
            sentences = probe_sentences(probe, source_vocabulary, target_vocabulary)
            probe = probe.to(device)
        elif (tokens is None) == (pictures is None):
            got = f"{type(probe).__name__} with {'neither' if tokens is None else 'both'}"
            raise TypeError(f"probe must be a Batch, or come with either tokens or pictures, got {got}")
        elif pictures is None:
            sentences = sentences_of(token_axes(tokens, probe))
        self._probe = probe
        output, seen = run_probe(record, probe)
        if pictures is not None:
            sentences = sentences_of_pictures(pictures, grid, seen)
        self._reduce = frame_reducer(seen, copies=1 + len(measures))
        weights = self._reduce(seen)
        kinds = kinds_of_model(weights) if isinstance(probe, Batch) else kinds_of_any_model(weights, sentences)
        self._derived = DerivedWeights(record.model, measures, kinds, self._reduce)
        kinds = self._derived.kinds
        layout = Layout(kinds, sentences)
        expected = None if next_tokens is None else NextTokens(next_tokens, sentences)
        super().__init__(layout, title=title, max_frames=max_frames, next_tokens=expected)
        trailer_size = expected.size if expected else 0
        self._copier = FrameCopier(layout, HeadMetrics(layout, device), device, trailer_size=trailer_size)
        self._step = 0
        self._offset = 0
        self._total: float | None = None
        self._clock: _Clock | None = None
        self._pending: list[PendingPoint] = []
        self._sent = -1.0  # the last point of the series that was sent
        self._flushed = time.perf_counter()
        self._submit(output, seen)
        self._collect(wait=True)
        self.flush({})
        record.at_close(self._close)
        record.pause()  # last, so that an error above leaves the record unchanged

    def update(self, step: Any = None, **numbers: Any) -> None:
        """Record a training step, and look at the probe if the time budget allows.

        Args:
            step: an object or mapping with ``loss``, or the number of the step. ``number``, ``total`` and ``tokens``
                feed the progress bar; ``lr`` and every other number of a mapping are drawn over the steps.
            numbers: of a step given by its number, with ``loss``: ``view.update(step=3, loss=loss)``.

        Raises:
            TypeError: there is no ``loss``.
            RuntimeError: the recording is over, or the model has been moved to another device.
        """
        self._record.check_open()
        heard = read_step({"number": step, **numbers} if numbers else step, self._step - self._offset)
        if heard.number + self._offset < self._step:  # another training that counts from 1 again
            self._offset = self._step
        self._step = heard.number + self._offset
        self._total = None if heard.total is None else heard.total + self._offset
        if isinstance(heard.loss, Tensor):
            self._pending.append(PendingPoint(self._step, heard.scalars, heard.loss))
        else:
            self.series.add(self._step, {"loss": heard.loss, **heard.scalars})
        if self._clock is None:
            self._clock = _Clock(self._step, time.perf_counter())
            if self._step > 1:  # a training that resumes from a checkpoint
                self.frame_log.start_at(self._step - 1)
                self.flush({})
        else:
            self._clock.tokens += heard.tokens
        if self._budget.due():
            self._look()

    def _look(self) -> None:
        start = time.perf_counter()
        self._submit(*self._run_probe())
        frames = self._collect()
        progress = self._progress()
        points = [point for point in self.series.points if point[0] > self._sent]
        self._sent = points[-1][0] if points else self._sent
        self.send(
            {
                "type": "live",
                "steps": [frame.step for frame in frames],
                "points": points,
                "series": self.series.names,
                "progress": progress,
            },
            [buffer for frame in frames for buffer in (frame.codes.tobytes(), frame.measures.tobytes())],
        )
        if start - self._flushed > FLUSH_SECONDS:
            self.flush(progress)
            self._flushed = time.perf_counter()
        self._budget.spent(max(time.perf_counter() - start, self._copier.device_seconds))

    def _run_probe(self) -> tuple[Any, dict[str, Tensor]]:
        if (device := _device_of(self._record.model)) != self._device:
            raise RuntimeError(f"the model must stay on {self._device}, where the view was made, got {device}")
        return run_probe(self._record, self._probe)

    def _submit(self, output: Any, weights: Mapping[str, Tensor]) -> None:
        kept = self._reduce(weights)
        trailer = self.next_tokens(output) if self.next_tokens else None
        if self._copier.submit(self._step, kept | self._derived(kept, self._probe), self._pending, trailer):
            self._pending = []

    def _collect(self, *, wait: bool = False) -> list[Frame]:
        frames = []
        for captured in self._copier.collect(wait=wait):
            for step, scalars in captured.points:
                self.series.add(step, scalars)
            self.frame_log.add(captured.frame)
            frames.append(captured.frame)
        self.words = self.named(frames) | self.words
        return frames

    def _progress(self) -> dict[str, Any]:
        if self._clock is None:
            return {}
        return self._clock.progress(self._step, self._total, time.perf_counter())

    def _close(self, error: BaseException | None) -> None:
        """Look one last time and complete the saved state when the recording ends."""
        try:
            self._collect(wait=True)
            # After an error the model may no longer run; after an interrupt or a closed generator it does.
            # Lightning moves the model back to the CPU at the end.
            runs = error is None or isinstance(error, KeyboardInterrupt | GeneratorExit)
            if runs and _device_of(self._record.model) == self._device:
                self._submit(*self._run_probe())
                self._collect(wait=True)
        finally:
            self.flush(self._progress() | {"done": True}, final=True)


def _device_of(model: nn.Module) -> torch.device:
    return next((parameter.device for parameter in model.parameters()), torch.device("cpu"))


@dataclass
class _Clock:
    """Speed of training since the first recorded step."""

    first_step: int
    start: float
    tokens: float = 0

    def progress(self, step: int, total: float | None, now: float) -> dict[str, Any]:
        seconds = now - self.start
        progress: dict[str, Any] = {"step": step, "seconds": round(seconds, 3)}
        if total is not None:
            progress["total"] = total
        if seconds > 0 and step > self.first_step:
            progress["tokens_per_second"] = round(self.tokens / seconds, 1)
            if total is not None:
                progress["seconds_left"] = round((total - step) * seconds / (step - self.first_step), 1)
        return progress


@dataclass(frozen=True)
class _ReadStep:
    """The numbers of a training step that a view uses."""

    number: int
    loss: float | Tensor
    scalars: dict[str, float]
    tokens: float
    total: float | None


def read_step(step: Any, before: int) -> _ReadStep:
    """Read an object or mapping with ``loss``.

    A loss on a GPU is copied without synchronizing: it stays a tensor, which the next step cannot overwrite.

    Args:
        step: what ``train()`` yields, or a mapping.
        before: number of the previous step; the step counts as the next one if it has no number.

    Raises:
        TypeError: there is no ``loss``, or it is not a number.
    """
    if not isinstance(step, Mapping):
        loss = getattr(step, "loss_tensor", None)
        if not (isinstance(loss, Tensor) and loss.device.type == "cuda"):
            loss = getattr(step, "loss", None)
        step = {name: getattr(step, name, None) for name in ("number", "total", "tokens", "lr")} | {"loss": loss}
    given = step.get("loss")
    on_gpu = isinstance(given, Tensor) and given.device.type == "cuda" and given.numel() == 1
    loss = given.detach().reshape(()).clone() if on_gpu else _number(given)
    if loss is None:
        raise TypeError(f"the loss of step must be a number, got {given!r}")
    found = {name: _number(value) for name, value in step.items()}
    numbers = {name: value for name, value in found.items() if value is not None and isfinite(value)}
    return _ReadStep(
        number=int(numbers.get("number", before + 1)),
        loss=loss,
        scalars={name: value for name, value in numbers.items() if name not in NOT_DRAWN},
        tokens=numbers.get("tokens", 0.0),
        total=numbers.get("total"),
    )


def _number(value: Any) -> float | None:
    """A number from Python, NumPy or a CPU tensor; None for anything else."""
    if isinstance(value, Tensor) and value.numel() == 1 and value.device.type != "cuda":
        value = value.item()
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else None
