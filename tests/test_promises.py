"""Promises of docstrings that were once broken: modes, 16 bits, counts that are none, and NumPy's numbers."""

from __future__ import annotations

import gzip
import json
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode

from attnbook.attention import kernels
from attnbook.attention.causal import LatentAttention
from attnbook.attention.masks import lengths_to_mask
from attnbook.attention.multihead import MultiHeadAttention
from attnbook.attention.pooling import boxcar, epanechnikov, gaussian, nadaraya_watson_weights
from attnbook.attention.positional import LearnedPositions, frequencies
from attnbook.attention.scoring import AdditiveAttention, DotProductAttention, GeneralAttention
from attnbook.data import Batches, Pair, Subwords, Vocabulary, codec_from_json, grammar, tatoeba
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import eval_mode
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer
from attnbook.observe.recorder import record_attention
from attnbook.training.checkpoint import CheckpointError, load_model
from attnbook.training.loop import train
from attnbook.training.optim import cross_entropy
from attnbook.translation.alignment import alignment_error_rate
from attnbook.translation.search import beam_search, greedy
from attnbook.translation.translate import translate
from attnbook.widgets.page_model import PageError, export_page, read_page

PAIRS = [Pair(tuple(word), tuple(reversed(word))) for word in ("abc", "bca", "ca", "aab", "cb", "abca")]
WORDS = Vocabulary.build(pair.source for pair in PAIRS)
IDS = torch.tensor([WORDS.encode(tuple("abc"))])
MASK = torch.ones_like(IDS, dtype=torch.bool)


def small(**options: object) -> Transformer:
    torch.manual_seed(0)
    sizes = {"d_model": 8, "num_heads": 2, "d_ff": 8, "num_layers": 1}
    return Transformer(len(WORDS), len(WORDS), **{**sizes, **options})  # type: ignore[arg-type]


def batches(**options: object) -> Batches:
    return Batches(PAIRS, WORDS, WORDS, **{"batch_size": 2, **options})  # type: ignore[arg-type]


def test_eval_mode_reaches_a_part_that_is_in_train_mode() -> None:
    """As a part is that was put into a model after ``model.eval()``."""
    model = small(dropout=0.5).eval()
    plain = translate(model, [tuple("abc")], WORDS, WORDS)
    model.encoder.train()
    with eval_mode(model):
        assert not any(module.training for module in model.modules())
    assert [translate(model, [tuple("abc")], WORDS, WORDS) for _ in range(3)] == [plain] * 3
    assert not model.training and all(module.training for module in model.encoder.modules())


def test_a_step_is_taken_in_train_mode_whatever_the_caller_did() -> None:
    def losses(disturb: Callable[[Transformer], object]) -> list[float]:
        model, found = small(dropout=0.5), []
        for step in train(model, batches(), steps=3):
            found.append(step.loss)
            disturb(model)
        return found

    assert losses(lambda model: model.encoder.eval()) == losses(lambda model: None)


@pytest.mark.parametrize("causal", [False, True])
def test_weights_in_fp16_are_those_of_the_output(causal: bool) -> None:
    """Scores above 65,504, which fp16 cannot hold: torch's fused function has them in fp32, and so has the record."""
    attention = MultiHeadAttention(64, 1, bias=False).eval()
    with torch.no_grad():
        for layer in (attention.W_q, attention.W_k, attention.W_v, attention.W_o):
            layer.weight.copy_(torch.eye(64))
    attention.half()
    x = 100 * torch.randn(1, 5, 64).half()
    assert not (x @ x.transpose(1, 2)).isfinite().all()
    with record_attention(nn.ModuleDict({"it": attention})) as record:
        output = attention(x, x, x, causal=causal)
        weights = record["it"][0, 0]
    assert weights.dtype == torch.float16
    torch.testing.assert_close(weights.float() @ x[0].float(), output[0].float(), rtol=1e-2, atol=0.2)


def test_many_numbers_of_fp16_are_finite_though_their_sum_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    attention = MultiHeadAttention(64, 1).half()
    monkeypatch.setattr(kernels, "_weights", lambda *_: pytest.fail("the slow way, which only NaN needs"))
    q = torch.full((1, 64, 64), 20.0).half()
    with torch.no_grad():
        attention.W_q.weight.copy_(torch.eye(64))
        attention.W_q.bias.zero_()
    assert not q.sum().isfinite()
    attention(q, q, q)


@pytest.mark.parametrize("kernel", [gaussian, boxcar, epanechnikov])
def test_no_kernel_swallows_nan(kernel: Callable[[Tensor], Tensor]) -> None:
    weights = nadaraya_watson_weights(torch.tensor([torch.nan, 0.0]), torch.tensor([0.0, 5.0]), kernel)
    assert weights[0].isnan().all() and weights[1].isfinite().all()


