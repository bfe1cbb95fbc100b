"""Symptoms of attention that misbehaves, their causes and one-line checks, and programs with the faults planted."""
