"""Chapter 4: how much does attention help with sentences that people wrote, at tuned rates?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from torch import Tensor

from attnbook.data import Batches, Corpus, Example, TokenizerLike, tatoeba
from attnbook.training.loss import cross_entropy
from attnbook.translation.metrics import corpus_bleu
from attnbook.translation.translate import translate
from experiments.compare import Comparison, Trial
from experiments.plan import TATOEBA_FAMILIES

LONGEST = 12  # tokens of a sentence, on each side
JUDGED = 800  # source sentences of a split
SHORT, LONG = 5, 9  # BLEU is also measured on sources of at most SHORT and of at least LONG tokens
KINDS = {"no attention": "no-attention", "Bahdanau": "bahdanau"}


@cache
def sentences() -> tuple[Corpus, tuple[TokenizerLike, TokenizerLike]]:
    """The corpus, and vocabularies of the words that occur at least 20 times in it."""
    corpus = tatoeba.load("french").up_to(LONGEST)
    return corpus, corpus.vocabularies(min_count=20)


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus, vocabularies = sentences()
    kind, options, _, _ = TATOEBA_FAMILIES[KINDS[contestant]]
    model = kind(len(vocabularies[0]), len(vocabularies[1]), **options)
    batches = Batches(corpus.train, *vocabularies, batch_size=64, seed=seed)

    def loss(step: int) -> Tensor:
        batch = batches.batch_at(step)
        return cross_entropy(model(batch), batch.target_out, batch.target_mask)

    def bleu(examples: Sequence[Example]) -> float:
        written = translate(model, [example.source for example in examples], *vocabularies, max_length=20)
        return corpus_bleu([output.target for output in written], [[*example.references] for example in examples])

    def measure(split: str) -> dict[str, float]:
        examples = corpus.held_out[split][:JUDGED]
        return {
            "bleu": bleu(examples),
            "bleu_short": bleu([example for example in examples if len(example.source) <= SHORT]),
            "bleu_long": bleu([example for example in examples if len(example.source) >= LONG]),
        }

    return Trial(model, loss, measure)


COMPARISON = Comparison(
    question="How much does attention improve the translation of sentences that people wrote?",
    contestants={
        "no attention": "encoder and decoder of GRUs, a single vector between them",
        "Bahdanau": "the same with additive attention",
    },
    differs="attention; the models have 1.8 and 1.9 million parameters",
    same=f"Tatoeba, at most {LONGEST} tokens on each side, vocabularies of words, batches of 64, dropout 0.1, greedy",
    refuted_by="a model with attention that is not ahead of the model without it, at the base budget or after "
    "four times as many steps",
    split={
        "train": "all pairs whose English sentence is not held out, English to French",
        "valid": f"{JUDGED} other English sentences, each with all its translations",
        "test": f"{JUDGED} further English sentences, each with all its translations",
    },
    metric="bleu",
    unit="BLEU",
    steps=450,
    rates=(1e-3, 2.5e-3, 6e-3, 1.5e-2),
    warmup=100,
    tolerance=0.3,
    build=build,
)
