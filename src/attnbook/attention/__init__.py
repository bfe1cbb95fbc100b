"""Attention itself: masks, kernel pooling, scores, positions, heads (chapters 1 to 3, 6, 7, 10 and 11)."""
