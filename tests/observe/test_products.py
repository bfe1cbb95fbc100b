"""record_attention finds the weights in a product, also if they are transposed."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from attnbook.attention.scoring import DotProductAttention
from attnbook.observe import torch_attention
from attnbook.observe.recorder import record_attention


def test_record_of_mm_without_a_batch() -> None:
    class Single(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return torch.mm((x @ x.T).softmax(-1), x)

    x = torch.randn(5, 3)
    with record_attention(Single()) as record:
        record.model(x)
    torch.testing.assert_close(record["Single"], (x @ x.T).softmax(-1)[None, None])


class ValuesFirst(nn.Module):
    """Attention over pixels as in SAGAN, with the values on the left of the product."""

    def __init__(self, turned: Callable[[Tensor], Tensor], mask: bool = False) -> None:
        super().__init__()
        self.turned, self.mask = turned, mask

    def forward(self, query: Tensor, x: Tensor) -> Tensor:  # (..., channels, pixels)
        self.weights = (query.mT @ x).softmax(-1)
        if self.mask:
            self.weights = self.weights.tril()
        if x.dim() == 2:
            return torch.mm(x, self.turned(self.weights))
        return torch.bmm(x.flatten(0, -3), self.turned(self.weights).flatten(0, -3))


@pytest.mark.parametrize("turned", [lambda w: w.mT, lambda w: w.mT.contiguous()], ids=["view", "contiguous"])
@pytest.mark.parametrize("channels", [2, 3, 5])  # with as many channels as queries, the values look like weights
@pytest.mark.parametrize("queries", [3, 5])
@pytest.mark.parametrize("leading", [(), (2,), (2, 4)])
def test_record_of_transposed_weights_has_queries_in_rows(
    turned: Callable[[Tensor], Tensor], channels: int, queries: int, leading: tuple[int, ...]
) -> None:
    model = ValuesFirst(turned)
    with record_attention(model) as record:
        model(torch.randn(*leading, channels, queries), torch.randn(*leading, channels, 5))
    assert torch.equal(record["ValuesFirst"].squeeze(), model.weights)


@pytest.mark.parametrize("channels", [3, 5])  # with as many channels as queries, the values look like weights
def test_record_of_transposed_weights_includes_masks_after_the_softmax(channels: int) -> None:
    model = ValuesFirst(lambda w: w.mT, mask=True)
    with record_attention(model) as record:
        model(torch.randn(2, channels, 5), torch.randn(2, channels, 5))
    assert torch.equal(record["ValuesFirst"][:, 0], model.weights)


@pytest.mark.parametrize(
    "product",
    [
        torch.matmul,
        lambda w, v: torch.einsum("bqk,bkd->bqd", w, v),
        lambda w, v: torch.baddbmm(torch.zeros(1), w, v, beta=0),
    ],
    ids=["matmul", "einsum", "baddbmm"],
)
def test_recording_compares_no_values_of_untransposed_weights(
    product: Callable[[Tensor, Tensor], Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ordinary(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            self.weights = (x @ x.mT).softmax(-1)
            return product(self.weights, x)

    monkeypatch.setattr(torch_attention, "can_read", lambda values, wait: wait)
    model = Ordinary()
    with record_attention(model) as record:
        model(torch.randn(2, 5, 5))
    assert (record["Ordinary"][:, 0] == model.weights).all()


def test_record_has_no_product_after_the_attention_or_in_the_next_call() -> None:
    """Although their factors have the shape of the weights."""

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.attention = DotProductAttention()

        def forward(self, x: Tensor) -> Tensor:
            x = x @ torch.eye(4)
            return (self.attention(x, x, x) @ torch.eye(4)).softmax(-1)

    x = torch.randn(2, 4, 4)
    with record_attention(Model()) as record, record.joined():
        for _ in range(2):
            record.model(x)
        assert list(record) == ["attention"] and record["attention"].shape == (2, 1, 8, 4)
