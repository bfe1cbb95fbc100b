"""Benchmarks of the package against its alternatives: ``python -m benchmarks --help``."""
