"""Import D2L's library on a machine with or without torchvision.

``d2l.torch`` imports torchvision for its image chapters, which this book does not use. Where torchvision is missing, or
does not fit the installed torch, an empty stand-in is there while d2l is imported, and only then.

Install it without its metadata, which no current environment can satisfy: ``pip install --no-deps d2l==1.0.3``.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


def import_d2l() -> ModuleType:
    """``d2l.torch``, the code of *Dive into Deep Learning* (Zhang et al., 2021).

    Returns:
        the module; ``sys.modules`` has no stand-in afterwards.

    Raises:
        ImportError: d2l, or something that it needs besides torchvision, is not installed.
    """
    if "d2l.torch" in sys.modules:
        return sys.modules["d2l.torch"]
    try:
        with torchvision_or_stand_in():
            return importlib.import_module("d2l.torch")
    except ModuleNotFoundError as error:
        if error.name != "d2l":
            raise
        raise ModuleNotFoundError("d2l is not installed: pip install --no-deps d2l==1.0.3", name="d2l") from error


@contextmanager
def torchvision_or_stand_in() -> Iterator[None]:
    """Make ``import torchvision`` work inside the block; a stand-in is gone after it."""
    try:
        importlib.import_module("torchvision.transforms")
        stands_in = False
    except Exception:  # a torchvision that does not fit torch raises RuntimeError or OSError
        stands_in = True
        _forget_torchvision()
        _put_stand_in()
    try:
        yield
    finally:
        if stands_in:
            _forget_torchvision()


def _put_stand_in() -> None:
    torchvision, transforms = _StandIn("torchvision"), _StandIn("torchvision.transforms")
    torchvision.transforms = transforms
    sys.modules.update({"torchvision": torchvision, "torchvision.transforms": transforms})


def _forget_torchvision() -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "torchvision"]:
        del sys.modules[name]


class _StandIn(ModuleType):
    transforms: ModuleType

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # asked for by the import system and by inspection
            raise AttributeError(name)
        raise AttributeError(f"{self.__name__}.{name}: torchvision cannot be imported, so d2l has no images here")
