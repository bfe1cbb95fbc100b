"""How fast the package is compared with what a reader would use instead: ``python -m benchmarks --help``."""
