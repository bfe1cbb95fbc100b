"""Sphinx extensions of the book, one feature per module."""
