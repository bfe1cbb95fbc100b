"""The model of the experiment: the pooling is what changes; the answering network sees the query in every model."""

from bookkit.drawing import Drawing

ITEMS = ("cup 3", "lamp 0", "book 7")


def draw(narrow: bool) -> Drawing:
    d = Drawing(320, 330) if narrow else Drawing(680, 186)
    if narrow:
        items = d.tokens(14, 10, [*ITEMS, "…"], gap=10)
        query = d.box(14, 128, 92, 34, "*q*: lamp?", role="query")
        pool = d.box(134, 120, 120, 50, "pooling", role="weight")
        net = d.box(134, 222, 120, 44, "network")
        for item in items:
            d.arrow(item.bottom, (pool.top[0] - 40 + 27 * items.index(item), pool.y), role="key")
        d.arrow(query.right, pool.left, role="query", dashed=True)
        d.arrow(pool.bottom, net.top, "one vector")
        d.arrow(query.bottom, net.left, role="query", bend=-18)
        d.arrow(net.bottom, (net.bottom[0], 312))
        d.text(net.bottom[0] + 12, 312, "0", anchor="start", bold=True)
        d.text(14, 104, "attention only", anchor="start", role="muted", size=12)
        return d
    for row, word in enumerate([*ITEMS, "…"]):
        d.arrow(d.box(10, 8 + 34 * row, 72, 28, word).right, (200, 30 + 10 * row), role="key")
    query = d.box(10, 152, 92, 28, "*q*: lamp?", role="query")
    pool = d.box(200, 18, 130, 54, "pooling", role="weight")
    net = d.box(460, 18, 120, 54, "network")
    d.arrow(query.right, pool.bottom, role="query", dashed=True, bend=-10)
    d.text(278, 112, "attention only", role="muted", size=13, anchor="start")
    d.arrow(pool.right, net.left, "one vector")
    d.arrow(query.right, net.bottom, role="query", bend=-40)
    d.arrow(net.right, (640, 45))
    d.text(650, 45, "0", anchor="start", bold=True)
    return d
