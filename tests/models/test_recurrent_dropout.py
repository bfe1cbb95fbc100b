"""What the dropout of the recurrent models applies to. With dropout 1, nothing passes in training."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from attnbook.data import Batch
from tests.support.small_models import SOURCE_VOCABULARY, TARGET_VOCABULARY, build

ATTENTIVE = ["bahdanau", "bahdanau-paper", *(f"luong-{score}-global-fed" for score in ("dot", "general", "concat"))]


@pytest.mark.parametrize("name", ["seq2seq", *ATTENTIVE])
def test_recurrent_dropout_applies_to_embeddings_in_training_only(name: str, batch: Batch) -> None:
    state = build(name).encode(batch.source, batch.source_mask)
    sources = batch.source, (batch.source + 1) % SOURCE_VOCABULARY
    targets = batch.target_in, (batch.target_in + 1) % TARGET_VOCABULARY
    for training in (True, False):
        model = build(name, dropout=1.0).train(training)
        one, other = (model.encode(source, batch.source_mask).memory for source in sources)
        assert torch.equal(one, other) == training
        one, other = (model.decode(target, state)[0] for target in targets)
        assert torch.equal(one, other) == training


@pytest.mark.parametrize("name", ATTENTIVE)
def test_recurrent_dropout_applies_to_attention_weights_in_training_only(name: str, batch: Batch) -> None:
    state = build(name).encode(batch.source, batch.source_mask)
    changed = replace(state, memory=torch.randn_like(state.memory))
    for training in (True, False):
        model = build(name, dropout=1.0).train(training)
        one, other = (model.decode(batch.target_in, memory)[0] for memory in (state, changed))
        assert torch.equal(one, other) == training
