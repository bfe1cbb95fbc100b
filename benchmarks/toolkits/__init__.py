"""Our Transformer beside toolkits that people train translators with: the same pieces, sizes, rate and CPU seconds.

Every contestant is a process of its own with one thread, in the toolkit's own training loop. They take turns: while one
computes, the others wait. ``python -m benchmarks.toolkits`` installs the toolkits and measures.
"""
