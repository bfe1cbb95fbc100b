"""Planted faults: training and the loss."""

from __future__ import annotations

import copy
import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from attnbook import Transformer
from attnbook.data import UNK
from bookkit.symptoms.faults.core import Names, planted


@planted
def loss_stays_at_ln_v(cause: str | None) -> Names:
    V = 20  # words in the vocabulary
    model = nn.Sequential(nn.Embedding(V, 16), nn.Linear(16, V))
    optimizer = torch.optim.Adam(model.parameters(), lr=0 if cause == "learning rate of zero" else 0.05)
    if cause == "other parameters":
        model = copy.deepcopy(model)  # a new model, after the optimizer was made
    x = torch.arange(V)
    for _ in range(40):
        loss = F.cross_entropy(model(x), (x + 1) % V)
        if cause == "detached":
            loss = loss.detach().requires_grad_()  # silences the error of backward, not its cause
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    optimized = {id(p) for group in optimizer.param_groups for p in group["params"]}
    return locals()


@planted
def loss_stops_just_below_ln_v(cause: str | None) -> Names:
    V = 20  # words in the vocabulary
    model = nn.Sequential(nn.Embedding(V, 16), nn.Linear(16, V))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(80):
        x = torch.randint(0, V, (4, 5))  # (batch, length)
        target = (x + 1) % V
        logits = model(x)  # (batch, length, vocabulary)
        if cause == "softmax before the loss":
            logits = logits.softmax(-1)
        flat = logits.flatten(0, 1)
        if cause == "other order":
            logits = logits.transpose(0, 1)  # (length, batch, vocabulary), the target still (batch, length)
            flat = logits.flatten(0, 1)
        loss = F.cross_entropy(flat, target.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    accuracy = (logits.argmax(-1).flatten() == target.flatten()).float().mean()
    return locals()


@planted
def first_loss_above_ln_v(cause: str | None) -> Names:
    V = 20  # words in the vocabulary
    embedding, norm, out = nn.Embedding(V, 64), nn.LayerNorm(64), nn.Linear(64, V, bias=False)
    nn.init.normal_(out.weight, std=64**-0.5)
    if cause == "tied to a large table":
        out.weight = embedding.weight  # entries of size 1, the default of nn.Embedding
    hidden = 8 * torch.randn(100, 64)
    features = hidden if cause == "no last norm" else norm(hidden)
    logits, target = out(features), torch.randint(0, V, (100,))
    loss = F.cross_entropy(logits, target)
    return locals()


@planted
def loss_has_a_floor(cause: str | None) -> Names:
    V = 20  # words in the vocabulary
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1 if cause == "label smoothing" else 0.0)
    x = torch.arange(V)
    target = (x + 1) % V
    if cause == "several right answers":
        x, target = x.repeat(2), torch.cat([target, (x + 2) % V])
    logits = torch.zeros(V, V, requires_grad=True)  # one row for each input: it can learn everything
    optimizer = torch.optim.Adam([logits], lr=0.3)
    for _ in range(150):
        loss = criterion(logits[x], target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return locals()


@planted
def loss_much_too_low(cause: str | None) -> Names:
    V = 20  # words in the vocabulary
    model = nn.Sequential(nn.Embedding(V, 32), nn.Linear(32, V))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for _ in range(60):
        ids = torch.randint(0, V, (16, 9))  # drawn at random: nothing in them can be predicted
        shift = 0 if cause == "target not shifted" else 1
        target_in, target_out = ids[:, :8], ids[:, shift : 8 + shift]
        loss = F.cross_entropy(model(target_in).flatten(0, 1), target_out.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return locals()


@planted
def nan_after_a_few_steps(cause: str | None) -> Names:
    model = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 2))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e3 if cause == "learning rate" else 0.1)
    losses: list[float] = []
    for step in range(30):
        x = torch.randn(16, 8) * (1000 if cause == "logarithm of zero" else 1)
        target = (x[:, 0] > 0).long()
        if cause == "empty batch" and step == 10:
            target = torch.full_like(target, -100)  # every target is padding
        logits = model(x)
        loss = F.cross_entropy(logits, target)
        if cause == "logarithm of zero":
            loss = -logits.softmax(-1)[torch.arange(16), target].log().mean()
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if not math.isfinite(losses[-1]):
            break
    return locals()


