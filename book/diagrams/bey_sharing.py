"""Whose keys and values a query head uses, and what is kept of a token: four ways."""

from bookkit.drawing import Drawing

KINDS = (("multi-head", 4), ("grouped", 2), ("multi-query", 1), ("latent", 0))


def one(d: Drawing, x: float, y: float, name: str, groups: int) -> None:
    d.text(x + 70, y + 10, name, bold=True, size=13)
    queries = [d.box(x + i * 36, y + 28, 30, 26, f"*q*_{i + 1}", role="query", size=13) for i in range(4)]
    if groups:
        wide = 144 / groups - 6
        for g in range(groups):
            kept = d.box(x + g * 144 / groups, y + 84, wide, 30, "*k*  *v*", role="key", strength=0.35, size=13)
            for query in queries[g * 4 // groups : (g + 1) * 4 // groups]:
                d.line(query.bottom, kept.top, role="muted")
        return
    latent = d.box(x + 40, y + 124, 60, 28, "*c*", role="value", strength=0.45)
    for query in queries:
        made = d.box(query.x, y + 78, 30, 24, "*k v*", role="key", dashed=True, size=12)
        d.line(query.bottom, made.top, role="muted")
        d.line(made.bottom, latent.top, role="muted")


def draw(narrow: bool) -> Drawing:
    d = Drawing(322, 350) if narrow else Drawing(656, 176)
    for i, (name, groups) in enumerate(KINDS):
        place = (8 + i % 2 * 166, 4 + i // 2 * 170) if narrow else (8 + i * 166, 4)
        one(d, *place, name, groups)
    return d
