"""Compact encoding of attention frames.

A weight is stored in one byte as ``round(255 sqrt(a))``. The largest error is 0.004; small weights have smaller errors.
A frame is stored as its difference, modulo 256, from the previous frame, and all frames are compressed with zlib.

The bytes of a log are::

    uint32, little endian   length of the index
    index                   UTF-8 JSON: size, steps, frames, measures, series, points, progress
    frames                  zlib stream of the differences, ``len(steps) * size`` bytes inflated
    numbers                 zlib stream of float32, little endian: measures of every frame, steps of every point,
                            then the values of every series
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass, field, replace
from math import isfinite
from typing import Any

import numpy as np
from torch import Tensor

from attnbook._internal.validate import check_range, is_integer

Point = tuple[float, dict[str, float]]


@dataclass(frozen=True)
class Frame:
    """The attention weights at one step.

    Args:
        step: number of the training step.
        codes: ``(size,)`` uint8, from ``quantize``.
        measures: float32, from ``HeadMetrics``.
    """

    step: int
    codes: np.ndarray
    measures: np.ndarray


def quantize(weights: Tensor) -> Tensor:
    """Convert weights in [0, 1] to bytes ``round(255 sqrt(a))``, uint8 of the same shape, on the same device."""
    return weights.clamp(0, 1).sqrt().mul(255).round().byte()


def dequantize(codes: np.ndarray) -> np.ndarray:
    """Convert bytes from ``quantize`` back to weights, float32."""
    return np.square(codes.astype(np.float32) / 255)


@dataclass
class FrameLog:
    """Frames in the order of their steps, thinned evenly when they become too many or too large.

    The newest frame is always kept.

    Args:
        size: bytes in a frame.
        max_frames: most frames kept: the first, the newest and some between them.
        max_bytes: most bytes of the compressed frames.

    Raises:
        ValueError: ``max_frames`` is below 3.
    """

    size: int
    max_frames: int
    max_bytes: int
    _frames: list[Frame] = field(default_factory=list)
    _newest: Frame | None = None
    _spacing: float = 0.0
    _stream: _Deflater = field(default_factory=lambda: _Deflater())

    def __post_init__(self) -> None:
        enough = is_integer(self.max_frames) and self.max_frames >= 3
        check_range("max_frames", self.max_frames, enough, "an integer >= 3")

    @property
    def frames(self) -> list[Frame]:
        """All frames kept."""
        return self._frames if self._newest is None else [*self._frames, self._newest]

    def add(self, frame: Frame) -> None:
        """Add a frame, unless there is already one of the same step.

        Raises:
            ValueError: the frame has another size.
        """
        if frame.codes.shape != (self.size,):
            raise ValueError(f"frame must have shape ({self.size},), got {frame.codes.shape}")
        gap = frame.step - self._frames[-1].step if self._frames else None
        if gap is not None and gap < max(self._spacing, 1):
            self._newest = frame if gap > 0 else self._newest
            return
        self._newest = None
        self._frames.append(frame)
        self._stream.add(frame.codes)
        if len(self._frames) >= self.max_frames or self._stream.bytes > self.max_bytes:
            self._thin()

    def start_at(self, step: int) -> None:
        """Set the step of the first frame."""
        self._frames[0] = replace(self._frames[0], step=step)

    def _thin(self) -> None:
        newest = self._frames[-1]
        while len(self._frames) > 2:
            self._frames = self._frames[::2]
            self._spacing = 0.9 * (self._frames[-1].step - self._frames[0].step) / (len(self._frames) - 1)
            self._restart()
            if len(self._frames) < self.max_frames and self._stream.bytes <= 0.8 * self.max_bytes:
                break
        if self._frames[-1] is not newest:
            self._newest = newest

    def _restart(self) -> None:
        self._stream = _Deflater()
        for frame in self._frames:
            self._stream.add(frame.codes)

    def encode(self, *, series: Series, progress: dict[str, Any], final: bool = False) -> bytes:
        """Encode the frames, scalars and progress as bytes.

        Args:
            series: the scalars that belong to the frames.
            progress: plain data for the progress bar.
            final: compress all frames again: slower, but smaller, and correct even after an interrupted ``add``.
        """
        frames = self.frames
        if final:
            frames_bytes = _deflate([frame.codes for frame in frames])
        else:
            frames_bytes = self._stream.finish(None if self._newest is None else self._newest.codes)
        numbers = [frame.measures for frame in frames] + series.arrays()
        index = {
            "size": self.size,
            "steps": [frame.step for frame in frames],
            "frames": len(frames_bytes),
            "measures": len(frames[0].measures) if frames else 0,
            "points": len(series.points),
            "series": series.names,
            "progress": progress,
        }
        text = json.dumps(index, allow_nan=False).encode()
        numbers_bytes = zlib.compress(np.concatenate(numbers).astype("<f4").tobytes())
        return struct.pack("<I", len(text)) + text + frames_bytes + numbers_bytes


class _Deflater:
    """A zlib stream of frames, to which more can be added even after ``finish``."""

    def __init__(self) -> None:
        self._compressor = zlib.compressobj()
        self._parts: list[bytes] = []
        self._before: np.ndarray | None = None
        self.bytes = 0

    def add(self, codes: np.ndarray) -> None:
        difference = codes if self._before is None else codes - self._before  # uint8 wraps around
        part = self._compressor.compress(difference.tobytes()) + self._compressor.flush(zlib.Z_SYNC_FLUSH)
        self._parts.append(part)
        self._before = codes
        self.bytes += len(part)

    def finish(self, last: np.ndarray | None) -> bytes:
        compressor = self._compressor.copy()
        tail = b""
        if last is not None:
            tail = compressor.compress((last if self._before is None else last - self._before).tobytes())
        return b"".join(self._parts) + tail + compressor.flush()


def _deflate(frames: list[np.ndarray]) -> bytes:
    return zlib.compress(np.diff(np.stack(frames), axis=0, prepend=np.uint8(0)).tobytes(), 9)


class Series:
    """Scalars over the steps of training, such as the loss.

    When there are too many points, neighbors are averaged in pairs, and each later point averages twice as many steps.

    Args:
        max_points: most points kept.
    """

    def __init__(self, max_points: int = 2000) -> None:
        self.max_points = max_points
        self.names: list[str] = []
        self._points: list[Point] = []
        self._pending: list[Point] = []
        self._steps_per_point = 1

    @property
    def points(self) -> list[Point]:
        """All points; the last one may average fewer steps than the others."""
        return [*self._points, _mean(self._pending)] if self._pending else self._points

    def add(self, step: float, scalars: dict[str, float]) -> None:
        """Add the scalars of one step; non-finite values count as missing."""
        scalars = {name: value for name, value in scalars.items() if isfinite(value)}
        self.names += [name for name in scalars if name not in self.names]
        self._pending.append((step, scalars))
        if len(self._pending) < self._steps_per_point:
            return
        self._points.append(_mean(self._pending))
        self._pending = []
        if len(self._points) >= self.max_points:
            self._points = [_mean(self._points[i : i + 2]) for i in range(0, len(self._points), 2)]
            self._steps_per_point *= 2

    def arrays(self) -> list[np.ndarray]:
        """The steps, then the values of each name, each ``(points,)`` float32; missing values are NaN."""
        points = self.points
        columns = [[scalars.get(name, np.nan) for _, scalars in points] for name in self.names]
        return [np.asarray(column, dtype=np.float32) for column in ([step for step, _ in points], *columns)]


def _mean(points: list[Point]) -> Point:
    """The last step, and the mean of each scalar over the points that have it."""
    names = {name: None for _, scalars in points for name in scalars}
    means = {}
    for name in names:
        values = [scalars[name] for _, scalars in points if name in scalars]
        means[name] = sum(values) / len(values)
    return points[-1][0], means


@dataclass(frozen=True)
class Decoded:
    """The decoded result of ``encode``."""

    frames: list[Frame]
    points: np.ndarray
    series: dict[str, np.ndarray]
    progress: dict[str, Any]


def decode(data: bytes) -> Decoded:
    """Decode the bytes of a log, as the page does in JavaScript.

    Raises:
        ValueError: the bytes are truncated or not a log.
    """
    try:
        (length,) = struct.unpack_from("<I", data)
        index = json.loads(data[4 : 4 + length])
        start = 4 + length
        steps, size, measures, points = index["steps"], index["size"], index["measures"], index["points"]
        inflated = zlib.decompress(data[start : start + index["frames"]])
        differences = np.frombuffer(inflated, np.uint8).reshape(len(steps), size)
        numbers = np.frombuffer(zlib.decompress(data[start + index["frames"] :]), "<f4")
        measured, rest = np.split(numbers, [len(steps) * measures])
        measured = measured.reshape(len(steps), measures)
        columns = rest.reshape(1 + len(index["series"]), points)
    except (struct.error, zlib.error, KeyError, ValueError, TypeError, ArithmeticError) as error:
        raise ValueError(f"data must be a log of frames, got {len(data)} bytes that are not: {error}") from error
    codes = np.cumsum(differences, axis=0, dtype=np.uint8)
    frames = [Frame(step, row, numbers_) for step, row, numbers_ in zip(steps, codes, measured, strict=True)]
    return Decoded(frames, columns[0], dict(zip(index["series"], columns[1:], strict=True)), index["progress"])
