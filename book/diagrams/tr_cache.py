"""Writing the fourth token: one query is new, one key and one value are added, the others lie in the cache."""

from bookkit.drawing import Drawing

WORDS = ("<bos>", "elle", "achète", "une")


def draw(narrow: bool) -> Drawing:
    width, step, left = (62, 72, 20) if narrow else (92, 112, 150)
    d = Drawing(322 if narrow else 680, 238)
    last = len(WORDS) - 1
    for i, word in enumerate(WORDS):
        x, new = left + step * i, i == last
        d.text(x + width / 2, 14, word, bold=new, size=13)
        d.box(x, 128, width, 28, f"*k*_{i}", role="key", strength=0.45 if new else 0.12)
        d.box(x, 166, width, 28, f"*v*_{i}", role="value", strength=0.45 if new else 0.12)
        if new:
            query = d.box(x, 36, width, 30, f"*q*_{i}", role="query", strength=0.45)
    for i in range(len(WORDS)):
        d.arrow(query.bottom, (left + step * i + width / 2, 127), role="weight", width=1.5)
    d.brace((left, 202), (left + step * (last - 1) + width, 202), "in the cache")
    d.brace((left + step * last, 202), (left + step * last + width, 202), "new")
    if not narrow:
        d.text(left - 16, 142, "keys", anchor="end", size=13)
        d.text(left - 16, 180, "values", anchor="end", size=13)
    return d
