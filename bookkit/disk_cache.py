"""Cache computed values on disk, and recompute one only when its inputs change."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from attnbook._internal.files import atomic_write

T = TypeVar("T")


def cached(path: Path, inputs: Iterable[str | bytes], make: Callable[[], T]) -> T:
    """Return the cached value if the inputs are unchanged; otherwise call ``make`` and store its result.

    Args:
        path: the cache file, with the value and a digest of the inputs. An unreadable file is replaced.
        inputs: everything that the value depends on, except the code of ``make``.
        make: returns a value that survives JSON, with lists in place of tuples.
    """
    digest = digest_of(inputs)
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        if known["inputs"] == digest:
            value: T = known["value"]
            return value
    except (OSError, ValueError, KeyError, TypeError):
        pass  # no cache file yet, or not one of ours
    value = make()
    atomic_write(path, json.dumps({"inputs": digest, "value": value}))
    return value


def digest_of(inputs: Iterable[str | bytes]) -> str:
    """A digest of the inputs and of their boundaries: ("ab", "c") and ("a", "bc") differ."""
    digest = hashlib.sha256()
    for part in inputs:
        content = part if isinstance(part, bytes) else part.encode()
        digest.update(f"{len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()
