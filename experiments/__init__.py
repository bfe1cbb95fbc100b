"""Long runs whose results the book reads: every model family on both corpora, scored on held-out sentences.

``make experiments`` runs what is missing, one run after another, and can be stopped and started again at any time.
Each run of ``plan`` leaves one file, ``results/experiments/<name>.json``:

======================  ================================================================================================
``name`` ... ``seed``   name, corpus, family, command, commit, date, versions, machine, seed
``model``               class, its keyword arguments, number of parameters
``data``                pairs to train on, sizes of the vocabularies, what the corpus was (sha256)
``training``            settings, steps, tokens, CPU seconds, and the curve: loss and perplexity by step
``results``             for ``valid``, ``test`` and, on the embedded corpus, ``composition``: BLEU, chrF, share of exact
                        translations (0 to 1), perplexity, alignment error rates, ``by_length`` and ``by_phenomenon``
``samples``             translations of test sentences: source, references, output
======================  ================================================================================================

``summary.json`` has the mean and spread over seeds, and what of the plan has not been run.
Scores count lower-case tokens as the corpus has them, all translations of a sentence being its references.
"""
