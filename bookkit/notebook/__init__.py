"""Convert a chapter into a standalone notebook."""
