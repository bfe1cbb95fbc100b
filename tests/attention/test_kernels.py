"""The additive score is exact in blocks, and the blocks bound its memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attnbook.attention import kernels
from attnbook.attention.kernels import additive_score
from tests.support.attention_scores import FLOATS, inputs


# Additive attention in blocks
def projected(dtype: torch.dtype = torch.float64, batch: int = 2, queries: int = 5, keys: int = 4) -> list[Tensor]:
    generator = torch.Generator().manual_seed(1)
    shapes = ((batch, queries, 3), (batch, keys, 3), (3,))
    return [torch.randn(shape, generator=generator).to(dtype).requires_grad_() for shape in shapes]


BLOCKS = {"one query": 1, "two queries": 2 * 4 * 3 * 8, "uneven": 3 * 4 * 3 * 8, "plain": 1 << 20}
blocks = pytest.mark.parametrize("block_bytes", BLOCKS.values(), ids=BLOCKS.keys())


@blocks
def test_additive_score_passes_gradcheck(monkeypatch: pytest.MonkeyPatch, block_bytes: int) -> None:
    monkeypatch.setattr(kernels, "ADDITIVE_BLOCK_BYTES", block_bytes)
    assert torch.autograd.gradcheck(additive_score, projected())


@blocks
def test_additive_attention_passes_gradcheck(monkeypatch: pytest.MonkeyPatch, block_bytes: int) -> None:
    monkeypatch.setattr(kernels, "ADDITIVE_BLOCK_BYTES", block_bytes)
    attention, tensors = inputs("additive", 2, 3, 4)
    mask = torch.tensor([[[True, True, False, True]], [[False, False, False, False]]])
    query, key, value = (tensor.requires_grad_() for tensor in tensors)
    assert torch.autograd.gradcheck(lambda q, k, v: attention(q, k, v, mask), (query, key, value))


@given(
    batch=st.integers(1, 3),
    queries=st.integers(1, 6),
    keys=st.integers(1, 6),
    block_bytes=st.integers(1, 400),
    dtype=st.sampled_from(FLOATS),
)
@settings(max_examples=40)
def test_additive_score_in_blocks_equals_plain_score(
    batch: int, queries: int, keys: int, block_bytes: int, dtype: torch.dtype
) -> None:
    """Up to rounding: the blocks sum the gradient in a different order."""
    answers = []
    for limit in (block_bytes, 1 << 30):
        tensors = projected(dtype, batch, queries, keys)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernels, "ADDITIVE_BLOCK_BYTES", limit)
            scores = additive_score(*tensors)
        scores.square().sum().backward()
        answers.append([scores, *(tensor.grad for tensor in tensors)])
    precision = 20 * torch.finfo(dtype).eps
    torch.testing.assert_close(answers[0], answers[1], rtol=precision, atol=precision)


@pytest.mark.parametrize("trained", ["query", "key", "weights"])
def test_additive_score_in_blocks_supports_autocast_and_partial_gradients(
    monkeypatch: pytest.MonkeyPatch, trained: str
) -> None:
    attention, tensors = inputs("additive", 2, 3, 4)
    attention = attention.float()
    found = []
    for block_bytes in (1, 1 << 20):
        monkeypatch.setattr(kernels, "ADDITIVE_BLOCK_BYTES", block_bytes)
        query, key, value = (tensor.float() for tensor in tensors)
        attention.requires_grad_(trained == "weights").zero_grad()
        parts: dict[str, list[Tensor]] = {"query": [query], "key": [key], "weights": list(attention.parameters())}
        wanted = parts[trained]
        for tensor in wanted:
            tensor.requires_grad_()
        with torch.autocast("cpu", torch.bfloat16):
            answer = attention(query, key, value)
        answer.float().square().sum().backward()
        found.append([answer, *(tensor.grad for tensor in wanted)])
    torch.testing.assert_close(found[0], found[1], atol=0.05, rtol=0.05)


class LargestTensor(TorchDispatchMode):
    """Records the size in bytes of the largest tensor that any operation creates."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if isinstance(tensor, Tensor) and tensor._base is None:
                self.bytes = max(self.bytes, tensor.untyped_storage().nbytes())
        return result


def test_additive_score_at_the_memory_limit_is_one_block() -> None:
    query, key, weight = projected(batch=3, queries=2)
    features = 3 * 2 * 4 * 3 * 8
    for limit, name in ((features, "plain"), (features - 1, "blocks")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kernels, "ADDITIVE_BLOCK_BYTES", limit)
            scores = additive_score(query, key, weight)
        assert scores.grad_fn is not None
        assert ("Blockwise" in type(scores.grad_fn).__name__) == (name == "blocks")


def test_additive_score_above_the_limit_uses_one_query_per_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "ADDITIVE_BLOCK_BYTES", 1)
    query, key, weight = projected(batch=1, queries=3)
    with LargestTensor() as largest:
        additive_score(query, key, weight)
    assert largest.bytes == 4 * 3 * 8


def test_additive_score_allocates_no_tensor_above_the_limit() -> None:
    query, key = torch.randn(2, 300, 32, requires_grad=True), torch.randn(2, 300, 32, requires_grad=True)
    weight = torch.randn(32, requires_grad=True)
    features = 2 * 300 * 300 * 32 * 4
    assert features > 5 * kernels.ADDITIVE_BLOCK_BYTES
    with LargestTensor() as largest:
        additive_score(query, key, weight).sum().backward()
    assert 0 < largest.bytes <= kernels.ADDITIVE_BLOCK_BYTES
    with LargestTensor() as largest:
        (query.unsqueeze(2) + key.unsqueeze(1)).tanh() @ weight
    assert largest.bytes == features, "LargestTensor does not see the features"


MEMORY = """
import re, torch
from pathlib import Path
from attnbook.attention import kernels

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])

torch.set_num_threads(1)
query, key = (torch.randn(1, 512, 128, requires_grad=True) for _ in range(2))
weight = torch.randn(128, requires_grad=True)
kernels.additive_score(query[:, :8], key[:, :8], weight).sum().backward()
before = peak()
kernels.additive_score(query, key, weight).sum().backward()
middle = peak()
kernels.ADDITIVE_BLOCK_BYTES = 1 << 40
kernels.additive_score(query, key, weight).sum().backward()
print(middle - before, peak() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no peak memory in /proc on this system")
def test_additive_score_needs_a_tenth_of_the_plain_memory() -> None:
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    in_blocks, plain = map(int, done.stdout.split())
    assert plain > 512 * 512 * 128 * 4 / 1024, "the plain path must hold all features at once"
    assert in_blocks < plain / 10, f"{in_blocks} kB in blocks, {plain} kB on the plain path"
