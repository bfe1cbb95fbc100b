"""Attention, from its first idea to a Transformer that translates.

One module per idea, in the order of the chapters of The Attention Book. A module may import those above it in
this list and never those below::

    masks, pooling, scoring, multihead, positional, data, encoder_decoder, recurrent, transformer,
    checkpoint, training, decoding, metrics, recording, widgets, plots, cli
"""

__version__ = "0.1.0"
