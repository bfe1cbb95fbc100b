"""Import D2L's library on a machine with or without torchvision.

``d2l.torch`` imports torchvision for its image chapters, which this book does not use. If torchvision is missing or
incompatible with the installed torch, an empty stand-in replaces it while d2l is imported.

Install d2l without its dependencies, which no current environment can satisfy: ``pip install --no-deps d2l==1.0.3``.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType


def import_d2l() -> ModuleType:
    """Import ``d2l.torch``, the code of *Dive into Deep Learning* (Zhang et al., 2021).

    Returns:
        the module; ``sys.modules`` has no stand-in afterwards.

    Raises:
        ImportError: d2l, or another package than torchvision that it needs, is not installed.
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
    """Make ``import torchvision`` work inside the block; a stand-in is removed on exit."""
    try:
        importlib.import_module("torchvision.transforms")
        is_stand_in = False
    except Exception:  # a torchvision that is incompatible with torch raises RuntimeError or OSError
        is_stand_in = True
        _forget_torchvision()
        _put_stand_in()
    try:
        yield
    finally:
        if is_stand_in:
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
        if name.startswith("__"):  # requested by the import system and by inspection
            raise AttributeError(name)
        raise AttributeError(f"{self.__name__}.{name}: torchvision cannot be imported, so d2l has no images here")
