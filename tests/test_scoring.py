"""Scores are their formulas; additive attention is exact in blocks, and its blocks are all the memory it takes."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from attnbook import scoring
from attnbook.scoring import (
    AdditiveAttention,
    DotProductAttention,
    GeneralAttention,
    ScoredAttention,
    additive_score,
)

FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
QUERY_SIZE, KEY_SIZE, VALUE_SIZE = 3, 4, 5


def one_score(attention: ScoredAttention, query: Tensor, key: Tensor) -> Tensor:
    """a(q, k) of the formulas, for one query and one key."""
    if isinstance(attention, AdditiveAttention):
        hidden = attention.W_q.weight @ query + attention.W_k.weight @ key
        return attention.w_v.weight[0] @ torch.tanh(hidden)
    assert isinstance(attention, (DotProductAttention, GeneralAttention))
    product = query @ attention.W.weight @ key if isinstance(attention, GeneralAttention) else query @ key
    return product / math.sqrt(len(query)) if attention.scaled else product


def pooled_by_hand(attention: ScoredAttention, query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    """The answer to one batch of queries, with Python loops."""
    answer = torch.zeros(*query.shape[:2], value.shape[2], dtype=query.dtype)
    for b in range(query.shape[0]):
        for i in range(query.shape[1]):
            seen = [j for j in range(key.shape[1]) if mask[b, i, j]]
            if seen:
                scores = torch.stack([one_score(attention, query[b, i], key[b, j]) for j in seen])
                weights = scores.exp() / scores.exp().sum()
                answer[b, i] = sum(weights[n] * value[b, j] for n, j in enumerate(seen))
    return answer


KINDS: dict[str, tuple[Callable[[], ScoredAttention], int]] = {
    "additive": (lambda: AdditiveAttention(QUERY_SIZE, KEY_SIZE, 6), KEY_SIZE),
    "general": (lambda: GeneralAttention(QUERY_SIZE, KEY_SIZE), KEY_SIZE),
    "scaled-general": (lambda: GeneralAttention(QUERY_SIZE, KEY_SIZE, scaled=True), KEY_SIZE),
    "dot": (lambda: DotProductAttention(scaled=False), QUERY_SIZE),
    "scaled-dot": (DotProductAttention, QUERY_SIZE),
}
kinds = pytest.mark.parametrize("kind", KINDS)


def inputs(kind: str, batch: int, queries: int, keys: int, seed: int = 0) -> tuple[ScoredAttention, list[Tensor]]:
    torch.manual_seed(seed)
    make, key_size = KINDS[kind]
    sizes = ((queries, QUERY_SIZE), (keys, key_size), (keys, VALUE_SIZE))
    return make().double(), [torch.randn(batch, *size, dtype=torch.float64) for size in sizes]


@kinds
@given(batch=st.integers(1, 3), queries=st.integers(1, 4), keys=st.integers(1, 5), seed=st.integers(0, 2**31))
@settings(deadline=None, max_examples=15)
def test_attention_is_its_formula(kind: str, batch: int, queries: int, keys: int, seed: int) -> None:
    attention, (query, key, value) = inputs(kind, batch, queries, keys, seed)
    mask = torch.rand(batch, queries, keys) < 0.7
    answer = attention(query, key, value, mask)
    torch.testing.assert_close(answer, pooled_by_hand(attention, query, key, value, mask))
    everything = torch.ones(batch, queries, keys, dtype=torch.bool)
    torch.testing.assert_close(attention(query, key, value), pooled_by_hand(attention, query, key, value, everything))


@kinds
def test_keys_projected_once_give_the_same_answer(kind: str) -> None:
    attention, (query, key, value) = inputs(kind, 2, 3, 4)
    mask = torch.tensor([[[True, True, True, False]], [[True, False, False, False]]])
    projected = attention.project_key(key)
    whole = attention(query, key, value, mask)
    steps = [attention.attend(query[:, i : i + 1], projected, value, mask) for i in range(3)]
    torch.testing.assert_close(torch.cat(steps, 1), whole)


@kinds
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_row_without_an_allowed_key_is_zero_and_so_is_its_gradient(kind: str, dtype: torch.dtype) -> None:
    attention, tensors = inputs(kind, 2, 2, 3)
    attention = attention.to(dtype)
    query, key, value = (tensor.to(dtype).requires_grad_() for tensor in tensors)
    mask = torch.tensor([[[True, True, False]], [[False, False, False]]])
    answer = attention(query, key, value, mask)
    answer.sum().backward()
    assert answer.dtype == dtype and torch.isfinite(answer).all() and not answer[1].any() and answer[0].all()
    for tensor in (query, key, value, *attention.parameters()):
        assert tensor.grad is not None and torch.isfinite(tensor.grad).all()
    assert query.grad is not None and key.grad is not None and value.grad is not None
    assert not query.grad[1].any() and not key.grad[1].any() and not value.grad[1].any()
    assert not key.grad[0, 2].any() and not value.grad[0, 2].any() and key.grad[0, 0].any()


def test_what_is_left_out_is_what_the_papers_have() -> None:
    """No dropout, no scale but the dot product's, no bias, and one number a pair."""
    attentions: dict[str, ScoredAttention] = {kind: make() for kind, (make, _) in KINDS.items()}
    of_ones_own = type("OnesOwn", (ScoredAttention,), {})()
    assert {attention.dropout.p for attention in (*attentions.values(), of_ones_own)} == {0.0}
    shapes = {
        kind: {name: tuple(parameter.shape) for name, parameter in attention.named_parameters()}
        for kind, attention in attentions.items()
    }
    assert shapes["general"] == shapes["scaled-general"] == {"W.weight": (QUERY_SIZE, KEY_SIZE)}
    assert shapes["additive"] == {"W_q.weight": (6, QUERY_SIZE), "W_k.weight": (6, KEY_SIZE), "w_v.weight": (1, 6)}
    general, scaled = attentions["general"], attentions["scaled-general"]
    scaled.load_state_dict(general.state_dict())
    query, key = torch.randn(1, 2, QUERY_SIZE), torch.randn(1, 3, QUERY_SIZE)
    torch.testing.assert_close(general.score(query, key), scaled.score(query, key) * math.sqrt(QUERY_SIZE))


