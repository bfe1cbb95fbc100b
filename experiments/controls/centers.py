"""Does local-p find its centres? Its vector v_p started at random, and at zero, with two widths of the window."""

from __future__ import annotations

from itertools import product
from typing import Any

import torch
from torch import Tensor

from attnbook.data import collate
from attnbook.models.luong import Luong
from attnbook.training.optim import linear_decay
from experiments.controls.bench import Task, fit, frequent, judge, misaligned

QUESTION = "Where do the predicted centres of local attention end, by how they start and by the width of the window?"
STEPS, SIZE = 160, 64


def cases() -> list[dict[str, Any]]:
    chosen = product(("local-p", "local-m", "global"), ("zero", "random"), (2, 4), range(5))
    return [
        {"window": window, "start": start, "half_width": half_width, "seed": seed}
        for window, start, half_width, seed in chosen
        if window == "local-p" or (start == "zero" and (window == "local-m" or half_width == 2))
    ]


def measure(window: str, start: str, half_width: int, seed: int) -> dict[str, Any]:
    task = frequent()
    torch.manual_seed(seed)
    model = Luong(
        *task.sizes,
        embed_size=SIZE,
        num_hiddens=SIZE,
        bidirectional=True,
        dropout=0.0,
        score="concat",
        input_feeding=False,
        window=window,
        half_width=half_width,
    )
    if start == "random":
        model.decoder.center.v_p.reset_parameters()
    rate = linear_decay(0.014, warmup=20, total=STEPS)
    fit(model, task, steps=STEPS, lr=rate, batch_size=32, seed=seed)
    result: dict[str, Any] = judge(model, task.held_out, task)
    result["alignment_error_rate"] = misaligned(model, task.held_out, task)
    return result if window != "local-p" else {**result, **placed(model, task)}


def placed(model: Luong, task: Task) -> dict[str, float]:
    """How far centres are from the gold tokens, in positions, and the share of them at an end, in percent."""
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
