"""Chapter 8: what does a Transformer lose without one of its parts, at the best learning rate for the rest?"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from attnbook.models.transformer import Transformer
from experiments.compare import Comparison, Trial
from experiments.controls.translating import frequent_words, translation_trial, words_backwards

D_MODEL, WIDER = 64, 84  # WIDER: without feed-forward networks as many parameters as D_MODEL with them
CORPORA = {"backwards": words_backwards, "sentences": frequent_words}
PARTS = {  # contestant -> the part it does not have, d_model
    "whole model": ("nothing", D_MODEL),
    "no feed-forward": ("feed-forward", D_MODEL),
    "no feed-forward, wider": ("feed-forward", WIDER),
    "no ReLU": ("its ReLU", D_MODEL),
    "no norm": ("norm", D_MODEL),
    "no positions": ("positions", D_MODEL),
    "one head": ("all heads but one", D_MODEL),
}


class Nothing(nn.Module):
    """Replacement for a feed-forward network that outputs zeros."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)


class NoPositions(nn.Module):
    """Replacement for positional encodings that returns the embeddings unchanged."""

    def forward(self, x: Tensor, offset: int = 0) -> Tensor:
        return x


def remove(model: Transformer, part: str) -> None:
    """Remove a part from every layer."""
    if part == "positions":
        model.source_positions, model.target_positions = NoPositions(), NoPositions()
    for layer in (*model.encoder, *model.decoder):
        if part == "feed-forward":
            layer.feed_forward = Nothing()
        if part == "its ReLU":
            layer.feed_forward = nn.Sequential(layer.feed_forward.W_1, layer.feed_forward.W_2)
        if part == "norm":
            for name, module in layer.named_children():
                if name.startswith("add_norm"):
                    module.norm = nn.Identity()


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus, (part, d_model) = CORPORA[task](), PARTS[contestant]
    heads = 1 if part == "all heads but one" else 4
    model = Transformer(*corpus.sizes, d_model=d_model, num_heads=heads, d_ff=2 * D_MODEL, num_layers=2, dropout=0.0)
    remove(model, part)
    return translation_trial(model, corpus, seed, 64, aligned=False)


COMPARISON = Comparison(
    question="What does a small Transformer lose without one of its parts?",
    contestants={
        "whole model": "two layers on each side, d_model 64, 4 heads, d_ff 128, norm after the sum",
        "no feed-forward": "no feed-forward networks, and so fewer parameters",
        "no feed-forward, wider": f"no feed-forward networks, d_model {WIDER} for about as many parameters",
        "no ReLU": "feed-forward networks of two linear layers without a ReLU",
        "no norm": "no norm anywhere",
        "no positions": "embeddings without positions",
        "one head": "one head of size 64 in place of four of size 16",
    },
    tasks={"backwards": "write words of 3 to 6 letters backwards", "sentences": "translate the grammar's sentences"},
    differs="the part that is left out",
    same="two layers on each side, residuals, batches of 64, no dropout",
    refuted_by="at four times the budget, a model without positions that reaches the whole model in either task, "
    "or one without norm that reaches it in sentences",
    split={
        "train": "7,600 words; the pairs, among 20,000 of the grammar, made of its 200 most frequent words",
        "valid": "400 other words; such pairs with other source sentences, 400 at most",
        "test": "400 further words; such pairs with further source sentences, 400 at most",
    },
    metric="exact",
    unit="% exactly right",
    steps=300,
    rates=(1e-3, 2.5e-3, 6e-3, 1.5e-2),
    tolerance=0.5,
    build=build,
)
