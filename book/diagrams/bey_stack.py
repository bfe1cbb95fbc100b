"""A language model: each place reads the tokens up to it and predicts the next one."""

from bookkit.drawing import Drawing

WORDS = ["<bos>", "she", "bought", "a"]
NEXT = ["she", "bought", "a", "car"]


def draw(narrow: bool) -> Drawing:
    d = Drawing(324, 290) if narrow else Drawing(640, 290)
    step, wide, left = (78, 66, 8) if narrow else (110, 84, 12)
    size = 13 if narrow else 14
    for i, (word, following) in enumerate(zip(WORDS, NEXT, strict=True)):
        x = left + i * step
        read = d.box(x, 244, wide, 30, word, role="key", size=size)
        said = d.box(x, 10, wide, 30, following, role="value", size=size)
        d.arrow(read.top, (x + wide / 2, 214))
        d.arrow((x + wide / 2, 64), said.bottom)
        for j in range(i + 1):
            start = left + j * step + wide / 2
            d.line((start, 196), (x + wide / 2, 150), role="weight")
        d.dot(x + wide / 2, 196, role="key")
        d.dot(x + wide / 2, 150, role="query")
    span = 3 * step + wide
    d.box(left - 4, 138, span + 8, 76, strength=0.04)
    d.box(left - 4, 64, span + 8, 52, "feed-forward, each token by itself", size=size, strength=0.08)
    d.arrow((left + span / 2, 138), (left + span / 2, 116))
    if not narrow:
        d.text(452, 25, "what it says", anchor="start", role="muted", size=13)

        d.brace((452, 64), (452, 214))
        d.text(468, 139, "× number of layers", anchor="start", role="muted", size=13)
        d.text(452, 259, "what it reads", anchor="start", role="muted", size=13)
    return d
