"""Controlled comparisons over several seeds, on which claims of the book rest.

Each module declares one question, the cases that answer it, and how a case is measured. ``python -m
experiments.controls`` runs the cases that are missing in ``results/controls``, from where the chapters read them.
"""
