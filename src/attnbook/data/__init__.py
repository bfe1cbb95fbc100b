"""Sentence pairs and how they become tensors."""
