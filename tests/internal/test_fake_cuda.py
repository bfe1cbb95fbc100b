"""The simulated GPU: it refuses what CUDA refuses, counts waits, and restores torch on exit."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.support.fake_cuda import FakeCuda, host

if torch.cuda.is_available():
    pytest.skip("there is a GPU", allow_module_level=True)


@pytest.fixture
def gpu() -> Any:
    """A simulated GPU for tests that break CUDA's rules."""
    with FakeCuda() as simulated:
        yield simulated


def cuda(*shape: int) -> Tensor:
    return torch.ones(shape, device="cuda")


MIXED: dict[str, Callable[[], Any]] = {
    "sum": lambda: cuda(3) + torch.ones(3),
    "one element": lambda: cuda(3) + torch.ones(1),
    "matrix product": lambda: cuda(2, 2) @ torch.ones(2, 2),
    "in place": lambda: torch.ones(3).add_(cuda(3)),
    "in place of a scalar": lambda: torch.ones(()).add_(cuda(1).sum()),
    "concatenation": lambda: torch.cat((cuda(2), torch.ones(2))),
    "mask": lambda: cuda(2).masked_fill(torch.tensor([True, False]), 0),
    "choice": lambda: torch.where(torch.tensor([True, False]), cuda(2), 0.0),
    "index of the GPU": lambda: torch.ones(2)[torch.tensor([0], device="cuda")],
    "rows": lambda: cuda(2, 2).index_select(0, torch.tensor([0])),
    "embedding": lambda: nn.Embedding(3, 2).to("cuda")(torch.tensor([1])),
    "linear": lambda: nn.Linear(2, 2)(cuda(1, 2)),
    "gradient": lambda: torch.autograd.grad(cuda(2).requires_grad_().exp().sum(), [], torch.ones(2)),
    "loss": lambda: nn.functional.cross_entropy(cuda(2, 3), torch.tensor([1, 2])),
    "lengths": lambda: nn.utils.rnn.pack_padded_sequence(cuda(1, 2, 3), torch.tensor([2], device="cuda")),
    "generator": lambda: cuda(2).normal_(generator=torch.Generator().manual_seed(0)),
    "NumPy": lambda: cuda(2).numpy(),
    "another GPU": lambda: torch.ones(2).to("cuda:1"),
}


@pytest.mark.parametrize("name", MIXED)
def test_mixed_devices_raise(name: str, gpu: FakeCuda) -> None:
    with pytest.raises((RuntimeError, TypeError)):
        MIXED[name]()
    assert gpu.problems or name in ("NumPy", "gradient", "lengths")


def test_allowed_mixtures_of_devices_compute(gpu: FakeCuda) -> None:
    x = cuda(3)
    assert (x * torch.tensor(2.0)).tolist() == [2, 2, 2]
    assert torch.where(x > 0, torch.tensor(5.0), x).tolist() == [5, 5, 5]
    assert x[torch.tensor([0, 1])].tolist() == [1, 1]
    x[0] = torch.tensor(4.0)
    assert x.tolist() == [4, 1, 1] and not gpu.problems


WAITING: dict[str, Callable[[Tensor], Any]] = {
    "item": lambda x: x.sum().item(),
    "float": lambda x: float(x.sum()),
    "bool": lambda x: bool(x.all()),
    "tolist": lambda x: x.tolist(),
    "cpu": lambda x: x.cpu(),
    "to the host": lambda x: x.to("cpu"),
    "nonzero": lambda x: x.nonzero(),
    "masked choice": lambda x: x[x > 0],
    "masked assignment": lambda x: x.__setitem__(x > 0, torch.ones(3, device="cuda")),
    "masked_select": lambda x: x.masked_select(x > 0),
    "unique": lambda x: x.unique(),
    "equal": lambda x: torch.equal(x, x),
    "copy to the host": lambda x: torch.empty(3).copy_(x),
    "copy to the device": lambda x: torch.ones(3).to("cuda"),
    "tensor made there": lambda x: torch.tensor([1.0, 2.0], device="cuda"),
    "synchronize": lambda x: torch.cuda.synchronize(),
}


@pytest.mark.parametrize("name", WAITING)
def test_waits_are_counted_with_their_place(name: str, gpu: FakeCuda) -> None:
    x = cuda(3)
    with gpu.counting() as waits:
        WAITING[name](x)
    assert list(waits.values()) == [1] and "test_fake_cuda.py" in next(iter(waits))


def test_computing_does_not_wait(gpu: FakeCuda) -> None:
    x, layer = cuda(4, 3), nn.Linear(3, 2).to("cuda")
    optimizer = torch.optim.Adam(layer.parameters(), fused=True)
    with gpu.counting() as waits:
        loss = nn.functional.cross_entropy(layer(x), torch.zeros(4, dtype=torch.long, device="cuda"))
        loss.backward()
        nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
        optimizer.step()
        torch.ones(3).to("cuda", non_blocking=True)
        nn.functional.one_hot(torch.zeros(4, dtype=torch.long, device="cuda"), 3)
    assert not waits


