"""Greedy decoding with randomly initialized models of the same sizes, none of which can stop early.

All programs write the same number of tokens, because the head's bias excludes <eos>. D2L's ``predict_seq2seq`` takes
one sentence of text and is compared with ``attnbook.translate``, which also takes text. Hugging Face's ``generate``
takes ids, like ``attnbook.translation.search.greedy``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from attnbook.data import EOS, Vocabulary
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.transformer import Transformer
from attnbook.translation.search import Hypothesis, greedy
from attnbook.translation.translate import Translation, translate
from benchmarks import rivals
from benchmarks.bare import bare_greedy, bare_transformer
from benchmarks.harness import OURS, Settings, compare, contest, spread
from benchmarks.sentences import random_batch
from bookkit import d2l_models

FORBIDDEN = -1e9
BARE = "torch alone"
SMALL = rivals.Sizes(vocab_size=200, d_model=32, num_heads=4, d_ff=64, num_layers=2)
TURN = 0.2  # minimum seconds per turn


def run(
    settings: Settings,
    small: rivals.Sizes = SMALL,
    middle: rivals.Sizes = rivals.MIDDLE,
    *,
    batch: int = 64,
    length: int = 24,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Compare with D2L and with Hugging Face, one sentence at a time and in a batch."""
    rounds = settings.rounds(20)
    rows = []
    for name, sizes, steps in (("small", small, 10), ("middle", middle, length)):
        models = {"Transformer": _transformers(sizes, settings)}
        if name == "small":
            models["Bahdanau"] = _bahdanaus(sizes, settings)
        for kind, (ours, theirs) in models.items():
            rows += _against_d2l(f"{kind}, {name}", ours, theirs, sizes, settings, batch, steps, rounds)
    for count in (1, batch):
        rows.append(_against_marian(middle, settings, count, length, rounds))
    more = {
        "sizes": {"small": vars(small), "middle": vars(middle), "batch": batch, "tokens_written": length},
        "bound": "ratio of benchmarks/bare.py, which writes the same tokens with one call of torch per operation, and "
        "nothing else: no modules, no checks, no probabilities",
    }
    return rows, more


def _against_d2l(
    work: str,
    ours: EncoderDecoder,
    theirs: d2l_models.Translator,
    sizes: rivals.Sizes,
    settings: Settings,
    batch: int,
    steps: int,
    rounds: int,
) -> list[dict[str, Any]]:
    words = tuple(f"w{i}" for i in range(sizes.vocab_size - 4))
    vocabulary = Vocabulary(words)
    their_vocabulary = d2l_models.d2l.Vocab([list(words)], reserved_tokens=["<pad>", "<bos>", "<eos>"])
    with torch.no_grad():
        theirs.decoder.dense.bias[their_vocabulary["<eos>"]] = FORBIDDEN
    ids = random_batch(batch, steps - 1, 0.0, sizes.vocab_size, settings.seed).source
    sentences = [[words[i - 4] for i in row] for row in ids.tolist()]

    def predict(sentence: list[str]) -> None:
        d2l_models.d2l.predict_seq2seq(
            theirs, " ".join(sentence), their_vocabulary, their_vocabulary, steps, settings.device
        )

    def write(count: int) -> Callable[[], list[Translation]]:
        return lambda: translate(ours, sentences[:count], vocabulary, vocabulary, max_length=steps)

    source = vocabulary.encode(sentences[0])
    assert vocabulary.decode(bare_greedy(ours, source, steps)) == list(write(1)()[0].target)
    contestants: dict[str, Callable[[], object]] = {
        OURS: write(1),
        "D2L": lambda: predict(sentences[0]),
        BARE: lambda: bare_greedy(ours, source, steps),
    }
    one = contest(contestants, settings, rounds=rounds, warmup=3, at_least=TURN)
    bare = one.pop(BARE)
    many = contest(
        {OURS: write(batch), "D2L": lambda: predict(sentences[0])}, settings, rounds=rounds, warmup=3, at_least=TURN
    )
    unit, goal = "sentences/s", {"D2L": 5.0}
    alone = compare(f"{work}, one sentence", one, reach=goal, unit=unit)
    alone["bound"] = {"D2L": alone["contestants"]["D2L"]["seconds"]["median"] / spread(bare)["median"]}
    return [
        alone,
        compare(f"{work}, {batch} sentences", many, reach=goal, unit=unit, amounts={OURS: batch, "D2L": 1}),
    ]


