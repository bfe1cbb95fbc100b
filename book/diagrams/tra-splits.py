"""Four sets of sentences, and what each is for."""

from bookkit.drawing import Drawing

SETS = (
    ("train", "the loss is\ncomputed on it", "line"),
    ("valid", "chooses: when to\nstop, which head", "ink"),
    ("test", "reports, once:\nnew sentences", "line"),
    ("composition", "reports, once: new\npairs of known words", "line"),
)


def draw(narrow: bool) -> Drawing:
    d = Drawing(320, 262) if narrow else Drawing(680, 118)
    for i, (name, use, role) in enumerate(SETS):
        x, y = (10, 8 + 64 * i) if narrow else (8 + 168 * i, 12)
        d.box(x, y, 112 if narrow else 156, 36, name, role=role)
        for j, line in enumerate(use.split("\n")):
            if narrow:
                d.text(x + 126, y + 9 + 19 * j, line, anchor="start", size=13)
            else:
                d.text(x + 78, y + 58 + 19 * j, line, size=13)
    return d