def test_copy_to_pinned_memory_arrives_late(gpu: FakeCuda) -> None:
    buffer = torch.zeros(3, pin_memory=True)
    assert buffer.is_pinned() and buffer[1:].is_pinned() and not torch.zeros(3).is_pinned()
    with gpu.counting() as waits:
        buffer.copy_(cuda(3), non_blocking=True)
    assert buffer.isnan().all() and not waits
    event = torch.cuda.Event()
    event.record()
    assert not event.query() and buffer.isnan().all()
    assert not event.query() and event.query() and buffer.tolist() == [1, 1, 1]
    buffer[:2].copy_(cuda(2), non_blocking=True)
    torch.cuda.current_stream().synchronize()
    assert buffer.tolist() == [1, 1, 1]


def test_copy_from_pinned_memory_reads_it_late(gpu: FakeCuda) -> None:
    buffer = torch.ones(3, pin_memory=True)
    sent = buffer.to("cuda", non_blocking=True)
    buffer.fill_(7)  # too early
    assert (sent + 0).tolist() == [7, 7, 7]


def test_stream_without_wait_cannot_read_tensors_of_another(gpu: FakeCuda) -> None:
    side, x = torch.cuda.Stream(), cuda(2) + 1
    with torch.cuda.stream(side), pytest.raises(RuntimeError, match="another stream"):
        x.exp()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x.exp()
    with pytest.raises(RuntimeError, match="another stream"):
        y + 1
    torch.cuda.current_stream().wait_stream(side)
    assert (y + 1).shape == (2,)


def test_random_numbers_come_from_the_device_generator(gpu: FakeCuda) -> None:
    before, place = torch.get_rng_state(), torch.device("cuda")
    torch.cuda.manual_seed(3)
    first = torch.rand(4, device=place), cuda(4).normal_(), nn.functional.dropout(cuda(9))
    torch.cuda.manual_seed(3)
    again = torch.rand(4, device=place), cuda(4).normal_(), nn.functional.dropout(cuda(9))
    assert all(torch.equal(a, b) for a, b in zip(first, again, strict=True))
    assert torch.equal(before, torch.get_rng_state())
    one, other = (torch.rand(4, device=place, generator=torch.Generator("cuda").manual_seed(5)) for _ in range(2))
    assert torch.equal(one, other)
    with torch.random.fork_rng(devices=[0]):
        torch.rand(4, device=place)
    assert torch.equal(torch.rand(2, device=place), torch.rand(2, device=place)) is False


def test_gradients_pass_between_host_and_device(gpu: FakeCuda) -> None:
    x = torch.ones(3, requires_grad=True)
    (x.to("cuda", torch.float64) * 2).cpu().sum().backward()
    assert x.grad is not None and x.grad.device.type == "cpu" and x.grad.tolist() == [2, 2, 2]


def test_modules_move_and_keep_their_parameters(gpu: FakeCuda) -> None:
    model = nn.Sequential(nn.Embedding(5, 3), nn.Linear(3, 5, bias=False))
    model[1].weight = model[0].weight  # tied
    before = list(model.parameters())
    model.to("cuda")
    assert [a is b for a, b in zip(before, model.parameters(), strict=True)] == [True]
    assert model[0].weight is model[1].weight and model[0].weight.is_cuda and isinstance(model[0].weight, nn.Parameter)
    assert copy.deepcopy(model)[0].weight.device == torch.device("cuda:0")
    assert not model.to("cpu")[0].weight.is_cuda


def test_autocast_and_scaler_work_on_the_device(gpu: FakeCuda) -> None:
    layer = nn.Linear(3, 2).to("cuda")
    with torch.autocast("cuda", torch.bfloat16):
        assert layer(cuda(1, 3)).dtype == torch.bfloat16 and torch.is_autocast_enabled("cuda")
    assert not torch.is_autocast_enabled("cuda")
    scaler, optimizer = torch.amp.GradScaler("cuda"), torch.optim.SGD(layer.parameters(), lr=1.0)
    before = host(layer.weight).clone()
    scaler.scale(layer(cuda(1, 3)).sum() * torch.inf).backward()
    with gpu.counting() as waits:
        scaler.step(optimizer)
    scaler.update()
    assert torch.equal(before, host(layer.weight)) and waits


def test_results_equal_those_of_the_cpu(gpu: FakeCuda) -> None:
    torch.manual_seed(0)
    layer, x = nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), torch.randn(2, 5, 8)
    expected = layer(x)
    expected.sum().backward()
    gradients = [parameter.grad.clone() for parameter in layer.parameters()]
    layer.zero_grad()
    found = layer.to("cuda")(x.to("cuda"))
    found.sum().backward()
    assert torch.equal(host(found), expected)
    assert all(torch.equal(host(p.grad), g) for p, g in zip(layer.parameters(), gradients, strict=True))


def test_torch_is_restored_on_exit() -> None:
    names = ("is_available", "Stream", "Event", "device_count", "get_rng_state", "manual_seed")
    before = [getattr(torch.cuda, name) for name in names], torch.Generator, nn.Module._apply, torch.is_autocast_enabled
    with FakeCuda():
        assert torch.cuda.is_available()
    after = [getattr(torch.cuda, name) for name in names], torch.Generator, nn.Module._apply, torch.is_autocast_enabled
    assert after == before and not torch.cuda.is_available()
