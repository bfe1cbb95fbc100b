"""Our Transformer in ``train``."""

from __future__ import annotations

from pathlib import Path

from attnbook.data import Batch, Batches
from attnbook.models.transformer import Transformer
from attnbook.training.loop import train
from attnbook.translation.translate import translate
from benchmarks.toolkits.meter import Meter
from benchmarks.toolkits.setting import Setting, unseen, write_translations
from experiments.corpora import CORPORA


class Spent(Exception):
    """Raised when the budget is too small for another batch."""


class Handed:
    """Batches that pass through the meter when the training loop requests them."""

    def __init__(self, batches: Batches, meter: Meter) -> None:
        self.batches = batches
        self.handed = meter.watch(map(batches.batch_at, range(2**31)), count)

    def __len__(self) -> int:
        return len(self.batches)

    @property
    def digest(self) -> str:
        return self.batches.digest

    def num_tokens(self, position: int) -> int:
        return self.batches.num_tokens(position)

    def batch_at(self, position: int) -> Batch:
        batch = next(self.handed, None)
        if batch is None:
            raise Spent
        return batch


def count(batch: Batch) -> tuple[int, int, int]:
    """Real target tokens, real positions and all positions."""
    real = int(batch.source_mask.sum()) + batch.num_tokens
    return batch.num_tokens, real, batch.source.numel() + batch.target_in.numel()


def build(setting: Setting, source_vocab: int, target_vocab: int) -> Transformer:
    """The model, with the sizes of the setting."""
    return Transformer(
        source_vocab,
        target_vocab,
        d_model=setting.d_model,
        num_heads=setting.num_heads,
        d_ff=setting.d_ff,
        num_layers=setting.num_layers,
        dropout=setting.dropout,
    )


def run(setting: Setting, files: Path, folder: Path, meter: Meter) -> None:
    """Train until the budget is spent, and translate."""
    corpus, vocabularies = CORPORA[setting.corpus]()
    model = build(setting, *map(len, vocabularies))
    batches = Batches(corpus.train, *vocabularies, max_tokens=setting.max_tokens, seed=setting.seed)
    steps = train(model, Handed(batches, meter), steps=2**31, seed=setting.seed)
    try:
        for _ in steps:
            pass
    except Spent:
        pass
    found = translate(
        model,
        [example.source for example in unseen(corpus)],
        *vocabularies,
        max_length=setting.most_ids,
        batch_size=setting.batch_size,
    )
    write_translations(folder, (vocabularies[1].encode(translation.target) for translation in found))
