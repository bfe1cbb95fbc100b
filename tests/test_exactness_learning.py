"""Every translation model begins as a uniform guess, and learns a few pairs by heart."""

from __future__ import annotations

import math

import pytest
import torch

from attnbook.data import Pair, Vocabulary, collate
from attnbook.data.grammar import sample
from attnbook.models.transformer import Transformer
from attnbook.training.loop import train
from attnbook.training.optim import cross_entropy
from attnbook.translation.metrics import corpus_bleu
from attnbook.translation.translate import translate
from tests.support.small_models import NAMES, VARIANTS, build, random_batch


@pytest.mark.parametrize("name", NAMES)
def test_the_first_loss_is_near_that_of_a_uniform_guess(name: str) -> None:
    """log(vocabulary), and half the variance of the logits above it.

    That variance is near 0 in recurrent models and 1/3 with a head of the Transformer's own. A tied head multiplies
    normalised features with embeddings of variance 1/d_model: variance 1.
    """
    vocabulary = 1000
    kind, options = VARIANTS[name]
    sizes = {"d_model": 64, "num_heads": 4, "d_ff": 128} if kind is Transformer else {"num_hiddens": 32}
    if options.get("num_heads") == 1:
        sizes = {"d_model": 63, "num_heads": 1, "d_ff": 128}
    batch = random_batch([8] * 16, [9] * 16, target_vocabulary=vocabulary)
    model = build(name, gain=1.0, target_vocab_size=vocabulary, **sizes)
    with torch.no_grad():
        above = float(cross_entropy(model(batch), batch.target_out, batch.target_mask)) - math.log(vocabulary)
    if kind is not Transformer:
        assert abs(above) < 0.15
    else:
        expected = 1 / 6 if options.get("tied") is False else 1 / 2
        assert abs(above - expected) < 0.3


def short_pairs() -> list[Pair]:
    return [pair for pair in sample(200, seed=3) if len(pair.source) <= 7][:32]


@pytest.mark.parametrize("name", NAMES)
def test_32_pairs_are_learned_by_heart(name: str) -> None:
    pairs = short_pairs()
    assert len(pairs) == 32
    source = Vocabulary.build([pair.source for pair in pairs])
    target = Vocabulary.build([pair.target for pair in pairs])
    kind, options = VARIANTS[name]
    sizes = {"embed_size": 64, "num_hiddens": 64}
    if kind is Transformer:
        sizes = {"d_model": 32, "num_heads": 4, "d_ff": 64, "num_layers": 1}
        if options.get("num_heads") == 1:
            sizes |= {"d_model": 33, "num_heads": 1}
    model = build(name, gain=1.0, source_vocab_size=len(source), target_vocab_size=len(target), **sizes)
    batch = collate(pairs, source, target)
    for _ in train(model, [batch], steps=60, lr=1e-2 if kind is Transformer else 1.5e-2):
        pass
    translations = translate(model, [pair.source for pair in pairs], source, target, max_length=20)
    assert corpus_bleu([found.target for found in translations], [[pair.target] for pair in pairs]) == pytest.approx(
        100
    )
    assert [found.target for found in translations] == [pair.target for pair in pairs]
