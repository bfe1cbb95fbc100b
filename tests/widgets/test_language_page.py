"""A language model in a page computes what torch computes, and samples from the same distribution."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from attnbook.attention.causal import GroupedAttention, LatentAttention
from attnbook.data import BOS, EOS, Vocabulary
from attnbook.models.language_model import Block, LanguageModel, SwiGLU
from attnbook.observe.recorder import record_attention
from attnbook.widgets.language_page import (
    NEVER_WRITTEN,
    build,
    describe,
    export_language_model,
    next_distribution,
    read_language_model,
)
from attnbook.widgets.page_model import PageError
from tests.support.js_engine import ask, node, number_vocabulary
from tests.support.small_language_models import KINDS, VOCABULARY, build_language_model, random_draft

needs_node = pytest.mark.skipif(node() is None, reason="there is no Node here to run the page's engine")
WORDS = number_vocabulary(VOCABULARY)
IDS = [BOS, 5, 9, 4, 12, 7, 7, 6]
PLAIN = {"temperature": 1.0, "topK": 0, "topP": 1.0}


def page_of(kind: str, folder: Path, **options: Any) -> str:
    path = folder / f"{kind}.page"
    path.write_bytes(export_language_model(build_language_model(kind), WORDS, **options))
    return str(path)


def asked(page: str, *asks: dict[str, Any]) -> list[Any]:
    (found,) = ask([{"languagePage": page, "asks": asks}])
    return found["answers"]


@needs_node
@pytest.mark.parametrize("precision", ["int8", "fp16"])
@pytest.mark.parametrize("kind", KINDS)
def test_page_engine_logits_equal_torch_for_any_split_of_the_text(kind: str, precision: str, tmp_path: Path) -> None:
    page = page_of(kind, tmp_path, precision=precision)
    model = read_language_model(Path(page).read_bytes()).model
    with torch.no_grad():
        wanted = model(torch.tensor([IDS]))[0][0]
    divisions = [[8], [1] * 8, [3, 4, 1]]
    for found in asked(page, *({"ids": IDS, "passes": passes} for passes in divisions)):
        torch.testing.assert_close(torch.tensor(found["logits"]), wanted, atol=1e-4, rtol=0)


@needs_node
@pytest.mark.parametrize("kind", KINDS)
def test_page_engine_attention_equals_the_recorder(kind: str, tmp_path: Path) -> None:
    page = page_of(kind, tmp_path)
    model = read_language_model(Path(page).read_bytes()).model
    with torch.no_grad(), record_attention(model) as record:
        model(torch.tensor([IDS]))
        recorded = {name: record[name][0] for name in record.names}
    (found,) = asked(page, {"ids": IDS, "passes": [5, 3]})
    assert list(found["attention"][0]) == list(recorded)
    for name, weights in recorded.items():
        first, second = (torch.tensor(part[name]) for part in found["attention"])
        torch.testing.assert_close(first.view(4, 5, 5), weights[:, :5, :5], atol=1e-5, rtol=0)
        torch.testing.assert_close(second.view(4, 3, 8), weights[:, 5:], atol=1e-5, rtol=0)


@needs_node
@pytest.mark.parametrize("kind", KINDS)
def test_page_engine_writes_the_greedy_text_of_torch(kind: str, tmp_path: Path) -> None:
    page = page_of(kind, tmp_path)
    model = read_language_model(Path(page).read_bytes()).model
    wanted = [BOS, 5]
    while len(wanted) < 16:
        wanted.append(int(next_distribution(model, wanted).argmax()))
    (found,) = asked(page, {"ids": [BOS, 5], "greedy": 16})
    assert found == wanted


def reference(logits: Tensor, temperature: float, top_k: int, top_p: float) -> Tensor:
    """Temperature, top-k and top-p as chapter 10 defines them."""
    p, token = (logits / temperature).softmax(-1).sort(-1, descending=True)
    dropped = p.cumsum(-1) - p >= top_p
    if top_k:
        dropped[top_k:] = True
    kept = torch.zeros_like(p).scatter(-1, token, p.masked_fill(dropped, 0))
    return kept / kept.sum()


@needs_node
def test_filters_equal_torch(tmp_path: Path) -> None:
    logits = 3 * torch.randn(40, generator=torch.Generator().manual_seed(0), dtype=torch.double)
    settings = list(itertools.product([0.1, 0.7, 1.0, 2.0], [0, 1, 5], [0.05, 0.6, 0.9, 1.0]))
    asks = [
        {"logits": logits.tolist(), "filter": {"temperature": temperature, "topK": top_k, "topP": top_p}}
        for temperature, top_k, top_p in settings
    ]
    for (temperature, top_k, top_p), found in zip(settings, asked(page_of("plain", tmp_path), *asks), strict=True):
        wanted = reference(logits, temperature, top_k, top_p)
        after, before = (torch.tensor(found[name], dtype=torch.double) for name in ("after", "before"))
        torch.testing.assert_close(after, wanted, atol=1e-9, rtol=0)
        torch.testing.assert_close(before, logits.softmax(-1))
        assert found["kept"] == int((after > 0).sum())


def pairs_after(model: LanguageModel, ids: list[int], filtering: dict[str, Any]) -> Tensor:
    """``(vocab_size, vocab_size)``: the exact probability of each pair of tokens after ``ids``."""

    def one(ids: list[int]) -> Tensor:
        logits = next_distribution(model, ids).log()
        return reference(logits, filtering["temperature"], filtering["topK"], filtering["topP"])

    first = one(ids)
    return torch.stack([p * one([*ids, token]) for token, p in enumerate(first)])


@pytest.mark.slow
@needs_node
@pytest.mark.parametrize("draft", ["bigram", "uniform", "itself"])
@pytest.mark.parametrize("filtering", [PLAIN, {"temperature": 0.8, "topK": 6, "topP": 0.9}])
def test_speculative_decoding_has_the_distribution_of_the_large_model(
    draft: str, filtering: dict[str, Any], tmp_path: Path
) -> None:
    page = page_of("today", tmp_path, draft=random_draft())
    texts = 4000
    asking = {"ids": [BOS, 5], "texts": texts, "seed": 1, "ahead": 2, "filter": {**filtering, "draft": draft}}
    (found,) = asked(page, asking)
    exact = pairs_after(read_language_model(Path(page).read_bytes()).model, [BOS, 5], filtering)
    counts = torch.zeros_like(exact)
    for ids in found:
        if ids[2] != EOS:
            counts[ids[2], ids[3]] += 1
    exact[EOS] = 0
    counted, expected = counts.flatten(), texts * exact.flatten()
    assert counted[expected == 0].sum() == 0, "a token that was cut off was written"
    # Rare pairs are counted together, so that each class is expected at least five times; so is the rest, with <eos>.
    rare = expected < 5
    classes = torch.cat((counted[~rare], counted[rare].sum()[None], texts - counted.sum()[None]))
    wanted = torch.cat((expected[~rare], expected[rare].sum()[None], texts - expected.sum()[None]))
    wanted = wanted.clamp(min=1e-6)
    chi_square = ((classes - wanted) ** 2 / wanted).sum()
    freedom = len(classes) - 1
    assert chi_square < freedom + 4 * (2 * freedom) ** 0.5, "unlikely: four standard deviations"


@pytest.mark.parametrize("kind", KINDS)
def test_describe_names_the_parts_that_build_needs(kind: str) -> None:
    model = build_language_model(kind)
    again = build(VOCABULARY, describe(model))
    again.load_state_dict(model.state_dict())
    ids = torch.tensor([IDS])
    torch.testing.assert_close(again(ids)[0], model(ids)[0])


def test_read_returns_vocabulary_and_draft_of_the_export() -> None:
    draft = random_draft()
    page = read_language_model(export_language_model(build_language_model("plain"), WORDS, draft=draft))
    assert page.vocabulary == WORDS
    assert page.draft is not None
    torch.testing.assert_close(page.draft, draft, atol=1e-3, rtol=0)
    assert read_language_model(export_language_model(build_language_model("plain"), WORDS)).draft is None


def test_next_distribution_leaves_out_special_tokens_that_are_never_written() -> None:
    p = next_distribution(build_language_model("plain"), IDS)
    assert p[list(NEVER_WRITTEN)].sum() == 0 and p[EOS] > 0
    assert float(p.sum()) == pytest.approx(1, abs=1e-6)


def latent() -> LanguageModel:
    return LanguageModel(VOCABULARY, 16, [Block(16, LatentAttention(16, 4, 8, 2), SwiGLU(16, 24))])


def mixed() -> LanguageModel:
    blocks = (Block(16, GroupedAttention(16, 4, groups), SwiGLU(16, 24)) for groups in (4, 2))
    return LanguageModel(VOCABULARY, 16, blocks)


@pytest.mark.parametrize(
    ("model", "options", "error", "message"),
    [
        (nn.Linear(2, 2), {}, TypeError, r"^model\b"),
        (latent(), {}, TypeError, r"^model\b"),
        (mixed(), {}, ValueError, r"^model\b"),
        (None, {"vocabulary": number_vocabulary(VOCABULARY + 1)}, ValueError, r"^vocabulary\b"),
        (None, {"vocabulary": ["a"]}, TypeError, r"^vocabulary\b"),
        (None, {"draft": torch.ones(2, 2)}, ValueError, r"^draft\b"),
        (None, {"draft": -torch.ones(VOCABULARY, VOCABULARY)}, ValueError, r"^draft\b"),
        (None, {"draft": torch.zeros(VOCABULARY, VOCABULARY)}, ValueError, r"^draft\b"),
        (None, {"draft": [[1.0]]}, TypeError, r"^draft\b"),
        (None, {"precision": "int4"}, ValueError, r"^precision\b"),
    ],
)
def test_export_refuses_models_that_the_page_cannot_compute(
    model: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    vocabulary = options.pop("vocabulary", WORDS)
    with pytest.raises(error, match=message):
        export_language_model(model or build_language_model("plain"), vocabulary, **options)


@pytest.mark.parametrize("cut", [0, 10, 200])
def test_read_refuses_a_damaged_file(cut: int) -> None:
    content = export_language_model(build_language_model("plain"), WORDS)
    with pytest.raises(PageError, match="damaged"):
        read_language_model(content[:cut])


def test_read_refuses_another_kind_of_model() -> None:
    from attnbook.widgets.page_model import pack

    content = pack("Transformer", {}, [Vocabulary(("a",))], {}, "int8")
    with pytest.raises(PageError, match="LanguageModel"):
        read_language_model(content)