def test_factors_of_another_precision_do_not_change_the_weights() -> None:
    attention, tensors = inputs("dot", 1, 2, 3)
    query, key, value = (tensor.float() for tensor in tensors)
    seen: list[Tensor] = []
    attention.observer = seen.append
    answer = attention.attend(query, key, value, scale=torch.ones(1, 2, 3, dtype=torch.float64))
    assert answer.dtype == seen[0].dtype == torch.float32


def test_additive_is_luongs_concat() -> None:
    attention, (query, key, _) = inputs("additive", 1, 2, 3)
    assert isinstance(attention, AdditiveAttention)
    joined = torch.cat((attention.W_q.weight, attention.W_k.weight), 1)  # W [q; k]
    pairs = torch.cat((query.unsqueeze(2).expand(-1, -1, 3, -1), key.unsqueeze(1).expand(-1, 2, -1, -1)), -1)
    expected = torch.tanh(pairs @ joined.T) @ attention.w_v.weight[0]
    torch.testing.assert_close(attention.score(query, attention.project_key(key)), expected)


def test_the_scale_keeps_the_variance_of_a_dot_product_at_one() -> None:
    torch.manual_seed(0)
    for size in (4, 64, 512):
        query, key = torch.randn(1, 300, size), torch.randn(1, 300, size)
        assert float(DotProductAttention(scaled=False).score(query, key).var()) == pytest.approx(size, rel=0.1)
        assert float(DotProductAttention().score(query, key).var()) == pytest.approx(1, rel=0.1)


@kinds
def test_an_observer_gets_detached_weights_and_changes_nothing(kind: str) -> None:
    attention, (query, key, value) = inputs(kind, 2, 3, 4)
    mask = torch.tensor([[[True, True, True, False]], [[True, True, False, False]]])
    silent = attention(query, key, value, mask)
    seen: list[Tensor] = []
    attention.observer = seen.append
    assert torch.equal(attention(query, key, value, mask), silent)
    (weights,) = seen
    assert weights.shape == (2, 1, 3, 4) and not weights.requires_grad
    torch.testing.assert_close(weights[:, 0] @ value, silent.detach())


def test_weights_are_scaled_after_the_softmax() -> None:
    attention, (query, key, value) = inputs("general", 2, 3, 4)
    factors = torch.rand(2, 3, 4, dtype=torch.float64)
    weights = attention.score(query, attention.project_key(key)).softmax(-1) * factors
    torch.testing.assert_close(
        attention.attend(query, attention.project_key(key), value, scale=factors), weights @ value
    )


