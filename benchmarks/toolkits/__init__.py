"""Our Transformer compared with translation toolkits: the same subwords, sizes, learning rate and CPU seconds.

Every contestant is a process of its own with one thread, in the toolkit's own training loop. They take turns: while one
computes, the others wait. ``python -m benchmarks.toolkits`` installs the toolkits and measures.
"""
