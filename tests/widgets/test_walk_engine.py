"""The arrays that a reader walks through are torch's, in every kind of Transformer."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
import torch

from attnbook.data import EOS
from attnbook.models.transformer import Transformer
from attnbook.observe.ablation import PARTS, switched_off
from attnbook.translation.search import greedy
from attnbook.widgets.page_model import export_page, read_page
from tests.support.js_engine import ask, node, number_vocabulary
from tests.support.small_models import NAMES, SOURCE_VOCABULARY, TARGET_VOCABULARY, build
from tests.support.transformer_arrays import arrays_of

pytestmark = pytest.mark.skipif(node() is None, reason="there is no Node here; tests/browser compares what is shown")
VOCABULARIES = number_vocabulary(SOURCE_VOCABULARY), number_vocabulary(TARGET_VOCABULARY)
TRANSFORMERS = [name for name in NAMES if name.startswith("transformer")]
LONGEST = 8


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name in TRANSFORMERS:
        model = build(name)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.add_(0.05)
            model.head.bias[EOS] += 0.6
        found[name] = folder / f"{name}.page"
        found[name].write_bytes(export_page(model, VOCABULARIES))
    return found


def model_of(page: Path) -> Transformer:
    model = read_page(page.read_bytes()).model
    assert isinstance(model, Transformer)
    return model


def answers(pages: dict[str, Path], sources: list[list[int]], off: tuple[str, ...] = ()) -> dict[str, list[Any]]:
    options = {"off": off, "maxLength": LONGEST}
    asks = [{"source": source, "traced": options} for source in sources]
    found = ask([{"page": str(page), "asks": asks} for page in pages.values()])
    return {name: answer["answers"] for name, answer in zip(pages, found, strict=True)}


def random_sources(seed: int, count: int = 3) -> list[list[int]]:
    generator = random.Random(seed)
    return [[generator.randrange(4, SOURCE_VOCABULARY) for _ in range(generator.randint(1, 7))] for _ in range(count)]


def test_trace_equals_torch_activations_in_every_array(pages: dict[str, Path]) -> None:
    sources = random_sources(0)
    for name, traces in answers(pages, sources).items():
        model = model_of(pages[name])
        for source, trace in zip(sources, traces, strict=True):
            wanted = arrays_of(model, source, trace["read"])
            assert set(trace["arrays"]) == set(wanted), name
            for array, expected in wanted.items():
                rows = [torch.tensor(row, dtype=torch.float32) for row in trace["arrays"][array]]
                assert len(rows) == len(expected), array
                for found, row in zip(rows, expected, strict=True):
                    assert torch.isin(row[len(found) :], torch.tensor([0.0, -torch.inf])).all(), "only the mask hides"
                    scale = float(row[: len(found)].abs().max())
                    torch.testing.assert_close(found, row[: len(found)], rtol=0, atol=1e-4 * scale + 1e-6)


def test_trace_writes_the_greedy_translation(pages: dict[str, Path]) -> None:
    sources = random_sources(1)
    for name, traces in answers(pages, sources).items():
        for source, trace in zip(sources, traces, strict=True):
            ids = torch.tensor([source])
            (found,) = greedy(model_of(pages[name]), ids, torch.ones_like(ids, dtype=torch.bool), max_length=LONGEST)
            assert trace["written"] == [*found.ids, *([EOS] if found.finished else [])]
            assert trace["read"] == [1, *trace["written"][:-1]]


@pytest.mark.parametrize("off", [*((part,) for part in PARTS), ("norm", "residual"), PARTS], ids="+".join)
def test_trace_without_parts_equals_torch_without_them(pages: dict[str, Path], off: tuple[str, ...]) -> None:
    sources = random_sources(2, count=1)
    for name, (trace,) in answers(pages, sources, off).items():
        model = model_of(pages[name])
        ids = torch.tensor(sources)
        with switched_off(model, off), torch.no_grad():
            state = model.encode(ids, torch.ones_like(ids, dtype=torch.bool))
            logits = model.decode(torch.tensor([trace["read"]]), state)[0][0]
        torch.testing.assert_close(torch.tensor(trace["arrays"]["head.logits"]), logits, rtol=1e-4, atol=1e-4)
