"""Long training runs whose results the book reads: every model family on both corpora, scored on held-out sentences.

``make experiments`` does the missing runs one by one, and can be stopped and resumed at any time. Each run of
``experiments.plan`` writes one file, ``results/experiments/<name>.json``:

======================  ================================================================================================
``name`` ... ``seed``   name, corpus, family, command, commit, date, versions, machine, seed
``model``               class, its keyword arguments, number of parameters
``data``                number of training pairs, vocabulary sizes, digest of the corpus (sha256)
``training``            settings, steps, tokens, CPU seconds, and the curve: loss and perplexity by step
``results``             for ``valid``, ``test`` and, on the grammar corpus, ``composition``: BLEU, chrF, share of exact
                        translations (0 to 1), perplexity, alignment error rates, ``by_length`` and ``by_phenomenon``
``samples``             translations of test sentences: source, references, output
======================  ================================================================================================

``summary.json`` has mean and spread over seeds, and the runs of the plan that are missing. Scores compare lower-case
tokens, as they are in the corpus; all translations of a sentence are its references.
"""
