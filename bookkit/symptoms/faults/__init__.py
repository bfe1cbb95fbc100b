"""Small programs, one per symptom of ``book/symptoms.yml``, that run healthy or with a planted fault.

The modules are named after the groups of that file. Each function returns its variables, which the checks use.
"""

from bookkit.symptoms.faults import data, generation, library, maps, shapes, speed, training
from bookkit.symptoms.faults.core import PLANTED, holds, plant

GROUPS = (data, shapes, training, generation, maps, speed, library)

__all__ = ["GROUPS", "PLANTED", "holds", "plant"]
