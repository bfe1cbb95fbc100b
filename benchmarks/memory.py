"""Peak memory of a function, above what its process used before."""

from __future__ import annotations

import ctypes
import gc
import multiprocessing
import resource
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.context import BaseContext
from pathlib import Path

import torch

Make = Callable[[], Callable[[], object]]


def peak_bytes(make: Make, *, device: str, threads: int) -> int:
    """Run a function twice in its own process, and measure by how much memory rises the second time.

    Args:
        make: prepares and returns the function; another process must be able to import it by name.
        device: "cpu" measures resident memory of the process; "cuda" measures memory that torch allocated.
        threads: number of torch's threads.
    """
    with _new_processes().Pool(1) as pool:
        return pool.apply(_measure, (make, device, threads))


def _new_processes() -> BaseContext:
    """The multiprocessing context: if possible, processes are forked from one that has done the common imports."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["bookkit.d2l_models"])
    return context


def _measure(make: Make, device: str, threads: int) -> int:
    torch.set_num_threads(threads)
    work = make()
    work()
    gc.collect()
    if device == "cuda":
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        before = torch.cuda.memory_allocated()
        work()
        torch.cuda.synchronize()
        return torch.cuda.max_memory_allocated() - before
    _return_free_memory()
    _forget_peak()
    before = _status("VmRSS")
    work()
    return max(0, _status("VmHWM") - before)  # Linux counts both with a small error


def _return_free_memory() -> None:
    """Give freed memory back to the system, or the second call would use it without a rise that can be measured."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)  # only glibc has it


def _forget_peak() -> None:
    """Reset the high-water mark of resident memory to the current value."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def _status(name: str) -> int:
    """Bytes as reported by Linux; on other systems the peak of the whole process for both names."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))
    except (OSError, StopIteration):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
