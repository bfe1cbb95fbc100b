"""The same sentence passed on as its last state, and as all its states."""

from itertools import pairwise

from bookkit.drawing import Drawing

WORDS = ("she", "bought", "a", "red", "car")


def row(d: Drawing, x: float, y: float, kept: bool) -> None:
    """An encoder, what it hands over, and a decoder."""
    d.text(x, y, "all states are kept" if kept else "only the last state is kept", anchor="start", bold=True)
    words = d.tokens(x, y + 18, WORDS, width=58, gap=4, size=12)
    states = [d.box(box.x + 9, y + 70, 40, 28, f"*h*_{i + 1}", role="key") for i, box in enumerate(words)]
    for word, state in zip(words, states, strict=True):
        d.arrow(word.bottom, state.top)
    for left, right in pairwise(states):
        d.arrow(left.right, right.left)
    decoder = d.box(x + 90, y + 152, 126, 32, "decoder: *s*_t", role="query")
    if kept:
        for state, share in zip(states, (0.05, 0.1, 0.1, 0.9, 0.25), strict=True):
            d.arrow(state.bottom, (decoder.center[0] + (state.center[0] - decoder.center[0]) / 4, decoder.y),
                    role="weight", width=0.8 + 4 * share)  # fmt: skip
    else:
        d.arrow(states[-1].bottom, (decoder.x + decoder.width - 20, decoder.y), role="key", width=2.5)


def draw(narrow: bool) -> Drawing:
    d = Drawing(316, 416) if narrow else Drawing(668, 196)
    row(d, 4, 10, kept=False)
    row(d, *((4, 226) if narrow else (354, 10)), kept=True)
    return d
