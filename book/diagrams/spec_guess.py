"""A draft guesses four tokens; the large model checks them in one pass, keeps two, and draws the third anew."""

from bookkit.drawing import Drawing

GUESSES = (("sat", "kept"), ("on", "kept"), ("a", "rejected"), ("hat", "dropped"))
TITLES = ("the draft guesses,\none by one", "the large model checks\nall in one pass", "written")


def draw(narrow: bool) -> Drawing:
    width, step, left, tall = (62, 72, 20, 88) if narrow else (92, 118, 190, 72)
    d = Drawing(322 if narrow else 680, 280 if narrow else 226)
    rows = [(32 if narrow else 16) + i * tall for i in range(3)]
    for title, y in zip(TITLES, rows, strict=True):
        if narrow:
            d.text(left, y - 13, title.replace("\n", " "), anchor="start", size=13)
        else:
            for i, line in enumerate(title.split("\n")):
                d.text(left - 20, y + 15 + 17 * (i - title.count("\n") / 2), line, anchor="end", size=13)
    above = 24 if narrow else 0  # room for the title that stands over a row
    for i, (word, fate) in enumerate(GUESSES):
        x = left + step * i
        guessed = d.box(x, rows[0], width, 30, word, role="query", dashed=fate == "dropped")
        checked = d.box(x, rows[1], width, 30, fate, role="muted" if fate == "dropped" else "key", size=12)
        d.arrow(guessed.bottom, (checked.top[0], checked.top[1] - above))
        if fate != "dropped":
            new = fate == "rejected"
            written = d.box(x, rows[2], width, 30, "the" if new else word, role="value", strength=0.5 if new else 0.2)
            d.arrow(checked.bottom, (written.top[0], written.top[1] - above))
    end = left + 4 * step - (step - width)
    d.text(end, rows[2] + 46, "drawn anew, from max(0, *p* − *q*)", size=12, anchor="end")
    return d
