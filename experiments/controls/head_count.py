"""Chapter 6: how many heads are best, and does their number or their size matter?"""

from __future__ import annotations

from torch import nn

from attnbook.attention.multihead import MultiHeadAttention
from attnbook.models.transformer import Transformer
from experiments.compare import Comparison, Trial
from experiments.controls.translating import SPLIT, frequent_words, translation_trial

D_MODEL = 64
HEADS = {"1 head": 1, "4 heads": 4, "16 heads": 16, "4 wide heads": 4, "16 wide heads": 16}
WIDE = 256  # total size of the wide heads, which exceeds that of the model


def widen(model: Transformer) -> None:
    """Give every attention as many heads of total size WIDE, with its initialization."""
    for layer in (*model.encoder, *model.decoder):
        for name, module in list(layer.named_children()):
            if isinstance(module, MultiHeadAttention):
                wide = MultiHeadAttention(
                    WIDE, module.num_heads, query_size=D_MODEL, key_size=D_MODEL, value_size=D_MODEL
                )
                wide.W_o = nn.Linear(WIDE, D_MODEL)
                for linear in (wide.W_q, wide.W_k, wide.W_v, wide.W_o):
                    nn.init.xavier_uniform_(linear.weight)
                    nn.init.zeros_(linear.bias)
                setattr(layer, name, wide)


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus = frequent_words()
    model = Transformer(
        *corpus.sizes, d_model=D_MODEL, num_heads=HEADS[contestant], d_ff=2 * D_MODEL, num_layers=1, dropout=0.0
    )
    if "wide" in contestant:
        widen(model)
    return translation_trial(model, corpus, seed, 32, aligned=False)


COMPARISON = Comparison(
    question="How many heads does a small translator need, and is it their number or their size that counts?",
    contestants={
        "1 head": "one head of size 64",
        "4 heads": "four heads of size 16",
        "16 heads": "sixteen heads of size 4",
        "4 wide heads": "four heads of size 64, with as many parameters as sixteen wide heads",
        "16 wide heads": "sixteen heads of size 16, so that only their number differs from four heads; more parameters",
    },
    differs="the number of heads and their size",
    same="one layer on each side, d_model 64, d_ff 128, batches of 32, no dropout",
    refuted_by="the same BLEU with one, four and sixteen heads at every budget",
    split=SPLIT,
    metric="bleu",
    unit="BLEU",
    steps=320,
    rates=(1e-3, 2.5e-3, 6e-3, 1.5e-2),
    tolerance=0.3,
    build=build,
)
