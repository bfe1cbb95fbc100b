"""Chapter 8: which residuals does a Transformer need, and from which depth on? Words written backwards."""

from __future__ import annotations

from attnbook.models.transformer import Transformer
from experiments.compare import Comparison, Trial
from experiments.controls.ablation import NoResidual
from experiments.controls.translating import translation_trial, words_backwards

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
DEPTHS = {"1 layer": 1, "2 layers": 2, "4 layers": 4, "6 layers": 6}


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus = words_backwards()
    model = Transformer(
        *corpus.sizes, d_model=D_MODEL, num_heads=4, d_ff=2 * D_MODEL, num_layers=DEPTHS[task], dropout=0.0
    )
    for side, places in WITHOUT[contestant].items():
        for layer in getattr(model, side):
            for place in places:
                setattr(layer, f"add_norm_{place}", NoResidual(D_MODEL, dropout=0.0, pre_norm=False))
    return translation_trial(model, corpus, seed, 64, aligned=False)


COMPARISON = Comparison(
    question="Which residuals does a small Transformer need to write words backwards, and from which depth on?",
    contestants={
        "all residuals": "the Transformer of chapter 8, norm after each sum",
        "no residual": "each sublayer's output in place of the sum, in encoder and decoder",
        "none in the encoder": "without the residuals of the encoder's layers",
        "none in the decoder": "without the residuals of the decoder's layers",
        **dict.fromkeys(list(WITHOUT)[4:], "without this one residual in every layer"),
    },
    tasks={name: f"{depth} in the encoder and as many in the decoder" for name, depth in DEPTHS.items()},
    entries={
        "1 layer": list(WITHOUT)[:4],
        "2 layers": list(WITHOUT),
        "4 layers": list(WITHOUT)[:4],
        "6 layers": [*list(WITHOUT)[:4], "not around the cross-attention"],
    },
    differs="which sublayers add their input to their output",
    same="all other parts, d_model 64, 4 heads, d_ff 128, norm after each sublayer, batches of 64 words, no dropout",
    refuted_by="a model without residuals that reaches the whole model at every depth",
    split={
        "train": "7,600 words of 3 to 6 letters out of 12",
        "valid": "400 other words",
        "test": "400 further words",
    },
    metric="exact",
    unit="% of words right to the last letter",
    steps={"1 layer": 600, "2 layers": 400, "4 layers": 300, "6 layers": 300},
    rates=(5e-4, 1.25e-3, 3e-3, 7.5e-3),
    tolerance=0.5,
    build=build,
)