@planted
def loss_depends_on_batch_size(cause: str | None) -> Names:
    mask = torch.tensor([[True] * 2 + [False] * 4, [True] * 6])  # (sentences, tokens)
    each = torch.rand(2, 6) * 3  # the loss of every position

    def loss_of(each: Tensor, mask: Tensor) -> Tensor:
        if cause == "padding counts":
            return each.mean()
        if cause == "sum":
            return each[mask].sum()
        if cause == "mean of means":
            return torch.stack([row[m].mean() for row, m in zip(each, mask, strict=True)]).mean()
        return each[mask].mean()

    loss = loss_of(each, mask)  # both sentences in one batch
    singles = [(loss_of(each[i : i + 1, m], mask[i : i + 1, m]), int(m.sum())) for i, m in enumerate(mask)]
    one_by_one = sum(value * count for value, count in singles) / sum(count for _, count in singles)
    return locals()


@planted
def accumulation_changes_gradient(cause: str | None) -> Names:
    model, x, y = nn.Linear(4, 1), torch.randn(12, 4), torch.randn(12, 1)
    parts = [8, 4] if cause == "parts of unequal size" else [6, 6]

    def gradient(loss: Tensor) -> Tensor:
        return torch.autograd.grad(loss, model.weight)[0]

    whole = gradient(F.mse_loss(model(x), y))
    accumulated = torch.zeros_like(whole)
    for a, b in zip(x.split(parts), y.split(parts), strict=True):
        loss = F.mse_loss(model(a), b)
        accumulated += gradient(loss if cause == "not divided" else loss / len(parts))
    return locals()


@planted
def loss_swings_wider(cause: str | None) -> Names:
    model, x, losses = nn.Linear(4, 1, bias=False), torch.randn(64, 4), []
    y = x.sum(1, keepdim=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=2.0 if cause == "learning rate" else 0.1)
    for _ in range(40):
        loss = F.mse_loss(model(x), y)
        losses.append(loss.item())
        if cause != "no zero_grad":
            optimizer.zero_grad()
        left_over = model.weight.grad  # what the next backward adds to
        loss.backward()
        optimizer.step()
    return locals()


@planted
def part_does_not_train(cause: str | None) -> Names:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Linear(4, 4)
            layers = [] if cause == "built in every call" else [nn.Linear(4, 4)]
            self.layers: Any = layers if cause == "Python list" else nn.ModuleList(layers)

        def forward(self, x: Tensor) -> Tensor:
            if cause == "built in every call":
                created.append(nn.Linear(4, 4))
            x = (created or self.layers)[-1](self.first(x))
            return x.detach() if cause == "detached" else x

    created: list[nn.Linear] = []
    model, out, x = Model(), nn.Linear(4, 1), torch.randn(8, 4)
    output = model(x)
    layer: nn.Linear = (created or model.layers)[0]
    if cause == "frozen":
        layer.requires_grad_(False)
    known = list(model.first.parameters()) if cause == "added later" else list(model.parameters())
    optimizer = torch.optim.SGD([*known, *out.parameters()], lr=0.1)
    before = layer.weight.clone()
    out(output).square().mean().backward()
    optimizer.step()
    optimized = {id(p) for group in optimizer.param_groups for p in group["params"]}
    return locals()


@planted
def validation_below_training(cause: str | None) -> Names:
    V = 20  # words in the vocabulary
    model = nn.Sequential(nn.Embedding(V, 8), nn.Dropout(0.5 if cause == "dropout" else 0.0), nn.Linear(8, V))
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1 if cause == "label smoothing" else 0.0)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    x, losses = torch.arange(V).repeat(5), []
    for _ in range(40):
        loss = criterion(model(x), (x + 1) % V)
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    train_loss = criterion(model(x), (x + 1) % V).item()
    if cause == "mean over the epoch":
        train_loss = sum(losses) / len(losses)
    model.eval()
    validation_loss = F.cross_entropy(model(x), (x + 1) % V).item()  # on the very same data
    return locals()


