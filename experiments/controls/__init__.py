"""Comparisons that change one thing, over several seeds: what a claim of the book rests on.

Each module holds one question, the cases that answer it, and how a case is measured. ``python -m experiments.controls``
does the cases that are missing in ``results/controls``; the chapters read them from there.
"""