def _against_marian(sizes: rivals.Sizes, settings: Settings, count: int, length: int, rounds: int) -> dict[str, Any]:
    ours = _ours(sizes, settings)
    model, _ = rivals.marian(sizes)
    marian: Any = model.to(settings.device, settings.dtype).eval()
    marian.final_logits_bias[..., EOS] = FORBIDDEN
    batch = random_batch(count, length, 0.0 if count == 1 else 0.25, sizes.vocab_size, settings.seed).to(
        settings.device
    )

    def generate() -> Any:
        return marian.generate(
            input_ids=batch.source,
            attention_mask=batch.source_mask,
            max_new_tokens=length,
            do_sample=False,
            num_beams=1,
            use_cache=True,
        )

    def write() -> list[Hypothesis]:
        return greedy(ours, batch.source, batch.source_mask, max_length=length)

    def write_bare() -> torch.Tensor:
        return bare_transformer(ours, batch.source, None if count == 1 else batch.source_mask, length)

    assert generate().shape == (count, length + 1)
    assert write_bare().tolist() == [list(hypothesis.ids) for hypothesis in write()]
    contestants: dict[str, Callable[[], object]] = {OURS: write, "Marian": generate, BARE: write_bare}
    seconds = contest(contestants, settings, rounds=rounds, warmup=3, at_least=TURN)
    bare = seconds.pop(BARE)
    work = f"Transformer, middle, {count} sentence{'s' if count > 1 else ''}, from ids"
    row = compare(work, seconds, reach={"Marian": 2.0}, amounts=float(count * length), unit="tokens/s")
    return {**row, "bound": {"Marian": row["contestants"]["Marian"]["seconds"]["median"] / spread(bare)["median"]}}


def _transformers(sizes: rivals.Sizes, settings: Settings) -> tuple[EncoderDecoder, d2l_models.Translator]:
    theirs, _ = rivals.d2l_blocks(sizes)
    assert isinstance(theirs, d2l_models.Translator)
    return _ours(sizes, settings), theirs.to(settings.device, settings.dtype)


def _bahdanaus(sizes: rivals.Sizes, settings: Settings) -> tuple[EncoderDecoder, d2l_models.Translator]:
    width, layers = sizes.d_model, sizes.num_layers
    torch.manual_seed(settings.seed)
    ours = Bahdanau(sizes.vocab_size, sizes.vocab_size, embed_size=width, num_hiddens=width, num_layers=layers)
    theirs = d2l_models.bahdanau(sizes.vocab_size, sizes.vocab_size, width=width, layers=layers, dropout=sizes.dropout)
    return _forbid_end(ours, settings), theirs.to(settings.device, settings.dtype)


def _ours(sizes: rivals.Sizes, settings: Settings) -> EncoderDecoder:
    torch.manual_seed(settings.seed)
    model = Transformer(
        sizes.vocab_size,
        sizes.vocab_size,
        d_model=sizes.d_model,
        num_heads=sizes.num_heads,
        d_ff=sizes.d_ff,
        num_layers=sizes.num_layers,
        tied=False,
    )
    return _forbid_end(model, settings)


def _forbid_end(model: EncoderDecoder, settings: Settings) -> EncoderDecoder:
    with torch.no_grad():
        model.head.bias[EOS] = FORBIDDEN
    return model.to(settings.device, settings.dtype).eval()
