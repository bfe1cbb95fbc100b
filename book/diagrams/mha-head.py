"""One head: three small maps, scores, weights, a mean, and what it adds to the output."""

from bookkit.drawing import Drawing


def draw(narrow: bool) -> Drawing:
    d = Drawing(322, 420) if narrow else Drawing(700, 250)
    if narrow:
        q, k, v = (d.box(8 + 106 * i, 8, 92, 32, f"{w} *{s}*", role=r) for i, (w, s, r) in enumerate(WHAT))
        qi, ki, vi = (d.box(18 + 106 * i, 82, 72, 34, f"*W*_{s} *{s}*", role=r) for i, (_, s, r) in enumerate(WHAT))
        d.box(40, 176, 128, 44, "softmax of the\nscores / √(*d*/*h*)", role="weight", size=12)
        mean = d.box(170, 262, 128, 34, "weighted mean", role="value", size=13)
        out = d.box(170, 340, 128, 34, "*W*_o of this head")
        d.text(312, 400, "+ what the other heads add", role="muted", size=13, anchor="end")
        for a, b in ((q, qi), (k, ki), (v, vi)):
            d.arrow(a.bottom, b.top, "*d* → *d*/*h*" if a is v else "", size=12)
        d.arrow(qi.bottom, (90, 176), role="query")
        d.arrow(ki.bottom, (124, 176), role="key")
        d.arrow(vi.bottom, (266, 262), role="value")
        d.arrow((104, 220), (200, 262), role="weight")
        d.arrow(mean.bottom, out.top, "*d*/*h* → *d*", size=12)
        return d
    rows = [20, 90, 170]
    first = [d.box(8, y, 92, 34, f"{w} *{s}*", role=r) for y, (w, s, r) in zip(rows, WHAT, strict=True)]
    small = [d.box(190, y, 74, 34, f"*W*_{s} *{s}*", role=r) for y, (_, s, r) in zip(rows, WHAT, strict=True)]
    for i, (a, b) in enumerate(zip(first, small, strict=True)):
        d.arrow(a.right, b.left, "" if i else "*d* → *d*/*h*")
    d.box(310, 50, 128, 48, "softmax of the\nscores / √(*d*/*h*)", role="weight", size=13)
    mean = d.box(356, 170, 118, 34, "weighted mean", role="value")
    out = d.box(556, 170, 128, 34, "*W*_o of this head")
    d.arrow(small[0].right, (310, 64), role="query")
    d.arrow(small[1].right, (310, 86), role="key")
    d.arrow(small[2].right, mean.left, role="value")
    d.arrow((400, 98), (412, 170), role="weight")
    d.arrow(mean.right, out.left, "*d*/*h* → *d*")
    d.text(684, 228, "+ what the other heads add", role="muted", size=13, anchor="end")
    return d


WHAT = (("query", "q", "query"), ("key", "k", "key"), ("value", "v", "value"))
