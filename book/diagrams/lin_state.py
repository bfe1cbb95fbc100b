"""Linear attention as a recurrence: each token adds a product to the state, each query reads it."""

from bookkit.drawing import Drawing


def draw(narrow: bool) -> Drawing:
    d = Drawing(320, 236) if narrow else Drawing(640, 236)
    step, count = (104, 3) if narrow else (156, 4)
    for i in range(count):
        x = 10 + i * step
        d.box(x, 10, 86, 30, f"*k*_{i + 1}, *v*_{i + 1}", role="key", size=13)
        d.arrow((x + 43, 40), (x + 43, 92), "+ *v k*ᵀ", size=12)
        state = d.box(x + 12, 92, 62, 46, f"*S*_{i + 1}", role="value", strength=0.35)
        d.box(x + 12, 192, 62, 30, f"*q*_{i + 1}", role="query", size=13)
        d.arrow((x + 43, 192), state.bottom, "ask", size=12)
        if i + 1 < count:
            d.arrow(state.right, (x + step + 12, 115))
    return d
