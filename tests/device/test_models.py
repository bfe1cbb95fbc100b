"""All translation models on a GPU: training passes, decoding with a state, both searches, evaluation, files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from attnbook.models.base import EncoderDecoder
from attnbook.training.checkpoint import load_model, save_checkpoint
from attnbook.training.loss import cross_entropy
from attnbook.translation.alignment import alignment_error_rates
from attnbook.translation.evaluate import evaluate
from attnbook.translation.metrics import perplexity
from attnbook.translation.search import Hypothesis, beam_search, cross_attention, greedy
from attnbook.translation.translate import translate
from attnbook.widgets.page_model import PRECISIONS, export_page, read_page
from tests.device.compare import compare
from tests.device.conftest import Gpu
from tests.device.training import EXAMPLES, SOURCE, TARGET, make
from tests.support.small_models import FAMILIES, NAMES, build, random_batch

pytestmark = [pytest.mark.cuda, pytest.mark.slow]
BATCH = random_batch((5, 1, 7), (6, 4, 1))
Search = Callable[..., list[Hypothesis]]


def model_on(device: str, name: str) -> EncoderDecoder:
    """A model in double precision, so that rounding does not decide which token is more probable."""
    return build(name).double().to(device)


@pytest.mark.parametrize("name", NAMES)
def test_logits_and_gradients_equal_cpu(name: str) -> None:
    def compute(device: str) -> Iterator[Any]:
        model, batch = build(name).to(device), BATCH.to(device)
        logits = model(batch)
        yield logits
        yield model(batch.source, batch.target_in, batch.source_mask)
        loss = cross_entropy(logits, batch.target_out, batch.target_mask, label_smoothing=0.1)
        loss.backward()  # type: ignore[no-untyped-call]
        yield loss
        yield [parameter.grad for parameter in model.parameters()]

    compare(compute)


@pytest.mark.parametrize("name", NAMES)
def test_decoding_equals_cpu(name: str) -> None:
    """In pieces with permuted rows, by both searches, and with cross-attention weights."""

    def compute(device: str) -> Iterator[Any]:
        model, batch = model_on(device, name), BATCH.to(device)
        state = model.eval().encode(batch.source, batch.source_mask)
        logits, state = model.decode(batch.target_in[:, :2], state)
        yield logits
        logits, _ = model.decode(batch.target_in[:, 2:], state.select(torch.tensor([1, 0, 2]).to(device)))
        yield logits
        found = greedy(model, batch.source, batch.source_mask, max_length=6)
        yield found
        yield cross_attention(model, batch.source, batch.source_mask, found)
        yield beam_search(model, batch.source, batch.source_mask, beam_size=3, max_length=6)
        yield perplexity(model, [BATCH])

    compare(compute)


@pytest.mark.parametrize("search", [greedy, beam_search])
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_searches_refuse_a_source_padded_on_the_left_or_empty(device: str, name: str, search: Search) -> None:
    model, source = model_on(device, name), torch.tensor([[5, 6, 7], [8, 9, 0]]).to(device)
    left, empty = torch.tensor([[[1, 1, 1], [0, 1, 1]], [[1, 1, 1], [0, 0, 0]]]).bool().to(device)
    with pytest.raises(ValueError, match="source_mask"):
        model.encode(source, left)
    for mask in (left, empty):
        with pytest.raises(ValueError, match="source_mask"):
            search(model, source, mask, max_length=4)


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_model_refuses_a_batch_padded_on_the_left(device: str, name: str) -> None:
    model, left = model_on(device, name), BATCH.source_mask.flip(1)
    with pytest.raises(ValueError, match="source_mask"):
        model(replace(BATCH, source_mask=left).to(device))
    with pytest.raises(ValueError, match="source_mask"):
        model(replace(BATCH.to(device), source_mask=left.to(device)))


@pytest.mark.parametrize("name", FAMILIES)
def test_forward_and_backward_do_not_wait(name: str, gpu: Gpu) -> None:
    model, batch = build(name).to("cuda"), BATCH.to("cuda")
    model(batch).sum().backward()  # libraries initialize in the first pass
    with gpu.counting() as waits:
        logits = model(batch)
        cross_entropy(logits, batch.target_out, batch.target_mask).backward()  # type: ignore[no-untyped-call]
    assert not waits


@pytest.mark.parametrize("family", ["seq2seq", "bahdanau", "luong", "transformer"])
def test_evaluation_equals_cpu(family: str) -> None:
    def compute(device: str) -> Iterator[Any]:
        model = make(family).to(device)
        for beam_size in (1, 2):
            found = evaluate(model, EXAMPLES, SOURCE, TARGET, beam_size=beam_size, max_length=8, heads=True)
            yield found.figures
        sentences = [list(example.pairs[0].source) for example in EXAMPLES]
        yield translate(model, sentences, SOURCE, TARGET, attention=True, max_length=8)
        if family != "seq2seq":
            yield alignment_error_rates(model, [example.pairs[0] for example in EXAMPLES], SOURCE, TARGET)

    compare(compute)


@pytest.mark.parametrize("family", ["seq2seq", "bahdanau", "luong", "transformer"])
def test_checkpoint_and_page_have_bytes_of_cpu(family: str, tmp_path: Path) -> None:
    def compute(device: str) -> Iterator[Any]:
        path = tmp_path / device
        model = make(family, torch.float32).to(device)
        save_checkpoint(path, model, vocabularies=(SOURCE, TARGET))
        yield path.read_bytes()
        loaded = load_model(path, device=device).model
        assert {parameter.device.type for parameter in loaded.parameters()} == {device}
        yield loaded.state_dict()
        for precision in PRECISIONS if family == "transformer" else ():
            content = export_page(loaded, (SOURCE, TARGET), precision=precision)
            yield content
            yield read_page(content).model.state_dict()

    compare(compute)
