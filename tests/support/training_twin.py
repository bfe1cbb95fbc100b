"""The model that a page trains, in torch, and what a page's training computes, by Node."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from tests.support.js_engine import node

PROGRAM = Path(__file__).parents[1] / "js" / "train_answers.js"
WIDTH, INNER = 32, 64


def ask(questions: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the page's training does; see ``js/train_answers.js``."""
    program = node()
    assert program is not None
    done = subprocess.run(
        [program, str(PROGRAM)], input=json.dumps(questions), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    answers: list[dict[str, Any]] = json.loads(done.stdout)
    return answers


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.W_1, self.W_2 = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, x: Tensor, mask: Tensor, heads: int, asks: bool) -> Tensor:
        h = self.norm_1(x)
        q, k, v = (W(h).unflatten(-1, (heads, -1)).transpose(1, 2) for W in (self.W_q, self.W_k, self.W_v))
        self.weights: Tensor = F.scaled_dot_product_attention(
            q * asks, k, torch.eye(x.shape[1], dtype=x.dtype).expand(*q.shape[:2], -1, -1), attn_mask=mask
        )
        looked = F.scaled_dot_product_attention(q * asks, k, v, attn_mask=mask)
        x = x + self.W_o(looked.transpose(1, 2).flatten(-2))
        out: Tensor = x + self.W_2(F.relu(self.W_1(self.norm_2(x))))
        return out


class Twin(nn.Module):
    """The same architecture, written plainly: every row goes through every layer, and a mask hides the slots."""

    def __init__(self, answer: dict[str, Any], settings: dict[str, Any]) -> None:
        super().__init__()
        self.settings, self.places = settings, answer["places"]
        rows = len(answer["before"]["positions.weight"]) // WIDTH
        self.symbols, self.positions = nn.Embedding(answer["symbols"], WIDTH), nn.Embedding(rows, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(settings["layers"]))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, answer["symbols"])
        self.double()
        shapes = {name: value.shape for name, value in self.state_dict().items()}
        assert set(shapes) == set(answer["before"])
        self.load_state_dict({name: tensor(answer["before"][name], shape) for name, shape in shapes.items()})

    def forward(self, lists: list[dict[str, Any]]) -> Tensor:
        ids = [example["source"] + [[slot] for slot in example["slots"]] for example in lists]
        x = torch.stack([torch.stack([self.symbols.weight[row].sum(0) for row in rows]) for rows in ids])
        if self.settings["positions"]:
            x = x + self.positions.weight
        mask = torch.arange(x.shape[1]) < self.places
        for layer in self.layers:
            x = layer(x, mask.expand(x.shape[1], -1), self.settings["heads"], self.settings["attention"])
        logits: Tensor = self.head(self.norm(x[:, self.places :]))
        return logits

    def looked(self, example: dict[str, Any]) -> Tensor:
        """Weights of the last layer for one list: ``(slots, heads, places)``."""
        self([example])
        last = self.layers[-1]
        assert isinstance(last, Layer)
        return last.weights[0, :, self.places :, : self.places].transpose(0, 1).detach()

    def loss(self, lists: list[dict[str, Any]]) -> Tensor:
        answers = torch.tensor([example["answers"] for example in lists])
        return F.cross_entropy(self(lists).flatten(0, 1), answers.flatten())


def tensor(numbers: list[float], shape: torch.Size) -> Tensor:
    return torch.tensor(numbers, dtype=torch.float64).view(shape)
