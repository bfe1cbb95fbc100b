"""Looking into models on a GPU, ours and others: recording, interventions, parts switched off, attribution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnbook.attention.causal import GroupedAttention
from attnbook.attention.kernels import Attention
from attnbook.models.transformer import Transformer
from attnbook.observe.ablation import PARTS, switched_off
from attnbook.observe.attribution import attribute
from attnbook.observe.interventions import Cell, intervening
from attnbook.observe.recorder import record_attention
from attnbook.translation.search import greedy
from tests.device.compare import compare, gradients, numbers
from tests.support.foreign_models import Fused, WrittenOut
from tests.support.small_models import FAMILIES, build, random_batch

pytestmark = [pytest.mark.cuda, pytest.mark.slow]
BATCH = random_batch((5, 1, 7), (6, 4, 1))
ATTENTIVE = [name for name in FAMILIES if name != "seq2seq"]
PADDING = torch.tensor([[False] * 3 + [True] * 2, [False] * 5])


@pytest.mark.parametrize("name", ATTENTIVE)
def test_record_of_our_models_equals_cpu(name: str) -> None:
    def compute(device: str) -> Iterator[Any]:
        model, batch = build(name).double().to(device), BATCH.to(device)
        with record_attention(model) as record:
            logits = model(batch)
            yield logits
            yield dict(record)
            yield gradients(logits, model.parameters())
            with record.joined():
                yield greedy(model, batch.source, batch.source_mask, max_length=5)
            yield dict(record)
            yield record.probe(batch)
        assert {weights.device.type for weights in record.values()} == {device}

    compare(compute)


def test_record_of_a_language_model_equals_cpu() -> None:
    def compute(device: str) -> Iterator[Any]:
        torch.manual_seed(1)
        model = nn.ModuleDict({"attention": GroupedAttention(16, 4, 2)}).to(device)
        with record_attention(model) as record:
            _, past = model["attention"](numbers(2, 4, 16).to(device))
            yield model["attention"](numbers(2, 2, 16).to(device), past)
        yield record.names

    compare(compute)


X, MEMORY = numbers(2, 5, 8), numbers(2, 4, 8, seed=1)
WIDE = numbers(2, 5, 16)
FOREIGN: dict[str, tuple[Any, tuple[Tensor, ...], dict[str, Any]]] = {
    "nn.MultiheadAttention": (
        lambda: nn.MultiheadAttention(8, 2, batch_first=True),
        (X, X, X),
        {"key_padding_mask": PADDING},
    ),
    "nn.TransformerEncoder": (
        lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), 2),
        (X,),
        {"src_key_padding_mask": PADDING},
    ),
    "nn.Transformer": (
        lambda: nn.Transformer(8, 2, 1, 1, 16, 0.0, batch_first=True),
        (X, MEMORY),
        {"tgt_mask": nn.Transformer.generate_square_subsequent_mask(4)},
    ),
    "fused": (lambda: Fused(is_causal=True), (WIDE,), {}),
    "grouped": (lambda: Fused(2, enable_gqa=True), (WIDE,), {}),
    "written out": (WrittenOut, (WIDE,), {}),
}


def on(device: str, value: Any) -> Any:
    return value.to(device) if isinstance(value, Tensor) else value


@pytest.mark.parametrize("name", FOREIGN)
def test_record_of_other_modules_equals_cpu(name: str) -> None:
    make, inputs, keywords = FOREIGN[name]

    def compute(device: str) -> Iterator[Any]:
        torch.manual_seed(1)
        model = make().to(device).eval()
        given, named = [on(device, x) for x in inputs], {key: on(device, x) for key, x in keywords.items()}
        with record_attention(model) as record:
            output = model(*given, **named)
            yield output
            yield dict(record)
            yield record.probe(*given, **named)
        # The sum of all outputs of a layer norm is constant: its gradients are rounding errors.
        yield attribute(
            model,
            *given,
            **named,
            explain=lambda output: (output[0] if type(output) is tuple else output)[..., 0].sum(),
        )

    compare(compute)


@pytest.mark.parametrize("attention", ["sdpa", "eager"])
@pytest.mark.parametrize("family", ["Marian", "BERT", "GPT-2", "Llama", "ViT"])
def test_record_of_transformers_models_equals_cpu(family: str, attention: str) -> None:
    pytest.importorskip("transformers", reason="it is not installed: pip install transformers")
    from tests.observe.test_tracer_frameworks import FAMILIES as LIBRARIES

    def compute(device: str) -> Iterator[Any]:
        torch.manual_seed(1)
        model, given = LIBRARIES[family](attention)
        model, given = model.to(device).eval(), {name: tensor.to(device) for name, tensor in given.items()}
        with record_attention(model) as record:
            output = model(**given)[0]
            yield dict(record)
            yield gradients(output, filter(lambda parameter: parameter.requires_grad, model.parameters()))
            yield record.probe(**given)

    compare(compute)


@pytest.mark.parametrize("name", ATTENTIVE)
def test_interventions_equal_cpu(name: str) -> None:
    def compute(device: str) -> Iterator[Any]:
        model, batch = build(name).double().to(device).eval(), BATCH.to(device)
        names = [name for name, module in model.named_modules() if isinstance(module, Attention)]
        cells = [
            Cell(names[-1], 1),
            Cell(names[-1], 0, row=2, weight=0.7),
            Cell(names[0], 2, row=1, head=0, weight=0.2),
        ]
        positions = not name.startswith("transformer")
        changes: dict[str, Any] = {"heads": [(names[0], 0)], "temperatures": {names[-1]: torch.tensor([2.0])}}
        with intervening(model, cells=cells, positions=positions, **changes):
            logits = model(batch)
            yield logits
            yield gradients(logits, model.parameters())
            yield greedy(model, batch.source, batch.source_mask, max_length=5)

    compare(compute)


@pytest.mark.parametrize("part", PARTS)
def test_switched_off_equals_cpu(part: str) -> None:
    def compute(device: str) -> Iterator[Any]:
        model, batch = build("transformer-sinusoidal").double().to(device).eval(), BATCH.to(device)
        assert isinstance(model, Transformer)
        with switched_off(model, [part]):
            yield model(batch)
            yield greedy(model, batch.source, batch.source_mask, max_length=5)

    compare(compute)


@pytest.mark.parametrize("name", ATTENTIVE)
def test_attribution_equals_cpu(name: str) -> None:
    def compute(device: str) -> Iterator[Any]:
        model = build(name).double().to(device)
        before = torch.cuda.get_rng_state()
        yield attribute(model, BATCH.to(device))
        assert torch.equal(before, torch.cuda.get_rng_state())

    compare(compute)


def test_recording_draws_no_random_numbers_on_the_device() -> None:
    """Neither a probe nor attribution of a model with dropout, and no other GPU is asked."""
    model, batch = build("transformer-sinusoidal", dropout=0.5).to("cuda"), BATCH.to("cuda")
    before = torch.get_rng_state(), torch.cuda.get_rng_state()
    with record_attention(model) as record:
        record.probe(batch)
    attribute(model, batch)
    assert torch.equal(before[0], torch.get_rng_state())
    assert torch.equal(before[1], torch.cuda.get_rng_state())


def test_attribution_asks_for_the_state_of_the_models_device_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    original = torch.cuda.get_rng_state
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
    monkeypatch.setattr(torch.cuda, "get_rng_state", lambda device="cuda": (asked.append(device), original())[1])
    attribute(build("transformer-sinusoidal").to("cuda"), BATCH.to("cuda"))
    assert asked == [torch.device("cuda:0")]
