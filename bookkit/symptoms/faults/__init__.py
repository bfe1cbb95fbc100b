"""Small programs, one for each symptom of ``book/symptoms.yml``, healthy or with the fault of one cause.

The modules are named after the groups of that file. A function returns its variables, which the checks use.
"""

from bookkit.symptoms.faults import data, generation, library, maps, shapes, speed, training
from bookkit.symptoms.faults.core import PLANTED, holds, plant

GROUPS = (data, shapes, training, generation, maps, speed, library)

__all__ = ["GROUPS", "PLANTED", "holds", "plant"]
