"""Several processes that train one model, on PyTorch's own engine: what they agree on, and the sum of their gradients.

Without a process group of ``distributed`` a process is on its own, and nothing here does anything.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any
from uuid import uuid4

import torch
import torch.distributed as dist
from torch import Tensor, nn

# So long a process waits for another in a step; one that has ended is noticed at once.
PATIENCE = timedelta(minutes=2)


def world_size() -> int:
    """How many processes train together."""
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def rank() -> int:
    """Which of them this one is, from 0; process 0 prints, and writes files."""
    return dist.get_rank() if world_size() > 1 else 0


@contextmanager
def processes() -> Iterator[None]:
    """Join the processes that ``torchrun`` has started, if it has; of several GPUs in a machine each takes its own.

    Raises:
        ConnectionError: another process cannot be reached.
    """
    if not dist.is_available() or not dist.is_torchelastic_launched() or dist.is_initialized():
        yield
        return
    backend = "gloo"
    if torch.cuda.is_available():
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        backend = "cpu:gloo,cuda:nccl"
    with _connected():
        store, me, everyone = next(dist.rendezvous("env://", timeout=PATIENCE))  # type: ignore[attr-defined]
        store = dist.PrefixStore(_meet(store, me, everyone), store)  # type: ignore[attr-defined]
        dist.init_process_group(backend, store=store, rank=me, world_size=everyone, timeout=PATIENCE)
    try:
        yield
    except SystemExit as end:
        if end.code not in (None, 0):
            raise
        dist.destroy_process_group()  # not after an error: it may wait for those that have ended
        raise
    dist.destroy_process_group()


def _meet(store: dist.Store, me: int, everyone: int) -> str:  # type: ignore[name-defined]
    """A name for this meeting of the processes, new after every restart.

    The store outlives a restart, and holds where those could be reached that have ended. Process 0 tells the name to
    whoever asks, and goes on when all that live have taken it; what an ended one asked is answered to nobody.
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
            raise RuntimeError(f"processes {sorted(missing)} did not come")
        for other in missing:
            if store.check([f"question of {other}"]):
                store.set(f"answer to {store.get(f'question of {other}').decode()}", name)
        missing = {other for other in missing if not store.check([f"{name} is known to {other}"])}
        time.sleep(0.01)
    return name


@contextmanager
def first_alone() -> Iterator[None]:
    """Let process 0 do something before the others do it too, such as make a file that they then find."""
    if world_size() == 1:
        yield
        return
    with _connected():
        group = dist.new_group(backend="gloo", timeout=timedelta(days=1))
        if rank() > 0:
            dist.barrier(group)
    yield
    if rank() == 0:
        with _connected():
            dist.barrier(group)


def agree(settings: Mapping[str, Any]) -> None:
    """Make sure that all processes were asked for the same.

    Raises:
        ValueError: one of them has another value, the same error in all processes.
        ConnectionError: another process has ended.
    """
    told = [json.loads(text) for text in _gather(json.dumps(settings).encode())]
    for name in settings:
        for i, other in enumerate(told):
            if other.get(name) != told[0].get(name):
                raise ValueError(
                    f"{name} is {other.get(name)!r} in process {i} and {told[0].get(name)!r} in process 0: "
                    "wanted the same in all processes"
                )


def from_first(content: bytes | None) -> bytes | None:
    """What process 0 has, in all processes; what the others have does not matter."""
    if world_size() == 1:
        return content
    size = torch.tensor(-1 if content is None else len(content), device=_device())
    with _connected():
        dist.broadcast(size, 0)
        if int(size) < 0:
            return None
        sent = torch.empty(int(size), dtype=torch.uint8)
        if rank() == 0:
            sent = torch.frombuffer(bytearray(content or b""), dtype=torch.uint8)
        sent = sent.to(_device())
        dist.broadcast(sent, 0)
    return sent.cpu().numpy().tobytes()


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
    """Random numbers of one batch; the caller's go on afterwards as if none were drawn.

    They depend on the seed, the step and the batch's place in the step, so that no state of a generator has to be
    saved, nothing that the caller draws between two steps changes a loss, and another process may compute the batch.
    """
    mixed = int.from_bytes(hashlib.blake2b(f"{seed},{step},{place}".encode(), digest_size=7).digest(), "big")
    others = [] if device.type == "cpu" else [device]
    with torch.random.fork_rng(devices=others, device_type=others[0].type if others else None):
        torch.default_generator.manual_seed(mixed)
        for other in others:
            seeded = torch.Generator(other).manual_seed(mixed)
            torch.get_device_module(other).set_rng_state(seeded.get_state(), other)
        yield


def _gather(content: bytes) -> list[bytes]:
    """What each process has."""
    sizes = [torch.zeros(1, dtype=torch.int64, device=_device()) for _ in range(world_size())]
    with _connected():
        dist.all_gather(sizes, torch.tensor([len(content)], device=_device()))
        longest = int(torch.cat(sizes).max())
        padded = torch.frombuffer(bytearray(content.ljust(longest)), dtype=torch.uint8).to(_device())
        found = [torch.empty_like(padded) for _ in sizes]
        dist.all_gather(found, padded)
    return [row.cpu().numpy().tobytes()[: int(size)] for row, size in zip(found, sizes, strict=True)]


def _device() -> torch.device:
    """Where messages between processes lie: on the CPU, if the process group takes them from there."""
    return torch.device("cuda" if dist.get_backend() == "nccl" else "cpu")


@contextmanager
def _connected() -> Iterator[None]:
    try:
        yield
    except RuntimeError as error:
        me = f"process {dist.get_rank()} of {dist.get_world_size()}" if dist.is_initialized() else "this process"
        raise ConnectionError(
            f"{me} cannot reach another one: it has ended, and says itself why, or it hangs, or there is no network"
        ) from error
