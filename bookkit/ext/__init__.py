"""Sphinx extensions, one thing each."""
