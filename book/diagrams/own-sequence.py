"""What one matrix of a language model holds when source and target stand in one sequence."""

from bookkit.drawing import Drawing

SOURCE, TARGET = ("the", "cat", "sleeps"), ("le", "chat", "dort")


def draw(narrow: bool) -> Drawing:
    cell, left, top = (34, 58, 44) if narrow else (40, 90, 44)
    words = (*SOURCE, *TARGET)
    d = Drawing(left + 6 * cell + (10 if narrow else 290), top + 6 * cell + (96 if narrow else 12))
    for i, word in enumerate(words):
        d.text(left - 8, top + (i + 0.5) * cell, word, anchor="end", size=13, role="query")
        d.text(left + (i + 0.5) * cell, top - 14, word, size=11 if narrow else 13, role="key")
        for j in range(i + 1):
            across = i >= 3 > j
            d.box(left + j * cell, top + i * cell, cell, cell, role="weight" if across else "line",
                  strength=0.45 if across else 0.12)  # fmt: skip
    texts = ("light: each language about itself", "blue: French about English,", "the cross-attention")
    for row, text in enumerate(texts):
        x, y = (left - 40, top + 6 * cell + 20 + 22 * row) if narrow else (left + 6 * cell + 24, top + 110 + 26 * row)
        d.text(x, y, text, anchor="start", role="weight" if row else "ink", bold=row > 0)
    return d
