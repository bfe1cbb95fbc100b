"""Check whether a tensor's values can be read, or torch is exporting, compiling, or only computing shapes."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensor


def has_values(tensor: Tensor) -> bool:
    """Return False for meta and fake tensors, and during ``torch.export``."""
    return not (tensor.is_meta or torch.compiler.is_exporting() or isinstance(tensor, FakeTensor))


def can_read(tensor: Tensor, *, wait: bool = False) -> bool:
    """Whether values can be read: not while torch compiles or exports, and not inside ``torch.func.vmap``.

    Args:
        tensor: the tensor to read.
        wait: also allow a tensor on a GPU, for which the CPU has to wait.
    """
    if tensor.device.type != "cpu" and not (wait and has_values(tensor)):
        return False
    if torch.compiler.is_compiling() or isinstance(tensor, FakeTensor):
        return False
    return innermost(tensor) is not None


def innermost(tensor: Tensor) -> Tensor | None:
    """Return the tensor that ``torch.func.grad`` wraps, or None if ``torch.func.vmap`` hides a batch."""
    while torch._C._functorch.is_gradtrackingtensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return None if torch._C._functorch.is_batchedtensor(tensor) else tensor
