"""Chapter 5: does local-p find its centers? Its initialization and its learning rate, varied separately."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor, nn

from attnbook.data import collate
from attnbook.models.luong import Luong
from experiments.compare import Comparison, Trial
from experiments.controls.bench import Task
from experiments.controls.translating import SPLIT, frequent_words, translation_trial

SIZES: dict[str, Any] = {"embed_size": 64, "num_hiddens": 64, "bidirectional": True, "dropout": 0.0}
HALF_WIDTH = 2
CENTER = "decoder.center"  # the parameters W_p and v_p
KINDS: dict[str, tuple[str, bool, float]] = {  # window, v_p starts at zero, learning rate of the center
    "global": ("global", False, 1.0),
    "local-m": ("local-m", False, 1.0),
    "local-p": ("local-p", False, 1.0),
    "local-p, zero start": ("local-p", True, 1.0),
    "local-p, slow center": ("local-p", False, 0.1),
    "local-p, zero start, slow center": ("local-p", True, 0.1),
}


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus, (window, zero, factor) = frequent_words(), KINDS[contestant]
    model = Luong(*corpus.sizes, **SIZES, score="concat", input_feeding=False, window=window, half_width=HALF_WIDTH)
    if zero:
        nn.init.zeros_(model.get_parameter(f"{CENTER}.v_p.weight"))
    trial = translation_trial(model, corpus, seed, 32, aligned=True)
    if window != "local-p":
        return trial

    def measure(split: str) -> dict[str, float]:
        return {**trial.measure(split), **placed(model, corpus.judged(split))}

    return replace(trial, measure=measure, factors={CENTER: factor})


def placed(model: Luong, task: Task) -> dict[str, float]:
    """Mean distance of centers from the gold tokens, in positions, and the share of centers at an end, in percent."""
    found: list[Tensor] = []
    hook = model.decoder.center.register_forward_hook(lambda _, __, center: found.append(center))
    with torch.no_grad():
        model.eval()(collate(task.held_out, *task.vocabularies))
    hook.remove()
    centers = torch.cat(found, 1)  # (pairs, target_len)
    links = [(n, i, j) for n, pair in enumerate(task.held_out) for i, j in pair.alignment]
    off = sum(abs(i - float(centers[n, j])) for n, i, j in links) / len(links)
    shares = [float(centers[n, j]) / len(task.held_out[n].source) for n, _, j in links]
    ends = sum(not 0.02 < share < 0.98 for share in shares) / len(shares)
    return {"positions_off": round(off, 3), "at_an_end": round(100 * ends, 2)}


COMPARISON = Comparison(
    question="Why do predicted centers of local attention end at an end of the sentence: their start or their rate?",
    contestants={
        "global": "attention to the whole source",
        "local-m": "a window that moves on by one token a step",
        "local-p": "a predicted window, v_p drawn at random",
        "local-p, zero start": "v_p = 0, so that every center starts in the middle",
        "local-p, slow center": "v_p drawn at random, W_p and v_p with a tenth of the learning rate",
        "local-p, zero start, slow center": "v_p = 0, W_p and v_p with a tenth of the learning rate",
    },
    differs="the window, where its center starts, and how fast the center learns",
    same="windows of 5 tokens, encoder, decoder, concat score, read-out, sizes of 64, batches of 32, no dropout",
    refuted_by="slow centers that end at an end of the sentence as often as others do, at a rate at which most "
    "others do",
    split=SPLIT,
    metric="bleu",
    unit="BLEU",
    steps=160,
    rates=(2e-3, 4e-3, 8e-3, 1.6e-2),
    tolerance=0.3,
    build=build,
)
