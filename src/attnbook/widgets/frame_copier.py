"""Copy frames from the device to the host without synchronizing."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from attnbook.widgets.encoding import Frame, Point, quantize
from attnbook.widgets.head_metrics import HeadMetrics
from attnbook.widgets.layout import Layout

RING = 3
MOST_LOSSES = 1024


@dataclass(frozen=True)
class PendingPoint:
    """The scalars of a training step whose loss is still on the device."""

    step: int
    scalars: dict[str, float]
    loss: Tensor


@dataclass(frozen=True)
class Captured:
    """A frame on the host, and the points submitted with it."""

    frame: Frame
    points: list[Point]


@dataclass
class _Slot:
    """Pinned memory for one frame, and the events around its copy."""

    codes: Tensor
    measures: Tensor
    losses: Tensor
    start: Any
    done: Any
    step: int = 0
    points: Sequence[PendingPoint] = ()


class FrameCopier:
    """Turn weights into frames.

    On CUDA the weights are quantized on the device and copied on a side stream into a ring of pinned buffers. A buffer
    is read only after its event has completed, because a copy that is read too early has wrong numbers and raises no
    error. If all buffers are in use, the frame is dropped. On other devices the copy blocks.

    Args:
        layout: the order of the weights in a frame.
        measures: of the same layout, on the device.
        device: where the weights are.
        trailer_size: number of bytes that follow the weights in a frame.
    """

    def __init__(self, layout: Layout, measures: HeadMetrics, device: torch.device, *, trailer_size: int = 0) -> None:
        self.layout = layout
        self.trailer_size = trailer_size
        self.measures = measures
        self.dropped = 0
        self.device_seconds = 0.0  # of the last frame that arrived; 0 unless the device is asynchronous
        self._ready: list[Captured] = []
        self._under_way: deque[_Slot] = deque()
        self._free: list[_Slot] = []
        self._side: Any = None
        if device.type == "cuda":
            self._side = torch.cuda.Stream(device)
            self._free = [self._slot() for _ in range(RING)]

    def submit(
        self,
        step: int,
        weights: Mapping[str, Tensor],
        points: Sequence[PendingPoint] = (),
        trailer: Tensor | None = None,
    ) -> bool:
        """Submit one frame.

        Args:
            step: the frame's step.
            weights: ``(batch, heads, queries, keys)`` by layer name.
            points: scalars to collect with the frame; thinned evenly to at most ``MOST_LOSSES``.
            trailer: the bytes that follow the weights, ``(trailer_size,)`` uint8.

        Returns:
            False if the frame was dropped because all buffers are in use.
        """
        points = points[:: -(-len(points) // MOST_LOSSES)] if points else points
        if self._side is None:
            codes, measures = self._measure(weights, trailer)
            self._ready.append(_captured(step, codes, measures, points, [float(point.loss) for point in points]))
            return True
        if not self._free:
            self.dropped += 1
            return False
        slot = self._free.pop()
        slot.step, slot.points = step, points
        self._side.wait_stream(torch.cuda.current_stream(self._side.device))
        with torch.cuda.stream(self._side):
            slot.start.record(self._side)
            codes, measures = self._measure(weights, trailer)
            slot.codes.copy_(codes, non_blocking=True)
            slot.measures.copy_(measures, non_blocking=True)
            if points:
                losses = torch.stack([point.loss.float() for point in points])
                slot.losses[: len(points)].copy_(losses, non_blocking=True)
            slot.done.record(self._side)
        given = () if trailer is None else (trailer,)
        for tensor in (*weights.values(), *given, *(point.loss for point in points)):
            tensor.record_stream(self._side)  # its memory is not reused before the side stream has read it
        self._under_way.append(slot)
        return True

    def collect(self, *, wait: bool = False) -> list[Captured]:
        """Return the frames that arrived since the last call, in the order of submission.

        Args:
            wait: whether to wait for the frames that are still being copied.
        """
        while self._under_way:
            slot = self._under_way[0]
            if wait:
                slot.done.synchronize()
            elif not slot.done.query():
                break
            self._under_way.popleft()
            self.device_seconds = slot.start.elapsed_time(slot.done) / 1000
            losses = slot.losses[: len(slot.points)].tolist()
            captured = _captured(slot.step, slot.codes.clone(), slot.measures.clone(), slot.points, losses)
            self._ready.append(captured)
            self._free.append(slot)
        ready, self._ready = self._ready, []
        return ready

    def _measure(self, weights: Mapping[str, Tensor], trailer: Tensor | None) -> tuple[Tensor, Tensor]:
        codes = quantize(self.layout.pack(weights))
        return codes if trailer is None else torch.cat((codes, trailer)), self.measures(weights)

    def _slot(self) -> _Slot:
        return _Slot(
            torch.empty(self.layout.size + self.trailer_size, dtype=torch.uint8, pin_memory=True),
            torch.empty(self.measures.size, dtype=torch.float32, pin_memory=True),
            torch.empty(MOST_LOSSES, dtype=torch.float32, pin_memory=True),
            torch.cuda.Event(enable_timing=True),
            torch.cuda.Event(enable_timing=True),
        )


def _captured(
    step: int, codes: Tensor, measures: Tensor, points: Sequence[PendingPoint], losses: Sequence[float]
) -> Captured:
    resolved = [
        (float(point.step), {"loss": loss, **point.scalars}) for point, loss in zip(points, losses, strict=True)
    ]
    return Captured(Frame(step, codes.cpu().numpy(), measures.cpu().numpy()), resolved)
