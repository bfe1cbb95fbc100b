"""Our Transformer compared with translation toolkits: the same subwords, sizes, learning rate and CPU seconds.

Every contestant runs the toolkit's own training loop in its own process with one thread. They take turns: while one
computes, the others wait. ``python -m benchmarks.toolkits`` installs the toolkits and measures.
"""
