"""Chapter 10: what does each replacement since the Transformer of 2017 change, at its own best learning rate?"""

from __future__ import annotations

from torch import nn

from attnbook.attention.causal import GroupedAttention
from attnbook.models.language_model import Block, LanguageModel, MixtureOfExperts, SwiGLU
from attnbook.models.transformer import FeedForward
from experiments.compare import Comparison, Trial
from experiments.controls.decoders import D_MODEL, HEADS, LAYERS, SPLIT, text_trial
from experiments.controls.translating import frequent_words

PARTS = {
    "2017": (),
    "RMS norm": ("RMS norm",),
    "QK norm": ("QK norm",),
    "rotary": ("rotary",),
    "SwiGLU": ("SwiGLU",),
    "experts": ("experts",),
    "all but experts": ("RMS norm", "QK norm", "rotary", "SwiGLU"),
}


def build(task: str, contestant: str, seed: int) -> Trial:
    parts = PARTS[contestant]
    norm = nn.RMSNorm if "RMS norm" in parts else nn.LayerNorm
    rotary, qk_norm = "rotary" in parts, "QK norm" in parts
    blocks = [
        Block(
            D_MODEL,
            GroupedAttention(D_MODEL, HEADS, HEADS, rotary=rotary, qk_norm=qk_norm),
            feed_forward(parts),
            norm,
        )
        for _ in range(LAYERS)
    ]
    return text_trial(
        LanguageModel(sum(frequent_words().sizes), D_MODEL, blocks, sinusoidal=not rotary, norm=norm), seed
    )


def feed_forward(parts: tuple[str, ...]) -> nn.Module:
    """128 hidden units, a gated network with as many parameters, or a mixture of four networks with one per token."""
    if "SwiGLU" in parts:
        return SwiGLU(D_MODEL, 86)
    if "experts" in parts:
        return MixtureOfExperts(D_MODEL, [FeedForward(D_MODEL, 128) for _ in range(4)])
    return FeedForward(D_MODEL, 128)


COMPARISON = Comparison(
    question="What does each of RMS norm, QK norm, rotary positions, SwiGLU and experts change in a language model?",
    contestants={
        "2017": "layer norm before each sublayer, sinusoidal positions, feed-forward network with ReLU",
        "RMS norm": "RMS norm in place of layer norm",
        "QK norm": "queries and keys normalized in each head",
        "rotary": "rotary in place of sinusoidal positions",
        "SwiGLU": "a gated feed-forward network with as many parameters",
        "experts": "four feed-forward networks, each token uses one",
        "all but experts": "RMS norm, QK norm, rotary positions and SwiGLU together",
    },
    differs="the named part",
    same="two layers of d_model 64 with 8 heads, texts, batches of 64, optimizer",
    refuted_by="intervals of the paired differences that all contain zero",
    split=SPLIT,
    metric="french",
    unit="nats per token of the French half",
    higher_is_better=False,
    steps=400,
    rates=(2e-3, 5e-3, 1.25e-2, 3e-2),
    tolerance=0.002,
    build=build,
)
