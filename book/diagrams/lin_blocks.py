"""Choosing blocks of keys: the query is compared with the mean of each block, and reads the best two blocks."""

from bookkit.drawing import Drawing

SCORES = ((0.1, 0.3, 0.2, 0.2), (0.9, 0.4, 0.6, 0.3), (0.2, 0.1, 0.1, 0.4), (0.5, 0.8, 0.3, 0.6))
CHOSEN = 2


def draw(narrow: bool) -> Drawing:
    means = [sum(block) / len(block) for block in SCORES]  # the score of a block's mean key is the mean of its scores
    best = sorted(range(len(means)), key=means.__getitem__)[-CHOSEN:]
    d = Drawing(322, 196) if narrow else Drawing(560, 196)
    mean_x, key_x, wide = (80, 178, 34) if narrow else (150, 330, 50)
    d.text(mean_x, 12, "score of its mean" if not narrow else "its mean", anchor="start", size=13)
    d.text(key_x, 12, "its four keys", anchor="start", size=13)
    for i, (block, mean) in enumerate(zip(SCORES, means, strict=True)):
        y = 34 + i * 40
        d.text(10, y + 14, f"block {i + 1}", anchor="start", size=13)
        score = d.box(mean_x, y, 54, 28, f"{mean:.2f}", role="weight", strength=0.8 * mean, size=13)
        for j, value in enumerate(block):
            left = key_x + j * wide
            if i in best:
                d.box(left, y, wide - 6, 28, role="key", strength=0.7 * value)
            else:
                d.box(left, y, wide - 6, 28, role="line", strength=0.0, dashed=True)
        if i in best:
            d.arrow(score.right, (key_x - 4, y + 14), "" if narrow else "read")
    return d
