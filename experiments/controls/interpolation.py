"""Chapter 7: how can rotary positions be extended to texts eight times as long, and after how many training steps?"""

from __future__ import annotations

import math
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor

from attnbook.attention.multihead import MultiHeadAttention
from attnbook.attention.positional import RotaryPositions
from experiments.compare import Comparison, Trial, generator
from experiments.controls.repeating import HEADS, LONGER, SIZE, TOKENS, TRAINED, Repeater, asked, fit

TASK, BATCH, JUDGED = "three back", 16, 100
FACTOR = LONGER / TRAINED


@cache
def trained(seed: int) -> dict[str, Tensor]:
    """The weights after 200 steps on texts of 16 tokens."""
    torch.manual_seed(seed)
    model = Repeater("rotary")
    fit(model, TASK, steps=200, length=TRAINED, lr=5e-3)
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def changed(contestant: str, seed: int) -> Repeater:
    """The trained model after a change, before any further training; for "from scratch", a new model."""
    model = Repeater("rotary")
    attention = model.attention
    assert isinstance(attention, MultiHeadAttention)
    if contestant != "from scratch":
        model.load_state_dict(trained(seed))
    if contestant == "interpolation":
        attention.rotary = RotaryPositions(SIZE // HEADS, stretch=FACTOR)
    if contestant == "larger base":
        attention.rotary = RotaryPositions(SIZE // HEADS, base=10_000 * FACTOR)
    if contestant == "sharper":
        with torch.no_grad():
            for parameter in attention.W_q.parameters():
                parameter.mul_(math.log(LONGER) / math.log(TRAINED))
    if contestant == "window":
        model.window = TRAINED - 1
    return model


def build(task: str, contestant: str, seed: int) -> Trial:
    model = changed(contestant, seed)

    def judged(count: int, draws: torch.Generator) -> tuple[Tensor, Tensor]:
        tokens = torch.randint(TOKENS, (count, LONGER), generator=draws)
        places, wanted = asked(TASK, tokens)
        return model(tokens)[:, places].flatten(0, 1), wanted.flatten()

    def loss(step: int) -> Tensor:
        return F.cross_entropy(*judged(BATCH, generator(seed, step)))

    def measure(split: str) -> dict[str, float]:
        logits, wanted = judged(JUDGED, torch.Generator().manual_seed({"valid": 98, "test": 99}[split]))
        return {"right": 100 * float((logits.argmax(-1) == wanted).float().mean())}

    return Trial(model, loss, measure)


COMPARISON = Comparison(
    question="How many steps on longer texts do rotary positions need after each way of stretching them?",
    contestants={
        "as it was": "the trained model, unchanged",
        "interpolation": "positions divided by 8 (Chen et al. 2023)",
        "larger base": "8 times the base of the frequencies",
        "sharper": "queries multiplied by log 128 / log 16",
        "window": "each token sees the 15 tokens on either side",
        "from scratch": "a new model, trained on the longer texts alone",
    },
    differs="what is changed in the trained model before training goes on",
    same="one attention layer of 2 heads, trained for 200 steps on texts of 16 tokens; then batches of 16 texts of 128",
    refuted_by="interpolation that is still near chance at four times the budget",
    split={
        "train": "fresh random texts of 128 of 12 tokens; say the third token back",
        "valid": "100 random texts",
        "test": "100 other random texts",
    },
    metric="right",
    unit="% of tokens",
    steps=300,
    rates=(6e-4, 1.5e-3, 4e-3, 1e-2),
    seeds=5,
    tolerance=0.5,
    build=build,
)
