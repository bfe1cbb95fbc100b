"""A sentence's numbers, cut into heads: rightly by features, wrongly by tokens."""

from bookkit.drawing import Drawing

TOKENS, FEATURES = 4, 6
ROLES = ("weight", "muted")


def table(d: Drawing, x: float, y: float, title: str, below: str, *, by_tokens: bool) -> None:
    d.text(x, y, title, anchor="start", bold=True)
    for t in range(TOKENS):
        d.text(x + 14, y + 34 + 26 * t, f"*x*_{t}", role="muted")
        for f in range(FEATURES):
            head = (t * FEATURES + f) // (TOKENS * FEATURES // 2) if by_tokens else f // (FEATURES // 2)
            d.box(x + 32 + 36 * f, y + 22 + 26 * t, 34, 24, f"{t},{f}", role=ROLES[head], strength=0.25, size=12)
    d.text(x + 32, y + 144, below, anchor="start", role="muted", size=13)


def draw(narrow: bool) -> Drawing:
    d = Drawing(300, 340) if narrow else Drawing(640, 166)
    table(d, 8, 12, "split the features, transpose", "head 0: left half of every token", by_tokens=False)
    place = (8, 184) if narrow else (350, 12)
    table(d, *place, "a plain view", "head 0: all of the first two tokens", by_tokens=True)
    return d