@kinds
def test_dropout_acts_on_weights_in_training_alone(kind: str) -> None:
    attention, (query, key, value) = inputs(kind, 1, 200, 6)
    whole = attention(query, key, value)
    attention.dropout.p = 0.5
    attention.eval()
    assert torch.equal(attention(query, key, value), whole)
    attention.train()
    seen: list[Tensor] = []
    attention.observer = seen.append
    attention(query, key, torch.eye(6, dtype=torch.float64).expand(1, 6, 6))  # its answer is the dropped weights
    torch.testing.assert_close(seen[0].sum(-1), torch.ones(1, 1, 200, dtype=torch.float64))
    dropped = attention(query, key, torch.eye(6, dtype=torch.float64).expand(1, 6, 6))
    kept = dropped != 0
    assert 0.4 < float(kept.double().mean()) < 0.6
    torch.testing.assert_close(dropped[kept], 2 * seen[0][:, 0][kept])


# Additive attention in blocks


def projected(dtype: torch.dtype = torch.float64, batch: int = 2, queries: int = 5, keys: int = 4) -> list[Tensor]:
    generator = torch.Generator().manual_seed(1)
    shapes = ((batch, queries, 3), (batch, keys, 3), (3,))
    return [torch.randn(shape, generator=generator).to(dtype).requires_grad_() for shape in shapes]


BLOCKS = {"one query": 1, "two queries": 2 * 4 * 3 * 8, "uneven": 3 * 4 * 3 * 8, "plain": 1 << 20}
blocks = pytest.mark.parametrize("block_bytes", BLOCKS.values(), ids=BLOCKS.keys())


@blocks
def test_additive_gradients_pass_gradcheck(monkeypatch: pytest.MonkeyPatch, block_bytes: int) -> None:
    monkeypatch.setattr(scoring, "ADDITIVE_BLOCK_BYTES", block_bytes)
    assert torch.autograd.gradcheck(additive_score, projected())


@blocks
def test_attention_on_additive_scores_passes_gradcheck(monkeypatch: pytest.MonkeyPatch, block_bytes: int) -> None:
    monkeypatch.setattr(scoring, "ADDITIVE_BLOCK_BYTES", block_bytes)
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
@settings(deadline=None, max_examples=40)
def test_blocks_give_what_the_plain_path_gives(
    batch: int, queries: int, keys: int, block_bytes: int, dtype: torch.dtype
) -> None:
    """Up to the precision: a gradient over blocks is summed in another order."""
    answers = []
    for limit in (block_bytes, 1 << 30):
        tensors = projected(dtype, batch, queries, keys)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scoring, "ADDITIVE_BLOCK_BYTES", limit)
            scores = additive_score(*tensors)
        scores.square().sum().backward()
        answers.append([scores, *(tensor.grad for tensor in tensors)])
    precision = 20 * torch.finfo(dtype).eps
    torch.testing.assert_close(answers[0], answers[1], rtol=precision, atol=precision)


@pytest.mark.parametrize("trained", ["query", "key", "weights"])
def test_blocks_work_under_autocast_and_when_only_a_part_is_trained(
    monkeypatch: pytest.MonkeyPatch, trained: str
) -> None:
    attention, tensors = inputs("additive", 2, 3, 4)
    attention = attention.float()
    found = []
    for block_bytes in (1, 1 << 20):
        monkeypatch.setattr(scoring, "ADDITIVE_BLOCK_BYTES", block_bytes)
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
    """Notes the bytes of the largest tensor that any operation makes."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(result):
            if isinstance(tensor, Tensor) and tensor._base is None:
                self.bytes = max(self.bytes, tensor.untyped_storage().nbytes())
        return result


def test_a_batch_that_fits_the_budget_exactly_is_one_block() -> None:
    query, key, weight = projected(batch=3, queries=2)
    features = 3 * 2 * 4 * 3 * 8
    for limit, name in ((features, "plain"), (features - 1, "blocks")):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(scoring, "ADDITIVE_BLOCK_BYTES", limit)
            scores = additive_score(query, key, weight)
        assert scores.grad_fn is not None
        assert ("Blockwise" in type(scores.grad_fn).__name__) == (name == "blocks")


def test_a_query_that_does_not_fit_is_a_block_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "ADDITIVE_BLOCK_BYTES", 1)
    query, key, weight = projected(batch=1, queries=3)
    with LargestTensor() as largest:
        additive_score(query, key, weight)
    assert largest.bytes == 4 * 3 * 8


def test_no_tensor_is_larger_than_the_budget_forward_and_backward() -> None:
    query, key = torch.randn(2, 300, 32, requires_grad=True), torch.randn(2, 300, 32, requires_grad=True)
    weight = torch.randn(32, requires_grad=True)
    features = 2 * 300 * 300 * 32 * 4
    assert features > 5 * scoring.ADDITIVE_BLOCK_BYTES
    with LargestTensor() as largest:
        additive_score(query, key, weight).sum().backward()
    assert 0 < largest.bytes <= scoring.ADDITIVE_BLOCK_BYTES
    with LargestTensor() as largest:
        (query.unsqueeze(2) + key.unsqueeze(1)).tanh() @ weight
    assert largest.bytes == features, "the measurement sees what it should"


MEMORY = """
import re, torch
from pathlib import Path
from attnbook import scoring

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])

