"""Frames from the device to the host, without waiting for the device."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from attnbook.widgets.encoding import Frame, quantise
from attnbook.widgets.layout import Layout
from attnbook.widgets.measures import Measures

RING = 3


@dataclass
class _Slot:
    """Pinned memory for one frame, and the events around its copy."""

    codes: Tensor
    measures: Tensor
    start: torch.cuda.Event
    done: torch.cuda.Event
    step: int = 0


class Capture:
    """Turns weights into frames.

    On CUDA the weights are quantised on the device and copied on a stream of their own into a ring of pinned buffers.
    A buffer is read only once its event has passed: a copy read too early gives wrong numbers without a word. If all
    buffers are under way, the frame is dropped. Elsewhere the copy blocks.

    Args:
        layout: what a frame holds.
        measures: of the same layout, on the device.
        device: where the weights are.
    """

    def __init__(self, layout: Layout, measures: Measures, device: torch.device) -> None:
        self.layout = layout
        self.measures = measures
        self.dropped = 0
        self._ready: list[Frame] = []
        self._under_way: deque[_Slot] = deque()
        self._free: list[_Slot] = []
        self._device_seconds = 0.0
        self._side: torch.cuda.Stream | None = None
        if device.type == "cuda":
            self._side = torch.cuda.Stream(device)
            self._free = [
                _Slot(
                    torch.empty(layout.size, dtype=torch.uint8, pin_memory=True),
                    torch.empty(measures.size, dtype=torch.float32, pin_memory=True),
                    torch.cuda.Event(enable_timing=True),
                    torch.cuda.Event(enable_timing=True),
                )
                for _ in range(RING)
            ]

    def submit(self, step: int, weights: Mapping[str, Tensor]) -> bool:
        """Take one frame.

        Args:
            step: the frame's step.
            weights: ``(batch, heads, queries, keys)`` for every layer's name.

        Returns:
            False if the frame was dropped because the device is behind.
        """
        if self._side is None:
            codes, measures = self._measure(weights)
            self._ready.append(Frame(step, codes.cpu().numpy(), measures.cpu().numpy()))
            return True
        if not self._free:
            self.dropped += 1
            return False
        slot = self._free.pop()
        slot.step = step
        self._side.wait_stream(torch.cuda.current_stream(self._side.device))
        with torch.cuda.stream(self._side):
            slot.start.record(self._side)
            codes, measures = self._measure(weights)
            slot.codes.copy_(codes, non_blocking=True)
            slot.measures.copy_(measures, non_blocking=True)
            slot.done.record(self._side)
        for tensor in weights.values():
            tensor.record_stream(self._side)  # its memory is not given away before the side stream has read it
        self._under_way.append(slot)
        return True

    def _measure(self, weights: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
        return quantise(self.layout.pack(weights)), self.measures(weights)

    def collect(self, *, wait: bool = False) -> list[Frame]:
        """The frames that have arrived since the last call, in the order of submission.

        Args:
            wait: wait for those that are under way.
        """
        while self._under_way:
            slot = self._under_way[0]
            if wait:
                slot.done.synchronize()
            elif not slot.done.query():
                break
            self._under_way.popleft()
            self._device_seconds = slot.start.elapsed_time(slot.done) / 1000
            self._ready.append(Frame(slot.step, slot.codes.numpy().copy(), slot.measures.numpy().copy()))
            self._free.append(slot)
        frames, self._ready = self._ready, []
        return frames

    def device_seconds(self) -> float:
        """What the last frame that arrived cost on a device that works beside the host; 0 elsewhere."""
        return self._device_seconds


def blocking_frame(step: int, weights: Mapping[str, Tensor], layout: Layout, measures: Measures) -> Frame:
    """One frame by blocking copies: what :class:`Capture` must equal."""
    codes = quantise(layout.pack(weights)).cpu().numpy()
    return Frame(step, np.asarray(codes), measures(weights).cpu().numpy())
