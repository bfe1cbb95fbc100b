"""What a weight belongs to: a place, nothing, or an item and the query."""

from bookkit.drawing import Drawing

KINDS = (
    ("fully connected", ("*W*_1", "*W*_2", "*W*_3"), "a matrix for each place"),
    ("mean", ("1/3", "1/3", "1/3"), "the same for all"),
    ("attention", ("0.1", "0.8", "0.1"), "by item and query"),
)


def draw(narrow: bool) -> Drawing:
    d = Drawing(300 if narrow else 680, 530 if narrow else 176)
    for number, (name, weights, words) in enumerate(KINDS):
        x, y = (30, 178 * number) if narrow else (4 + 222 * number, 0)
        d.text(x + 92, y + 12, name, bold=True)
        out = d.box(x + 62, y + 120, 60, 28, "result", role="value")
        for place, weight in enumerate(weights):
            item = d.box(x + 64 * place, y + 30, 56, 28, f"*x*_{place + 1}", role="key")
            strong = name == "attention" and place == 1
            d.arrow(item.bottom, (out.x + 10 + 20 * place, out.y), role="weight", width=4 if strong else 1.5)
            d.text(x + (16, 110, 172)[place], y + 84, weight, role="weight", size=13)
        if name == "attention":
            d.text(x + 206, y + 44, "*q*", role="query", bold=True)
            d.arrow((x + 206, y + 56), (x + 190, y + 80), role="query")
        d.text(x + 92, y + 164, words, role="muted", size=13)
    return d
