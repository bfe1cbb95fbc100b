"""The harness for comparisons of trained models.

A comparison declares its question, contestants, what differs and what is the same, learning rates, number of steps,
seeds and data splits (:mod:`experiments.compare.declare`). The harness trains every contestant at every
learning rate with every seed (:mod:`experiments.compare.training`), chooses each contestant's rate on validation data
(:mod:`experiments.compare.choice`), spreads the runs over processes (:mod:`experiments.compare.pool`), and writes one
file with a ``protocol`` block (:mod:`experiments.compare.store`).
"""

from experiments.compare.declare import Comparison, Trial, generator

__all__ = ["Comparison", "Trial", "generator"]
