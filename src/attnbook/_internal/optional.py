"""Packages that not everybody needs: an error says what to install."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def needs(extra: str) -> Iterator[None]:
    """Put around an import of what the package's optional dependencies called ``extra`` bring.

    Raises:
        ModuleNotFoundError: a package is not there; the message names the extra.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] == "attnbook":
            raise
        raise ModuleNotFoundError(
            f"{error.name} is not installed; run `pip install attnbook[{extra}]`", name=error.name
        ) from error
