"""Sentence pairs, vocabularies and batches. The corpora are the modules ``grammar`` and ``tatoeba``."""

from attnbook.data.batching import Batch, Batches, collate, pad
from attnbook.data.corpus import Corpus, Example
from attnbook.data.pairs import Pair
from attnbook.data.subwords import Subwords, tokenizer_from_json
from attnbook.data.vocabulary import BOS, EOS, PAD, SPECIALS, UNK, TokenizerLike, Vocabulary

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "SPECIALS",
    "UNK",
    "Batch",
    "Batches",
    "Corpus",
    "Example",
    "Pair",
    "Subwords",
    "TokenizerLike",
    "Vocabulary",
    "collate",
    "pad",
    "tokenizer_from_json",
]
