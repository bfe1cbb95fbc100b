"""The process that ``batches`` starts: create batches with one copy of the package, and train on them.

It imports nothing else from this checkout, because the copy may be an old version.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import torch

from attnbook.data import Batches, Vocabulary, grammar, tatoeba
from attnbook.models.bahdanau import Bahdanau
from attnbook.models.transformer import Transformer
from attnbook.training.loop import train

MAX_TOKENS = 1024
SIZES: dict[str, dict[str, Any]] = {
    "transformer": {"d_model": 176, "num_heads": 4, "d_ff": 352, "num_layers": 2, "dropout": 0.1},
    "bahdanau": {"embed_size": 128, "num_hiddens": 160, "num_layers": 1, "dropout": 0.1, "bidirectional": True},
}


def serve(corpus: str, model: str, steps: int) -> None:
    """Print the shares of padding; then, for every input line, train a few steps and print their time."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    pairs = grammar.splits(train=50_000).train if corpus == "grammar" else tatoeba.load("french").train
    least = 1 if corpus == "grammar" else 6
    source = Vocabulary.build((pair.source for pair in pairs), min_count=least)
    target = Vocabulary.build((pair.target for pair in pairs), min_count=least)
    batches = Batches(pairs, source, target, max_tokens=MAX_TOKENS)
    places, real = [0, 0], [0, 0]
    for batch in batches.epoch(0):
        for side, mask in enumerate((batch.source_mask, batch.target_mask)):
            places[side] += mask.numel()
            real[side] += int(mask.sum())
    padding = {side: 1 - real[i] / places[i] for i, side in enumerate(("source", "target"))}
    print(json.dumps({"batches": len(batches), "padding": padding}), flush=True)
    kind = Transformer if model == "transformer" else Bahdanau
    run = train(kind(len(source), len(target), **SIZES[model]), batches, epochs=10**6, lr=1e-4)
    for _ in sys.stdin:
        started = time.process_time()
        tokens = sum(next(run).tokens for _ in range(steps))
        print(json.dumps(tokens / (time.process_time() - started)), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2], int(sys.argv[3]))
