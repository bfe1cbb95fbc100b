"""Chapter 8: which residuals does a Transformer need, and from which depth on?"""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from attnbook.models.transformer import AddNorm, Transformer
from experiments.compare import Comparison, Trial
from experiments.controls.translating import frequent_words, translation_trial, words_backwards

D_MODEL = 64
EVERY = {"encoder": (1, 2), "decoder": (1, 2, 3)}  # numbers of the sublayers' add & norm
WITHOUT: dict[str, dict[str, tuple[int, ...]]] = {
    "all residuals": {},
    "no residual": EVERY,
    "none in the encoder": {"encoder": EVERY["encoder"]},
    "none in the decoder": {"decoder": EVERY["decoder"]},
    "not around the encoder's self-attention": {"encoder": (1,)},
    "not around the encoder's feed-forward": {"encoder": (2,)},
    "not around the decoder's self-attention": {"decoder": (1,)},
    "not around the cross-attention": {"decoder": (2,)},
    "not around the decoder's feed-forward": {"decoder": (3,)},
}
TASKS = {
    "1 layer": (words_backwards, 1),
    "2 layers": (words_backwards, 2),
    "4 layers": (words_backwards, 4),
    "sentences": (frequent_words, 2),
}


class NoResidual(AddNorm):
    """Add & norm without the residual."""

    def forward(self, x: Tensor, sublayer: Callable[[Tensor], Tensor]) -> Tensor:
        return self.norm(self.dropout(sublayer(x)))


def build(task: str, contestant: str, seed: int) -> Trial:
    made, depth = TASKS[task]
    corpus = made()
    model = Transformer(*corpus.sizes, d_model=D_MODEL, num_heads=4, d_ff=2 * D_MODEL, num_layers=depth, dropout=0.0)
    for side, places in WITHOUT[contestant].items():
        for layer in getattr(model, side):
            for place in places:
                setattr(layer, f"add_norm_{place}", NoResidual(D_MODEL, dropout=0.0, pre_norm=False))
    return translation_trial(model, corpus, seed, 64, aligned=False)


COMPARISON = Comparison(
    question="Which residuals does a small Transformer need, and from which depth on?",
    contestants={
        "all residuals": "the Transformer of chapter 8, norm after each sum",
        "no residual": "each sublayer's output in place of the sum, in encoder and decoder",
        "none in the encoder": "without the residuals of the encoder's layers",
        "none in the decoder": "without the residuals of the decoder's layers",
        **dict.fromkeys(list(WITHOUT)[4:], "without this one residual in every layer"),
    },
    tasks={
        "1 layer": "words backwards, one layer on each side",
        "2 layers": "words backwards, two layers on each side",
        "4 layers": "words backwards, four layers on each side",
        "sentences": "translate the grammar's sentences, two layers on each side",
    },
    entries={task: list(WITHOUT) if task == "2 layers" else list(WITHOUT)[:2] for task in TASKS},
    differs="which sublayers add their input to their output",
    same="all other parts, d_model 64, 4 heads, d_ff 128, norm after each sublayer, batches of 64, no dropout",
    refuted_by="a model without residuals that reaches the whole model of the same depth, at two layers or more",
    split={
        "train": "7,600 words; the pairs, among 20,000 of the grammar, made of its 200 most frequent words",
        "valid": "400 other words; such pairs with other source sentences, 400 at most",
        "test": "400 further words; such pairs with further source sentences, 400 at most",
    },
    metric="exact",
    unit="% exactly right",
    steps=300,
    rates=(5e-4, 1.25e-3, 3e-3, 7.5e-3),
    tolerance=0.5,
    build=build,
)
