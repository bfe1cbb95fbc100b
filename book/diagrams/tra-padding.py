"""A batch of three targets: the loss is the mean over real tokens, not over all cells."""

from bookkit.drawing import Drawing

ROWS = (
    ("il", "dort", ".", "<eos>", "", ""),
    ("elle", "ne", "dort", "pas", ".", "<eos>"),
    ("oui", ".", "<eos>", "", "", ""),
)


def draw(narrow: bool) -> Drawing:
    wide = 50 if narrow else 66
    d = Drawing(322, 200) if narrow else Drawing(660, 128)
    for i, row in enumerate(ROWS):
        for j, word in enumerate(row):
            x, y = 4 + (wide + 3) * j, 6 + 36 * i
            if word:
                d.box(x, y, wide, 30, word, strength=0.3, size=13)
            else:
                d.box(x, y, wide, 30, "<pad>", dashed=True, strength=0.0, size=12)
    x, y, anchor = (161, 132, "middle") if narrow else (432, 26, "start")
    d.text(x, y, "loss: the sum over 13", size=14, anchor=anchor)
    d.text(x, y + 22, "real tokens, divided by 13", size=14, anchor=anchor)
    d.text(x, y + 50, "dashed: no loss, not counted", size=13, anchor=anchor, role="muted")
    return d
