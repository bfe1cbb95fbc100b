"""Values that are made from texts and kept on disk, so that a build makes only those whose texts have changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from attnbook._internal.files import atomic_write

T = TypeVar("T")


def kept(path: Path, inputs: Iterable[str | bytes], make: Callable[[], T]) -> T:
    """What ``make()`` returns, or what it returned when the inputs were last the same.

    Args:
        path: the file that keeps the value and a digest of the inputs. One that cannot be read is replaced.
        inputs: everything that the value depends on, the program that makes it left out.
        make: returns a value that JSON can hold: lists in place of tuples.
    """
    digest = digest_of(inputs)
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        if known["inputs"] == digest:
            value: T = known["value"]
            return value
    except (OSError, ValueError, KeyError, TypeError):
        pass  # nothing kept yet, or not by this program
    value = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic_write(path, json.dumps({"inputs": digest, "value": value}))
    return value


def digest_of(inputs: Iterable[str | bytes]) -> str:
    """A digest that also tells where one input ends and the next begins."""
    digest = hashlib.sha256()
    for part in inputs:
        content = part if isinstance(part, bytes) else part.encode()
        digest.update(f"{len(content)} ".encode())
        digest.update(content)
    return digest.hexdigest()