@pytest.mark.parametrize("link", [("0", "1"), (0.5, 1), (torch.tensor(0), torch.tensor(1)), (None, 1), "01"])
def test_a_link_is_a_pair_of_indices(link: object) -> None:
    for found, gold, name in (([[link]], [[(0, 1)]], "found"), ([[(0, 1)]], [[link]], "gold")):
        with pytest.raises(TypeError, match=rf"{name}\[0\]"):
            alignment_error_rate(found, gold)  # type: ignore[arg-type]
    assert alignment_error_rate([[(np.int64(0), np.int32(1))]], [[(0, 1)]]) == 0  # type: ignore[list-item]


def latent(size: object) -> object:
    return LatentAttention(8, 2, 4, size)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, -1, 2.5, None, "2", float("inf")])
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("max_length", lambda n: greedy(small(), IDS, MASK, max_length=n)),
        ("max_length", lambda n: beam_search(small(), IDS, MASK, max_length=n)),
        ("beam_size", lambda n: beam_search(small(), IDS, MASK, beam_size=n)),
        ("beam_size", lambda n: translate(small(), [], WORDS, WORDS, beam_size=n)),
        ("max_length", lambda n: translate(small(), [], WORDS, WORDS, max_length=n)),
        ("batch_size", lambda n: translate(small(), [], WORDS, WORDS, batch_size=n)),
        ("accumulate", lambda n: train(small(), batches(), steps=1, accumulate=n)),
        ("checkpoint_every", lambda n: train(small(), batches(), steps=1, checkpoint_every=n)),
        ("num_heads", lambda n: MultiHeadAttention(8, n)),
        ("max_length", lambda n: small(max_length=n)),
        ("query_size", lambda n: GeneralAttention(n, 4)),
        ("num_hiddens", lambda n: AdditiveAttention(4, 4, n)),
        ("d_model", lambda n: LearnedPositions(n, 4)),
        ("rotary_size", latent),
    ],
)
def test_a_count_is_a_whole_number_above_zero(name: str, call: Callable[[object], object], value: object) -> None:
    with pytest.raises(ValueError, match=name):
        call(value)


def test_a_mask_has_a_whole_width_and_a_wave_a_positive_base() -> None:
    with pytest.raises(ValueError, match="max_length"):
        lengths_to_mask(torch.tensor([1, 2]), 2.5)  # type: ignore[arg-type]
    for base in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="base"):
            frequencies(4, base=base)


def test_cross_entropy_names_what_is_no_tensor() -> None:
    logits, target = torch.zeros(1, 3), torch.tensor([1])
    for given, name in (
        (([0.0], target, None), "logits"),
        ((logits, [1], None), "target"),
        ((logits, target, [True]), "mask"),
    ):
        with pytest.raises(TypeError, match=name):
            cross_entropy(*given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sizes", "options"),
    [
        ({"d_model": np.int64(8), "num_heads": np.int32(2), "dropout": np.float32(0.5)}, {}),
        ({}, {"seed": np.int64(3), "accumulate": np.int64(2), "bf16": np.bool_(False)}),
        ({}, {"label_smoothing": np.float32(0.5), "clip_norm": np.float32(0.5), "lr": np.float32(0.25)}),
    ],
)
def test_numbers_of_numpy_train_and_are_saved(
    tmp_path: Path, sizes: dict[str, object], options: dict[str, object]
) -> None:
    """They do what Python's do, and a run made with either goes on with the other."""
    file = tmp_path / "run.safetensors"
    both = {"vocabularies": (WORDS, WORDS), "checkpoint": file, **options}
    first = [step.loss for step in train(small(**sizes), batches(seed=np.int64(3)), steps=2, **both)]  # type: ignore[arg-type]
    plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in (sizes | both).items()}
    again = small(**{name: plain[name] for name in sizes})
    options = {name: plain[name] for name in both}
    rest = [step.loss for step in train(again, batches(seed=3), steps=3, **options)]  # type: ignore[arg-type]
    file.unlink()
    whole = train(small(**{name: plain[name] for name in sizes}), batches(seed=3), steps=3, **options)  # type: ignore[arg-type]
    assert [step.loss for step in whole] == first + rest
    assert load_model(file).model.config["d_model"] == 8


def test_what_no_checkpoint_can_hold_is_refused_before_the_first_step(tmp_path: Path) -> None:
    model = small()
    model.config["kind"] = torch.float32
    with pytest.raises(CheckpointError, match=r"run\.safetensors cannot be written: .*dtype .*; wanted plain data"):
        train(model, batches(), steps=1, checkpoint=tmp_path / "run.safetensors")
    for seed in (None, "1", 1.5):
        with pytest.raises(ValueError, match="seed"):
            train(small(), batches(), steps=1, seed=seed)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="seed"):
            batches(seed=seed)


