"""Helpers for the pages of the book: glued numbers, stored results, plots, colors, D2L."""
