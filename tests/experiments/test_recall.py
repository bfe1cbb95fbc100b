"""What the models of the recall task can represent, independently of training."""

from __future__ import annotations

import torch

from experiments.controls.recall import DIGITS, NAMES, Reader, right


@torch.no_grad()
def test_linear_reader_with_weights_by_hand_recalls_all_names_but_one() -> None:
    names, reader = NAMES["once"], Reader("linear", NAMES["once"])
    code = torch.linspace(-1.5, 1.5, DIGITS)  # the key of a thing is (code of its number, 1) / its length
    read = code / (code**2 + 1).sqrt()
    for parameter in reader.parameters():
        parameter.zero_()
    known = torch.arange(names - 1)  # the values say the name; their last number is left for the code
    reader.item.weight[known, known] = 1
    reader.item.weight[-1, names:] = code
    reader.W_k.weight[0, -1] = 1
    reader.W_k.weight[1, known] = 1
    reader.W_q.weight[0] = 1
    first, _, last = reader.answer
    first.weight[known, known], first.weight[known, names + known], first.bias[known] = 1.0, 3.0, -2.0
    last.weight[:, known] = 2 * (read + 1).unsqueeze(1)
    last.bias.copy_(-((read + 1) ** 2))
    assert min(right(reader, "once", items) for items in (4, 8, 16, 32, 64)) > 97.5
