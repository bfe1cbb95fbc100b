"""Data-parallel training in the processes that ``torchrun`` starts: join them, compare settings, sum gradients.

In a process that trains alone, no function here waits for another.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from typing import Any, TypeVar
from uuid import uuid4

import torch
import torch.distributed as dist
from torch import Tensor, nn

from attnbook._internal.validate import check_range

T = TypeVar("T")

# How long a process waits for the others in a step. A process that has ended is noticed at once.
PATIENCE = timedelta(minutes=2)

# How long a process that lost the others waits for one of them to report why.
REPORT_PATIENCE = timedelta(seconds=2)

_store: dist.Store | None = None  # type: ignore[name-defined]  # shared by the processes that have joined


def world_size() -> int:
    """The number of processes that train together."""
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def rank() -> int:
    """The number of this process, from 0. Process 0 prints and writes files."""
    return dist.get_rank() if world_size() > 1 else 0


@contextmanager
def processes() -> Iterator[None]:
    """Join the process group if ``torchrun`` has started this process.

    If the machine has enough GPUs, each process uses its own, with NCCL; otherwise Gloo connects the processes.

    Raises:
        ConnectionError: another process cannot be reached.
    """
    global _store
    if not dist.is_available() or not dist.is_torchelastic_launched() or dist.is_initialized():
        yield
        return
    backend = "gloo"
    if torch.cuda.device_count() >= int(os.environ["LOCAL_WORLD_SIZE"]):
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        backend = "cpu:gloo,cuda:nccl"
    with _connected():
        store, me, everyone = next(dist.rendezvous("env://", timeout=PATIENCE))  # type: ignore[attr-defined]
        store = dist.PrefixStore(_meet(store, me, everyone), store)  # type: ignore[attr-defined]
        dist.init_process_group(backend, store=store, rank=me, world_size=everyone, timeout=PATIENCE)
        # init_process_group returns as soon as this process is connected. If it ended now, others would still be
        # connecting to it, and fail.
        dist.all_reduce(torch.zeros(1))
    _store = store
    try:
        yield
    except SystemExit as end:
        if end.code in (None, 0):
            dist.destroy_process_group()  # not after an error: it may wait for processes that have ended
        raise
    else:
        dist.destroy_process_group()
    finally:
        _store = None


def _meet(store: dist.Store, me: int, everyone: int) -> str:  # type: ignore[name-defined]
    """Agree with the other processes on a new prefix for the keys of the store.

    After a restart, the store still contains the addresses of processes that have ended. Process 0 chooses a name,
    answers every question for it, and continues when all processes have the name. Answers to questions of processes
    that have ended are never read.
    """
    if me > 0:
        question = uuid4().hex
        store.set(f"question of {me}", question)
        name: str = store.get(f"answer to {question}").decode()
        store.set(f"{name} is known to {me}", "")
        return name
    name = uuid4().hex
    deadline = time.monotonic() + PATIENCE.total_seconds()
    missing = set(range(1, everyone))
    while missing:
        if time.monotonic() > deadline:
            raise RuntimeError(f"processes {sorted(missing)} did not join within {PATIENCE}")
        for other in missing:
            if store.check([f"question of {other}"]):
                store.set(f"answer to {store.get(f'question of {other}').decode()}", name)
        missing = {other for other in missing if not store.check([f"{name} is known to {other}"])}
        time.sleep(0.01)
    return name


@contextmanager
def reporting(*, wait: bool = False) -> Iterator[bool]:
    """Choose the one process that reports why all of them end; the others leave the block after it has reported.

    Args:
        wait: first wait for another process that knows more to report: the one that was lost, or that saved the run.

    Yields:
        whether this process reports.
    """
    if _store is None:
        yield True
        return
    first = not (wait and _reported()) and _first_to_report()
    try:
        yield first
    finally:
        with contextlib.suppress(RuntimeError):  # the store may have ended as well
            if first:
                _store.set("reported", "")
            else:
                _reported()


def _first_to_report() -> bool:
    try:
        return _store is None or int(_store.add("reports", 1)) == 1
    except RuntimeError:  # the store has ended, and with it the other processes of this machine
        return True


def _reported() -> bool:
    """Wait until a process has reported, or for ``REPORT_PATIENCE``; return whether one has."""
    deadline = time.monotonic() + REPORT_PATIENCE.total_seconds()
    try:
        while _store is not None and time.monotonic() < deadline:
            if _store.check(["reported"]):  # wait() would print a warning after its timeout
                return True
            time.sleep(0.02)
    except RuntimeError:
        pass
    return False


@contextmanager
def raise_everywhere() -> Iterator[None]:
    """Run a block in every process; if it fails in any of them, raise the error of the lowest rank in all of them.

    Raises:
        ConnectionError: another process has ended.
    """
    if world_size() == 1:
        yield
        return
    with _connected():
        group = dist.new_group(backend="gloo", timeout=timedelta(days=1))  # the block may prepare a large corpus
    error: Exception | None = None
    try:
        yield
    except ConnectionError:
        raise
    except Exception as raised:
        error = raised
    errors: list[Exception | None] = _gather(None if error is None else _picklable(error), group)
    for i, shared in enumerate(errors):
        if shared is not None:
            raise (error if i == rank() and error is not None else shared)


@contextmanager
def first_process_first() -> Iterator[None]:
    """Run a block in process 0 and then in the others, which can read the files that process 0 has written.

    Raises:
        ConnectionError: another process has ended.
    """
    if rank() > 0:
        with raise_everywhere():
            pass
    with raise_everywhere():
        yield
    if rank() == 0:
        with raise_everywhere():
            pass


def check_same(settings: Mapping[str, Any]) -> None:
    """Check that all processes were started with the same settings.

    Raises:
        ValueError: a setting differs; raised in every process.
        ConnectionError: another process has ended.
    """
    if world_size() == 1:
        return
    found = _gather(dict(settings))
    for name in settings:
        for i, other in enumerate(found):
            if other.get(name) != found[0].get(name):
                raise ValueError(
                    f"{name} must be the same in all processes, "
                    f"got {found[0].get(name)!r} in process 0 and {other.get(name)!r} in process {i}"
                )


def check_accumulate(accumulate: int) -> None:
    """Raise a ValueError if a step has fewer batches than there are processes."""
    fits = accumulate >= world_size()
    check_range("accumulate", accumulate, fits, f">= {world_size()}, the number of processes, so that each has a batch")


def from_first(value: T) -> T:
    """Return the value of process 0 in all processes."""
    if world_size() == 1:
        return value
    values = [value]
    with _connected():
        dist.broadcast_object_list(values, 0)
    return values[0]


def sum_gradients(parameters: Sequence[nn.Parameter], loss: Tensor) -> Tensor:
    """Add up the gradients of all processes, and their losses, in one message.

    Returns:
        the sum of the losses.

    Raises:
        ConnectionError: another process has ended.
    """
    if world_size() == 1:
        return loss
    gradients = [parameter.grad for parameter in parameters if parameter.grad is not None]
    flat = torch.cat([*(gradient.flatten() for gradient in gradients), loss.flatten()])
    with _connected():
        dist.all_reduce(flat)
    parts = flat.split([*(gradient.numel() for gradient in gradients), 1])
    for gradient, part in zip(gradients, parts, strict=False):
        gradient.copy_(part.view_as(gradient))
    total: Tensor = parts[-1].squeeze()
    return total


@contextmanager
def random_numbers(device: torch.device, seed: int, step: int, place: int) -> Iterator[None]:
    """Seed the random numbers of one batch, and restore the states of the generators on exit.

    The numbers depend only on the seed, the step and the batch's place in the step. So no generator state has to be
    saved, random numbers that the caller draws between two steps change no loss, and any process may compute the batch.
    """
    mixed = int.from_bytes(hashlib.blake2b(f"{seed},{step},{place}".encode(), digest_size=7).digest(), "big")
    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices=[]))
        torch.default_generator.manual_seed(mixed)
        if device.type != "cpu":
            stack.enter_context(torch.random.fork_rng(devices=[device], device_type=device.type))
            seeded = torch.Generator(device).manual_seed(mixed)
            torch.get_device_module(device).set_rng_state(seeded.get_state(), device)
        yield


def _gather(value: T, group: dist.ProcessGroup | None = None) -> list[T]:
    """Return the values of all processes."""
    found: list[Any] = [None] * world_size()
    with _connected():
        dist.all_gather_object(found, value, group=group)
    return found


def _picklable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


@contextmanager
def _connected() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        me = f"process {dist.get_rank()} of {dist.get_world_size()}" if dist.is_initialized() else "this process"
        raise ConnectionError(f"{me} lost another process, which was killed, hangs or cannot be reached") from error
