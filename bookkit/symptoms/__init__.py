"""Symptoms of faults in attention models: causes, one-line checks, and programs in which the faults are planted."""
