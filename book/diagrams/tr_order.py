"""Post-norm and pre-norm: the norm on the way, or beside it."""

from bookkit.drawing import Drawing


def draw(narrow: bool) -> Drawing:
    d = Drawing(312, 300) if narrow else Drawing(620, 300)
    for i, post in enumerate((True, False)):
        x = (8 if narrow else 60) + i * (152 if narrow else 300)
        column(d, x, post)
    return d


def column(d: Drawing, x: float, post: bool) -> None:
    """One sublayer with its residual, from the bottom up."""
    way = x + 26
    d.text(x, 12, "post-norm (2017)" if post else "pre-norm", anchor="start", bold=True, size=13)
    d.line((way, 292), (way, 80 if post else 50), role="query", width=3)
    d.arrow((way, 52), (way, 26), role="query", width=3)
    d.text(way, 100, "+", bold=True, size=20)
    top = 188 if post else 168
    f = d.box(x + 58, top, 80, 34, "sublayer", role="weight", size=13)
    if post:
        d.box(x, 52, 52, 28, "norm", role="value", strength=0.35, size=13)
        d.line((way, 262), (f.center[0], 262))
        d.arrow((f.center[0], 262), f.bottom)
    else:
        norm = d.box(x + 58, 226, 80, 26, "norm", role="value", strength=0.35, size=13)
        d.line((way, 276), (norm.center[0], 276))
        d.arrow((norm.center[0], 276), norm.bottom)
        d.arrow(norm.top, f.bottom)
    d.line(f.top, (f.center[0], 100))
    d.arrow((f.center[0], 100), (way + 10, 100))
