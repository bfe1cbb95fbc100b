"""The two scores with parameters: a matrix before the dot product, or a small network."""

from bookkit.drawing import Box, Drawing


def ends(d: Drawing, x: float, y: float, title: str) -> tuple[Box, Box, Box]:
    """A panel's title, its query and key, and the score that they end in."""
    d.text(x, y, title, anchor="start", bold=True)
    query = d.box(x, y + 22, 72, 32, "query *q*", role="query")
    key = d.box(x, y + 84, 72, 32, "key *k*", role="key")
    return query, key, d.box(x + 196, y + 134, 96, 32, "score", role="weight")


def general(d: Drawing, x: float, y: float) -> None:
    query, key, score = ends(d, x, y, "general")
    moved = d.box(x + 112, y + 84, 56, 32, "*W k*", role="key", strength=0.3)
    product = d.box(x + 196, y + 53, 96, 32, "dot product")
    d.arrow(key.right, moved.left, "*W*")
    d.arrow(query.right, product.left)
    d.arrow(moved.right, product.left)
    d.arrow(product.bottom, score.top)


def additive(d: Drawing, x: float, y: float) -> None:
    query, key, score = ends(d, x, y, "additive")
    asked = d.box(x + 112, y + 22, 56, 32, "*W*_q*q*", role="query", strength=0.3)
    offered = d.box(x + 112, y + 84, 56, 32, "*W*_k*k*", role="key", strength=0.3)
    network = d.box(x + 196, y + 53, 96, 32, "add, tanh")
    d.arrow(query.right, asked.left, "*W*_q")
    d.arrow(key.right, offered.left, "*W*_k")
    d.arrow(asked.right, network.left)
    d.arrow(offered.right, network.left)
    d.arrow(network.bottom, score.top, "*w*_v")


def draw(narrow: bool) -> Drawing:
    d = Drawing(316, 384) if narrow else Drawing(640, 186)
    general(d, 12, 12)
    additive(d, *((12, 206) if narrow else (342, 12)))
    return d
