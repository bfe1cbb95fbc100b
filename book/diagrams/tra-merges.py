"""Byte pairs: four words in letters, and after four and eleven merges."""

from bookkit.drawing import Drawing

STAGES = (  # the chapter's cell merges the same words, and compares
    (0, ("p a r l e ·", "p a r l o n s ·", "m a n g e ·", "m a n g e o n s ·")),
    (4, ("parl e·", "parl o n s ·", "m a n g e·", "m a n g e o n s ·")),
    (11, ("parle·", "parl ons·", "mang e·", "mang e ons·")),
)


def draw(narrow: bool) -> Drawing:
    d = Drawing(320, 3 * 168) if narrow else Drawing(700, 3 * 64 + 6)
    for i, (count, words) in enumerate(STAGES):
        title = f"{count} merges" if count else "letters"
        if narrow:
            d.text(8, 168 * i + 14, title, anchor="start", bold=True, size=13)
            for j, word in enumerate(words):
                d.tokens(8, 168 * i + 28 + 34 * j, word.split(), gap=3, height=26, size=13, role="line")
        else:
            d.text(8, 64 * i + 30, title, anchor="start", bold=True, size=13)
            for j, word in enumerate(words):
                x, y = 92 + 300 * (j % 2), 64 * i + 8 + 30 * (j // 2)
                d.tokens(x, y, word.split(), gap=3, height=25, size=13, role="line")
    return d
