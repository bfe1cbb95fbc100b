"""Errors for bad input: each names the argument, what it got, and what it wanted."""

from __future__ import annotations


def check_range(name: str, value: object, allowed: bool, wanted: str) -> None:
    """Raise a ValueError that names an argument, its value and what was wanted, unless it is allowed."""
    if not allowed:
        raise ValueError(f"{name} is {value!r}: wanted {wanted}")


def check_sizes(**sizes: int | None) -> None:
    """Raise a ValueError that names the first size below 1; one that is None was not given."""
    for name, size in sizes.items():
        check_range(name, size, size is None or size >= 1, "1 or more")
