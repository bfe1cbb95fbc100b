"""Chapter 9: how large should a translator be, when each size has the same time and its own learning rate?"""

from __future__ import annotations

from functools import cache

from torch import Tensor

from attnbook.data import Batch, Batches, Corpus, TokenizerLike, collate, tatoeba
from attnbook.models.transformer import Transformer
from attnbook.training.loss import cross_entropy
from attnbook.translation.metrics import corpus_bleu
from attnbook.translation.translate import translate
from experiments.compare import Comparison, Trial

LONGEST = 12  # tokens of a sentence, on each side
JUDGED = 400  # source sentences of a split
# d_model -> steps in half a minute of one thread. They were counted once, on an AMD EPYC (family 25, model 1); the
# stored seconds of each run say how equal the times were.
STEPS = {64: 388, 128: 228, 256: 88}


@cache
def sentences() -> tuple[Corpus, tuple[TokenizerLike, TokenizerLike]]:
    """The corpus, and one vocabulary of byte pairs for both languages."""
    corpus = tatoeba.load("french").up_to(LONGEST)
    return corpus, corpus.vocabularies(subwords=6000, shared=True)


def build(task: str, contestant: str, seed: int) -> Trial:
    corpus, vocabularies = sentences()
    d_model = int(task.removeprefix("d_model "))
    model = Transformer(
        len(vocabularies[0]),
        len(vocabularies[1]),
        d_model=d_model,
        num_heads=4,
        d_ff=2 * d_model,
        num_layers=2,
        dropout=0.1,
        shared=True,
    )
    batches = Batches(corpus.train, *vocabularies, batch_size=64, seed=seed)
    judged = {split: corpus.held_out[split][:JUDGED] for split in ("valid", "test")}
    first_pairs = {
        split: collate([example.pairs[0] for example in examples], *vocabularies) for split, examples in judged.items()
    }

    def loss(batch: Batch) -> Tensor:
        return cross_entropy(model(batch), batch.target_out, batch.target_mask)

    def measure(split: str) -> dict[str, float]:
        measured = {"loss": float(loss(first_pairs[split]))}
        if split == "test":  # writing costs more than a step: rates are chosen by the loss
            written = translate(model, [example.source for example in judged[split]], *vocabularies, max_length=20)
            references = [[*example.references] for example in judged[split]]
            measured["bleu"] = corpus_bleu([output.target for output in written], references)
        return measured

    return Trial(model, lambda step: loss(batches.batch_at(step)), measure)


COMPARISON = Comparison(
    question="Which size of a translator is best after the same time, and does the best size grow with the time?",
    contestants={"Transformer": "two layers on each side, 4 heads, d_ff twice d_model, norm after each sum"},
    differs="d_model, and with it the number of steps that fit into the same time",
    same=f"Tatoeba, at most {LONGEST} tokens on each side, 6,000 byte pairs, batches of 64, dropout 0.1, greedy search",
    refuted_by="another best size than d_model 64 at one of the three budgets",
    tasks={f"d_model {size}": f"{steps} steps, in about half a minute of one thread" for size, steps in STEPS.items()},
    split={
        "train": "all pairs whose English sentence is not held out, English to French",
        "valid": f"{JUDGED} other English sentences; the loss is that of their first translation",
        "test": f"{JUDGED} further English sentences; BLEU takes all their translations as references",
    },
    metric="loss",
    unit="nats per token",
    higher_is_better=False,
    steps={f"d_model {size}": steps for size, steps in STEPS.items()},
    rates=(7.5e-4, 1.5e-3, 3e-3, 6e-3),
    warmup=20,
    tolerance=0.01,
    build=build,
)
