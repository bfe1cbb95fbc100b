"""Simulate a GPU on a machine without one: CUDA tensors that the CPU computes, under CUDA's rules.

    with FakeCuda() as gpu:
        model = Transformer(9, 9).to("cuda")
        model(batch.to("cuda")).sum().backward()
    assert not gpu.problems
    print(gpu.waits)  # where the host has read from the device or waited for it

A `CudaTensor` is a Tensor whose ``device`` is ``cuda:0`` and whose memory is the CPU's. Every operator, in the
backward pass too, goes through ``__torch_dispatch__``, where

- an operator on tensors of two devices raises, as in CUDA, and so does a generator of the wrong device or a tensor that
  another stream may not have computed yet. Each is also listed in ``problems``, in case the error is caught;
- each read of a value by the host, and each blocking copy to the device, is counted with its place (``waits``);
- random numbers come from the device's own generator;
- the CPU's kernel computes the result, so that it can be compared with that of the CPU.

Copies with ``non_blocking=True`` between the device and pinned memory arrive late: the host finds garbage until it has
waited for the stream or its event (see ``fake_cuda_streams``).

The simulation cannot show: rounding, limits and choice of CUDA's own kernels, memory that is reused too early
(``record_stream`` is accepted and ignored), device-side assertions, ``torch.compile``, CUDA graphs, several GPUs.
Functions that C++ composes of operators take their CPU branch, and autocast follows the CPU's lists of operators.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode
from torch.utils._mode_utils import no_dispatch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from tests.support.fake_cuda_place import place
from tests.support.fake_cuda_rules import is_composed, is_random, operator_name, stranger, tensors_in, why_wait
from tests.support.fake_cuda_streams import CUDA, Copy, Event, Stream

aten = torch.ops.aten
MIXED = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"


class CudaTensor(torch.Tensor):
    """A tensor whose ``device`` is ``cuda:0``."""

    gpu: FakeCuda  # the active simulation

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return cls.gpu.run(func, args, kwargs or {})

    device = property(lambda self: CUDA)  # type: ignore[assignment]
    is_cuda = property(lambda self: True)  # type: ignore[assignment]
    is_cpu = property(lambda self: False)  # type: ignore[assignment]

    def get_device(self) -> int:
        return 0

    def to(self, *args: Any, **kwargs: Any) -> Tensor:
        return self.gpu.to(self, *args, **kwargs)

    def cpu(self, **kwargs: Any) -> Tensor:
        return self.gpu.to(self, "cpu", **kwargs)

    def cuda(self, device: Any = None, non_blocking: bool = False, **kwargs: Any) -> Tensor:
        return self.gpu.to(self, "cuda", non_blocking=non_blocking, **kwargs)

    def tolist(self) -> Any:
        self.gpu.note_wait("tolist")
        return host(self).tolist()

    def numpy(self, **_: Any) -> Any:
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
                        "memory first.")  # fmt: skip

    def __array__(self, dtype: Any = None, **_: Any) -> Any:
        return self.numpy()

    def pin_memory(self, device: Any = None) -> Tensor:
        raise RuntimeError("cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned")

    def is_pinned(self, device: Any = None) -> bool:
        return False

    def record_stream(self, stream: Stream) -> None: ...

    def new_tensor(self, data: Any, **options: Any) -> Tensor:
        device = options.pop("device", CUDA)
        return torch.tensor(data, **{"dtype": self.dtype, "device": device, **options})

    def __repr__(self, **_: Any) -> str:  # type: ignore[override]
        return f"{host(self)!r} on cuda:0"


def is_cuda(x: Any) -> bool:
    return isinstance(x, CudaTensor)


def tag(x: Any) -> Any:
    """Return a GPU tensor with the same memory."""
    return torch.Tensor._make_subclass(CudaTensor, x) if isinstance(x, Tensor) and not is_cuda(x) else x


def host(x: Any) -> Any:
    """Return a CPU tensor with the same memory; not counted as a read."""
    if not is_cuda(x):
        return x.detach() if isinstance(x, Tensor) else x
    with no_dispatch(), torch._C.DisableTorchFunction():
        return torch.Tensor._make_subclass(torch.Tensor, x)


class DeviceGenerator(torch.Generator):
    """A generator of the given device."""

    def __new__(cls, device: Any = "cpu") -> DeviceGenerator:
        made = super().__new__(cls, "cpu")
        made.place = torch.device(device)
        return made

    def manual_seed(self, seed: int) -> DeviceGenerator:
        super().manual_seed(seed)
        return self

    device = property(lambda self: CUDA if self.place.type == "cuda" else self.place)  # type: ignore[assignment]


class FakeCuda:
    """Patch torch so that there is a GPU while the context is open; see the module."""

    def __init__(self) -> None:
        self.problems: list[str] = []
        self.waits: Counter[str] = Counter()
        self.generator = DeviceGenerator("cuda")
        self.default_stream = self.stream = Stream()
        self.finished: dict[Stream, int] = {}
        self._uploads: list[Copy] = []  # from pinned memory, under way
        self._pinned: dict[int, Tensor] = {}  # by address; kept, so that no other tensor gets it
        self._inside = False  # an operator on tensors of the GPU that C++ composes of others
        self._quiet = False
        self._operators = _Operators(self)
        self._functions = _Functions(self)

    # Waits and problems.

    @contextlib.contextmanager
    def counting(self) -> Iterator[Counter[str]]:
        """Count the waits inside the block; the counter is complete when it ends."""
        before, found = self.waits.copy(), Counter[str]()
        try:
            yield found
        finally:
            found.update(self.waits - before)

    def note_wait(self, what: str) -> None:
        if not self._quiet:
            self.waits[f"{what} at {place()}"] += 1

    def refuse(self, error: str) -> RuntimeError:
        self.problems.append(f"{error} at {place()}")
        return RuntimeError(error)

    # Copies between host and device.

    def to(self, tensor: Tensor, *args: Any, copy: bool = False, **kwargs: Any) -> Tensor:
        """``Tensor.to``"""
        other = args[0] if args else kwargs.pop("other", None)
        if isinstance(other, Tensor):
            args = (other.device, other.dtype, *args[1:])
        device, dtype, non_blocking, layout = torch._C._nn._parse_to(*args, **kwargs)
        target = tensor.device if device is None else torch.device(device)
        if target.type == "cuda" and target.index not in (None, 0):
            raise self.refuse("CUDA error: invalid device ordinal")
        options: dict[str, Any] = {"dtype": dtype or tensor.dtype, "copy": copy}
        options |= {} if layout is None else {"memory_format": layout}
        with torch._C.DisableTorchFunction():
            if target.type == "meta":
                return torch._C.TensorBase.to(host(tensor), "meta", **options)
            if target.type == tensor.device.type:
                return torch._C.TensorBase.to(tensor, **options)
            moved = _Moved.apply(tensor, self, non_blocking)
            return torch._C.TensorBase.to(moved, **{**options, "copy": False})

    def moved(self, tensor: Tensor, non_blocking: bool) -> Tensor:
        """Copy a tensor to the other device."""
        values = host(tensor).clone()
        if is_cuda(tensor):
            if non_blocking:  # torch takes pinned memory for it
                self._start(self.stream.copies, self.pin(values), values.clone())
            else:
                self.note_wait("copy to the host")
                self.stream.finish()
            return values
        if non_blocking and self.is_pinned(tensor):
            self._start(self._uploads, values, tensor)
        elif not non_blocking:
            self.note_wait("copy to the device")
        return tag(values)

    def copy(self, target: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
        """``Tensor.copy_`` between host and device, or on the device."""
        with no_dispatch():
            if is_cuda(target) == is_cuda(source):
                target.copy_(source)
            elif is_cuda(target) and non_blocking and self.is_pinned(source):
                self._start(self._uploads, target, source)
            elif is_cuda(target):
                if source.dim() and not non_blocking:
                    self.note_wait("copy to the device")
                target.copy_(source)
            elif non_blocking and self.is_pinned(target):
                self._start(self.stream.copies, target, host(source).clone().to(target.dtype).expand_as(target))
            else:
                self.note_wait("copy to the host")
                target.copy_(source)
        return target

    def _start(self, queue: list[Copy], target: Tensor, value: Tensor) -> None:
        with no_dispatch():
            queue.append(Copy(target, value))

    def pin(self, tensor: Tensor) -> Tensor:
        self._pinned[tensor.untyped_storage().data_ptr()] = tensor
        return tensor

    def is_pinned(self, tensor: Tensor) -> bool:
        return tensor.untyped_storage().data_ptr() in self._pinned

    # Operators.

    def run(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Run one operator on the device, under CUDA's rules."""
        if is_composed(func):
            with self.within(True), self._operators:
                return func.decompose(*args, **kwargs)  # into operators that are checked one by one
        if operator_name(func) == "aten::copy_":
            return self.copy(*args, **kwargs)
        self._check(func, args, kwargs)
        why = why_wait(func, args, is_cuda)
        if why is not None:
            self.note_wait(why)
            self.stream.finish()
        while self._uploads:
            self._uploads.pop(0).arrive()
        if kwargs.get("device") is not None:
            kwargs = {**kwargs, "device": torch.device("cpu")}
        with no_dispatch(), torch._C.DisableTorchFunction(), self._random_numbers(func, kwargs):
            found = func(*args, **kwargs)
        self.stream.tick += 1
        if operator_name(func) == "aten::_pack_padded_sequence":
            return tag(found[0]), found[1]  # lengths are on the CPU
        found = tag(found) if isinstance(found, Tensor) else tree_map(tag, found)
        for tensor in filter(is_cuda, tensors_in(found)):
            tensor._written = self.stream, self.stream.tick
        return found

    def _check(self, func: Any, args: Any, kwargs: dict[str, Any]) -> None:
        name, tensors = operator_name(func), tensors_in(args, kwargs)
        lost = stranger(func, args, tensors, is_cuda)
        if lost is not None:
            raise self.refuse(f"{MIXED} ({name}, a CPU tensor of shape {tuple(lost.shape)})")
        for tensor in filter(is_cuda, tensors):
            if not self.stream.may_use(getattr(tensor, "_written", (self.stream, 0))):
                raise self.refuse(f"{name} reads what another stream writes, which was not waited for")

    @contextlib.contextmanager
    def _random_numbers(self, func: Any, kwargs: dict[str, Any]) -> Iterator[None]:
        """Draw from the device's generator in an operator that was given none."""
        if not is_random(func) or kwargs.get("generator") is not None:
            yield
            return
        before = torch.default_generator.get_state()
        torch.default_generator.set_state(self.generator.get_state())
        try:
            yield
        finally:
            self.generator.set_state(torch.default_generator.get_state())
            torch.default_generator.set_state(before)

    @contextlib.contextmanager
    def within(self, inside: bool, *, quiet: bool = False) -> Iterator[None]:
        """While a function on GPU tensors runs, create the tensors that C++ makes on the GPU too."""
        before = self._inside, self._quiet
        self._inside, self._quiet = inside, quiet or self._quiet
        try:
            yield
        finally:
            self._inside, self._quiet = before

    def makes_here(self, device: Any) -> bool:
        return self._inside or (device is not None and torch.device(device).type == "cuda")

    # The patches of torch.

    def __enter__(self) -> FakeCuda:
        CudaTensor.gpu = Stream.gpu = self
        self._patches = contextlib.ExitStack()
        for name, value in self._cuda().items():
            self._patch(torch.cuda, name, value)
        for name in ("is_autocast_enabled", "set_autocast_enabled", "get_autocast_dtype", "set_autocast_dtype"):
            self._patch(torch, name, _of_cpu(getattr(torch, name)))
        self._patch(torch, "Generator", DeviceGenerator)
        # A build of torch for CUDA would ask its driver for the current stream in every step of Adam.
        self._patch(torch.accelerator, "current_accelerator", lambda check_available=False: None)
        self._patch(torch._C, "_group_tensors_by_device_and_dtype", _grouped)
        self._patch(torch.backends.cudnn, "is_acceptable", lambda tensor: False)
        self._patch(nn.Module, "_apply", _swapping(nn.Module._apply))
        self._patch(torch.autograd, "_engine_run_backward", self._backward(torch.autograd._engine_run_backward))
        self._patches.enter_context(self._operators)
        self._patches.enter_context(self._functions)
        return self

    def __exit__(self, *error: Any) -> None:
        self._patches.close()

    def _patch(self, owner: Any, name: str, value: Any) -> None:
        self._patches.callback(setattr, owner, name, getattr(owner, name))
        setattr(owner, name, value)

    def _cuda(self) -> dict[str, Any]:
        """``torch.cuda``"""

        @contextlib.contextmanager
        def stream(chosen: Stream | None) -> Iterator[None]:
            before, self.stream = self.stream, chosen or self.stream
            try:
                yield
            finally:
                self.stream = before

        def synchronize(device: Any = None) -> None:
            self.note_wait("torch.cuda.synchronize")
            self.stream.finish()

        return {
            "is_available": lambda: True,
            "is_initialized": lambda: True,
            "is_bf16_supported": lambda *_: True,
            "is_current_stream_capturing": lambda: False,
            "_lazy_init": lambda: None,
            "_is_in_bad_fork": lambda: False,
            "device_count": lambda: 1,
            "current_device": lambda: 0,
            "set_device": lambda device: None,
            "get_device_name": lambda *_: "a GPU that is not there",
            "get_device_capability": lambda *_: (9, 0),
            "empty_cache": lambda: None,
            "synchronize": synchronize,
            "stream": stream,
            "Stream": Stream,
            "Event": Event,
            "current_stream": lambda *_: self.stream,
            "default_stream": lambda *_: self.default_stream,
            "default_generators": (self.generator,),
            "get_rng_state": lambda device=None: self.generator.get_state(),
            "set_rng_state": lambda state, device=None: self.generator.set_state(state),
            "manual_seed": self.generator.manual_seed,
            "manual_seed_all": self.generator.manual_seed,
        }

    def _backward(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """The backward pass may call Python functions, which are checked like all others."""

        def run(*args: Any, **kwargs: Any) -> Any:
            with self._functions:
                return original(*args, **kwargs)

        return run


class _Operators(TorchDispatchMode):
    """Operators without a GPU tensor among their arguments: factories, and copies to the GPU."""

    def __init__(self, gpu: FakeCuda) -> None:
        super().__init__()
        self.gpu = gpu

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        tensors = tensors_in(args, kwargs)
        if any(map(is_cuda, tensors)):
            return self.gpu.run(func, args, kwargs)
        if not tensors and self.gpu.makes_here(kwargs.get("device")):
            return self.gpu.run(func, args, kwargs)
        with torch._C.DisableTorchFunction():
            return func(*args, **kwargs)


class _Functions(TorchFunctionMode):
    """torch's functions and methods as they are called from Python."""

    def __init__(self, gpu: FakeCuda) -> None:
        super().__init__()
        self.gpu = gpu

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if getattr(func, "__name__", "") in ("__get__", "__set__"):  # of an attribute, as in ``x.grad``
            return func(*args)
        kwargs = dict(kwargs or {})
        gpu = self.gpu
        if func is Tensor.to:
            return gpu.to(*args, **kwargs)
        if func is Tensor.cuda:
            return gpu.to(args[0], "cuda", non_blocking=kwargs.get("non_blocking", False))
        if func is Tensor.pin_memory:
            return gpu.pin(args[0].clone())
        if func is Tensor.is_pinned:
            return gpu.is_pinned(args[0])
        if kwargs.pop("pin_memory", False):
            return gpu.pin(func(*args, **kwargs))
        device = kwargs.get("device")
        on_cuda = any(map(is_cuda, tensors_in(args, kwargs)))
        generator = kwargs.get("generator")
        if generator is not None and generator.device.type != (
            "cuda" if on_cuda else torch.device(device or "cpu").type
        ):
            raise gpu.refuse(f"Expected a 'cuda' device type for generator but found {generator.device.type!r}")
        if not on_cuda and device is None and not gpu.makes_here(None):
            return func(*args, **kwargs)
        if device is not None and torch.device(device).type != "cuda":
            with gpu.within(False):
                return func(*tree_map(host, args), **kwargs) if on_cuda else func(*args, **kwargs)
        if func in (torch.tensor, torch.as_tensor):
            return self._tensor(func, args, kwargs)
        with gpu.within(on_cuda, quiet=func is nn.functional.one_hot and kwargs.get("num_classes", args[-1]) != -1):
            found = func(*args, **kwargs)
        if getattr(func, "__name__", "") == "_pad_packed_sequence":
            return found[0], host(found[1])  # lengths are on the CPU
        return found

    def _tensor(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Tensor:
        """``torch.tensor`` and ``torch.as_tensor``, whose copy to the device is not an operator."""
        given = args[0] if args else kwargs["data"]
        device = kwargs.pop("device", CUDA if is_cuda(given) else None)
        if is_cuda(given):
            return given.clone() if func is torch.tensor else given.to(device, **kwargs)
        made = func(*args, **kwargs)
        return made if device is None else self.gpu.to(made, device)


class _Moved(torch.autograd.Function):
    """A copy between host and device, as a part of the graph."""

    @staticmethod
    def forward(ctx: Any, tensor: Tensor, gpu: FakeCuda, non_blocking: bool) -> Tensor:
        ctx.gpu = gpu
        return gpu.moved(tensor, non_blocking)

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Any:
        return ctx.gpu.moved(gradient, False), None, None


def _swapping(apply: Callable[..., nn.Module]) -> Callable[..., nn.Module]:
    """``Module._apply`` that keeps the parameters' identity when they move to another device, as torch does."""

    def swapped(module: nn.Module, *args: Any, **kwargs: Any) -> nn.Module:
        before = torch.__future__.get_swap_module_params_on_conversion()
        torch.__future__.set_swap_module_params_on_conversion(True)
        try:
            return apply(module, *args, **kwargs)
        finally:
            torch.__future__.set_swap_module_params_on_conversion(before)

    return swapped


def _of_cpu(function: Callable[..., Any]) -> Callable[..., Any]:
    """Autocast of the CPU in place of that of the GPU."""
    return lambda kind=None, *rest: function("cpu" if kind in (None, "cuda") else kind, *rest)


def _grouped(lists: list[list[Any]], with_indices: bool = False) -> dict[Any, Any]:
    """What optimizers ask of C++: lists of tensors, grouped by device and dtype of those in the first list."""
    found: dict[Any, Any] = {}
    for i, first in enumerate(lists[0]):
        parts, where = found.setdefault((first.device, first.dtype), ([[] for _ in lists], []))
        for part, values in zip(parts, lists, strict=True):
            part.extend(values[i : i + 1])
        where.append(i)
    return found
