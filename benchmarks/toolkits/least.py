"""A bound: CPU seconds per token if a step were only the kernels that every implementation needs."""

from __future__ import annotations

import statistics
import time

from attnbook.data import Batches
from benchmarks.harness import Settings
from benchmarks.rivals import Sizes
from benchmarks.toolkits.attnbook_side import build
from benchmarks.toolkits.setting import Setting
from benchmarks.training_step import needed_kernels, products_with_weights
from experiments.corpora import CORPORA

BATCHES, REPEATS = 24, 5


def seconds_per_token(setting: Setting) -> float:
    """CPU seconds per real target token of the needed kernels alone, on batches of our side, with one thread."""
    corpus, vocabularies = CORPORA[setting.corpus]()
    num_weights = sum(parameter.numel() for parameter in build(setting, *map(len, vocabularies)).parameters())
    sizes = Sizes(len(vocabularies[1]), setting.d_model, setting.num_heads, setting.d_ff, setting.num_layers)
    batches = Batches(corpus.train, *vocabularies, max_tokens=setting.max_tokens, seed=setting.seed)
    settings = Settings(threads=1)
    seconds, tokens = 0.0, 0
    for position in range(BATCHES):
        batch = batches.batch_at(position)
        step = needed_kernels(sizes, num_weights, batch, products_with_weights(sizes, batch, settings), settings)
        step()  # warms up
        taken = []
        for _ in range(REPEATS):
            started = time.process_time()
            step()
            taken.append(time.process_time() - started)
        seconds += statistics.median(taken)
        tokens += batch.num_tokens
    return seconds / tokens
