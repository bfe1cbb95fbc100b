"""Imports of optional dependencies, with an error that says what to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Guard the import of a package that the extra ``extra`` installs.

    Raises:
        ModuleNotFoundError: the package is not installed; the message names the extra.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "attnbook":
            raise
        raise ModuleNotFoundError(
            f"{error.name} is not installed; run `pip install attnbook[{extra}]`", name=error.name
        ) from error
