"""The JavaScript engine computes what torch computes with the exported weights; damaged files are rejected."""

from __future__ import annotations

import gzip
import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest
import torch

from attnbook.cli.options import Options
from attnbook.data import EOS, Subwords
from attnbook.data.grammar import capitals, join, splits
from attnbook.models.transformer import Transformer
from attnbook.translation.search import greedy
from attnbook.widgets.page_model import PageError, export_page, read_page
from tests.support.js_engine import ask, attention_modules, changed, difference, node, number_vocabulary, random_ask
from tests.support.small_models import FAMILIES, NAMES, SOURCE_VOCABULARY, TARGET_VOCABULARY, TRANSFORMER, build

VOCABULARIES = number_vocabulary(SOURCE_VOCABULARY), number_vocabulary(TARGET_VOCABULARY)
needs_node = pytest.mark.skipif(node() is None, reason="there is no Node here to run the page's engine")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A file of every variant, with random weights that make targets of different lengths."""
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name in NAMES:
        model = build(name)
        with torch.no_grad():
            model.head.bias[EOS] += 0.6
        found[name] = folder / f"{name}.page"
        found[name].write_bytes(export_page(model, VOCABULARIES))
    return found


@needs_node
def test_page_model_logits_equal_torch(pages: dict[str, Path]) -> None:
    generator = random.Random(0)
    models = {name: read_page(page.read_bytes()).model for name, page in pages.items()}
    asks = {
        name: [random_ask(model, generator, changed=i % 2 == 1) for i in range(6)] for name, model in models.items()
    }
    found = ask([{"page": str(pages[name]), "asks": asks[name]} for name in pages])
    for (name, model), answer in zip(models.items(), found, strict=True):
        assert difference(model, asks[name], answer["answers"]) < 1e-4, name
        assert {module["name"]: module["heads"] for module in answer["modules"]} == attention_modules(model), name
        assert [module["name"] for module in answer["modules"]] == list(attention_modules(model)), name


@needs_node
def test_greedy_search_equals_torch(pages: dict[str, Path]) -> None:
    generator = random.Random(1)
    asks = {
        name: [
            {**random_ask(build(name), generator, changed=i % 4 == 3), "search": True, "maxLength": 12}
            for i in range(8)
        ]
        for name in FAMILIES
    }
    found = ask([{"page": str(pages[name]), "asks": asks[name]} for name in FAMILIES])
    lengths = set()
    for name, answer in zip(FAMILIES, found, strict=True):
        model = read_page(pages[name].read_bytes()).model
        for one, theirs in zip(asks[name], answer["answers"], strict=True):
            source = torch.tensor([one["source"]])
            mask = torch.ones_like(source, dtype=torch.bool)
            with changed(model, one["changes"]):
                (ours,) = greedy(model, source, mask, max_length=12)
            assert tuple(theirs["ids"]) == ours.ids, (name, one)
            assert theirs["score"] == pytest.approx(ours.score, abs=1e-3)
            assert theirs["finished"] == ours.finished
            lengths.add(len(ours.ids))
    assert len(lengths) > 3


@needs_node
def test_subword_vocabulary_on_page_equals_library() -> None:
    sentences = [pair.target for pair in splits(train=300, valid=1, test=1, composition=1, seed=0).train]
    codec = Subwords.build(sentences, size=400)
    texts = [*sentences[:50], ("été", "naïve", "œuf", "数学", "🙂", "\u00a0x", "aaaaaa", "\ufeff")]
    generator = random.Random(0)
    ids = [[generator.randrange(len(codec)) for _ in range(12)] for _ in range(50)]
    ids += [codec.encode(text) for text in texts]
    (found,) = ask([{"vocabulary": codec.to_json(), "encode": [list(text) for text in texts], "decode": ids}])
    assert found["encoded"] == [codec.encode(text) for text in texts]
    assert found["decoded"] == [codec.decode(row) for row in ids]
    assert found["pieces"] == [codec.pieces(row) for row in ids]


@needs_node
def test_page_tokenizes_and_joins_text_as_in_the_corpus() -> None:
    pairs = splits(train=400, valid=1, test=1, composition=1, seed=0).train
    odd = ["", "L’été, Œuvre_2 ?", "o'clock don't'll x-y  zoë!", "Aujourd'hui qu'il n't", "un cafe\u0301"]
    texts = {
        "english": [join(pair.source, "english") for pair in pairs] + odd,
        "french": [join(pair.target, "french") for pair in pairs] + odd,
    }
    questions = [
        {"texts": all_, "language": language, "capitals": sorted(capitals(language))}
        for language, all_ in texts.items()
    ]
    for (language, all_), found in zip(texts.items(), ask(questions), strict=True):
        side = "source" if language == "english" else "target"
        tokens = [Options(corpus="grammar").tokenize(text, side=side) for text in all_]
        assert [tuple(row) for row in found["tokens"]] == tokens
        assert found["joined"] == [join(row, language) for row in tokens]


@needs_node
def test_page_tokenizes_and_joins_text_of_real_corpus() -> None:
    texts = ["I don't know.", "Wait,what?!", " a\u00a0b\u202fc\td  ", "", "Où est-il ? Là...", "J’ai 3,5 €.", "\u2003x"]
    texts.append("un cafe\u0301")
    (found,) = ask([{"texts": texts, "language": "french", "capitals": [], "corpus": "tatoeba"}])
    options = Options(corpus="tatoeba")
    tokens = [options.tokenize(text, side="target") for text in texts]
    assert [tuple(row) for row in found["tokens"]] == tokens
    joined = [options.join(row) for row in tokens]
    assert found["joined"] == [text[:1].upper() + text[1:] for text in joined]


@needs_node
def test_word_vocabulary_on_page_equals_package() -> None:
    codec, ids = VOCABULARIES[0], [[5, 4, 2, 6], [1, 0, 3, 7]]
    (found,) = ask([{"vocabulary": codec.to_json(), "encode": [["3", "none", "0"]], "decode": ids}])
    assert found["encoded"] == [codec.encode(["3", "none", "0"])]
    assert found["decoded"] == [codec.decode(row) for row in ids]
    assert found["pieces"] == [codec.pieces(row) for row in ids]


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize(("precision", "error"), [("int8", 1 / 253), ("fp16", 1 / 2040)])
def test_exported_weights_are_within_rounding_error(name: str, precision: str, error: float) -> None:
    model = build(name)
    read, *vocabularies = read_page(export_page(model, VOCABULARIES, precision=precision))
    assert type(read) is type(model) and read.config == model.config and not read.training
    assert tuple(vocabularies) == VOCABULARIES
    for key, tensor in model.state_dict().items():
        most = tensor.abs().amax(-1, keepdim=True)
        assert ((read.state_dict()[key] - tensor).abs() <= error * most + 1e-7).all(), key
    if name == "transformer-sinusoidal":
        assert read.head.weight is read.target_embedding.weight


@needs_node
def test_export_writes_shared_vocabulary_and_embedding_once(tmp_path: Path) -> None:
    torch.manual_seed(0)
    vocabulary = number_vocabulary(SOURCE_VOCABULARY)
    model = Transformer(len(vocabulary), len(vocabulary), **TRANSFORMER, shared=True)
    content = export_page(model, (vocabulary, vocabulary))
    read, source, target = read_page(content)
    assert source is target and source == vocabulary
    assert isinstance(read, Transformer) and read.head.weight is read.source_embedding.weight
    assert gzip.decompress(content).count(b'"kind":"words"') == 1
    (tmp_path / "page").write_bytes(content)
    asked = random_ask(model, random.Random(0), changed=False)
    (answer,) = ask([{"page": str(tmp_path / "page"), "asks": [asked]}])
    assert difference(read, [asked], answer["answers"]) < 1e-4


@needs_node
def test_export_omits_subwords_that_merges_create() -> None:
    sentences = [pair.target for pair in splits(train=300, valid=1, test=1, composition=1, seed=0).train]
    codec = Subwords.build(sentences, size=400)
    turned = Subwords((*codec.symbols[:-2], codec.symbols[-1], codec.symbols[-2]), codec.merges)
    for given, listed in ((codec, 256), (turned, len(turned.symbols))):
        content = export_page(Transformer(len(given), len(given), **TRANSFORMER), (given, given))
        header = gzip.decompress(content)[4:]
        assert (
            len(json.JSONDecoder().raw_decode(header.decode(errors="replace"))[0]["vocabularies"][0]["symbols"])
            == listed
        )
        assert read_page(content).source_vocabulary == given
    data = {**codec.to_json(), "symbols": list(codec.symbols[:256])}
    (found,) = ask([{"vocabulary": data, "encode": [list(sentences[0])], "decode": [codec.encode(sentences[0])]}])
    assert found["encoded"] == [codec.encode(sentences[0])] and found["decoded"] == [list(sentences[0])]


def test_export_of_exported_model_is_identical() -> None:
    content = export_page(build("luong-general-global-fed"), VOCABULARIES)
    assert export_page(build("luong-general-global-fed"), VOCABULARIES) == content
    again = export_page(read_page(content).model, VOCABULARIES)
    assert abs(len(again) - len(content)) < 100


def test_export_keeps_row_of_zeros() -> None:
    model = build("seq2seq")
    with torch.no_grad():
        model.head.weight[3] = 0
        model.head.weight[4] = 1e-9
    read = read_page(export_page(model, VOCABULARIES)).model
    assert (read.head.weight[3:5] == 0).all()


def damaged(content: bytes) -> list[bytes]:
    generator = random.Random(0)
    flipped = []
    for place in [*range(0, 10), *(generator.randrange(10, len(content)) for _ in range(60))]:
        copy = bytearray(content)
        copy[place] ^= 1 << generator.randrange(8)
        flipped.append(bytes(copy))
    other = gzip.compress(b"\2\0\0\0{}")
    return [*flipped, content[:-1], content[: len(content) // 2], b"", b"no gzip", other]


def test_page_model_read_page_raises_for_damaged_file() -> None:
    content = export_page(build("bahdanau"), VOCABULARIES)
    sound = gzip.decompress(content)
    for wrong in damaged(content):
        try:
            read_page(wrong)
        except PageError:
            continue
        assert gzip.decompress(wrong) == sound, "a flip in what gzip notes about a file changes nothing"


@needs_node
def test_page_reports_damaged_file(tmp_path: Path) -> None:
    content = export_page(build("bahdanau"), VOCABULARIES)
    questions: list[dict[str, Any]] = []
    harmless = []
    for i, wrong in enumerate(damaged(content)):
        path = tmp_path / str(i)
        path.write_bytes(wrong)
        questions.append({"page": str(path), "asks": []})
        harmless.append(i < 10)  # a flip in what gzip notes about a file may change nothing
    refused = ["error" in answer for answer in ask(questions)]
    assert all(refusal or same for refusal, same in zip(refused, harmless, strict=True))
    assert sum(refused) > 60


def test_page_model_export_raises_for_invalid_arguments() -> None:
    model = build("bahdanau")
    with pytest.raises(ValueError, match="precision"):
        export_page(model, VOCABULARIES, precision="int4")
    with pytest.raises(ValueError, match=r"^source_vocabulary\b"):
        export_page(model, VOCABULARIES[::-1])
    with pytest.raises(TypeError, match=r"^model must"):
        export_page(torch.nn.Linear(2, 2), VOCABULARIES)  # type: ignore[arg-type]
    with torch.no_grad():
        model.head.weight[0, 0] = torch.nan
    with pytest.raises(ValueError, match=r"^head\.weight must"):
        export_page(model, VOCABULARIES)


HUGE = {"name": "head.bias", "shape": [10**30], "kind": "fp16"}  # larger than a machine integer


@pytest.mark.parametrize(
    "change", [{"aliases": []}, {"tensors": [1]}, {"tensors": [HUGE]}, {"config": 1}, {"vocabularies": [1]}]
)
def test_read_page_refuses_invalid_header(change: dict[str, object]) -> None:
    plain = gzip.decompress(export_page(build("transformer-sinusoidal"), VOCABULARIES))
    (length,) = struct.unpack_from("<I", plain)
    header = json.dumps(json.loads(plain[4 : 4 + length]) | change).encode()
    with pytest.raises(PageError, match="content"):
        read_page(gzip.compress(struct.pack("<I", len(header)) + header + plain[4 + length :]))
