"""Helpers for the pages of the book: glued numbers, stored results, plots, colours, D2L."""
