"""A recurrent network, step by step, as encoder that reads from both ends and as decoder."""

from bookkit.drawing import Box, Drawing

Words = tuple[str, ...]


def chain(d: Drawing, x: float, y: float, reads: Words, writes: Words, name: str, role: str) -> list[Box]:
    """States in a row, with what goes in below and what comes out above."""
    states: list[Box] = []
    for i, word in enumerate(reads):
        state = d.box(x + 76 * i, y, 52, 30, f"*{name}*_{i + 1}", role=role)
        below = d.box(x + 76 * i - 6, y + 58, 64, 28, word, size=13)
        d.arrow(below.top, state.bottom)
        if writes:
            above = d.box(x + 76 * i - 6, y - 60, 64, 28, writes[i], size=13)
            d.arrow(state.top, above.bottom)
            if states:
                d.arrow(states[-1].right, state.left)
        elif states:  # from both ends
            before = states[-1]
            d.arrow((before.right[0], y + 9), (state.left[0], y + 9))
            d.arrow((state.left[0], y + 21), (before.right[0], y + 21))
        states.append(state)
    return states


def draw(narrow: bool) -> Drawing:
    d = Drawing(300, 380) if narrow else Drawing(640, 190)
    top = 64 if narrow else 88
    d.text(12, 14 if narrow else 12, "encoder: reads from both ends", anchor="start", bold=True)
    first = chain(d, 14, top, ("I", "am", "home"), (), "h", "key")[0]
    x, y = (14, 280) if narrow else (340, 88)
    d.text(x, y - 74 if narrow else 12, "decoder: reads the previous word", anchor="start", bold=True)
    start = chain(d, x, y, ("<bos>", "je", "suis"), ("je", "suis", "chez"), "s", "query")[0]
    over = top - 22
    d.line(first.top, (first.top[0], over), dashed=True)
    if narrow:
        d.line((first.top[0], over), (276, over), dashed=True)
        d.text(96, over - 11, "first state", anchor="start", role="muted", size=13)
        d.line((276, over), (276, y - 90), dashed=True)
        d.line((276, y - 90), (6, y - 90), dashed=True)
        d.line((6, y - 90), (6, start.left[1]), dashed=True)
        d.arrow((6, start.left[1]), start.left, dashed=True)
    else:
        d.line((first.top[0], over), (300, over), dashed=True)
        d.text(120, over - 11, "first state", anchor="start", role="muted", size=13)
        d.line((300, over), (300, start.left[1]), dashed=True)
        d.arrow((300, start.left[1]), start.left, dashed=True)
    return d
