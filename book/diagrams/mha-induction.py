"""Two heads that copy together: one looks one token back, the other looks for a token that follows this one."""

from bookkit.drawing import Drawing

WORDS = ("le", "chat", "noir", "et", "le")


def draw(narrow: bool) -> Drawing:
    d = Drawing(322, 226) if narrow else Drawing(600, 226)
    step, wide, left = (64, 60, 2) if narrow else (110, 76, 36)
    middles = [left + step * i + wide / 2 for i in range(len(WORDS))]
    for i, word in enumerate(WORDS):
        d.box(left + step * i, 10, wide, 30, word, role="key" if i in (0, 4) else "line")
        said = f"{word},\nafter *{WORDS[i - 1]}*" if i else word
        role = {1: "key", 4: "query"}.get(i, "line")
        d.box(left + step * i, 96, wide, 42, said, size=11 if narrow else 12, role=role)
        d.arrow((middles[i], 40), (middles[i], 96))
        if i:
            d.arrow((middles[i - 1] + 6, 40), (middles[i] - 8, 96), role="weight")
    if not narrow:
        d.text(2, 72, "layer 1", anchor="start", role="weight", size=13)
    d.arrow((middles[4], 138), (middles[4], 180))
    d.arrow((middles[1], 138), (middles[4] - wide / 2, 196), role="weight", bend=-14)
    d.box(middles[4] - wide / 2, 180, wide, 30, "chat", role="value")
    d.text(
        middles[1] - 4,
        196,
        "who came after *le*?" if narrow else "layer 2: who came after *le*?",
        role="weight",
        size=13,
    )
    return d
