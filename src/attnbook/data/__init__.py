"""Sentence pairs and how they become tensors.

The corpora are modules of their own: ``grammar`` and ``tatoeba``.
"""

from attnbook.data.batching import Batch, Batches, collate, pad
from attnbook.data.corpus import Corpus, Example
from attnbook.data.pairs import Pair
from attnbook.data.subwords import Subwords, codec_from_json
from attnbook.data.vocabulary import BOS, EOS, PAD, SPECIALS, UNK, Codec, Vocabulary

__all__ = [
    "BOS",
    "EOS",
    "PAD",
    "SPECIALS",
    "UNK",
    "Batch",
    "Batches",
    "Codec",
    "Corpus",
    "Example",
    "Pair",
    "Subwords",
    "Vocabulary",
    "codec_from_json",
    "collate",
    "pad",
]
