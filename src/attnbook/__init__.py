"""Attention, from its first idea to a Transformer that translates.

One module per idea, in the order of the chapters of The Attention Book. A module may import those above it in
this list and never those below::

    checks, trees, files, distributed, masks, pooling, scoring, positional, multihead, data, encoder_decoder,
    recurrent, bahdanau, luong, transformer_layers, transformer, tensor_file, checkpoint, page_export, optim,
    trainer, training, search, decoding, metrics, evaluation, recording, intervening, widgets, colours, figures,
    plots, glue, results, d2l_compat, options, runs, cli, __main__
"""

__version__ = "0.1.0"
