"""Streams, events and copies of a simulated GPU: work is done only when something waits for it."""

from __future__ import annotations

from typing import Any, Protocol

import torch
from torch import Tensor

CUDA = torch.device("cuda", 0)
LATE = 2  # queries of an event that return False


class WaitLog(Protocol):
    """The interface of the GPU that streams need."""

    stream: Stream
    finished: dict[Stream, int]

    def note_wait(self, what: str) -> None: ...


class Copy:
    """A copy that is under way; its target holds garbage until it arrives."""

    def __init__(self, target: Tensor, value: Tensor) -> None:
        self.target = target
        self.value = value
        target.fill_(torch.nan if target.is_floating_point() else 85)

    def arrive(self) -> None:
        self.target.copy_(self.value)


class Stream:
    """A queue of work. ``tick`` counts its operators."""

    gpu: WaitLog  # the active simulation

    def __init__(self, device: Any = None, priority: int = 0, **_: Any) -> None:
        self.device = CUDA
        self.tick = 0
        self.seen: dict[Stream, int] = {}  # the last tick of another stream that this one has waited for
        self.copies: list[Copy] = []

    def wait_stream(self, other: Stream) -> None:
        self.seen |= other.seen | {other: other.tick}

    def wait_event(self, event: Event) -> None:
        self.seen |= event.seen

    def record_event(self, event: Event | None = None) -> Event:
        event = Event() if event is None else event
        event.record(self)
        return event

    def query(self) -> bool:
        return not self.copies

    def synchronize(self) -> None:
        self.gpu.note_wait("stream.synchronize")
        self.finish()

    def finish(self, copies: list[Copy] | None = None, tick: int | None = None) -> None:
        """Finish all work, or the given copies and what was queued up to a tick."""
        for copy in self.copies if copies is None else copies:
            copy.arrive()
        self.copies = [] if copies is None else [copy for copy in self.copies if copy not in copies]
        self.gpu.finished[self] = max(self.gpu.finished.get(self, 0), self.tick if tick is None else tick)

    def may_use(self, written: tuple[Stream, int]) -> bool:
        """Whether this stream has waited for what another one wrote at a tick."""
        stream, tick = written
        return stream is self or max(self.seen.get(stream, 0), self.gpu.finished.get(stream, 0)) >= tick


class Event:
    """A mark in a stream. It has passed once the host waits for it, or at the third query."""

    def __init__(self, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> None:
        self.stream: Stream | None = None
        self.seen: dict[Stream, int] = {}
        self.copies: list[Copy] = []
        self.asked = 0

    def record(self, stream: Stream | None = None) -> None:
        self.stream = Stream.gpu.stream if stream is None else stream
        self.seen = self.stream.seen | {self.stream: self.stream.tick}
        self.copies = list(self.stream.copies)
        self.asked = 0

    def wait(self, stream: Stream | None = None) -> None:
        (Stream.gpu.stream if stream is None else stream).wait_event(self)

    def query(self) -> bool:
        self.asked += 1
        if self.asked <= LATE:
            return False
        self._pass()
        return True

    def synchronize(self) -> None:
        Stream.gpu.note_wait("event.synchronize")
        self._pass()

    def elapsed_time(self, other: Event) -> float:
        return 0.1

    def _pass(self) -> None:
        if self.stream is not None:
            self.stream.finish([copy for copy in self.copies if copy in self.stream.copies], self.seen[self.stream])
