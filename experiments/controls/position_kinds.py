"""Chapter 7: which kinds of positions work beyond the training length, on two tasks?"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from experiments.compare import Comparison, Trial, generator
from experiments.controls.repeating import KINDS, TOKENS, TRAINED, Repeater, asked

BATCH, JUDGED = 16, 100
LENGTHS = (8, 12, 16, 20, 24, 32, 48, 64, 128, 256)


def build(task: str, contestant: str, seed: int) -> Trial:
    model = Repeater(contestant)

    def judged(count: int, length: int, draws: torch.Generator) -> tuple[Tensor, Tensor]:
        tokens = torch.randint(TOKENS, (count, length), generator=draws)
        places, wanted = asked(task, tokens)
        return model(tokens)[:, places].flatten(0, 1), wanted.flatten()

    def loss(step: int) -> Tensor:
        return F.cross_entropy(*judged(BATCH, TRAINED, generator(seed, step)))

    def measure(split: str) -> dict[str, float]:
        draws, found = torch.Generator().manual_seed({"valid": 98, "test": 99}[split]), {}
        for length in LENGTHS:
            logits, wanted = judged(JUDGED, length, draws)
            found[f"right at {length}"] = 100 * float((logits.argmax(-1) == wanted).float().mean())
        return found

    return Trial(model, loss, measure)


COMPARISON = Comparison(
    question="Which positions find a token by its distance or by its place, at the trained length and beyond it?",
    contestants={
        "none": "embeddings without positions",
        "learned": "a learned vector for each position",
        "sinusoidal": "sines and cosines added to the embeddings",
        "rotary": "queries and keys rotated by their position",
        "alibi": "scores lowered by a fixed slope per position of distance, the same to both sides",
        "relative": "a learned number for each distance up to 8, added to the scores",
    },
    tasks={
        "three back": "say the third token back",
        "fourth": "say the fourth token of the text, at each place",
    },
    differs="how the attention is told the positions",
    same=f"one attention layer with 2 heads of size 32, texts of {TRAINED} tokens in training, batches of 16",
    refuted_by="sinusoidal positions that are right at 64 tokens as often as rotary ones at three back",
    split={
        "train": f"fresh random texts of {TRAINED} of 12 tokens",
        "valid": "100 random texts of each length from 8 to 256",
        "test": "100 other random texts of each length",
    },
    metric=f"right at {TRAINED}",
    unit="% of tokens, at the trained length, which chooses the rate",
    steps=200,
    rates=(1e-3, 2.5e-3, 6e-3, 1.5e-2),
    tolerance=0.5,
    build=build,
)
assert set(COMPARISON.contestants) == set(KINDS)
