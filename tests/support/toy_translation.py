"""Small models whose task is to reverse a sentence and capitalize its words."""

from __future__ import annotations

import torch

from attnbook.data import BOS, EOS, Pair, Vocabulary, pad
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.base import EncoderDecoder
from attnbook.models.luong import Luong
from attnbook.models.seq2seq import Seq2Seq
from attnbook.models.transformer import Transformer
from attnbook.translation.search import Hypothesis

WORDS = ["a", "b", "c", "d", "e", "f", "g", "h"]
LENGTHS = [1, 2, 3, 5, 6]
SENTENCES = [[WORDS[(i * k) % 8] for k in range(1, n + 1)] for n in LENGTHS for i in (1, 3, 5)]
PAIRS = [Pair(tuple(s), tuple(w.upper() for w in reversed(s))) for s in SENTENCES]
SOURCE, TARGET = (Vocabulary.build([getattr(p, side) for p in PAIRS]) for side in ("source", "target"))


def build(family: str, sources: int = len(SOURCE), targets: int = len(TARGET)) -> EncoderDecoder:
    torch.manual_seed(0)
    recurrent = {"embed_size": 16, "num_hiddens": 16, "dropout": 0.2}
    if family == "transformer":
        return Transformer(sources, targets, d_model=16, num_heads=2, d_ff=32, num_layers=2, dropout=0.2)
    return {
        "seq2seq": lambda: Seq2Seq(sources, targets, **recurrent),
        "bahdanau": lambda: Bahdanau(sources, targets, num_layers=2, **recurrent),
        "luong": lambda: Luong(sources, targets, **recurrent),
    }[family]()


FAMILIES = ["seq2seq", "bahdanau", "luong", "transformer"]


def inputs(sentences: list[list[str]] = SENTENCES) -> tuple[torch.Tensor, torch.Tensor]:
    return pad([SOURCE.encode(s) for s in sentences])


def forced_score(model: EncoderDecoder, source: torch.Tensor, mask: torch.Tensor, found: Hypothesis) -> float:
    """The log-probability of a target for a single row, by teacher forcing."""
    ids = [*found.ids, EOS] if found.finished else list(found.ids)
    model.eval()
    with torch.no_grad():
        logits, _ = model.decode(torch.tensor([[BOS, *ids[:-1]]]), model.encode(source, mask))
    model.train()
    return sum(float(logits[0].log_softmax(-1)[t, i]) for t, i in enumerate(ids))