torch.set_num_threads(1)
query, key = (torch.randn(1, 512, 128, requires_grad=True) for _ in range(2))
weight = torch.randn(128, requires_grad=True)
scoring.additive_score(query[:, :8], key[:, :8], weight).sum().backward()
before = peak()
scoring.additive_score(query, key, weight).sum().backward()
middle = peak()
scoring.ADDITIVE_BLOCK_BYTES = 1 << 40
scoring.additive_score(query, key, weight).sum().backward()
print(middle - before, peak() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell a process its peak memory")
def test_the_process_itself_needs_a_tenth_of_the_memory_of_the_plain_path() -> None:
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    in_blocks, plain = map(int, done.stdout.split())
    assert plain > 512 * 512 * 128 * 4 / 1024, "the plain path holds all features at once"
    assert in_blocks < plain / 10, f"{in_blocks} kB in blocks, {plain} kB on the plain path"


ONES = torch.ones(2, 3, 4)


@pytest.mark.parametrize(
    ("error", "message", "call"),
    [
        (ValueError, r"query has shape \(3, 4\): wanted \(batch, length, size\)", lambda dot: dot(ONES[0], ONES, ONES)),
        (ValueError, "key has batch size 1: wanted that of query, 2", lambda dot: dot(ONES, ONES[:1], ONES)),
        (ValueError, "value has length 2: wanted one value a key, 3", lambda dot: dot(ONES, ONES, ONES[:, :2])),
        (
            ValueError,
            "query has size 2: wanted that of key, 4; GeneralAttention and AdditiveAttention score",
            lambda dot: dot(ONES[..., :2], ONES, ONES),
        ),
        (TypeError, "value has dtype torch.int64: wanted floating point", lambda dot: dot(ONES, ONES, ONES.long())),
        (
            ValueError,
            r"mask has shape \(2, 3\): wanted rank 3, .* a padding mask is mask\[:, None, :\]",
            lambda dot: dot(ONES, ONES, ONES, torch.ones(2, 3, dtype=torch.bool)),
        ),
        (
            ValueError,
            r"mask has shape \(2, 3, 4\): wanted one that broadcasts to \(2, 3, 3\)",
            lambda dot: dot(ONES, ONES, ONES, ONES.bool()),
        ),
        (TypeError, "mask has dtype torch.int64", lambda dot: dot(ONES, ONES, ONES, torch.ones(2, 3, 3).long())),
        (TypeError, "mask has dtype torch.float32", lambda dot: dot(ONES, ONES, ONES, torch.zeros(2, 3, 3))),
        (TypeError, "mask is of type list: wanted a Tensor", lambda dot: dot(ONES, ONES, ONES, [[[True]]])),
        (
            ValueError,
            "query has size 4: wanted query_size = 5",
            lambda dot: AdditiveAttention(5, 4, 6)(ONES, ONES, ONES),
        ),
        (ValueError, "key has size 4: wanted key_size = 5", lambda dot: GeneralAttention(4, 5)(ONES, ONES, ONES)),
        (ValueError, "query has size 4: wanted query_size = 5", lambda dot: GeneralAttention(5, 4)(ONES, ONES, ONES)),
        (ValueError, "key has size 4: wanted key_size = 5", lambda dot: AdditiveAttention(4, 5, 6)(ONES, ONES, ONES)),
    ],
)
def test_bad_input_is_named(
    error: type[Exception], message: str, call: Callable[[DotProductAttention], Tensor]
) -> None:
    with pytest.raises(error, match=message):
        call(DotProductAttention())
