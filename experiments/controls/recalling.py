"""Chapter 11: what can each mechanism recall from a list, with and without a sense of order?"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from experiments.compare import Comparison, Trial, generator
from experiments.controls.recall import BATCH, KINDS, LENGTHS, LONGEST, NAMES, Reader, lists, unit


class FadingReader(Reader):
    """Softmax attention with scores that fall linearly with distance (ALiBi with a learned slope)."""

    def __init__(self, names: int) -> None:
        super().__init__("softmax", names)
        self.slope = nn.Parameter(torch.tensor(0.1))

    def weights(self, q: Tensor, k: Tensor, item: Tensor) -> Tensor:
        back = torch.arange(k.shape[1] - 1, -1, -1)
        scores: Tensor = (k @ q).squeeze(-1) / k.shape[-1] ** 0.5 - self.slope * back
        return scores.softmax(-1)


class DeltaReader(Reader):
    """The delta rule for all items at once.

    The value that item i adds at its key is u_i = b_i (v_i - sum over j < i of (k_i . k_j) u_j): a triangular system.
    """

    def __init__(self, names: int) -> None:
        super().__init__("delta", names)

    def forward(self, x: Tensor, query: Tensor) -> Tensor:
        item = self.item(x)
        q, k, write = unit(self.W_q(query)), unit(self.W_k(item)), self.gate(item).sigmoid()
        added = torch.linalg.solve_triangular(
            (write * (k @ k.mT)).tril(-1), write * item, upper=False, unitriangular=True
        )
        pooled = ((k @ q.unsqueeze(-1)).mT @ added).squeeze(1)
        logits: Tensor = self.answer(torch.cat((pooled, query), -1))
        return logits


READERS = {"softmax with slope": FadingReader, "delta": DeltaReader}


def build(task: str, contestant: str, seed: int) -> Trial:
    names = NAMES[task]
    model = READERS[contestant](names) if contestant in READERS else Reader(contestant, names)
    return trial(task, model, seed)


def trial(task: str, model: Reader, seed: int) -> Trial:
    """Train a model on random lists, and measure how often it is right about lists of each length."""

    def loss(step: int) -> Tensor:
        x, query, answer = lists(task, BATCH, LENGTHS[step % len(LENGTHS)], generator(seed, step))
        return F.cross_entropy(model(x, query), answer)

    def measure(split: str) -> dict[str, float]:
        draws = torch.Generator().manual_seed({"valid": 98, "test": 99}[split])
        shares = {}
        for items in (*LENGTHS, LONGEST):
            x, query, answer = lists(task, 1_000, items, draws)
            shares[f"right of {items}"] = 100 * float((model(x, query).argmax(-1) == answer).float().mean())
        return {"right": sum(shares.values()) / len(shares), **shares}

    return Trial(model, loss, measure)


COMPARISON = Comparison(
    question="How much of a list can softmax attention, a window, linear attention, a gate and the delta rule recall?",
    contestants={
        "softmax": "softmax attention, queries and keys of 16 entries, no positions",
        "softmax with slope": "the same, each score lowered by a learned number per item of distance (ALiBi, learned)",
        "window": "softmax attention over the last 8 items",
        "linear": "linear attention with unit queries and keys of 16 entries",
        "linear, larger": "linear attention with unit queries and keys of 64 entries",
        "gated": "linear attention of 16 entries whose state fades by a learned gate",
        "delta": "a state of 16 entries that is corrected by the delta rule",
    },
    tasks={
        "once": "each of 64 names at most once in a list",
        "again": "16 names, each as often as chance has it; the last occurrence counts",
    },
    differs="how the items of a list become one vector",
    same="items, queries, the network that reads the vector, lists of 4, 8, 16 and 32 items in training, batches of 64",
    refuted_by="softmax attention with a slope that is worse than the gate on the task again at four times the budget",
    split={
        "train": "fresh random lists of 4, 8, 16 and 32 items",
        "valid": "1,000 random lists of each length from 4 to 64",
        "test": "1,000 other random lists of each length from 4 to 64",
    },
    metric="right",
    unit="% of lists, mean over the five lengths",
    steps=1200,
    rates=(1e-3, 2.5e-3, 6e-3, 1.5e-2),
    tolerance=0.5,
    build=build,
)
assert set(COMPARISON.contestants) == {*KINDS, "softmax with slope"}
