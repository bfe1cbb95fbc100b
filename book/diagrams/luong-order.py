"""One step of two decoders: Bahdanau's asks and then steps, Luong's steps and then asks."""

from bookkit.drawing import Box, Drawing


def column(d: Drawing, x: float, y: float, title: str, late: bool) -> None:
    """The boxes of one decoder, from top to bottom."""
    d.text(x + 140, y, title, bold=True)
    word = d.box(x + 20, y + 24, 96, 34, "word *y*_{t-1}")
    before = d.box(x + 164, y + 24, 96, 34, "state *s*_{t-1}", role="query")
    if late:
        step = d.box(x + 92, y + 92, 96, 34, "state *s*_t", role="query")
        context = attended(d, x, y + 160)
        last = d.box(x + 92, y + 296, 96, 34, "join, write")
        d.arrow(word.bottom, step.top)
        d.arrow(before.bottom, step.top)
        d.arrow(step.bottom, (x + 140, y + 160), "ask", role="query")
        d.arrow(context.bottom, last.top, role="value")
        d.arrow((step.x + step.width, step.center[1]), (last.x + last.width, last.center[1]), bend=72)
    else:
        context = attended(d, x, y + 92)
        step = d.box(x + 92, y + 228, 96, 34, "state *s*_t", role="query")
        last = d.box(x + 92, y + 296, 96, 34, "write")
        d.arrow((before.center[0] - 30, before.y + 34), (x + 140, y + 92), role="query")
        d.text(x + 142, y + 72, "ask", role="muted", size=13)
        d.arrow(context.bottom, step.top, role="value")
        d.arrow((word.x + 8, word.y + 34), step.left, bend=-26)
        d.arrow((before.x + 88, before.y + 34), step.right, bend=26)
        d.arrow(step.bottom, last.top)


def attended(d: Drawing, x: float, y: float) -> Box:
    """Source states with a weight each, and the context that they make; returns the context's box."""
    for i, share in enumerate((0.1, 0.75, 0.15)):
        cell = d.box(x + 56 + 58 * i, y, 52, 30, f"*h*_{i + 1}", role="key")
        d.box(cell.x, y + 34, 52, 10, role="weight", strength=share)
    return d.box(x + 92, y + 62, 96, 34, "context *c*_t", role="value")


def draw(narrow: bool) -> Drawing:
    d = Drawing(300, 720) if narrow else Drawing(640, 346)
    column(d, 10, 12, "Bahdanau: ask, then step", late=False)
    column(d, *((10, 382) if narrow else (340, 12)), "Luong: step, then ask", late=True)
    return d
