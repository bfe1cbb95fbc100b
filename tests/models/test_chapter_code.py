"""The code of the chapters has the parameters of the package, and gives the same outputs and gradients."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from attnbook.attention import masks
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.attention.pooling import nadaraya_watson
from attnbook.attention.positional import RotaryPositions, frequencies, sinusoidal_table
from attnbook.attention.scoring import AdditiveAttention, DotProductAttention
from attnbook.data import Batch
from attnbook.models import transformer
from attnbook.models.bahdanau import Bahdanau
from tests.support.chapter_code import defined_in
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY
from tests.support.small_transformers import D_FF, D_MODEL, NUM_HEADS, NUM_LAYERS, model_of

BASICS = {"torch": torch, "nn": nn, "F": F, "math": math}


def shapes(module: nn.Module) -> dict[str, torch.Size]:
    return {name: parameter.shape for name, parameter in module.named_parameters()}


def same_parameters(chapter: nn.Module, package: nn.Module) -> None:
    """Give the chapter's module the package's weights, after checking that there is one for each."""
    assert shapes(chapter) == shapes(package)
    chapter.double().load_state_dict(package.state_dict())


def assert_same_gradients(found: Tensor, expected: Tensor, modules: Mapping[str, nn.Module]) -> None:
    """Compare the gradients of the sum of squares, parameter by parameter."""
    torch.testing.assert_close(found, expected)
    ours = torch.autograd.grad(found.square().sum(), list(modules["chapter"].parameters()))
    theirs = torch.autograd.grad(expected.square().sum(), list(modules["package"].parameters()))
    for name, mine, other in zip(shapes(modules["package"]), ours, theirs, strict=True):
        torch.testing.assert_close(mine, other, msg=lambda text, name=name: f"{name}: {text}")


def test_kernel_regression_of_chapter_2_equals_nadaraya_watson(root: Path) -> None:
    chapter = defined_in(root / "book" / "02-nadaraya-watson.md", "mended", using=BASICS)
    x, x_train, y_train = torch.linspace(0, 5, 7), torch.rand(20) * 5, torch.randn(20)
    for width in (0.25, 1.0):
        expected = nadaraya_watson(x, x_train, y_train, width=width)
        torch.testing.assert_close(chapter.mended(x, x_train, y_train, width), expected)


@pytest.fixture
def scoring(root: Path) -> SimpleNamespace:
    names = ("Additive", "masked_softmax", "dot_scores", "attend")
    return defined_in(root / "book" / "03-scoring-functions.md", *names, using=BASICS)


def test_additive_score_of_chapter_3_equals_additive_attention(scoring: SimpleNamespace) -> None:
    package = AdditiveAttention(3, 5, 6).double()
    chapter = scoring.Additive(3, 5, 6)
    same_parameters(chapter, package)
    query, key = torch.randn(2, 3, 3, dtype=torch.float64), torch.randn(2, 4, 5, dtype=torch.float64)
    expected = package.score(query, package.project_key(key))
    assert_same_gradients(chapter(query, key), expected, {"chapter": chapter, "package": package})


def test_masked_softmax_of_chapter_3_equals_the_package(scoring: SimpleNamespace) -> None:
    scores, mask = torch.randn(2, 3, 4), torch.rand(2, 3, 4) < 0.6
    mask[0, 0] = False
    torch.testing.assert_close(scoring.masked_softmax(scores, mask), masks.masked_softmax(scores, mask))


def test_dot_product_attention_of_chapter_3_equals_the_package(scoring: SimpleNamespace) -> None:
    query, key, value = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    expected = DotProductAttention(scaled=False)(query, key, value)
    torch.testing.assert_close(scoring.attend(scoring.dot_scores(query, key), value), expected)


def test_decoder_of_chapter_4_equals_bahdanau(root: Path, batch: Batch) -> None:
    using = {**BASICS, "AdditiveAttention": AdditiveAttention}
    page = defined_in(root / "book" / "04-bahdanau.md", "Decoder", using=using)
    torch.manual_seed(0)
    sizes = {"embed_size": 4, "num_hiddens": 6, "dropout": 0.0, "bidirectional": True}
    package = Bahdanau(SOURCE_VOCABULARY, TARGET_VOCABULARY, **sizes).double()
    chapter = page.Decoder(TARGET_VOCABULARY, 4, 6, package.encoder.memory_size)
    renamed = {"decoder.cross_attention.": "attention.", "decoder.stack.cells.0.": "cell.", "decoder.": ""}
    weights = {}
    for name, tensor in package.state_dict().items():
        if not name.startswith("encoder."):
            old = next((old for old in renamed if name.startswith(old)), "")
            weights[renamed.get(old, "") + name.removeprefix(old)] = tensor
    chapter.double().load_state_dict(weights)  # strict: no parameter is left over on either side
    state = package.encode(batch.source, batch.source_mask)
    logits = chapter(batch.target_in, state.hidden[:, 0], state.memory, batch.source_mask[:, None])
    torch.testing.assert_close(logits, package(batch))


def test_reshaped_heads_of_chapter_6_equal_multi_head_attention(root: Path) -> None:
    page = defined_in(root / "book" / "06-multi-head.md", "Reshaped", "ListOfHeads", using=BASICS)
    torch.manual_seed(0)
    package = MultiHeadAttention(12, 3).double()
    chapter = page.Reshaped(12, 3)
    same_parameters(chapter, package)
    query, key = torch.randn(2, 4, 12, dtype=torch.float64), torch.randn(2, 5, 12, dtype=torch.float64)
    expected = package(query, key, key)
    assert_same_gradients(chapter(query, key, key), expected, {"chapter": chapter, "package": package})
    one_by_one = page.ListOfHeads(12, 3).double()
    with torch.no_grad():
        for name in ("W_q", "W_k", "W_v"):
            stacked = getattr(package, name)
            for i, head in enumerate(getattr(one_by_one, name)):
                head.weight.copy_(stacked.weight[4 * i : 4 * i + 4])
                head.bias.copy_(stacked.bias[4 * i : 4 * i + 4])
        one_by_one.W_o.load_state_dict(package.W_o.state_dict())
    torch.testing.assert_close(one_by_one(query, key, key), expected)


def test_positions_of_chapter_7_equal_the_package(root: Path) -> None:
    using = {**BASICS, "frequencies": frequencies}
    page = defined_in(root / "book" / "07-self-attention-and-position.md", "sinusoidal", "turn", using=using)
    for size in (8, 7):
        torch.testing.assert_close(page.sinusoidal(50, size).float(), sinusoidal_table(50, size))
    x = torch.randn(1, 8, dtype=torch.float64)
    torch.testing.assert_close(page.turn(x, 5), RotaryPositions(8)(x, offset=5))


@pytest.fixture
def chapter_8(root: Path) -> SimpleNamespace:
    using = {**BASICS, "MultiHeadAttention": MultiHeadAttention, "sinusoidal_table": sinusoidal_table}
    names = ("FeedForward", "AddNorm", "EncoderLayer", "DecoderLayer", "Transformer", "start", "embed")
    return defined_in(root / "book" / "08-transformer.md", *names, using=using)


@pytest.mark.parametrize("pre_norm", [False, True], ids=["post-norm", "pre-norm"])
def test_layers_of_chapter_8_equal_the_package(chapter_8: SimpleNamespace, pre_norm: bool) -> None:
    torch.manual_seed(0)
    x, memory = torch.randn(2, 4, 8, dtype=torch.float64), torch.randn(2, 5, 8, dtype=torch.float64)
    mask = (torch.arange(5) < torch.tensor([[5], [2]])).unsqueeze(1)
    for kind, inputs in (("EncoderLayer", (memory, mask)), ("DecoderLayer", (x, memory, mask))):
        package = getattr(transformer, kind)(8, 2, 12, pre_norm=pre_norm).double()
        chapter = getattr(chapter_8, kind)(8, 2, 12, pre_norm)
        same_parameters(chapter, package)
        expected = package(*inputs)
        expected = expected[0] if kind == "DecoderLayer" else expected
        assert_same_gradients(chapter(*inputs), expected, {"chapter": chapter, "package": package})


def test_transformer_of_chapter_8_equals_the_package(chapter_8: SimpleNamespace, batch: Batch) -> None:
    package = model_of()
    sizes = (SOURCE_VOCABULARY, TARGET_VOCABULARY, D_MODEL, NUM_HEADS, D_FF, NUM_LAYERS)
    chapter = chapter_8.Transformer(*sizes)
    same_parameters(chapter, package)
    logits = chapter(batch.source, batch.source_mask, batch.target_in)
    assert_same_gradients(logits, package(batch), {"chapter": chapter, "package": package})
