"""Chapter 11: does the delta rule still recall the last of several numbers if there are more names than key entries?"""

from __future__ import annotations

from dataclasses import replace

from torch import nn

from experiments.compare import Trial
from experiments.controls import recalling
from experiments.controls.recall import NAMES, SIZE


class WideDeltaReader(recalling.DeltaReader):
    """The delta rule with keys of as many entries as there are names, so that nearly all keys can be orthogonal."""

    def __init__(self, names: int) -> None:
        super().__init__(names)
        self.W_q, self.W_k = nn.Linear(names, names, bias=False), nn.Linear(SIZE, names, bias=False)


def build(task: str, contestant: str, seed: int) -> Trial:
    if contestant == "delta, larger":
        return recalling.trial(task, WideDeltaReader(NAMES[task]), seed)
    return recalling.build(task, contestant, seed)


COMPARISON = replace(
    recalling.COMPARISON,
    question="Does the delta rule still recall the last number of a name if the names outnumber the entries of a key?",
    contestants={
        "softmax with slope": recalling.COMPARISON.contestants["softmax with slope"],
        "gated": recalling.COMPARISON.contestants["gated"],
        "delta": recalling.COMPARISON.contestants["delta"],
        "delta, larger": "the same with keys of 64 entries, as many as there are names",
    },
    tasks={"again, of 64 names": "64 names, each as often as chance has it; the last occurrence counts"},
    refuted_by="a delta rule with keys of 16 entries that stays level with the one with keys of 64",
    build=build,
)
