"""Symptoms of attention that misbehaves: their causes, one-line checks, and small programs with the fault planted.

``book/symptoms.yml`` holds the words and the checks. The modules named after the groups of that file hold one function
per symptom. It returns the names that the checks use: of a healthy program, or of one with the fault of one cause.
"""

from bookkit.symptoms import data, generation, library, maps, shapes, speed, training
from bookkit.symptoms.entries import Cause, Symptom, load, markdown
from bookkit.symptoms.planted import PLANTED, holds, plant

GROUPS = (data, shapes, training, generation, maps, speed, library)

__all__ = ["GROUPS", "PLANTED", "Cause", "Symptom", "holds", "load", "markdown", "plant"]
