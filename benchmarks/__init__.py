"""How fast the package is, measured beside what a reader would use instead: ``python -m benchmarks --help``."""