@planted
def two_runs_differ(cause: str | None) -> Names:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear, self.dropout = nn.Linear(8, 8), nn.Dropout(0.2)

        def forward(self, x: Tensor) -> Tensor:
            x = self.dropout(self.linear(x))
            p = 0.2 if cause == "functional dropout" else 0.0
            return F.scaled_dot_product_attention(x, x, x, dropout_p=p)

    model, x = Model().eval(), torch.randn(1, 5, 8)
    if cause == "training mode":
        model.train()
    if cause == "one part in training mode":
        model.dropout.train()
    return locals()


@planted
def same_output_for_every_source(cause: str | None) -> Names:
    V = 20  # words in the vocabulary
    model = Transformer(V, V, d_model=16, num_heads=2, d_ff=32, num_layers=1).eval()
    source, target_in = torch.tensor([[5, 6, 7, 8], [9, 10, 11, 12]]), torch.tensor([[2, 5, 6], [2, 5, 6]])
    source_mask = torch.ones(2, 4, dtype=torch.bool)  # no padding
    if cause == "too early":  # the bias of the output layer says how frequent each word is
        nn.init.normal_(model.head.bias, std=30.0)
    if cause == "mask inverted":
        source_mask = ~source_mask
    if cause == "unknown words":
        source = torch.full_like(source, UNK)
    if cause == "cross-attention is silent":
        layer: Any
        for layer in model.decoder:
            nn.init.zeros_(layer.cross_attention.W_o.weight)
            nn.init.zeros_(layer.cross_attention.W_o.bias)
    with torch.no_grad():
        logits = model(source, target_in, source_mask)
    return locals()


@planted
def attention_gets_no_gradient(cause: str | None) -> Names:
    d = 256
    query, key, value = torch.randn(64, d), torch.randn(8, d), torch.randn(8, d)
    if cause == "long vectors":
        query, key = 5 * query, 5 * key
    scores = (query @ key.mT / (1 if cause == "no scale" else d**0.5)).requires_grad_()
    weights = scores.softmax(-1)
    (gradient,) = torch.autograd.grad((weights @ value).sum(), scores)
    return locals()


@planted
def early_tokens_get_no_gradient(cause: str | None) -> Names:
    rnn, length = nn.RNN(16, 16, nonlinearity="relu", batch_first=True), 40
    factor = {"shrinks": 0.5, "grows": 1.8}.get(cause or "", 1.0)
    with torch.no_grad():
        rnn.get_parameter("weight_hh_l0").copy_(factor * torch.eye(16))
    x = torch.rand(1, length, 16, requires_grad=True)
    hidden: Tensor = rnn(x)[0][:, -1]
    gradient = torch.autograd.grad(hidden.sum(), x)[0].norm(dim=-1)[0]  # of each token
    return locals()


@planted
def learning_rate_stays_tiny(cause: str | None) -> Names:
    steps_per_epoch, epochs, warmup = 50, 4, 100
    optimizer = torch.optim.Adam(nn.Linear(2, 2).parameters(), lr=1e-3)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / warmup))
    for _ in range(epochs):
        for _ in range(steps_per_epoch):
            optimizer.step()
            if cause is None:
                scheduler.step()
        if cause == "once per epoch":
            scheduler.step()
    lr = optimizer.param_groups[0]["lr"]
    return locals()


@planted
def words_drowned_by_positions(cause: str | None) -> Names:
    V = 20  # words in the vocabulary
    d = 64
    table = nn.Embedding(V, d)
    nn.init.normal_(table.weight, std=d**-0.5)
    angles = torch.arange(10)[:, None] * 10000 ** (-torch.arange(0, d, 2) / d)
    positions = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
    words = table(torch.tensor([5, 6])) * (1 if cause == "no square root" else d**0.5)
    similarity = F.cosine_similarity(words[0] + positions[3], words[1] + positions[3], dim=0)  # of two words
    return locals()


@planted
def layers_are_equal(cause: str | None) -> Names:
    layer = nn.Linear(4, 4)
    layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
    if cause == "one layer many times":
        layers = nn.ModuleList([layer] * 3)
    if cause == "copies":
        layers = nn.ModuleList([copy.deepcopy(layer) for _ in range(3)])  # as nn.TransformerEncoder does
    return locals()