PIECES = Subwords.build([pair.source for pair in PAIRS], size=262)


def test_pieces_in_lists_are_those_in_tuples() -> None:
    again = Subwords(list(PIECES.symbols), [list(merge) for merge in PIECES.merges])  # type: ignore[arg-type]
    assert again == PIECES and hash(again) == hash(PIECES)


@pytest.mark.parametrize(
    "change",
    [
        {"symbols": [[1]]},
        {"symbols": [None] * 3},
        {"merges": [1]},
        {"merges": ["ab"]},
        {"merges": [[1, 2]]},
        {"merges": {}},
    ],
)
def test_what_is_no_vocabulary_is_a_value_error(change: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"symbols|merges"):
        codec_from_json(PIECES.to_json() | change)
    with pytest.raises(ValueError, match="data"):
        codec_from_json({"kind": "words", "words": [1]})


HUGE = {"name": "head.bias", "shape": [10**30], "kind": "fp16"}  # more than a number of the machine can count


@pytest.mark.parametrize(
    "change", [{"aliases": []}, {"tensors": [1]}, {"tensors": [HUGE]}, {"config": 1}, {"vocabularies": [1]}]
)
def test_a_page_of_another_form_is_a_page_error(change: dict[str, object]) -> None:
    plain = gzip.decompress(export_page(small(), (WORDS, WORDS)))
    (length,) = struct.unpack_from("<I", plain)
    header = json.dumps(json.loads(plain[4 : 4 + length]) | change).encode()
    with pytest.raises(PageError, match="content is damaged, or no model for a page"):
        read_page(gzip.compress(struct.pack("<I", len(header)) + header + plain[4 + length :]))


@pytest.mark.parametrize("codec", [WORDS, PIECES])
def test_ids_are_whole_numbers(codec: Vocabulary | Subwords) -> None:
    ids = codec.encode(["a", "b"])
    for same in (ids, np.array(ids), torch.tensor(ids), (i for i in ids)):
        assert codec.decode(same) == ["a", "b"]  # type: ignore[arg-type]
    for wrong in ([4.7], np.array([4.0]), torch.tensor([4.0]), ["4"]):
        for call in (codec.decode, codec.pieces):
            with pytest.raises(TypeError, match="ids"):
                call(wrong)  # type: ignore[arg-type]


def test_a_number_of_pairs_is_whole_and_may_be_one_of_numpy(tmp_path: Path) -> None:
    assert grammar.sample(np.int64(2), seed=0) == grammar.sample(2, seed=0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="count"):
        tatoeba.read("french", path=tmp_path, count=2.5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "module", [DotProductAttention(), GeneralAttention(8, 8), AdditiveAttention(8, 8, 4), MultiHeadAttention(8, 2)]
)
def test_shapes_can_be_asked_for_without_numbers(module: nn.Module) -> None:
    x = torch.zeros(2, 3, 8, device="meta")
    assert module.to("meta")(x, x, x).shape == x.shape


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_gradients_of_every_sample_by_vmap_are_those_of_each_alone() -> None:
    model, ids = small().eval(), torch.randint(4, len(WORDS), (3, 5))

    def loss(parameters: dict[str, Tensor], source: Tensor, mask: Tensor) -> Tensor:
        given = source[None], source[None], mask[None]
        found: Tensor = torch.func.functional_call(model, parameters, given).logsumexp(-1).sum()
        return found

    parameters, mask = dict(model.named_parameters()), torch.ones_like(ids, dtype=torch.bool)
    each = torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(parameters, ids, mask)
    for i in range(3):
        alone = torch.autograd.grad(loss(parameters, ids[i], mask[i]), list(parameters.values()))
        for name, gradient in zip(parameters, alone, strict=True):
            torch.testing.assert_close(each[name][i], gradient, atol=1e-5, rtol=1e-4)


def test_shapes_of_a_whole_model_can_be_asked_for_without_numbers() -> None:
    with FakeTensorMode():
        ids = torch.zeros(2, 3, dtype=torch.int64)
        assert small()(ids, ids, ids == 0).shape == (2, 3, len(WORDS))
        assert Seq2Seq(5, 5)(ids, ids, ids == 0).shape == (2, 3, 5)
    ids = torch.zeros(2, 3, dtype=torch.int64, device="meta")
    assert Bahdanau(5, 5, bidirectional=True).to("meta")(ids, ids, ids == 0).shape == (2, 3, 5)
    with pytest.raises(TypeError, match="key"):
        x = torch.zeros(2, 3, 8, device="meta")
        DotProductAttention()(x, x.double(), x)
