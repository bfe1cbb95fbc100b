"""In training the decoder reads the right words; in use it reads its own, and an error stays in what it reads."""

from bookkit.drawing import Drawing

SAYS = ("elle", "a", "un", "voiture")
READS = (("in training it reads the reference", ("<bos>", "elle", "a", "une")),
         ("in use it reads what it wrote", ("<bos>", "elle", "a", "un")))  # fmt: skip


def draw(narrow: bool) -> Drawing:
    wide = 68
    d = Drawing(322, 296) if narrow else Drawing(680, 150)
    for i, (title, reads) in enumerate(READS):
        x, y = (8, 148 * i) if narrow else (8 + 340 * i, 0)
        d.text(x, y + 14, title, anchor="start", bold=True, size=13)
        for j, word in enumerate(reads):
            place = x + (wide + 10) * j
            wrong = i == 1 and word == "un"
            said = d.box(place, y + 34, wide, 28, SAYS[j] if i == 0 or j < 3 else "camion", size=13,
                         role="ink" if SAYS[j] == "un" else "line")  # fmt: skip
            read = d.box(place, y + 96, wide, 28, word, size=13, role="ink" if wrong else "line")
            d.arrow(read.top, said.bottom)
            if i == 1 and j < 3:
                d.arrow(said.right, (place + wide + 22, y + 94), dashed=True)
    return d
