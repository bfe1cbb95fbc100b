"""Symptoms of faults in attention models: causes, one-line checks, and programs with planted faults."""
