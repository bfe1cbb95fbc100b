"""A real GPU, with the interface of ``fake_cuda.FakeCuda``."""

from __future__ import annotations

import contextlib
import warnings
from collections import Counter
from collections.abc import Iterator

import torch


class RealCuda:
    """Counts where the host waits, by CUDA's own warnings. CUDA itself raises if an operator mixes devices."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        # Sums in full single precision, as the CPU computes them.
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False

    @contextlib.contextmanager
    def counting(self) -> Iterator[Counter[str]]:
        """Count the waits inside the block; the counter is complete when it ends."""
        found = Counter[str]()
        before = torch.cuda.get_sync_debug_mode()
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            torch.cuda.set_sync_debug_mode("warn")
            try:
                yield found
            finally:
                torch.cuda.set_sync_debug_mode(before)
        waits = [w for w in seen if "called a synchronizing" in str(w.message)]
        found.update(f"wait at {w.filename}:{w.lineno}" for w in waits)
