"""Share slow results between tests: make them once per run of pytest, for all its worker processes."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from filelock import FileLock

T = TypeVar("T")


def once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], T]) -> T:
    """Call ``make`` with an empty folder in the first process that asks; the others wait, and get a copy of its result.

    Args:
        factory: factory of the run's temporary folders.
        name: name of the folder.
        make: its result is pickled; the files that it writes stay until the run ends.
    """
    shared = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    result = shared / f"{name}.pickle"
    with FileLock(shared / f"{name}.lock"):
        if not result.is_file():
            folder = shared / name
            shutil.rmtree(folder, ignore_errors=True)  # left by a process that failed
            folder.mkdir()
            made = pickle.dumps(make(folder))
            result.write_bytes(made)
        return pickle.loads(result.read_bytes())  # type: ignore[no-any-return]
