"""The heatmap that lives while a model trains."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from attnbook.data.batching import Batch
from attnbook.data.vocabulary import Codec
from attnbook.recording import Record
from attnbook.widgets.attention_map import AttentionMap
from attnbook.widgets.budget import TimeBudget
from attnbook.widgets.capture import Capture
from attnbook.widgets.encoding import Frame
from attnbook.widgets.layout import Layout, kinds_of_model
from attnbook.widgets.measures import Measures
from attnbook.widgets.sentences import probe_sentences

FLUSH_SECONDS = 3.0
NOT_DRAWN = ("number", "total", "tokens", "seconds", "epoch")


class AttentionView(AttentionMap):
    """Attention of a model to probe sentences, over the steps of its training.

    All looking happens inside :meth:`update`, on a time budget: a forward pass of the probe in eval mode without
    gradients, which changes neither the model nor the random state. While the view is there, the training's own
    passes are not recorded.

    Args:
        record: an open recording of the model.
        probe: the sentences to look at; a few short ones are best.
        source_vocabulary: names the source ids, where they are not one a token; the tokens of the pairs if None.
        target_vocabulary: names the target ids, likewise.
        title: heading.
        budget: share of the time that looking may take.
        max_frames: most steps kept; thinned out evenly.

    Raises:
        ValueError: the probe's ids are not one a token and a vocabulary is missing, or ``budget`` is not in (0, 1].

    Example:
        >>> with record_attention(model) as record:
        ...     view = AttentionView(record, probe=batch)
        ...     display(view)
        ...     for step in train(model, batches, epochs=20, lr=5e-3):
        ...         view.update(step)
    """

    def __init__(
        self,
        record: Record,
        probe: Batch,
        *,
        source_vocabulary: Codec | None = None,
        target_vocabulary: Codec | None = None,
        title: str = "Attention while training",
        budget: float = 0.02,
        max_frames: int = 120,
    ) -> None:
        sentences = probe_sentences(probe, source_vocabulary, target_vocabulary)
        self._budget = TimeBudget(budget, least=0.2)
        device = next(record.model.parameters()).device
        self._record = record
        self._probe = probe.to(device)
        record.pause()
        weights = record.probe(self._probe)
        layout = Layout(kinds_of_model(weights), sentences)
        super().__init__(layout, title=title, max_frames=max_frames)
        self._capture = Capture(layout, Measures(layout, device), device)
        self._step = 0
        self._total: float | None = None
        self._progress: dict[str, Any] = {}
        self._clock: _Clock | None = None
        self._sent = 0.0  # the last point of the series that was sent
        self._flushed = time.perf_counter()
        self._capture.submit(0, weights)
        self._collect(wait=True)
        self.flush({})
        record.at_close(self._close)

    def update(self, step: Any) -> None:
        """Hear of a training step; look at the probe when the time budget allows.

        Args:
            step: an object or mapping with ``loss``; ``number``, ``total``, ``tokens`` and ``seconds`` feed the
                progress bar, every other number is drawn over the steps.
        """
        number, scalars, progress = read_step(step, self._step)
        self._step = number
        self.series.add(number, scalars)
        if self._clock is None:
            self._clock = _Clock(number, time.perf_counter())
        else:
            self._clock.tokens += progress.get("tokens", 0)
        self._total = progress.get("total")
        if self._budget.due():
            self._look()

    def _look(self) -> None:
        start = time.perf_counter()
        if self._clock is not None:
            self._progress = self._clock.progress(self._step, self._total, start)
        self._capture.submit(self._step, self._record.probe(self._probe))
        frames = self._collect()
        points = [point for point in self.series.points if point[0] > self._sent]
        self._sent = points[-1][0] if points else self._sent
        self.send(
            {
                "type": "live",
                "steps": [frame.step for frame in frames],
                "points": points,
                "series": self.series.names,
                "progress": self._progress,
            },
            [buffer for frame in frames for buffer in (frame.codes.tobytes(), frame.measures.tobytes())],
        )
        if start - self._flushed > FLUSH_SECONDS:
            self.flush(self._progress)
            self._flushed = time.perf_counter()
        self._budget.spent(max(time.perf_counter() - start, self._capture.device_seconds()))

    def _collect(self, *, wait: bool = False) -> list[Frame]:
        frames = self._capture.collect(wait=wait)
        for frame in frames:
            self.frame_log.add(frame)
        return frames

    def close_recording(self) -> None:
        """Look a last time and complete the saved state. Leaving the recording does this by itself."""
        self._close(None)

    def _close(self, error: BaseException | None) -> None:
        if self._finished:
            return
        try:
            # After an error in the model there is nothing to look at; after a Stop there is.
            if error is None or isinstance(error, KeyboardInterrupt | GeneratorExit):
                self._collect(wait=True)
                self._capture.submit(self._step, self._record.probe(self._probe))
            self._collect(wait=True)
        finally:
            if self._clock is not None:
                self._progress = self._clock.progress(self._step, self._total, time.perf_counter())
            self.flush(self._progress | {"done": True}, final=True)


@dataclass
class _Clock:
    """How fast training is since the first step that was heard of."""

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


def read_step(step: Any, before: int) -> tuple[int, dict[str, float], dict[str, float]]:
    """What a view wants to know of a training step.

    Args:
        step: an object or mapping with ``loss``.
        before: number of the step before, from which is counted if the step has no ``number``.

    Returns:
        its number; its scalars, of which ``loss`` is the first; and those of ``total`` and ``tokens`` that it has.

    Raises:
        TypeError: there is no ``loss``.
    """
    fields = step if isinstance(step, Mapping) else step._asdict() if hasattr(step, "_asdict") else vars(step)
    if "loss" not in fields:
        raise TypeError(f"step is a {type(step).__name__} without loss: wanted what train() yields")
    numbers = {name: number for name, value in fields.items() if (number := _number(value)) is not None}
    known = {name: numbers.pop(name) for name in NOT_DRAWN if name in numbers}
    loss = numbers.pop("loss", float("nan"))
    number = int(known.get("number", before + 1))
    return number, {"loss": loss, **numbers}, {n: known[n] for n in ("total", "tokens") if n in known}


def _number(value: Any) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float) or (isinstance(value, Tensor) and value.numel() == 1):
        return float(value)
    return None
