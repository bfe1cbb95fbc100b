"""Small translators with random weights, for pages of the tests."""

from __future__ import annotations

from typing import Any

import torch

from attnbook.bahdanau import Bahdanau
from attnbook.data import EOS, Vocabulary
from attnbook.encoder_decoder import EncoderDecoder
from attnbook.page_export import export_page

ENGLISH = "the a big red old house car is she sees . ? n't does"
FRENCH = "la une grande rouge vieille maison voiture est elle voit . ? ne pas"
SOURCE, TARGET = (Vocabulary(tuple(words.split())) for words in (ENGLISH, FRENCH))
SENTENCE = "The red house is old."


def model(seed: int, kind: type[EncoderDecoder] = Bahdanau, gain: float = 4.0, **options: Any) -> bytes:
    """A model with random weights that ends its sentences sooner or later."""
    torch.manual_seed(seed)
    sizes = options or {"embed_size": 8, "num_hiddens": 12, "bidirectional": True, "readout": "maxout"}
    made = kind(len(SOURCE), len(TARGET), **sizes)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.mul_(gain)
        made.head.bias[EOS] += 1.5
    return export_page(made, (SOURCE, TARGET))


MODELS = {10: model(1), 200: model(2)}
