"""Translating with a trained model and judging the result: search, metrics, alignment."""
