"""Training: the loop, its state and checkpoints, optimizers and schedules, several processes."""
